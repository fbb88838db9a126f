package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"drawbridge/shell/sandbox/stage"
)

// Leader is the process that a signal for the program of a Bare launch must go
// to, given the one that was started: bubblewrap starts a process 1, which
// starts the program; a stage in namespaces waits for it. It is pid itself when
// there is no such process.
func Leader(pid int) int {
	leader := 0
	switch {
	case programName(pid) == "bwrap":
		leader = firstChild(firstChild(pid))
	case isStage(pid):
		leader = firstChild(pid)
	}
	if leader == 0 {
		return pid
	}
	return leader
}

func programName(pid int) string {
	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(comm))
}

func isStage(pid int) bool {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return bytes.HasPrefix(line, []byte(stage.Name+"\x00"))
}

// firstChild is 0 when there is none, also of 0. The kernel lists children by
// the thread that made them.
func firstChild(pid int) int {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, thread := range threads {
		raw, _ := os.ReadFile(thread)
		child, _, _ := strings.Cut(string(raw), " ")
		if n, _ := strconv.Atoi(child); n != 0 {
			return n
		}
	}
	return 0
}
