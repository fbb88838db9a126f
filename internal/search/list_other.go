//go:build !linux

package search

import (
	"io/fs"
	"os"
)

// list returns what can be read of a folder, with the error of what cannot.
func list(dir string) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.ReadDir(-1)
	entries := make([]entry, len(all))
	for i, e := range all {
		entries[i] = entry{e.Name(), kindOf(e.Type())}
	}
	return entries, err
}

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsDir():
		return folder
	case mode.IsRegular():
		return file
	}
	return other
}
