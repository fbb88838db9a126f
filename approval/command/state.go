package command

import "slices"

// state is what is known of the shell at a place in the script. A value: those
// who change it change a copy, and vars is never written to.
type state struct {
	// dir is the folder with links followed, "" when it is not known; pwd is the
	// way by which the shell came there.
	dir, pwd string
	// others are the folders that it may be when dir is not known; none: any.
	others []spot
	moved  bool // cd has certainly set OLDPWD in this shell
	vars   []binding
	// blind says that any variable may have got any value: nothing is learned any
	// more.
	blind bool
	// loose says that options of the shell may have changed what words mean.
	loose bool
	piped bool  // standard input comes from another command or the script
	feed  *Word // what comes in by it, as far as it stands in the script
	gone  bool  // this place is never reached
}

// binding is a variable that the script has set; known when its value can be no
// other.
type binding struct {
	name, value string
	known       bool
	full        bool // it is set, and not to nothing
	odd         bool // an attribute changes what is assigned from now on, or keeps it out
}

// maxVars bounds how many variables are kept in mind, so that a long script
// costs no more than its length.
const maxVars = 32

// maxValue bounds what is kept in mind of a variable, in bytes: a value that is
// put together from itself doubles each time.
const maxValue = 4 << 10

// lost is a state of which nothing is known.
func (st state) lost() state {
	return state{blind: true, loose: true, piped: st.piped, feed: st.feed, gone: st.gone}
}

func (st state) lookup(name string) (b binding, bound bool) {
	if st.blind {
		return binding{name: name}, true
	}
	for i := len(st.vars) - 1; i >= 0; i-- {
		if st.vars[i].name == name {
			return st.vars[i], true
		}
	}
	return binding{}, false
}

// set binds a variable. Those to which the shell gives a value of its own are
// never known.
func (st state) set(b binding) state {
	if st.blind {
		return st
	}
	if b.name == "" {
		return st
	}
	if fickle(b.name) || len(b.value) > maxValue {
		b.known, b.value = false, ""
	}
	at := slices.IndexFunc(st.vars, func(v binding) bool { return v.name == b.name })
	if at < 0 && len(st.vars) == maxVars {
		st.blind, st.vars = true, nil
		return st
	}
	if at >= 0 && st.vars[at].odd {
		b = binding{name: b.name, odd: true}
	}
	b.full = b.full || b.known && b.value != ""
	vars := make([]binding, 0, len(st.vars)+1)
	vars = append(vars, st.vars...)
	if at >= 0 {
		vars[at] = b
	} else {
		vars = append(vars, b)
	}
	st.vars = vars
	return st
}

// forget makes a variable unknown for good in this script: it has got an
// attribute or a value that nobody knows.
func (st state) forget(name string) state { return st.set(binding{name: name}) }

// change makes a variable unknown that has got another value, or has kept its
// own: one that was not empty holds a number still, if it only ever gets those.
func (st state) change(name string) state {
	old, _ := st.lookup(name)
	return st.set(binding{name: name, full: old.full})
}

// inherited makes all that is bound unknown: as a shell that is started from
// here sees it, which inherits some of it.
func (st state) inherited() state {
	vars := slices.Clone(st.vars)
	for i := range vars {
		vars[i].known, vars[i].full, vars[i].value = false, false, ""
	}
	st.vars, st.moved = vars, false
	return st
}

func (st state) nowhere() state {
	st.dir, st.pwd, st.others = "", "", nil
	return st
}

// merge is what is known when either state may hold.
func merge(a, b state) state {
	switch {
	case a.gone:
		return b
	case b.gone:
		return a
	}
	if a.dir != b.dir || a.pwd != b.pwd || len(a.others)+len(b.others) > 0 {
		a = a.either(a, b)
	}
	a.blind = a.blind || b.blind
	a.loose = a.loose || b.loose
	a.piped = a.piped || b.piped
	a.moved = a.moved && b.moved
	if a.blind {
		a.vars = nil
	} else if len(a.vars) > 0 || len(b.vars) > 0 {
		a = mergeVars(a, b)
	}
	return a
}

func mergeVars(a, b state) state {
	if len(a.vars) == len(b.vars) && (&a.vars[0] == &b.vars[0]) {
		return a
	}
	for _, v := range a.vars {
		if other, bound := b.lookup(v.name); !bound || other != v {
			a = a.set(binding{name: v.name, full: v.full && other.full, odd: v.odd || other.odd})
		}
	}
	for _, v := range b.vars {
		if _, bound := a.lookup(v.name); !bound {
			a = a.set(binding{name: v.name, odd: v.odd})
		}
	}
	return a
}

// fickle are variables whose value is not what was assigned: the shell computes
// it, or takes no assignment.
func fickle(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "GROUPS",
		"FUNCNAME", "DIRSTACK", "UID", "EUID", "PPID", "HISTCMD", "OPTIND", "OPTARG", "_", "PIPESTATUS", "REPLY",
		"SHELLOPTS", "BASHOPTS", "OLDPWD", "COMP_WORDBREAKS", "HOSTNAME", "BASH", "SHLVL", "IFS", "PWD":
		return true
	}
	return len(name) > 5 && name[:5] == "BASH_"
}
