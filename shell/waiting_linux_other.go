//go:build linux && !amd64

package shell

import "golang.org/x/sys/unix"

// blocking are the system calls in which a program waits for input.
var blocking = map[int]wait{
	unix.SYS_READ: inRead, unix.SYS_READV: inRead,
	unix.SYS_PPOLL: inPoll, unix.SYS_PSELECT6: inSelect,
	unix.SYS_EPOLL_PWAIT: inEpoll, unix.SYS_EPOLL_PWAIT2: inEpoll,
}
