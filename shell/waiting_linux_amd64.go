package shell

import "golang.org/x/sys/unix"

// blocking are the system calls in which a program waits for input.
var blocking = map[int]wait{
	unix.SYS_READ: inRead, unix.SYS_READV: inRead,
	unix.SYS_POLL: inPoll, unix.SYS_PPOLL: inPoll,
	unix.SYS_SELECT: inSelect, unix.SYS_PSELECT6: inSelect,
	unix.SYS_EPOLL_WAIT: inEpoll, unix.SYS_EPOLL_PWAIT: inEpoll, unix.SYS_EPOLL_PWAIT2: inEpoll,
}
