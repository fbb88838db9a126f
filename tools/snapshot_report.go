package tools

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxReport bounds what a shell reports in bytes: its exports twice, and the rest.
const maxReport = 8 << 20

// report receives what a shell tells of itself: a word after another, each ended
// by NUL. Whatever a command runs can write to it too, so that it is only
// believed to be what somebody says.
type report struct {
	// reached, if not nil, is called with the first word of each thing that the shell
	// tells, as soon as it is there whole.
	reached func(what string)

	mu   sync.Mutex // guards below
	text []byte
	at   int  // of the word that is the next first one
	over bool // there was more than there may be
}

func (r *report) tap(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over = r.over || len(r.text)+len(p) > maxReport; !r.over {
		r.text = append(r.text, p...)
		r.followLocked()
	}
}

// followLocked passes over all that is there whole.
func (r *report) followLocked() {
	for {
		word, rest, there := bytes.Cut(r.text[r.at:], []byte{0})
		n, known := arity[string(word)]
		for range n {
			there = there && bytes.IndexByte(rest, 0) >= 0
			_, rest, _ = bytes.Cut(rest, []byte{0})
		}
		if !there || !known {
			return
		}
		r.at = len(r.text) - len(rest)
		if r.reached != nil {
			r.reached(string(word))
		}
	}
}

// take hands the words over.
func (r *report) take() ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	words := bytes.Split(r.text, []byte{0})
	r.text = nil
	if r.over {
		return nil, errLongReport
	}
	return words, nil
}

// told is a report that was read.
type told struct {
	began, late, done bool
	before, after     map[string][]byte // exports
	optionsAt, option [2]string         // of set and of shopt, before and after
	readonly          []string
	functions         []function
	unnamed           []string // functions whose names no later call could be given
	aliases           []variable
	dir, real         string
}

var (
	errReport     = errors.New("it was not told whole")
	errLate       = fmt.Errorf("saving them takes more than %v", saveMost)
	errMixed      = errors.New("something else wrote into what the shell told")
	errLongReport = fmt.Errorf("the shell told more than %d MiB of itself", maxReport>>20)
)

// readReport reads the words in their order. What is said before the command
// began counts as it came; of the rest all that is there must be well-formed.
func readReport(words [][]byte) (told, error) {
	t := told{before: map[string][]byte{}, after: map[string][]byte{}}
	for len(words) > 0 && !t.done {
		n, ok := t.read(string(words[0]), words[1:])
		if _, known := arity[string(words[0])]; !ok && t.began && !known && len(words) > 1 {
			return t, errMixed
		}
		if !ok {
			return t, errReport
		}
		if t.late {
			return t, errLate
		}
		words = words[1+n:]
	}
	if !t.done || t.option[1] == "" || t.dir == "" {
		return t, errReport
	}
	return t, nil
}

// arity is how many words follow each first one.
var arity = map[string]int{"o": 2, "O": 2, "e": 3, "E": 3, "begun": 0, "f": 2, "A": 1, "D": 2, "late": 0, "done": 0}

func (t *told) read(what string, rest [][]byte) (n int, ok bool) {
	n, known := arity[what]
	early := what == "o" || what == "e" || what == "begun"
	if !known || len(rest) < n || early == t.began {
		return n, false
	}
	word := func(i int) string { return string(rest[i]) }
	switch what {
	case "o":
		t.optionsAt = [2]string{word(0), word(1)}
	case "O":
		t.option = [2]string{word(0), word(1)}
	case "e":
		t.before[word(0)] = rest[2]
	case "E":
		t.after[word(0)] = rest[2]
		if strings.Contains(word(1), "r") {
			t.readonly = append(t.readonly, word(0))
		}
	case "f":
		if f, ok := functionOf(word(0), rest[1]); ok {
			t.functions = append(t.functions, f)
		} else if !reserved(f.Name) {
			t.unnamed = append(t.unnamed, fmt.Sprintf("%.100q", f.Name))
		}
	case "A":
		t.aliases = aliasesOf(word(0))
	case "late":
		t.late = true
	case "D":
		t.dir, t.real = strings.TrimSuffix(word(0), "\n"), strings.TrimSuffix(word(1), "\n")
	default:
		t.began, t.done = true, what == "done"
	}
	return n, true
}

// functionOf reads "declare -fx NAME" and the text that declare -f has for it.
func functionOf(line string, text []byte) (function, bool) {
	flags, name, ok := strings.Cut(strings.TrimPrefix(line, "declare "), " ")
	if !ok || !functionName.MatchString(name) || reserved(name) {
		return function{Name: name}, false
	}
	return function{Name: name, Text: bytes.TrimSpace(text), Exported: strings.Contains(flags, "x")}, true
}

var (
	functionName = regexp.MustCompile(`^[a-zA-Z0-9_.:@%+/,-]+$`)
	variableName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	// aliasName leaves out what a shell reads as more than a word.
	aliasName = regexp.MustCompile(`^[a-zA-Z0-9_.:@%+,!-]+$`)
)

// reserved names are those of what stands around commands, and of the one builtin
// that it cannot do without.
func reserved(name string) bool {
	return strings.HasPrefix(name, "__db_") || strings.HasPrefix(name, "DRAWBRIDGE_BASH_") || name == "builtin"
}

// aliasesOf reads the output of alias -p: alias NAME='VALUE', where a quote in
// the value is '\”.
func aliasesOf(text string) (all []variable) {
	for text != "" {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "alias "), "-- ")
		name, rest, ok := strings.Cut(text, "='")
		if !ok {
			return all
		}
		value, rest, ok := quoted(rest)
		if !ok {
			return all
		}
		all = append(all, variable{name, []byte(value)})
		text = strings.TrimPrefix(rest, "\n")
	}
	return all
}

// quoted reads on to the quote that ends a text.
func quoted(text string) (value, rest string, ok bool) {
	for {
		part, after, found := strings.Cut(text, "'")
		if !found {
			return "", "", false
		}
		value += part
		if !strings.HasPrefix(after, `\''`) {
			return value, after, true
		}
		value, text = value+"'", after[len(`\''`):]
	}
}

// unkept are exports that a shell makes for itself, or that would change how it
// reads what stands around commands.
func unkept(name string) bool {
	switch name {
	case "_", "PWD", "SHLVL", "REPLY", "IFS", "POSIXLY_CORRECT", "SHELLOPTS", "BASHOPTS", "BASH_ARGV0", "FUNCNEST":
		return true
	}
	return reserved(name) || !variableName.MatchString(name)
}

// unkeptExports are exports that a command made or changed, and that no later call
// will have, as IFS: a judge takes words to be split at spaces. Those that each
// shell makes for itself are not meant.
func (t told) unkeptExports() (names []string) {
	for name, value := range t.after {
		was, had := t.before[name]
		if unkept(name) && !ownMaking[name] && variableName.MatchString(name) && !reserved(name) && !(had && bytes.Equal(was, value)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unkeptAliases are those that did not get into next.
func (t told) unkeptAliases(next snapshot) (names []string) {
	for _, v := range t.aliases {
		if !slices.ContainsFunc(next.Aliases, func(kept variable) bool { return kept.Name == v.Name }) {
			names = append(names, fmt.Sprintf("%.100q", v.Name))
		}
	}
	return names
}

var ownMaking = map[string]bool{"_": true, "PWD": true, "SHLVL": true, "SHELLOPTS": true, "BASHOPTS": true}

// next is the snapshot of the shell that told t and had begun with s.
func (t told) next(s snapshot) snapshot {
	n := snapshot{Dir: t.dir, Real: t.real, Functions: t.functions, Aliases: t.aliases}
	exports := map[string][]byte{}
	for _, v := range s.Exports {
		exports[v.Name] = v.Value
	}
	unset := slices.Clone(s.Unset)
	for name, value := range t.after {
		if was, had := t.before[name]; !unkept(name) && (!had || name == "OLDPWD" || !bytes.Equal(was, value)) { // OLDPWD is also what going back to the folder set
			exports[name] = value
		}
	}
	for name := range t.before {
		if _, has := t.after[name]; !unkept(name) && !has {
			delete(exports, name)
			unset = append(unset, name)
		}
	}
	for name, value := range exports {
		n.Exports = append(n.Exports, variable{name, value})
		if slices.Contains(t.readonly, name) {
			n.Readonly = append(n.Readonly, name)
		}
	}
	slices.SortFunc(n.Exports, func(a, b variable) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(n.Readonly)
	unset = slices.DeleteFunc(unset, func(name string) bool { _, set := exports[name]; return set })
	slices.Sort(unset)
	n.Unset = slices.Compact(unset)
	n.On, n.Off = t.changed(0), t.changed(1)
	return n
}

// changed are the options that are on in the end and were not (0), or were and
// are not (1), in a new shell.
func (t told) changed(way int) options {
	from, to := t.optionsAt, t.option
	if way == 1 {
		from, to = to, from
	}
	return options{Set: added(from[0], to[0]), Shopt: added(from[1], to[1])}
}

func added(from, to string) (names []string) {
	had := strings.Split(from, ":")
	for name := range strings.SplitSeq(to, ":") {
		if optionName.MatchString(name) && !slices.Contains(had, name) && !passing[name] {
			names = append(names, name)
		}
	}
	return names
}

var optionName = regexp.MustCompile(`^[a-z0-9_-]+$`)

// passing are options that end with a call: those of an interactive shell, those
// that only trace, and those with which a shell does not read what stands around
// commands.
var passing = map[string]bool{
	"xtrace": true, "verbose": true, "noexec": true, "onecmd": true, "monitor": true, "notify": true, "history": true,
	"histexpand": true, "emacs": true, "vi": true, "interactive": true, "privileged": true, "restricted": true,
	"login_shell": true, "restricted_shell": true, "extdebug": true, "syslog_history": true, "keyword": true,
}
