package command

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Inherited is what commands before have left in the shell that a script is given
// to.
type Inherited struct {
	Functions, Aliases []string // names
	Exports            []string // NAME=value, that the environment has otherwise
	Unset              []string // names that the environment has and the shell has not
	Readonly           []string // names that take no other value
	Options            []string // of set and shopt, that are not as in a new shell
}

// ParseAfter is ParseFor in a shell that is no new one. What runs in the place of
// a command, and what may change what any command does, is a Doubt: neither
// stands in the text.
func ParseAfter(shell, text, dir string, in *Inherited, w World) Script {
	if in == nil {
		return ParseFor(shell, text, dir, w)
	}
	p := newWalker(text, w)
	p.inherit(in)
	p.begin(shell, in.state(dir))
	return p.script
}

func (w *walker) inherit(in *Inherited) {
	at := Span{0, len(w.src.text)}
	w.inherited = map[string]string{}
	for _, name := range in.Functions {
		w.inherited[name] = "a function"
	}
	for _, name := range in.Aliases {
		w.inherited[name] = "an alias"
	}
	for name, what := range w.inherited {
		if unseen[name] || strings.ContainsAny(name, "!{}[]") {
			w.doubt(at, "an earlier command made "+what+" of "+name+", which may be used anywhere")
			return
		}
	}
	for _, name := range in.odd() {
		w.doubt(at, "an earlier command has set or unset "+name+", which may change what commands do")
		return
	}
	if slices.Contains(in.Options, "allexport") || slices.Contains(in.Options, "keyword") {
		w.doubt(at, "an earlier command has set an option that changes what an assignment is")
	}
}

// unseen are names that a shell uses without a command by that name: for commands
// that are not found, and words of its grammar, which aliases come before.
var unseen = set("command_not_found_handle if then else elif fi case esac for select while until do done in function time coproc let " +
	"declare typeset local export readonly nameref")

// odd are the variables that shells or programs obey, sorted. The shell sets some
// by itself, which do nothing but tell.
func (in *Inherited) odd() (names []string) {
	for _, v := range slices.Concat(in.Exports, in.Unset) {
		name, _, _ := strings.Cut(v, "=")
		if !Ordinary(name) && name != "OLDPWD" && name != "PWD" && name != "SHLVL" && name != "_" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// state is what is known of the shell before the script.
func (in *Inherited) state(dir string) state {
	st := state{dir: dir, pwd: dir}
	for _, v := range in.Exports {
		name, value, _ := strings.Cut(v, "=")
		st = st.set(binding{name: name, value: value, known: true})
	}
	for _, name := range in.Unset {
		st = st.forget(name)
	}
	for _, name := range in.Readonly {
		old, _ := st.lookup(name)
		st = st.set(binding{name: name, value: old.value, known: old.known, odd: true})
	}
	st.loose = slices.ContainsFunc(in.Options, func(name string) bool { return !stopping[name] })
	return st
}

// stopping are options that stop at faults and change no word.
var stopping = set("errexit pipefail nounset errtrace functrace")

// stands doubts a command in whose place a function or an alias runs.
func (w *walker) stands(name string, at Span) bool {
	what, ok := w.inherited[name]
	if ok {
		w.doubt(at, name+" is "+what+" that an earlier command made")
	}
	return ok
}

// Defines says that a text does nothing but define a function of bash by this
// name, whatever shell options but POSIX mode are on and as long as there are no
// aliases.
func Defines(text, name string) bool {
	text = escapes.Replace(text)
	w := newWalker(text, nil)
	if refuse(text) != "" {
		return false
	}
	file, _, err := w.read(text)
	if err != nil || len(w.script.Doubts) > 0 || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return false
	}
	s := file.Stmts[0]
	f, ok := s.Cmd.(*syntax.FuncDecl)
	if !ok || f.Name == nil || f.Name.Value != name || s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
		return false
	}
	_, block := f.Body.Cmd.(*syntax.Block)
	return block && plainly(file)
}

// escapes are characters of terminals, which are letters to a parser.
var escapes = strings.NewReplacer("\x1b", "x", "\a", "x", "\b", "x")

// plainly says that no bash can read the ends of here-documents, or of
// substitutions, in another way. "${ echo; }" is one since version 5.3.
func plainly(file *syntax.File) bool {
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			plain = plain && !n.TempFile && !n.ReplyVar
		case *syntax.Redirect:
			plain = plain && (n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc || plainDelimiter(n.Word))
		}
		return plain
	})
	return plain
}

func plainDelimiter(w *syntax.Word) bool {
	text := w.Lit()
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
			text = q.Value
		}
	}
	return plainWord.MatchString(text)
}

// plainWord is text that no shell takes for anything but itself, nor its beginning
// for a part of the operator before it.
var plainWord = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func newWalker(text string, w World) *walker {
	if w == nil {
		w = nowhere{}
	}
	return &walker{world: w, script: Script{Text: text, Parts: make([]Part, 0, likelyParts(text))}, src: source{text: text}, left: maxInner}
}

// begin takes the script apart for a shell that is in this state.
func (w *walker) begin(shell string, st state) {
	shell = filepath.Base(shell)
	w.src.posix = shell != "bash"
	w.ownWay(shell, w.src.text, Span{0, len(w.src.text)})
	w.file(st)
}
