package shell

import "os"

// living lists what is left of the commands: the leaders' groups and sessions,
// whatever carries a mark, and the descendants of all these. What was seen once
// is known again when its parents are gone.
func (w wards) living(seen map[identity]bool) []proc {
	t := scanTable()
	found := map[identity]bool{}
	var all []proc
	for _, kids := range t.kids {
		for _, p := range kids {
			if p.pid != os.Getpid() && !found[p.identity] && (seen[p.identity] || w.own(p)) {
				all = t.below(all, p, found)
			}
		}
	}
	for _, p := range all {
		seen[p.identity] = true
	}
	return all
}

// below appends p and its descendants, without the dead, each once: a process
// may be found by itself and below another.
func (t table) below(all []proc, p proc, found map[identity]bool) []proc {
	if found[p.identity] {
		return all
	}
	found[p.identity] = true
	if p.state != 'Z' {
		all = append(all, p)
	}
	for _, kid := range t.children(p.pid) {
		all = t.below(all, kid, found)
	}
	return all
}

func (w wards) own(p proc) bool {
	for _, number := range []int{p.pid, p.pgrp, p.sid} {
		if of, ok := w[number]; ok && p.start >= of.leader.start {
			return true
		}
	}
	if p.start < w.began() || p.state == 'Z' {
		return false // older than every command: no need to read what it carries
	}
	env := environOf(p.pid)
	for _, of := range w {
		if hasMark(env, of.mark) {
			return true
		}
	}
	return false
}

// began is when the first of the commands did.
func (w wards) began() uint64 {
	first := ^uint64(0)
	for _, of := range w {
		first = min(first, of.leader.start)
	}
	return first
}

func canListProcesses() bool { return newTable().usable() }
