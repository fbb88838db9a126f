package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stat is what /proc/PID/stat tells of a process, and whether it lives.
func stat(pid int) (parent int, alive bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // the name may hold anything
	if len(fields) < 2 {
		return 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[0] != "Z" && fields[0] != "X"
}

func alive(pid int) bool {
	_, yes := stat(pid)
	return yes
}

// processes lists all pids.
func processes() []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// tree is a process and its descendants.
func tree(root int) []int {
	kids := map[int][]int{}
	for _, pid := range processes() {
		if parent, yes := stat(pid); yes {
			kids[parent] = append(kids[parent], pid)
		}
	}
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, kids[all[i]]...)
	}
	return all
}

// withArgument finds the living process that has an argument, 0 if none does.
func withArgument(argument string) int {
	for _, pid := range processes() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.Contains(line, []byte("\x00"+argument+"\x00")) && alive(pid) {
			return pid
		}
	}
	return 0
}

// gone waits for the end of processes and tells when each was seen to be dead.
// One that is still there at the limit is an error.
func gone(pids []int, limit time.Duration) ([]time.Time, error) {
	ends := make([]time.Time, len(pids))
	for start, left := time.Now(), len(pids); left > 0; {
		for i, pid := range pids {
			if ends[i].IsZero() && !alive(pid) {
				ends[i] = time.Now()
				left--
			}
		}
		if left > 0 && time.Since(start) > limit {
			return ends, fmt.Errorf("%d of %d processes are still there after %s", left, len(pids), limit)
		}
		time.Sleep(time.Millisecond)
	}
	return ends, nil
}

// killAll ends what a failed measurement left.
func killAll(pids []int) {
	for _, pid := range pids {
		if pid > 0 && alive(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// field sums a line "Name: N kB" of a file of each process, in MB.
func field(pids []int, file, name string) float64 {
	kb := 0
	for _, pid := range pids {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		for line := range strings.Lines(string(raw)) {
			if value, ok := strings.CutPrefix(line, name+":"); ok {
				n, _ := strconv.Atoi(strings.Fields(value)[0])
				kb += n
			}
		}
	}
	return float64(kb) / 1024
}

func pss(pids []int) float64 { return field(pids, "smaps_rollup", "Pss") }

// watchPeak forgets the peak of a process's memory so far, and returns what
// tells by how much the next one was higher than now.
func watchPeak(pid int) (over func() float64, err error) {
	now := field([]int{pid}, "status", "VmRSS")
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return nil, err
	}
	return func() float64 { return field([]int{pid}, "status", "VmHWM") - now }, nil
}

// busy is the CPU time of all threads so far. Unlike the process's own clock
// ticks it counts nanoseconds, so that a second of idling can be told from
// none.
func busy(pids []int) time.Duration {
	var sum time.Duration
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, name := range threads {
			raw, _ := os.ReadFile(name)
			if fields := strings.Fields(string(raw)); len(fields) > 0 {
				n, _ := strconv.ParseInt(fields[0], 10, 64)
				sum += time.Duration(n)
			}
		}
	}
	return sum
}
