package command

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Parse takes a script apart that bash in dir, an absolute folder or "" when
// that is not known, would run. It asks w about paths and changes nothing; a
// nil w knows nothing. Text beyond the limits, and what no parser reads, is one
// Doubt. Safe for concurrent use as far as w is.
func Parse(text, dir string, w World) Script { return ParseFor("bash", text, dir, w) }

// ParseFor is Parse for another shell, by the path of its program: what that may
// read in another way than bash is a Doubt.
func ParseFor(shell, text, dir string, w World) Script {
	p := newWalker(text, w)
	p.begin(shell, state{dir: dir, pwd: dir})
	return p.script
}

// likelyParts is about how many commands a script has, so that their list need not
// grow: what stands between commands is counted.
func likelyParts(text string) int {
	n := 1 + strings.Count(text, "|") + strings.Count(text, "&&") + strings.Count(text, ";") + strings.Count(text, "\n")
	return min(n, 1<<10)
}

// nowhere is the World of which nothing is known.
type nowhere struct{}

func (nowhere) Target(dir, name string) Target            { return Target{} }
func (nowhere) Program(name string) (Target, bool)        { return Target{}, false }
func (nowhere) Glob(dir, pattern string) ([]string, bool) { return nil, false }
func (nowhere) Secrets(string) ([]string, bool)           { return nil, false }
func (nowhere) Home() string                              { return "" }

// Limits that keep the work of one Parse within a few times its text.
const (
	maxInner  = 4 * MaxBytes // bytes of all scripts within scripts, and rounds of loops
	maxScans  = 4 * MaxBytes // bytes of loops and pipelines that are looked through beforehand
	maxDoubts = 100
	maxWords  = 1 << 16 // words after expansion
	maxValues = 1 << 20 // bytes of the values of variables, and of words of brace expansions
	maxBraces = 1000    // words of one brace expansion, or one pattern
	maxGlobs  = 64      // patterns that are looked up
	maxRound  = 16      // values of a loop that are gone through one by one
	maxUnroll = 16 << 10
	maxDepth  = 2 * MaxNesting // of statements within statements
	maxWraps  = 32             // of commands that run commands, by their words
)

// source is the script under way.
type source struct {
	text string
	// at is the place of a script within a script in the outermost text; nil for
	// the outermost itself.
	at     *Span
	by     string
	depth  int
	posix  bool // read by a shell that is not bash
	remote bool
	fed    bool
	still  bool // nothing in it changes the folder
}

// walker takes one script apart.
type walker struct {
	world  World
	script Script
	src    source
	funcs  map[string]bool // functions that the script defines anywhere
	// inherited says what the shell has by these names: "a function", "an alias".
	inherited map[string]string
	// numeric tells which variables only ever get numbers; see arith.go.
	numbers *numbers
	// dirty says that a command so far may have made files, so that what a pattern
	// expands to cannot be told any more.
	dirty  bool
	ansi   []ansiText
	lists  map[string][]Word // what arrays are seen to hold
	docs   map[int]string    // the documents that Parts are given, by the Parts' places
	input  bool              // exec has redirected standard input for all that follows
	left   int               // bytes of inner scripts and rounds of loops that may still be read
	scans  int               // bytes that have been looked through beforehand
	words  int
	bytes  int // of values that have been put in
	globs  int
	depth  int
	inFunc int
	// visited are the folders that the shell may have been in; astray says that
	// there are others, too.
	visited []spot
	astray  bool
}

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)) }}

// file takes w.src apart, and comes back with the state that it leaves.
func (w *walker) file(st state) state {
	text := w.src.text
	if why := refuse(text); why != "" {
		w.doubt(Span{0, len(text)}, why)
		return st.lost()
	}
	file, text, err := w.read(text)
	w.again()
	if err != nil {
		w.unparsed(err, text)
		return st.lost()
	}
	w.findFunctions(file)
	w.src.still = len(w.funcs) > 0 && staysPut(file)
	w.checkNames(file)
	w.checkVisible(file)
	w.checkComments(file, text)
	if w.src.at == nil && (strings.Contains(text, "((") || strings.Contains(text, "[")) {
		w.findNumbers(file)
	}
	if w.src.posix {
		w.checkPosix(file)
	}
	ok, fail := w.stmts(file.Stmts, st)
	return merge(ok, fail)
}

func parse(text string) (file *syntax.File, err error) {
	p := parsers.Get().(*syntax.Parser)
	file, err = p.Parse(strings.NewReader(text), "")
	parsers.Put(p)
	return file, err
}

// unparsed is the doubt about text that the parser does not read. What it read
// up to there is not looked at: a shell reads line by line and may run it.
func (w *walker) unparsed(err error, text string) {
	at, why := 0, err.Error()
	if e, ok := err.(syntax.ParseError); ok {
		at, why = int(e.Pos.Offset()), fmt.Sprintf("line %d: %s", e.Pos.Line(), e.Text)
	} else if e, ok := err.(syntax.LangError); ok {
		at = int(e.Pos.Offset())
	}
	w.firstLines(text, at)
	w.doubt(Span{min(at, len(w.src.text)), len(w.src.text)}, why)
}

// firstLines takes apart the lines before the one with the fault: a shell may
// have run them by the time it meets it.
func (w *walker) firstLines(text string, at int) {
	end := strings.LastIndexByte(text[:min(at, len(text))], '\n')
	if end < 0 {
		return
	}
	if file, _, err := w.read(text[:end]); err == nil {
		w.again()
		w.findFunctions(file)
		w.stmts(file.Stmts, state{}.lost())
	}
}

// refuse looks at text before a parser does: one that is nested deeply enough
// would overflow its stack. It comes back with the reason, "" for none.
func refuse(text string) string {
	if len(text) > MaxBytes {
		return fmt.Sprintf("longer than %d bytes", MaxBytes)
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' || c == '{' || c == '[':
			if depth++; depth > MaxNesting {
				return fmt.Sprintf("more than %d brackets within one another", MaxNesting)
			}
		case (c == ')' || c == '}' || c == ']') && depth > 0:
			depth--
		case unprintable(c):
			return fmt.Sprintf("holds the control character \\x%02x", c)
		}
	}
	if !utf8.ValidString(text) {
		return "is not UTF-8"
	}
	return ""
}

func unprintable(c byte) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }

// span is the place of a part of the script under way in the outermost text.
func (w *walker) span(from, to syntax.Pos) Span {
	if w.src.at != nil {
		return *w.src.at
	}
	start, end := int(from.Offset()), int(to.Offset())
	end = min(max(end, start), len(w.src.text))
	return Span{min(start, end), end}
}

func (w *walker) nodeSpan(n syntax.Node) Span { return w.span(n.Pos(), n.End()) }

// text is the source of a part of the script under way.
func (w *walker) text(from, to syntax.Pos) string {
	end := min(int(to.Offset()), len(w.src.text))
	return w.src.text[min(int(from.Offset()), end):end]
}

// doubt notes what was not understood, once.
func (w *walker) doubt(at Span, why string) {
	if w.src.at != nil {
		at = *w.src.at
	}
	d := Doubt{at, why}
	for _, seen := range w.script.Doubts {
		if seen == d {
			return
		}
	}
	if len(w.script.Doubts) < maxDoubts {
		w.script.Doubts = append(w.script.Doubts, d)
	}
}

// findFunctions notes the names of all functions that the file defines.
func (w *walker) findFunctions(file *syntax.File) {
	if !strings.Contains(w.src.text, "(") && !strings.Contains(w.src.text, "function") {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			w.stands(f.Name.Value, w.nodeSpan(f)) // an alias would be put in its place
			if w.funcs == nil {
				w.funcs = map[string]bool{}
			}
			w.funcs[f.Name.Value] = true
		}
		return true
	})
}
