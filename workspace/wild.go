package workspace

import "slices"

// MatchName matches one name, which has no separator, against a pattern as
// shells have it: "*", "?", "[a-z]", "[!a]" or "[^a]", "[[:alpha:]]", a
// backslash before what stands for itself. A bracket that is not closed matches
// nothing.
func MatchName(pattern, name string) bool {
	return newWild([]rune(pattern), []rune(name)).match(0, 0)
}

// matchPath matches a path with "/" against a pattern as git has it, where "**"
// between separators is any number of folders. Git counts in bytes: "?" is one.
func matchPath(pattern, path string) bool {
	return newWild(bytesOf(pattern), bytesOf(path)).match(0, 0)
}

func bytesOf(s string) []rune {
	units := make([]rune, len(s))
	for i := range len(s) {
		units[i] = rune(s[i])
	}
	return units
}

// stars counts the runs of stars, which is what makes a pattern slow.
func stars(pattern string) (n int) {
	for i := range len(pattern) {
		if pattern[i] == '*' && (i == 0 || pattern[i-1] != '*') {
			n++
		}
	}
	return n
}

// wild matches a text against a pattern. It remembers where a star was tried in
// vain: a pattern takes no longer than its stars times the length of the text,
// squared.
type wild struct {
	pat, text []rune
	vain      map[[2]int]bool
}

func newWild(pat, text []rune) *wild { return &wild{pat: pat, text: text, vain: map[[2]int]bool{}} }

// match reports whether the rest of the pattern from p on fits the rest of the
// text from t on.
func (w *wild) match(p, t int) bool {
	for ; p < len(w.pat); t++ {
		c := w.pat[p]
		if c == '*' {
			return w.star(p, t)
		}
		if t == len(w.text) {
			return false
		}
		var ok bool
		switch c {
		case '?':
			p, ok = p+1, w.text[t] != '/'
		case '[':
			p, ok = w.class(p+1, w.text[t])
			ok = ok && w.text[t] != '/'
		case '\\':
			if p++; p == len(w.pat) {
				return false
			}
			c = w.pat[p]
			fallthrough
		default:
			p, ok = p+1, w.text[t] == c
		}
		if !ok {
			return false
		}
	}
	return t == len(w.text)
}

// star matches from a run of stars on.
func (w *wild) star(p, t int) bool {
	at := [2]int{p, t}
	if w.vain[at] {
		return false
	}
	end := p
	for end < len(w.pat) && w.pat[end] == '*' {
		end++
	}
	if w.across(p, end, t) {
		return true
	}
	w.vain[at] = true
	return false
}

// across tries how much the stars of pat[p:end] take.
func (w *wild) across(p, end, t int) bool {
	deep := end-p > 1 && (p == 0 || w.pat[p-1] == '/') && w.separates(end)
	slash := slices.Index(w.text[t:], '/')
	switch {
	case deep && end < len(w.pat) && w.pat[end] == '/' && w.match(end+1, t):
		return true
	case end == len(w.pat):
		return deep || slash < 0
	case !deep && w.pat[end] == '/':
		return slash >= 0 && w.match(end+1, t+slash+1)
	}
	for ; t < len(w.text); t++ {
		if w.match(end, t) {
			return true
		}
		if !deep && w.text[t] == '/' {
			return false
		}
	}
	return false
}

// separates says that a component of the pattern ends at p.
func (w *wild) separates(p int) bool {
	rest := w.pat[p:]
	return len(rest) == 0 || rest[0] == '/' || len(rest) > 1 && rest[0] == '\\' && rest[1] == '/'
}

// class matches a bracket expression, whose bracket stands before p.
func (w *wild) class(p int, r rune) (after int, ok bool) {
	negated := p < len(w.pat) && (w.pat[p] == '!' || w.pat[p] == '^')
	if negated {
		p++
	}
	found, first := false, p
	for p < len(w.pat) {
		if w.pat[p] == ']' && p > first {
			return p + 1, found != negated
		}
		in, next := w.member(p, r)
		if next < 0 {
			return 0, false
		}
		found, p = found || in, next
	}
	return 0, false
}

// member matches one element of a bracket expression. next is -1 where there is
// none that is known.
func (w *wild) member(p int, r rune) (in bool, next int) {
	if name, next, ok := w.named(p); ok {
		in, known := classes[name]
		if !known {
			return false, -1
		}
		return in(r), next
	}
	low, p := w.single(p)
	if p < 0 || p+1 >= len(w.pat) || w.pat[p] != '-' || w.pat[p+1] == ']' {
		return low == r, p
	}
	high, p := w.single(p + 1)
	return low == r || low <= r && r <= high, p
}

// named reads [:name:].
func (w *wild) named(p int) (name string, next int, ok bool) {
	if p+1 >= len(w.pat) || w.pat[p] != '[' || w.pat[p+1] != ':' {
		return "", 0, false
	}
	end := slices.Index(w.pat[p+2:], ']')
	if end < 1 || w.pat[p+2+end-1] != ':' {
		return "", 0, false
	}
	return string(w.pat[p+2 : p+2+end-1]), p + 2 + end + 1, true
}

// single reads one character of a bracket expression.
func (w *wild) single(p int) (r rune, next int) {
	if w.pat[p] == '\\' {
		p++
	}
	if p >= len(w.pat) {
		return 0, -1
	}
	return w.pat[p], p + 1
}

// classes are those of POSIX in the plain locale; git knows no other.
var classes = map[string]func(rune) bool{
	"alnum":  func(r rune) bool { return isLetter(r) || isDigit(r) },
	"alpha":  isLetter,
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"cntrl":  func(r rune) bool { return r < ' ' || r == 0x7f },
	"digit":  isDigit,
	"graph":  func(r rune) bool { return '!' <= r && r <= '~' },
	"lower":  func(r rune) bool { return 'a' <= r && r <= 'z' },
	"print":  func(r rune) bool { return ' ' <= r && r <= '~' },
	"punct":  func(r rune) bool { return '!' <= r && r <= '~' && !isLetter(r) && !isDigit(r) },
	"space":  func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' },
	"upper":  func(r rune) bool { return 'A' <= r && r <= 'Z' },
	"xdigit": func(r rune) bool { return isDigit(r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' },
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
