package search

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// listBuffers have room for the names that one call returns.
var listBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// list returns what can be read of a folder, with the error of what cannot. It
// reads the folder as the kernel has it: package os makes several objects of each
// name, which in a large tree takes longer than all else.
func list(dir string) ([]entry, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	defer syscall.Close(fd)
	buf := *listBuffers.Get().(*[]byte)
	defer listBuffers.Put(&buf)
	var entries []entry
	for {
		n, err := ignoringEINTR(func() (int, error) { return syscall.ReadDirent(fd, buf) })
		if err != nil {
			return entries, &fs.PathError{Op: "list", Path: dir, Err: err}
		}
		if n <= 0 {
			return entries, nil
		}
		entries = dirents(entries, dir, string(buf[:n]))
	}
}

// The layout of a name in a folder: number and offset come first, then the length
// of the record and the kind.
const (
	direntLength = 16
	direntKind   = 18
	direntName   = 19
)

// dirents adds the names in block, which keeps the memory of all of them.
func dirents(entries []entry, dir, block string) []entry {
	for len(block) > direntName {
		size := int(binary.NativeEndian.Uint16([]byte(block[direntLength:direntKind])))
		if size <= direntName || size > len(block) {
			return entries
		}
		name := block[direntName:size]
		if end := bytes.IndexByte([]byte(name), 0); end >= 0 {
			name = name[:end]
		}
		if name != "." && name != ".." {
			entries = append(entries, entry{name, direntKindOf(dir, name, block[direntKind])})
		}
		block = block[size:]
	}
	return entries
}

// direntKindOf asks the file itself where the file system does not tell.
func direntKindOf(dir, name string, told byte) kind {
	switch told {
	case syscall.DT_DIR:
		return folder
	case syscall.DT_REG:
		return file
	case syscall.DT_UNKNOWN:
		info, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case err != nil:
		case info.IsDir():
			return folder
		case info.Mode().IsRegular():
			return file
		}
	}
	return other
}
