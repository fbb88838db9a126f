package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Dirs are the folders of the program's own files. None lies in a workspace
// by choice; what a workspace may hold of them (a home folder that is opened
// whole) is closed to tools by Protected.
type Dirs struct {
	Home   string // the user's; "" when HOME names none
	Config string // the user's settings
	State  string // sessions and logs
	Cache  string // what can be made again
}

// FindDirs follows the XDG base directories on every system. Relative values
// are ignored, as their specification asks. getenv is os.Getenv outside tests.
func FindDirs(getenv func(string) string) (Dirs, error) {
	home := getenv("HOME")
	var missing error
	find := func(variable string, below ...string) string {
		base := getenv(variable)
		if !filepath.IsAbs(base) {
			if !filepath.IsAbs(home) {
				missing = fmt.Errorf("find own folders: neither %s nor HOME is set to an absolute path", variable)
			}
			base = filepath.Join(append([]string{home}, below...)...)
		}
		return filepath.Join(base, "drawbridge")
	}
	d := Dirs{
		Home:   home,
		Config: find("XDG_CONFIG_HOME", ".config"),
		State:  find("XDG_STATE_HOME", ".local", "state"),
		Cache:  find("XDG_CACHE_HOME", ".cache"),
	}
	if missing != nil {
		return Dirs{}, missing
	}
	if !filepath.IsAbs(home) {
		d.Home = ""
	}
	return d, nil
}

// Protected lists what no tool may read or write, whoever agrees: settings
// steer what is asked, and state holds what was said.
func (d Dirs) Protected() []string { return []string{d.Config, d.State, d.Cache} }

// Make creates one of the folders, or a folder below, for its first use. The
// folder is the user's alone, also when it was there with wider permissions.
func Make(dir string) error {
	if !filepath.IsAbs(dir) {
		return errors.New("make own folder: the path is not absolute")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make own folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("make own folder: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("close own folder to others: %w", err)
	}
	return nil
}
