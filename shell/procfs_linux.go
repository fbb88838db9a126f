package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// table answers who is whose child. With the kernel's lists of children a walk
// costs what the tree is large; a kernel without them has /proc read once,
// whole.
type table struct {
	kids map[int][]proc // nil: ask the kernel's lists
}

func newTable() table {
	if kernelLists {
		return table{}
	}
	return scanTable()
}

var kernelLists = func() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
}()

func scanTable() table {
	t := table{kids: map[int][]proc{}}
	for _, p := range scanProcs() {
		t.kids[p.ppid] = append(t.kids[p.ppid], p)
	}
	return t
}

// usable is false where /proc is not mounted.
func (t table) usable() bool { return t.kids == nil || len(t.kids) > 0 }

func (t table) ownChildren() []proc { return t.children(os.Getpid()) }

// children lists the children of all threads of pid: an orphan may be given to
// any of them.
func (t table) children(pid int) []proc {
	if t.kids != nil {
		return t.kids[pid]
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	var kids []proc
	for _, tid := range names(dir) {
		list, _ := os.ReadFile(dir + "/" + tid + "/children")
		for field := range bytes.FieldsSeq(list) {
			if p, ok := statField(string(field)); ok && p.ppid == pid {
				kids = append(kids, p)
			}
		}
	}
	return kids
}

func scanProcs() []proc {
	var all []proc
	for _, name := range names("/proc") {
		if p, ok := statField(name); ok {
			all = append(all, p)
		}
	}
	return all
}

func names(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1)
	return list
}

func statField(name string) (proc, bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return proc{}, false
	}
	return statProc(pid)
}

func statProc(pid int) (proc, bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	return parseStat(pid, string(line))
}

// parseStat reads a stat line. The name in it may hold blanks and parentheses;
// what follows the last ')' does not. start is the 22nd field.
func parseStat(pid int, line string) (proc, bool) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 20 {
		return proc{}, false
	}
	p := proc{identity: identity{pid: pid}, state: fields[0][0]}
	p.ppid, _ = strconv.Atoi(fields[1])
	p.pgrp, _ = strconv.Atoi(fields[2])
	p.sid, _ = strconv.Atoi(fields[3])
	start, err := strconv.ParseUint(fields[19], 10, 64)
	p.start = start
	return p, err == nil
}

// String names a process for a person.
func (p proc) String() string {
	name, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/comm")
	return fmt.Sprintf("%d (%s)", p.pid, strings.TrimSpace(string(name)))
}

// maxEnviron bounds what is read of a stranger's environment.
const maxEnviron = 1 << 20

// environOf is nil for a process of another user.
func environOf(pid int) []byte {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	defer f.Close()
	env, _ := io.ReadAll(io.LimitReader(f, maxEnviron))
	return env
}

func hasMark(env []byte, mark string) bool {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == mark {
			return true
		}
	}
	return false
}
