package config

import (
	"errors"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// readFolders takes folders that commands may write. One that would give away
// the user's files or our own is a mistake, whatever it was meant for.
func readFolders(n *yaml.Node, dirs Dirs, into *[]string) error {
	if n.Kind != yaml.SequenceNode {
		return faultf(n, "want a list of folders, have a %s", nodeWord(n))
	}
	folders := make([]string, len(n.Content))
	var errs []error
	for i, item := range n.Content {
		errs = append(errs, readFolder(item, dirs, &folders[i]))
	}
	*into = folders
	return errors.Join(errs...)
}

func readFolder(n *yaml.Node, dirs Dirs, into *string) error {
	var s string
	if err := readText(n, &s); err != nil {
		return err
	}
	rest, ofHome := strings.CutPrefix(s, "~/")
	switch {
	case ofHome && dirs.Home == "":
		return faultf(n, "%s: HOME is not set to an absolute path", s)
	case ofHome:
		s = filepath.Join(dirs.Home, rest)
	case !filepath.IsAbs(s):
		return faultf(n, "want an absolute path or one that begins with ~/, have %q", s)
	}
	s = filepath.Clean(s)
	if why := dirs.givesAway(s); why != "" {
		return faultf(n, "%s %s; name a folder that holds only what commands may change", s, why)
	}
	*into = s
	return nil
}

// givesAway says why nobody may be let into folder, "" when that is no matter.
// Links are looked through as far as they lead somewhere.
func (d Dirs) givesAway(folder string) string {
	real := resolved(folder)
	if real == string(filepath.Separator) {
		return "is the whole file system"
	}
	if d.Home != "" && within(resolved(d.Home), real) {
		return "is or holds your home folder"
	}
	for _, own := range d.Protected() {
		if own = resolved(own); own != "" && (within(own, real) || within(real, own)) {
			return "gives away Drawbridge's own folder " + own
		}
	}
	return ""
}

// resolved follows links; of a path that does not exist, those of the part that
// does.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

// within reports whether path is folder or below it.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(folder, string(filepath.Separator)))
}
