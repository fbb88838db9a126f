package lsp

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// processGone returns a channel that is closed when the process ends. A handle
// on the process itself is polled, so a reused pid deceives nobody; it is given
// up when ctx ends.
func processGone(ctx context.Context, pid int) (<-chan struct{}, error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	handle := os.NewFile(uintptr(fd), "pidfd")
	raw, err := handle.SyscallConn()
	if err != nil {
		handle.Close()
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	gone := make(chan struct{})
	go waitReadable(raw, gone) // ends with the process, or when the handle is closed
	context.AfterFunc(ctx, func() { handle.Close() })
	return gone, nil
}

// waitReadable sleeps in the runtime's poller: a process handle becomes
// readable when the process ends.
func waitReadable(raw syscall.RawConn, gone chan<- struct{}) {
	ended := false
	_ = raw.Read(func(fd uintptr) bool {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, 0)
		ended = err == nil && n > 0
		return ended
	})
	if ended {
		close(gone)
	}
}
