package lsp

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const watchInterval = 500 * time.Millisecond

// processGone returns a channel that is closed when the process ends. The
// process is known by its start time too, so a reused pid deceives nobody.
func processGone(ctx context.Context, pid int) (<-chan struct{}, error) {
	born, err := startTime(pid)
	if err != nil {
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	gone := make(chan struct{})
	go func() { // ends with the process or with ctx
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if now, err := startTime(pid); err != nil || now != born {
				close(gone)
				return
			}
		}
	}()
	return gone, nil
}

func startTime(pid int) (unix.Timeval, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return unix.Timeval{}, err
	}
	return p.Proc.P_starttime, nil
}
