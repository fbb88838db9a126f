package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
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
// name that nothing runs. The folders are held open until then.
func keepLinks(links []keptLink) (restore func()) {
	held := map[string]folder{}
	for _, l := range links {
		if _, ok := held[l.root]; ok {
			continue
		}
		if dir, err := openFolder(l.root); err == nil {
			held[l.root] = dir
		}
	}
	return func() {
		for _, l := range links {
			if dir, ok := held[l.root]; ok {
				l.putBack(dir)
			}
		}
		for _, dir := range held {
			dir.close()
		}
	}
}

// asideTries bounds the names that are tried for what is set aside. All but the
// first ones are random: nobody takes them beforehand.
const asideTries = 100

func (l keptLink) putBack(dir folder) {
	if now, err := dir.link(l.name); err == nil && now == l.target {
		return
	}
	for n := range asideTries {
		aside := fmt.Sprintf("%s.set-aside-%d", l.name, n+1)
		if n >= asideTries/10 {
			aside = l.name + ".set-aside-" + rand.Text()
		}
		err := unix.Renameat2(dir.fd(), l.name, dir.fd(), aside, unix.RENAME_NOREPLACE)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			_ = unix.Symlinkat(l.target, dir.fd(), l.name) // fails when the user was faster
			return
		}
		if !errors.Is(err, fs.ErrExist) {
			return
		}
	}
}
