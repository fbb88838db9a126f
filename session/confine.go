package session

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"drawbridge/approval"
	"drawbridge/shell"
)

// confine returns what holds the commands of this session, by the preset of the
// moment; nil where nothing ever holds any.
func (s *Session) confine() func() (shell.Confinement, error) {
	if s.host.o.Confine == nil {
		return nil
	}
	return func() (shell.Confinement, error) {
		c := Confines{Preset: s.gate.Preset(), Roots: s.set.Roots, Tmp: s.host.tmp(s.id)}
		if c.Preset == approval.PresetFullAccess {
			return nil, nil
		}
		if err := os.MkdirAll(c.Tmp, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder for temporary files: %w", err)
		}
		return s.host.o.Confine(c)
	}
}

// removeTmp removes what the session's commands left of temporary files.
func (s *Session) removeTmp() {
	dir := s.host.tmp(s.id)
	if os.RemoveAll(dir) == nil {
		_ = os.Remove(filepath.Dir(dir)) // which archived output may keep
		return
	}
	if err := forceRemove(dir); err != nil {
		s.log.Warn("temporary files are left", "err", err)
	}
}

// removeState removes what tools remembered for a session that cannot be loaded
// again.
func (s *Session) removeState() {
	if s.host.o.Ephemeral && os.RemoveAll(s.env.StateDir) == nil {
		_ = os.Remove(filepath.Dir(s.env.StateDir)) // which only that had made
	}
}

// forceRemove removes a folder of which some programs leave folders that nobody
// may write to.
func forceRemove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
