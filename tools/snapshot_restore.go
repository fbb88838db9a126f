package tools

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"drawbridge/shell"
)

// bashFrame is the script that stands around a command; see its text.
//
//go:embed agent_bash.sh
var bashFrame string

// bashLine is what bash runs: one line, so that the lines of the command are
// counted from 1. It was read whole before the command can define anything.
const bashLine = `builtin eval "$DRAWBRIDGE_BASH_FRAME"; builtin eval -- "$__db_command"; { __db_end; } >/dev/null 2>&1 </dev/null`

// bashArgs are the arguments of the shell: its environment has the rest.
var bashArgs = []string{"-c", bashLine, "bash"}

// maxEntry is how long a value is that goes into one entry of an environment, which
// Linux bounds to 128 KiB.
const maxEntry = 100 << 10

// entries are the variables by which a shell gets a snapshot. They have names of
// their own: what a variable does by its name, such as LD_PRELOAD, it must do to
// what the command starts, and not to the sandbox around it.
type entries struct {
	env   []string
	count int
}

// add adds one more variable whose name begins with kind, in an order that the
// names have too.
func (e *entries) add(kind, value string) {
	e.count++
	e.env = append(e.env, fmt.Sprintf("DRAWBRIDGE_BASH_%s_%06d=%s", kind, e.count, value))
}

// export adds NAME=value, in pieces where it is long: NAME+=more.
func (e *entries) export(v variable) {
	value, join := string(v.Value), "="
	for {
		n := min(len(value), maxEntry)
		for n < len(value) && n > maxEntry-utf8.UTFMax && !utf8.RuneStart(value[n]) {
			n--
		}
		e.add("EXPORT", v.Name+join+value[:n])
		if value, join = value[n:], "+="; value == "" {
			return
		}
	}
}

// environ is what brings a shell to where the snapshot has it, in dir, which must
// lead to real where that is not "", and has it run script. split has what it writes to standard error go to descriptor 4.
func (s snapshot) environ(script, dir, real string, split bool) []string {
	var e entries
	for _, v := range s.Exports {
		e.export(v)
	}
	for _, f := range s.Functions {
		e.add("FUNCTION", string(f.Text))
	}
	for _, v := range s.Aliases {
		e.add("ALIAS", v.Name+"="+string(v.Value))
	}
	frame := bashFrame
	if split {
		frame = "exec 2>&4 4>&-\n" + frame
	}
	return append(e.env, "DRAWBRIDGE_BASH_FRAME="+frame, "DRAWBRIDGE_BASH_DIR="+dir, "DRAWBRIDGE_BASH_REAL="+real,
		"DRAWBRIDGE_BASH_COMMAND="+script, "DRAWBRIDGE_BASH_LAST="+s.last(),
		fmt.Sprintf("DRAWBRIDGE_BASH_MOST=%d", saveMost/time.Second))
}

// last is the code that ends the beginning: what would hinder the rest of it. All
// names in it were checked.
func (s snapshot) last() string {
	var b strings.Builder
	each := func(before string, names []string) {
		for _, name := range names {
			b.WriteString("builtin " + before + " " + name + "\n")
		}
	}
	each("unset -v", s.Unset)
	each("readonly", s.Readonly)
	for _, f := range s.Functions {
		if f.Exported {
			each("export -f --", []string{f.Name})
		}
	}
	each("shopt -s", s.On.Shopt)
	each("shopt -u", s.Off.Shopt)
	each("set -o", s.On.Set)
	each("set +o", s.Off.Set)
	return b.String()
}

// checked is the snapshot without what cannot be brought back, and which functions
// that is. A function comes back if its text defines it and does nothing else,
// which defines says; names were checked when it was made, and are again: the
// file lies where commands without a sandbox may write.
func (s snapshot) checked(defines func(text, name string) bool) (out snapshot, lost []string) {
	out = snapshot{
		Dir: s.Dir, Real: s.Real, Exports: keep(s.Exports, func(v variable) bool { return !unkept(v.Name) && textual(v.Value) }),
		Aliases: keep(s.Aliases, func(v variable) bool {
			return aliasName.MatchString(v.Name) && !reserved(v.Name) && textual(v.Value) && len(v.Name)+len(v.Value) <= maxEntry
		}),
		Unset: keep(s.Unset, variableNamed), Readonly: keep(s.Readonly, variableNamed), On: s.On.checked(), Off: s.Off.checked(),
	}
	for _, f := range s.Functions {
		known := functionName.MatchString(f.Name) && !reserved(f.Name)
		switch {
		case known && textual(f.Text) && len(f.Text) <= maxEntry && defines != nil && defines(string(f.Text), f.Name):
			out.Functions = append(out.Functions, f)
		case known:
			lost = append(lost, f.Name)
		}
	}
	return out, lost
}

func (o options) checked() options {
	known := func(name string) bool { return optionName.MatchString(name) && !passing[name] }
	return options{Set: keep(o.Set, known), Shopt: keep(o.Shopt, known)}
}

func variableNamed(name string) bool { return !unkept(name) }

// textual says that a value can be in an environment.
func textual(value []byte) bool { return !strings.ContainsRune(string(value), 0) }

func keep[T any](all []T, good func(T) bool) (kept []T) {
	for _, x := range all {
		if good(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// inherited tells a judge what words of a command may mean because of the
// snapshot.
func (s snapshot) inherited() *Inherited {
	in := &Inherited{Unset: s.Unset, Readonly: s.Readonly}
	for _, v := range s.Exports {
		in.Exports = append(in.Exports, v.Name+"="+string(v.Value))
	}
	for _, f := range s.Functions {
		in.Functions = append(in.Functions, f.Name)
		if f.Exported {
			in.Exports = append(in.Exports, "BASH_FUNC_"+f.Name+"%%=")
		}
	}
	for _, v := range s.Aliases {
		in.Aliases = append(in.Aliases, v.Name)
	}
	for _, o := range []options{s.On, s.Off} {
		in.Options = append(append(in.Options, o.Set...), o.Shopt...)
	}
	return in
}

// bash is the shell for snapshots: the one that commands get if that is bash.
func bash(roots []string) (string, error) {
	if path, err := shell.Find(roots...); err == nil && strings.HasSuffix(path, "/bash") {
		return path, nil
	}
	if path, ok := shell.Locate("bash", roots...); ok {
		return path, nil
	}
	return "", Failf("There is no bash in /bin, /usr/bin or PATH, which this tool needs.")
}
