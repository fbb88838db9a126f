package shell

// Rung says how surely commands are ended; a higher one includes the lower.
type Rung int

const (
	GroupRung  Rung = iota // the process group: who leaves it escapes
	TreeRung               // everything a command started, while the bridge lives
	ScanRung               // also when the bridge is killed, by a guard that has to read all of /proc
	GuardRung              // the same by the kernel's lists of children
	CgroupRung             // also what forks without end, or is another user's
)

func (r Rung) String() string {
	return [...]string{"process group", "process tree", "a guard for each command, which reads all of /proc", "a guard for each command", "a guard and a cgroup for each command"}[r]
}
