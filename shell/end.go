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

// settle waits until limit for the command's remaining processes to end by
// themselves, as the reader of a pipe does after its writer, and counts those
// that did not.
func (c *claim) settle(limit time.Time) int {
	for pause := minPause; ; pause *= 2 {
		n := len(c.members())
		left := time.Until(limit)
		if n == 0 || left <= 0 {
			return n
		}
		time.Sleep(min(pause, left))
	}
}

func outlived(left []proc) error {
	names := make([]string, 0, len(left))
	for _, p := range left {
		names = append(names, p.String())
	}
	return fmt.Errorf("end command: still there after SIGKILL: %s", strings.Join(names, ", "))
}
