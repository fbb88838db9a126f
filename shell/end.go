package shell

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

const (
	drainTime = 50 * time.Millisecond // for the last output after the leader's exit
	killTime  = 2 * time.Second       // for SIGKILL to work; only a stuck device takes it
	minPause  = time.Millisecond
	maxPause  = 20 * time.Millisecond
)

// end asks every process of the command to go, makes them go after grace, and
// returns when they are gone. Killing is done in rounds: who forks faster than
// one round is caught by a later one. What outlives SIGKILL (another user's
// process, a stuck device) is named in the error.
func (c *claim) end(grace time.Duration) error {
	if grace > 0 {
		c.signal(syscall.SIGTERM)
		c.signal(syscall.SIGCONT) // a stopped process cannot act on TERM
	}
	if c.goneWithin(grace) {
		return nil
	}
	for limit := time.Now().Add(killTime); time.Now().Before(limit); {
		c.signal(syscall.SIGKILL)
		if c.goneWithin(maxPause) {
			return nil
		}
	}
	return outlived(c.members())
}

// goneWithin looks again and again until limit has passed.
func (c *claim) goneWithin(limit time.Duration) bool {
	end := time.Now().Add(limit)
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		if c.gone() {
			return true
		}
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
}

func outlived(left []proc) error {
	names := make([]string, 0, len(left))
	for _, p := range left {
		names = append(names, label(p))
	}
	return fmt.Errorf("end command: still there after SIGKILL: %s", strings.Join(names, ", "))
}
