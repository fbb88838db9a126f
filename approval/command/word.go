package command

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Flag says that the word could be read as an option: it begins with a dash, or
// it is not known that it does not.
func (w Word) Flag() bool {
	start := w.Prefix
	if w.Known {
		return strings.HasPrefix(w.Text, "-")
	}
	return w.Many || start == "" || start[0] == '-'
}

// special are the characters that make an unquoted literal more than itself.
const special = "\\{~*?["

// expand is what a word of a command becomes: braces, tilde, variables,
// substitutions, splitting, patterns, quotes, in bash's order.
func (w *walker) expand(word *syntax.Word, st state) ([]Word, state) {
	if w.words++; w.words > maxWords {
		w.doubt(w.nodeSpan(word), "too many words")
		return []Word{w.unknown(word)}, st
	}
	if text, ok := plain(word); ok {
		return []Word{w.known(word, text)}, st
	}
	if list, ok := w.list(word); ok {
		w.words += len(list)
		return list, st
	}
	if !hasBrace(word) {
		e := expander{w: w, st: st, src: word, split: true, tilde: true}
		e.word(word)
		w.words += len(e.out)
		return e.out, e.st
	}
	words, ok := w.braces(word, st)
	if !ok {
		w.oddRange(word)
		st = w.substitutions(word, st)
		return []Word{w.unknown(word)}, st
	}
	var out []Word
	for _, one := range words {
		e := expander{w: w, st: st, src: word, split: true, tilde: true, braced: one != word}
		e.word(one)
		st = e.st
		out = append(out, e.out...)
	}
	w.words += len(out)
	return out, st
}

// value is what a word becomes where no list can: behind an assignment, as a
// here-string, or as what a case looks at.
func (w *walker) value(word *syntax.Word, st state) (Word, state) {
	if word == nil {
		return Word{Known: true}, st
	}
	if text, ok := plain(word); ok {
		return w.known(word, text), st
	}
	e := expander{w: w, st: st, src: word, tilde: true, assign: true}
	e.word(word)
	if len(e.out) != 1 {
		return w.known(word, ""), e.st
	}
	return e.out[0], e.st
}

// document is the text of a here-document, in which quotes are not special.
func (w *walker) document(word *syntax.Word, st state) (Word, state) {
	if word == nil {
		return Word{Known: true}, st
	}
	e := expander{w: w, st: st, src: word}
	e.quotedParts(word.Parts, true)
	e.flush()
	if len(e.out) != 1 {
		return w.known(word, ""), e.st
	}
	return e.out[0], e.st
}

// substitutions takes apart what runs within a word whose value does not matter.
func (w *walker) substitutions(word *syntax.Word, st state) state {
	if word == nil || word.Lit() != "" {
		return st
	}
	e := expander{w: w, st: st, src: word}
	e.word(word)
	return e.st
}

// plain is the value of a word that is one literal or one quoted text.
func plain(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, special) && p.Value != "[" {
			return "", false
		}
		return p.Value, true
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

func (w *walker) known(word *syntax.Word, text string) Word {
	return Word{Text: text, Known: true, Span: w.nodeSpan(word)}
}

func (w *walker) unknown(word *syntax.Word) Word {
	return Word{Text: w.text(word.Pos(), word.End()), Many: true, Span: w.nodeSpan(word)}
}

// expander makes the words of one word.
type expander struct {
	w   *walker
	st  state
	src *syntax.Word
	out []Word
	cur field
	// split says that unquoted values are split and patterns looked up.
	split, tilde, assign bool
	colons               bool // a tilde behind a colon is expanded too
	braced               bool // the word is one of a list
	vague                bool // bash has its own idea of the whole word
	globs                bool // patterns are read as with extglob
}

// field is a word in the making.
type field struct {
	val, pat []byte
	some     bool // there is a word, though it may be empty
	glob     bool // pat holds an unquoted character of patterns
	unknown  bool // more follows val, or something else
	many     bool
	fixed    int // how much of val is certain, once unknown
}

func (e *expander) word(word *syntax.Word) {
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			e.literal(p.Value, i == 0, i == len(word.Parts)-1)
		case *syntax.SglQuoted:
			e.single(p)
		case *syntax.DblQuoted:
			e.cur.some = true
			if p.Dollar {
				e.hole(false)
			}
			e.quotedParts(p.Parts, false)
		default:
			e.special(part, false)
		}
	}
	e.flush()
	if e.vague || len(word.Parts) > 1 && e.split && loneDollar(word) { // bash does not split such a word
		e.out = []Word{e.w.unknown(e.src)}
	}
}

// loneDollar says that a dollar in the word begins nothing.
func loneDollar(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(strings.ReplaceAll(lit.Value, `\$`, ""), "$") {
			return true
		}
	}
	return false
}

// single is '…' and $'…'.
func (e *expander) single(p *syntax.SglQuoted) {
	e.cur.some = true
	if !p.Dollar {
		e.quoted(p.Value)
		return
	}
	text, ok := ansiC(p.Value)
	e.quoted(text)
	if !ok {
		e.hole(false)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && unprintable(byte(r)) }) {
		e.w.doubt(e.w.nodeSpan(p), "a word with control characters")
	}
}

// quotedParts are the parts of "…" or of a here-document.
func (e *expander) quotedParts(parts []syntax.WordPart, doc bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			e.quoted(unescape(p.Value, doc))
		default:
			e.special(part, true)
		}
	}
}

// special is a part whose value is computed.
func (e *expander) special(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.ParamExp:
		e.param(p, quoted)
	case *syntax.CmdSubst:
		e.w.substitution(p, e.st)
		e.hole(!quoted)
	case *syntax.ArithmExp:
		e.st = e.w.arithm(p.X, e.st)
		_, ifs := e.st.lookup("IFS")
		e.hole(!quoted && ifs)
	case *syntax.ProcSubst:
		e.quoted("/dev/fd/")
		e.w.apart(p.Stmts, e.st.fresh(p.Op == syntax.CmdOut))
		e.hole(false)
	case *syntax.DblQuoted:
		e.quotedParts(p.Parts, false)
	case *syntax.SglQuoted:
		e.single(p)
	default:
		e.hole(!quoted)
		if !e.globs {
			e.w.doubt(e.w.nodeSpan(part), "a pattern that bash reads only with extglob")
		}
	}
}

// substitution takes a $( ) apart.
func (w *walker) substitution(p *syntax.CmdSubst, st state) {
	if p.TempFile || p.ReplyVar {
		w.doubt(w.nodeSpan(p), "a substitution that is not bash's")
	}
	w.apart(p.Stmts, st)
}

// fresh is the state of a shell of its own, whose input is piped or not.
func (st state) fresh(piped bool) state {
	st.piped = st.piped || piped
	return st
}

// quoted adds text that is itself.
func (e *expander) quoted(text string) {
	e.cur.some = true
	e.cur.val = append(e.cur.val, text...)
	if !e.split {
		return
	}
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(`*?[]\`, text[i]) >= 0 {
			e.cur.pat = append(e.cur.pat, '\\')
		}
		e.cur.pat = append(e.cur.pat, text[i])
	}
}

// unquoted adds a byte that may be part of a pattern.
func (e *expander) unquoted(c byte) {
	e.cur.some = true
	e.cur.val = append(e.cur.val, c)
	if e.split {
		e.cur.glob = e.cur.glob || c == '*' || c == '?' || c == '['
		e.cur.pat = append(e.cur.pat, c)
	}
}

// hole stands for what is not known.
func (e *expander) hole(many bool) {
	if !e.cur.unknown {
		e.cur.fixed = len(e.cur.val)
	}
	e.cur.unknown = true
	e.cur.many = e.cur.many || many && e.split
}

// literal adds unquoted text of the script.
func (e *expander) literal(text string, first, last bool) {
	if first && e.tilde {
		text = e.home(text, last)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			e.quoted(text[i : i+1])
		case c == '~' && (e.assign || e.colons) && i > 0 && text[i-1] == ':':
			e.hole(false)
		default:
			e.unquoted(c)
		}
	}
}

// home replaces a leading ~, or one behind NAME=, and comes back with the rest.
func (e *expander) home(text string, last bool) string {
	if at := strings.IndexByte(text, '='); at > 0 && e.split && syntax.ValidName(strings.TrimSuffix(text[:at], "+")) {
		e.colons = !e.braced // a word of a list is no assignment
		if !strings.HasPrefix(text[at+1:], "~") {
			return text
		}
		e.quoted(text[:at+1])
		text = text[at+1:]
		if e.braced || e.w.src.posix { // dash leaves it as it is
			e.hole(false)
		}
	}
	if !strings.HasPrefix(text, "~") {
		return text
	}
	end := strings.IndexByte(text, '/')
	if end < 0 {
		end = len(text)
	}
	if colon := strings.IndexByte(text[:end], ':'); colon >= 0 && (e.assign || e.colons) {
		end = colon
	}
	folder := e.folder(text[:end])
	if folder == "" || end == len(text) && !last || strings.ContainsAny(text[:end], "\\:") {
		e.vague = true
		return text
	}
	e.quoted(folder)
	return text[end:]
}

// folder is what a tilde and a name stand for, "" when it is not known.
func (e *expander) folder(prefix string) string {
	switch prefix {
	case "~":
		if b, bound := e.st.lookup("HOME"); bound {
			if b.known {
				return b.value
			}
			return ""
		}
		return e.w.world.Home()
	case "~+":
		if _, bound := e.st.lookup("PWD"); !bound {
			return e.st.pwd
		}
	}
	return ""
}

// flush ends the word in the making.
func (e *expander) flush() {
	f := e.cur
	e.cur = field{}
	if !f.some && !f.unknown {
		return
	}
	at := e.w.nodeSpan(e.src)
	switch {
	case f.unknown:
		prefix := f.val[:f.fixed]
		if f.glob {
			prefix = prefix[:literalLength(f.pat, len(prefix))]
		}
		many := f.many || f.glob
		e.out = append(e.out, Word{Text: e.w.text(e.src.Pos(), e.src.End()), Prefix: string(prefix), Many: many, Span: at})
	case f.glob && isPattern(f.pat):
		e.pattern(f, at)
	default:
		e.out = append(e.out, Word{Text: string(f.val), Known: true, Span: at})
	}
}

// pattern looks up what a pattern expands to.
func (e *expander) pattern(f field, at Span) {
	names, ok := e.w.glob(string(f.pat), e.st)
	if !ok {
		prefix := f.val[:literalLength(f.pat, len(f.val))]
		e.out = append(e.out, Word{Text: e.w.text(e.src.Pos(), e.src.End()), Prefix: string(prefix), Many: true, Span: at})
		return
	}
	if len(names) == 0 {
		names = []string{string(f.val)}
	}
	for _, name := range names {
		e.out = append(e.out, Word{Text: name, Known: true, Span: at})
	}
}

// glob asks the world what a pattern expands to. It is not known once a command
// before may have made files.
func (w *walker) glob(pattern string, st state) (names []string, ok bool) {
	dir := st.dir
	if w.globs++; w.globs > maxGlobs || st.loose || w.dirty || dir == "" {
		return nil, false
	}
	names, ok = w.world.Glob(dir, pattern)
	return names, ok && len(names) <= maxBraces
}

// literalLength is how many bytes of a value, at most limit, come before the
// first character of a pattern.
func literalLength(pat []byte, limit int) int {
	n := 0
	for i := 0; i < len(pat) && n < limit; i++ {
		switch pat[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return n
		}
		n++
	}
	return n
}

// isPattern says that bash would look for files: it has a star, a question mark
// or a bracket that is closed.
func isPattern(pat []byte) bool {
	open := false
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			open = true
		case ']':
			if open {
				return true
			}
		}
	}
	return false
}
