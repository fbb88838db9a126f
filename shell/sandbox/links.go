//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// hold keeps what the plan's mounts need, and what they cannot hold, until
// release is called.
func (p plan) hold() (release func(), err error) {
	unhold, err := hold(p.missing)
	if err != nil {
		return nil, err
	}
	restore := keepLinks(p.links)
	return func() { restore(); unhold() }, nil
}

// keepLinks remembers protected names that are links. Nothing can be mounted on
// a link: what it points to is read-only, but it can be replaced. It is put back
// when the command is gone, and what stood there instead is set aside under a
// name that nothing runs.
func keepLinks(paths []string) (restore func()) {
	targets := map[string]string{}
	for _, path := range paths {
		if target, err := os.Readlink(path); err == nil {
			targets[path] = target
		}
	}
	return func() {
		for path, target := range targets {
			if now, err := os.Readlink(path); err != nil || now != target {
				putBack(path, target)
			}
		}
	}
}

// maxAside bounds the names that are tried for what is set aside.
const maxAside = 100

func putBack(path, target string) {
	for n := range maxAside {
		aside := fmt.Sprintf("%s.set-aside-%d", path, n+1)
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(path, aside); err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = os.Symlink(target, path) // fails when the user was faster
		}
		return
	}
}
