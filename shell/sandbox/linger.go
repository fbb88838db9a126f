//go:build unix

package sandbox

import (
	"strings"
	"sync"
	"time"
)

// Stand-ins outlive their command for a while: the next command of a turn needs
// the same ones, and an editor's list of files would flicker with each.
const lingerTime = 10 * time.Second

var (
	lingerMu  sync.Mutex // guards lingering
	lingering = map[string]*lingerer{}
)

// lingerer is the last set of stand-ins that was let go, by the paths in it, so
// that there is one at most for each workspace.
type lingerer struct {
	held  []standIn
	timer *time.Timer
}

// letGo releases stand-ins after lingerTime, or with LetGo.
func letGo(held []standIn) {
	if len(held) == 0 {
		return
	}
	key := keyOf(held)
	l := &lingerer{held: held}
	lingerMu.Lock()
	before := lingering[key]
	lingering[key] = l
	l.timer = time.AfterFunc(lingerTime, func() { l.end(key) })
	lingerMu.Unlock()
	if before != nil && before.timer.Stop() {
		releaseAll(before.held)
	}
}

func keyOf(held []standIn) string {
	var key strings.Builder
	for _, s := range held {
		key.WriteString(s.path + "\x00")
	}
	return key.String()
}

func (l *lingerer) end(key string) {
	lingerMu.Lock()
	if lingering[key] == l {
		delete(lingering, key)
	}
	lingerMu.Unlock()
	releaseAll(l.held)
}

func releaseAll(held []standIn) {
	for _, s := range held {
		s.release()
	}
}

// LetGo removes at once what stands in for protected paths and is needed by no
// command any more, and ends networks that no command is in. A program calls it
// before it ends.
func LetGo() {
	closeNetworks()
	lingerMu.Lock()
	all := lingering
	lingering = map[string]*lingerer{}
	lingerMu.Unlock()
	for _, l := range all {
		if l.timer.Stop() {
			releaseAll(l.held)
		}
	}
}
