//go:build !linux

package shell

import (
	"errors"
	"log/slog"
	"os"
	"time"
)

// GuardMain does nothing where orphans cannot be adopted, and a guard would
// know no more than the bridge.
func GuardMain() {}

// FollowParent fails: only Linux tells of another process's end in this way.
func FollowParent() error { return errors.New("follow the editor: not on this system") }

var theGuards guards

// ownerName is nothing that could be looked for later.
func ownerName() string { return "" }

type guards struct{}

const afterStart = 0

func (guards) join()                             {}
func (guards) rouse(time.Duration, *slog.Logger) { _ = prepare() }
func (guards) leave()                            {}
func (guards) possible() bool                    { return false }

// socketPair is never called where possible is false.
func socketPair() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }

// hold forks the command itself.
func (l *Local) hold(launch Launch, e ends, mark string) (holder, error) {
	return l.holdDirectly(launch, e, mark)
}
