package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unescape takes the backslashes out of text within double quotes, or within a
// here-document, where a quote is not special.
func unescape(text string, doc bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			switch c := text[i+1]; {
			case c == '\n':
				i++
				continue
			case c == '$' || c == '`' || c == '\\' || c == '"' && !doc:
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// ansiC reads the text of $'…'. ok is false when the value depends on the
// locale, or is not defined; the text is then what comes before.
func ansiC(s string) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if c := strings.IndexByte(`abeEfnrtv\'"?`, s[i]); c >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[c])
			continue
		}
		n, width := ansiNumber(s[i:])
		if width == 0 || n == 0 || n > 0x7f && s[i] != 'x' && (s[i] == 'u' || s[i] == 'U') {
			return b.String(), false
		}
		b.WriteByte(byte(n))
		i += width - 1
	}
	return b.String(), true
}

// ansiNumber reads \nnn, \xHH, \uHHHH or \UHHHHHHHH without the backslash, and
// says how long it is; 0 when it is none of these.
func ansiNumber(s string) (n, width int) {
	base, skip, most := 8, 0, 3
	switch s[0] {
	case 'x':
		base, skip, most = 16, 1, 2
	case 'u':
		base, skip, most = 16, 1, 4
	case 'U':
		base, skip, most = 16, 1, 8
	}
	end := skip
	for end < len(s) && end < skip+most && isDigit(s[end], base) {
		end++
	}
	if end == skip {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[skip:end], base, 32)
	if err != nil {
		return 0, 0
	}
	return int(v), end
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// braces expands {a,b} and {1..3} in a word that has a brace. ok is false when the
// result is too long, or not certain.
func (w *walker) braces(word *syntax.Word, st state) (words []*syntax.Word, ok bool) {
	if st.loose {
		return nil, false
	}
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	syntax.SplitBraces(split)
	if !hasList(split) {
		return []*syntax.Word{word}, !mayList(word)
	}
	if w.src.posix || leftBrace(split) || choices(split) > maxBraces {
		return nil, false
	}
	words, ok = spread(split)
	if w.bytes += len(words) * (int(word.End().Offset()) - int(word.Pos().Offset())); w.bytes > maxValues {
		return nil, false
	}
	for _, one := range words {
		ok = ok && !rejoined(one)
	}
	return words, ok
}

// mayList says that bash might see a list where the parser saw none: it counts
// braces in its own way when some are quoted or alone.
func mayList(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && (strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")) {
			return true
		}
	}
	return false
}

// leftBrace says that a brace remains beside the lists.
func leftBrace(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "{}") {
				return true
			}
		case *syntax.BraceExp:
			for _, elem := range p.Elems {
				if leftBrace(elem) {
					return true
				}
			}
		}
	}
	return false
}

// rejoined says that expansion, which bash does on the text, has put a name
// together anew: $x{a,b} is $xa and $xb.
func rejoined(word *syntax.Word) bool {
	for i, part := range word.Parts[:max(len(word.Parts)-1, 0)] {
		next, isLit := word.Parts[i+1].(*syntax.Lit)
		switch p := part.(type) {
		case *syntax.ParamExp:
			if p.Short && isLit && next.Value != "" && (isLetter(next.Value[0]) || next.Value[0] >= '0' && next.Value[0] <= '9') {
				return true
			}
		case *syntax.Lit:
			if strings.HasSuffix(p.Value, "$") {
				return true
			}
		}
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// choices is how many words lists in a word make, as far as it matters.
func choices(word *syntax.Word) int {
	n := 1
	for _, part := range word.Parts {
		list, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if list.Sequence {
			sum = 2 // at least, as a rule; spread counts them
		}
		for _, elem := range list.Elems {
			sum += choices(elem)
		}
		if n *= sum; n > maxBraces {
			return n
		}
	}
	return n
}

// oddRange doubts {Z..a}: the characters between the letters of both cases are
// read as if they stood in the script, a backquote among them.
func (w *walker) oddRange(word *syntax.Word) {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		if at := strings.Index(lit.Value, ".."); at > 0 && at+2 < len(lit.Value) && isLetter(lit.Value[at-1]) && isLetter(lit.Value[at+2]) {
			w.doubt(w.nodeSpan(word), "which words this range gives is not taken apart")
		}
	}
}

func hasBrace(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

func hasList(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if _, ok := part.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// spread makes one word of each choice of the first list, and so on.
func spread(word *syntax.Word) (words []*syntax.Word, ok bool) {
	for i, part := range word.Parts {
		list, isList := part.(*syntax.BraceExp)
		if !isList {
			continue
		}
		elems, ok := elements(list)
		if !ok {
			return nil, false
		}
		for _, elem := range elems {
			one := &syntax.Word{Parts: join(word.Parts[:i], elem.Parts, word.Parts[i+1:])}
			more, ok := spread(one)
			if !ok || len(words)+len(more) > maxBraces {
				return nil, false
			}
			words = append(words, more...)
		}
		return words, true
	}
	return []*syntax.Word{word}, true
}

func join(parts ...[]syntax.WordPart) []syntax.WordPart {
	var all []syntax.WordPart
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// elements are the choices of a list, or of a sequence of plain numbers or
// letters of one case.
func elements(list *syntax.BraceExp) (elems []*syntax.Word, ok bool) {
	if !list.Sequence {
		return list.Elems, true
	}
	if len(list.Elems) != 2 {
		return nil, false
	}
	from, to := list.Elems[0].Lit(), list.Elems[1].Lit()
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	letters := false
	switch {
	case err1 == nil && err2 == nil && strconv.Itoa(a) == from && strconv.Itoa(b) == to:
	case len(from) == 1 && len(to) == 1 && sameCase(from[0], to[0]):
		a, b, letters = int(from[0]), int(to[0]), true
	default:
		return nil, false
	}
	if a-b > maxBraces || b-a > maxBraces {
		return nil, false
	}
	return sequence(a, b, letters), true
}

func sameCase(a, b byte) bool {
	return a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z' || a >= 'A' && a <= 'Z' && b >= 'A' && b <= 'Z'
}

func sequence(a, b int, letters bool) []*syntax.Word {
	step := 1
	if b < a {
		step = -1
	}
	var elems []*syntax.Word
	for n := a; ; n += step {
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		elems = append(elems, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text}}})
		if n == b {
			return elems
		}
	}
}
