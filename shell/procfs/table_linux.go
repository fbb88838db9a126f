package procfs

import (
	"bytes"
	"os"
	"strconv"
	"sync"
)

// Table answers who is whose child. With the kernel's lists of children a walk
// costs what the tree is large; a kernel without them has /proc read once,
// whole, when the Table is made.
type Table struct {
	kids map[int][]Proc // nil: ask the kernel's lists
}

// NewTable is the cheapest Table that this kernel allows.
func NewTable() Table {
	if HasLists() {
		return Table{}
	}
	return ScanTable()
}

// HasLists says whether the kernel keeps lists of children.
var HasLists = sync.OnceValue(func() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
})

// ScanTable reads all of /proc.
func ScanTable() Table {
	t := Table{kids: map[int][]Proc{}}
	for _, p := range All() {
		t.kids[p.PPID] = append(t.kids[p.PPID], p)
	}
	return t
}

// Usable is false where /proc is not mounted.
func (t Table) Usable() bool { return t.kids == nil || len(t.kids) > 0 }

// Children lists the children of all threads of pid, the dead ones that nobody
// has waited for too: an orphan may be given to any thread.
func (t Table) Children(pid int) []Proc {
	if t.kids != nil {
		return t.kids[pid]
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/task"
	var kids []Proc
	for _, tid := range names(dir) {
		list, _ := os.ReadFile(dir + "/" + tid + "/children")
		for field := range bytes.FieldsSeq(list) {
			if p, ok := statField(string(field)); ok && p.PPID == pid {
				kids = append(kids, p)
			}
		}
	}
	return kids
}

// Subtree appends p and its descendants to all, without the dead.
func (t Table) Subtree(all []Proc, p Proc) []Proc {
	if !p.Dead() {
		all = append(all, p)
	}
	for _, kid := range t.Children(p.PID) {
		all = t.Subtree(all, kid)
	}
	return all
}

// Below is what Subtree finds below pid, level by level: the first entry holds
// its living children, the second what these started.
func (t Table) Below(pid int) [][]Proc {
	var levels [][]Proc
	for level := t.Children(pid); len(level) > 0; {
		var living, next []Proc
		for _, p := range level {
			if !p.Dead() {
				living = append(living, p)
			}
			next = append(next, t.Children(p.PID)...)
		}
		levels = append(levels, living)
		level = next
	}
	return levels
}

// All lists every process that can be seen.
func All() []Proc {
	var all []Proc
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

func statField(name string) (Proc, bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return Proc{}, false
	}
	return Stat(pid)
}
