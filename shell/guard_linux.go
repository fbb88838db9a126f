package shell

import "os"

// living lists what is left of the commands: the leaders' groups and sessions,
// whatever carries a mark, and the descendants of all these. What was seen once
// is known again when its parents are gone.
func (w wards) living(seen map[identity]bool) []proc {
	t := scanTable()
	var all []proc
	for _, kids := range t.kids {
		for _, p := range kids {
			if p.pid != os.Getpid() && (seen[p.identity] || w.own(p)) {
				all = t.subtree(all, p)
			}
		}
	}
	return distinct(seen, all)
}

// distinct drops doubles: a process may be found by itself and below another.
func distinct(seen map[identity]bool, all []proc) []proc {
	now := map[identity]bool{}
	var once []proc
	for _, p := range all {
		if !now[p.identity] {
			now[p.identity], seen[p.identity] = true, true
			once = append(once, p)
		}
	}
	return once
}

func (w wards) own(p proc) bool {
	for _, number := range []int{p.pid, p.pgrp, p.sid} {
		if of, ok := w[number]; ok && p.start >= of.leader.start {
			return true
		}
	}
	env := environOf(p.pid)
	for _, of := range w {
		if hasMark(env, of.mark) {
			return true
		}
	}
	return false
}

func canListProcesses() bool { return newTable().usable() }
