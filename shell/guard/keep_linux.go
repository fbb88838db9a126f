package guard

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drawbridge/shell/procfs"
)

const (
	killTime = 2 * time.Second  // for SIGKILL to work before survivors are named
	lastTime = 10 * time.Second // for a guard whose bridge is gone: it does not stay for ever
	maxPause = 20 * time.Millisecond
	minPause = time.Millisecond
)

// keeper is a guard at work.
type keeper struct {
	brood brood
	job   Job
	gone  chan struct{} // closed when no child is left

	mu     sync.Mutex // guards below
	ending bool
	killAt time.Time     // when SIGKILL comes
	sooner chan struct{} // closed and replaced when killAt moves
}

// keep is a guard's life. It ends the process.
func keep(leaf string, follow bool) {
	runtime.LockOSThread() // a box is to die with its parent, which for the kernel is a thread
	shrug()
	unix.CloseOnExec(ControlFD)
	unix.CloseOnExec(FollowFD)
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // its socket is not for commands
	k := &keeper{gone: make(chan struct{}), sooner: make(chan struct{})}
	k.brood.leaf = leaf
	k.serve(follow)
	if k.brood.leader == 0 {
		k.removeLeaf()
		unix.Exit(0)
	}
	k.end(0)
	select {
	case <-k.gone:
	case <-time.After(lastTime):
	}
	unix.Exit(1)
}

// serve takes orders until the bridge or the editor is gone.
func (k *keeper) serve(follow bool) {
	polled := []unix.PollFd{{Fd: ControlFD, Events: unix.POLLIN}}
	if follow {
		polled = append(polled, unix.PollFd{Fd: FollowFD, Events: unix.POLLIN})
	}
	for {
		if _, err := unix.Poll(polled, -1); err != nil {
			continue // interrupted
		}
		if follow && polled[1].Revents != 0 {
			return
		}
		packet, fds, err := receive()
		if err != nil || len(packet) == 0 {
			return
		}
		k.obey(packet, fds)
	}
}

// receive is one packet with its descriptors; an empty one is the bridge's end.
func receive() ([]byte, []int, error) {
	packet, rights := make([]byte, MaxPacket), make([]byte, unix.CmsgSpace(4*maxFiles))
	for {
		n, got, _, _, err := unix.Recvmsg(ControlFD, packet, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		return packet[:n], descriptors(rights[:got]), nil
	}
}

// maxFiles is the most descriptors that the kernel passes at once.
const maxFiles = 253

func descriptors(rights []byte) (fds []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		more, _ := unix.ParseUnixRights(&m)
		fds = append(fds, more...)
	}
	return fds
}

func (k *keeper) obey(packet []byte, fds []int) {
	switch packet[0] {
	case StartWord:
		k.start(fds)
	case KillWord:
		k.end(time.Duration(Number(packet)) * time.Millisecond)
	case InterruptWord:
		k.brood.interrupt()
	}
}

// start runs the job of the first descriptor with the others as its own:
// standard input, output, and from the third on further ones.
func (k *keeper) start(fds []int) {
	err := k.launch(fds)
	for _, fd := range fds {
		unix.Close(fd)
	}
	if err != nil {
		errno, ok := err.(syscall.Errno)
		if !ok {
			errno = syscall.EINVAL
		}
		k.removeLeaf()
		send(Packet(FailedWord, uint32(errno)))
		unix.Exit(1)
	}
	send(Packet(StartedWord, uint32(k.brood.leader)))
	go k.reap() // ends the process
}

func (k *keeper) launch(fds []int) (err error) {
	if len(fds) < 3 || k.brood.leader != 0 {
		return syscall.EINVAL
	}
	text, err := readAll(fds[0])
	if err != nil {
		return err
	}
	if k.job, err = decodeJob(text); err != nil {
		return err
	}
	files := []uintptr{uintptr(fds[1]), uintptr(fds[2]), uintptr(fds[2])}
	for _, fd := range fds[3:] {
		files = append(files, uintptr(fd))
	}
	return k.brood.fork(k.job, files)
}

func readAll(fd int) ([]byte, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	text := make([]byte, stat.Size)
	for at := 0; at < len(text); {
		n, err := unix.Pread(fd, text[at:], int64(at))
		if err != nil || n == 0 {
			return nil, syscall.EIO
		}
		at += n
	}
	return text, nil
}

func send(packet []byte) { unix.SendmsgN(ControlFD, packet, nil, nil, unix.MSG_NOSIGNAL) }

// reap says how the leader ended, and ends the process when no child is left.
func (k *keeper) reap() {
	k.brood.reap(func(status syscall.WaitStatus) { send(Packet(ExitedWord, uint32(status))) })
	close(k.gone)
	send([]byte{GoneWord})
	k.removeLeaf()
	unix.Exit(0)
}

// end orders the end of all within grace. An earlier order stays as it is
// unless this one comes sooner.
func (k *keeper) end(grace time.Duration) {
	at := time.Now().Add(grace)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.ending {
		k.ending, k.killAt = true, at
		go k.finish(grace > 0) // ends when no child is left, or with the process
		return
	}
	if at.Before(k.killAt) {
		k.killAt = at
		close(k.sooner)
		k.sooner = make(chan struct{})
	}
}

// finish asks all processes to go, and makes them go when their time is over.
func (k *keeper) finish(ask bool) {
	if ask {
		k.ask()
		if k.goneInTime() {
			return
		}
	}
	start, told := time.Now(), false
	for round := 0; ; round++ {
		k.killLeaf()
		k.brood.kill()
		if k.goneWithin(pauseAfter(round, told)) {
			return
		}
		if !told && time.Since(start) > killTime {
			told = true
			k.tellStuck()
		}
	}
}

// pauseAfter a round of killing is such that ordinary processes have died when
// it ends; what is still there may be a chain of forks, which is caught in a row
// of rounds without any.
func pauseAfter(round int, told bool) time.Duration {
	switch {
	case told:
		return 5 * maxPause
	case round < 3:
		return minPause << round
	case round%32 > 0:
		return 0
	}
	return maxPause
}

// ask sends SIGTERM to each process before any can act on it, and wakes the
// stopped, which could not.
func (k *keeper) ask() {
	levels := procfs.NewTable().Below(os.Getpid())
	if k.job.Boxed {
		levels = levels[min(BoxLevels, len(levels)):]
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGCONT} {
		for _, level := range levels {
			signalAll(level, sig)
		}
	}
}

// BoxLevels is how many generations below a guard belong to a box, not to its
// command: the program that builds it, and process 1.
const BoxLevels = 2

// goneInTime waits for the end of the grace, which may come sooner meanwhile.
func (k *keeper) goneInTime() bool {
	for {
		k.mu.Lock()
		left, sooner := time.Until(k.killAt), k.sooner
		k.mu.Unlock()
		select {
		case <-k.gone:
			return true
		case <-sooner:
		case <-time.After(left):
			return false
		}
	}
}

func (k *keeper) goneWithin(d time.Duration) bool {
	select {
	case <-k.gone:
		return true
	case <-time.After(d):
		return false
	}
}

func (k *keeper) tellStuck() {
	packet := []byte{StuckWord}
	for _, level := range procfs.NewTable().Below(os.Getpid()) {
		for _, p := range level {
			name := procfs.Label(p.PID)
			if len(packet)+len(name)+2 > MaxPacket {
				break
			}
			if len(packet) > 1 {
				packet = append(packet, ", "...)
			}
			packet = append(packet, name...)
		}
	}
	send(packet)
}

// killLeaf has the kernel kill all in the leaf at once, whoever's they are.
func (k *keeper) killLeaf() {
	if k.brood.leaf != "" {
		KillLeaf(k.brood.leaf)
	}
}

func (k *keeper) removeLeaf() {
	if k.brood.leaf != "" {
		RemoveLeaf(k.brood.leaf)
	}
}

// RemoveLeaf removes an empty cgroup. The kernel may take a process for one of
// its own for some time after it was waited for.
func RemoveLeaf(dir string) {
	for end := time.Now().Add(time.Second); unix.Rmdir(dir) == unix.EBUSY && time.Now().Before(end); {
		time.Sleep(minPause)
	}
}

// KillLeaf sends SIGKILL to all in a cgroup.
func KillLeaf(dir string) {
	fd, err := unix.Open(dir+"/cgroup.kill", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	unix.Write(fd, []byte("1"))
	unix.Close(fd)
}
