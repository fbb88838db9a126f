package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser reads two things in another way than bash. It takes a backslash at
// the end of a comment for one that joins lines, and '…' for a quoted text in
// "${x:-'…'}", where bash takes the quotes for characters. Such a text is
// changed, byte for byte, into one that the parser reads as bash reads the one
// that was given; each such place is doubted as well.

// maxMend bounds the bytes that are parsed again to read one text: the first
// such place may change what the next ones are, so that they are changed one by
// one. Beyond it all are changed at once.
const maxMend = 8 * MaxBytes

// read parses a text as bash reads it, and comes back with the text that was
// parsed, of the same length.
func (w *walker) read(text string) (file *syntax.File, out string, err error) {
	var first error
	for left := maxMend; ; left -= len(text) {
		file, err = parse(text)
		m := misread{text: text, all: left < len(text), kinds: map[syntax.Node]quoting{}}
		if err != nil {
			m.unread(err)
		} else {
			m.look(file)
		}
		for _, p := range m.ansi {
			w.ansi = append(w.ansi, ansiText{p.Value, w.nodeSpan(p)})
		}
		if first == nil {
			first = err
		}
		if len(m.at) == 0 || left < 0 {
			break
		}
		text = w.mend(text, &m)
	}
	if err == nil && first != nil {
		w.doubt(Span{0, len(text)}, "bash may read its quotes in another way")
	}
	return file, text, err
}

// mend changes the first place of those that are misread, or all.
func (w *walker) mend(text string, m *misread) string {
	out := []byte(text)
	places := m.at
	if !m.all {
		places = []int{minimum(places)}
	}
	for _, at := range places {
		if out[at] == '\\' {
			out[at] = ' '
			w.doubt(w.offsets(at, at+1), "a comment that ends in a backslash")
			continue
		}
		out[at] = '_'
		w.doubt(w.offsets(at, at+1), "a quote within quotes that quotes nothing")
	}
	return string(out)
}

func minimum(places []int) int {
	least := places[0]
	for _, at := range places[1:] {
		least = min(least, at)
	}
	return least
}

func (w *walker) offsets(from, to int) Span {
	if w.src.at != nil {
		return *w.src.at
	}
	return Span{from, to}
}

// quoting is how bash reads '…' at a place.
type quoting int

const (
	outside quoting = iota // as a quoted text
	within                 // in "…", a document: the parser sees no quote there either
	live                   // as characters, in arithmetic or ${x:-…} within quotes
	odd                    // as a quoted text, but $'…' as what it stands for, read again
)

// misread finds what the parser reads in another way than bash.
type misread struct {
	text  string
	all   bool
	kinds map[syntax.Node]quoting // of nodes that do not have their parent's
	// hashes stand in no word, as far as has been seen.
	hashes []hash
	at     []int               // backslashes and quotes that are to be changed
	ansi   []*syntax.SglQuoted // $'…' that bash reads again once it has read it
}

// quoteIn is the start of a ${x:-…} with a quote.
var quoteIn = regexp.MustCompile(`\$\{!?[\w@*#?$!-]+(?:\[[^\]]*\])?:?[-=+?][^'"}]*'`)

// unread guesses what the parser may have misread in a text that it does not
// read: that text is doubted anyhow.
func (m *misread) unread(err error) {
	if e, ok := err.(syntax.ParseError); ok && m.quotes() && int(e.Pos.Offset()) < len(m.text) && m.text[e.Pos.Offset()] == '\'' {
		m.at = append(m.at, int(e.Pos.Offset()))
	}
	for _, c := range continued(m.text) {
		m.at = append(m.at, c.end)
	}
	for _, place := range quoteIn.FindAllStringIndex(m.text, -1) {
		m.at = append(m.at, place[1]-1)
	}
}

// hash is a # that may begin a comment, in a line that ends in a backslash.
type hash struct{ at, end int }

// continued lists what may be comments that end in a backslash.
func continued(text string) (list []hash) {
	for at := 0; at < len(text); {
		line, _, more := strings.Cut(text[at:], "\n")
		if more && strings.HasSuffix(line, "\\") {
			for i := range len(line) {
				if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`", line[i-1]) >= 0) {
					list = append(list, hash{at + i, at + len(line) - 1})
				}
			}
		}
		at += len(line) + 1
	}
	return list
}

// quotes says that the text may have quotes within quotes.
func (m *misread) quotes() bool {
	return strings.Contains(m.text, "'") && (strings.Contains(m.text, "${") || strings.Contains(m.text, "((") || strings.Contains(m.text, "["))
}

func (m *misread) look(file *syntax.File) {
	m.hashes = continued(m.text)
	if !m.quotes() && len(m.hashes) == 0 {
		return
	}
	stack := []quoting{outside}
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		kind, own := m.kinds[n]
		if !own {
			kind = stack[len(stack)-1]
		}
		stack = append(stack, m.node(n, kind))
		return true
	})
	for _, h := range m.hashes {
		m.at = append(m.at, h.end)
	}
}

// node looks at one node, and says how its children are read.
func (m *misread) node(n syntax.Node, kind quoting) quoting {
	switch n := n.(type) {
	case *syntax.Lit:
		m.literal(n)
	case *syntax.SglQuoted:
		m.literal(n)
		m.single(n, kind)
	case *syntax.DblQuoted:
		return within
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return outside
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
		return live
	case *syntax.Redirect:
		if n.Hdoc != nil {
			m.kinds[n.Hdoc] = within
		}
	case *syntax.Assign:
		m.expression(n.Index)
	case *syntax.ArrayElem:
		m.expression(n.Index)
	case *syntax.ParamExp:
		return m.param(n, kind)
	}
	return kind
}

func (m *misread) expression(x syntax.ArithmExpr) {
	if x != nil {
		m.kinds[x] = live
	}
}

func (m *misread) param(p *syntax.ParamExp, kind quoting) quoting {
	m.expression(p.Index)
	if p.Slice != nil {
		m.expression(p.Slice.Offset)
		m.expression(p.Slice.Length)
	}
	switch {
	case kind != within && kind != live:
		return outside
	case p.Exp == nil || p.Exp.Word == nil:
		return odd
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset,
		syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		m.kinds[p.Exp.Word] = live
	}
	return odd
}

func (m *misread) single(q *syntax.SglQuoted, kind quoting) {
	switch {
	case kind != live && kind != odd:
	case q.Dollar:
		m.ansi = append(m.ansi, q)
	case kind == live && strings.ContainsAny(q.Value, "$`\\\"}()]"):
		m.at = append(m.at, int(q.Left.Offset()))
		if end := int(q.Right.Offset()); m.all && end < len(m.text) && m.text[end] == '\'' {
			m.at = append(m.at, end)
		}
	}
}

// literal drops what stands in a word, and so begins no comment.
func (m *misread) literal(n syntax.Node) {
	if len(m.hashes) == 0 {
		return
	}
	from, _ := slices.BinarySearchFunc(m.hashes, int(n.Pos().Offset()), func(h hash, at int) int { return h.at - at })
	to, _ := slices.BinarySearchFunc(m.hashes, int(n.End().Offset()), func(h hash, at int) int { return h.at - at })
	if to > from {
		m.hashes = slices.Delete(m.hashes, from, to)
	}
}

// ansiText is the inside of a $'…' that bash reads again.
type ansiText struct {
	value string
	at    Span
}

// again takes apart what bash reads a second time within the quotes around it.
func (w *walker) again() {
	list := w.ansi
	w.ansi = nil
	for _, a := range list {
		w.doubt(a.at, "bash reads again what this text stands for")
		text, _ := ansiC(a.value)
		if !strings.ContainsAny(text, "$`") || w.src.depth >= MaxScripts || len(text) > w.left || refuse(text) != "" {
			continue
		}
		word, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Document(strings.NewReader(text))
		if err != nil {
			continue
		}
		w.left -= len(text) + 1
		outer := w.src
		w.src = source{text: text, at: &a.at, by: outer.by, depth: outer.depth + 1, posix: outer.posix, remote: outer.remote, fed: outer.fed}
		w.checkComments(word, text)
		w.document(word, state{}.lost())
		w.src = outer
	}
}
