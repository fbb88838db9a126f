package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Leader is the process that a signal for the program of a Bare launch must go
// to, given the one that was started: bubblewrap starts a process 1, which
// starts the program. It is pid itself when there is no such process.
func Leader(pid int) int {
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if strings.TrimSpace(string(comm)) != "bwrap" {
		return pid
	}
	leader := firstChild(firstChild(pid))
	if leader == 0 {
		return pid
	}
	return leader
}

// firstChild is 0 when there is none, also of 0.
func firstChild(pid int) int {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	child, _, _ := strings.Cut(string(raw), " ")
	n, _ := strconv.Atoi(child)
	return n
}
