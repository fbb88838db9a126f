package workspace

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MatchName matches one name, which has no separator, against a pattern as
// shells and git have it: "*", "?", "[a-z]", "[!a]" or "[^a]", "[[:alpha:]]", a
// backslash before what stands for itself. A bracket that is not closed matches
// nothing. It takes time in proportion to both lengths multiplied, at most.
func MatchName(pattern, name string) bool {
	star, from := -1, 0 // behind the last "*", and what it was tried on
	p, n := 0, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from, p = p+1, n, p+1
			continue
		}
		r, size := utf8.DecodeRuneInString(name[n:])
		if step, ok := matchRune(pattern[p:], r, name[n:n+size]); ok {
			p, n = p+step, n+size
			continue
		}
		if star < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(name[from:])
		from += size
		p, n = star, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchRune matches the first element of a pattern that is no "*" and returns
// how long it is. text is the rune as it is spelled, which need not be UTF-8.
func matchRune(pattern string, r rune, text string) (step int, ok bool) {
	switch {
	case pattern == "":
		return 0, false
	case pattern[0] == '?':
		return 1, true
	case pattern[0] == '[':
		return matchClass(pattern, r)
	case pattern[0] == '\\':
		if pattern = pattern[1:]; pattern == "" {
			return 0, false
		}
		return 1 + len(text), strings.HasPrefix(pattern, text)
	}
	return len(text), strings.HasPrefix(pattern, text)
}

// matchClass matches a bracket expression.
func matchClass(pattern string, r rune) (step int, ok bool) {
	rest := pattern[1:]
	negated := rest != "" && (rest[0] == '!' || rest[0] == '^')
	if negated {
		rest = rest[1:]
	}
	found := false
	for first := true; rest != ""; first = false {
		if rest[0] == ']' && !first {
			return len(pattern) - len(rest) + 1, found != negated
		}
		if class, after, ok := namedClass(rest); ok {
			in, known := classes[class]
			if !known {
				return 0, false
			}
			found, rest = found || in(r), after
			continue
		}
		low, high, after, ok := classRange(rest)
		if !ok {
			return 0, false
		}
		found, rest = found || low <= r && r <= high, after
	}
	return 0, false
}

// namedClass takes [:name:] off.
func namedClass(s string) (name, rest string, ok bool) {
	if !strings.HasPrefix(s, "[:") {
		return "", s, false
	}
	name, rest, ok = strings.Cut(s[2:], ":]")
	return name, rest, ok && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
}

// classRange takes "a" or "a-z" off. A "-" at the end stands for itself.
func classRange(s string) (low, high rune, rest string, ok bool) {
	low, rest, ok = classRune(s)
	if !ok || len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		return low, low, rest, ok
	}
	high, rest, ok = classRune(rest[1:])
	return low, high, rest, ok
}

func classRune(s string) (r rune, rest string, ok bool) {
	s, _ = strings.CutPrefix(s, `\`)
	if s == "" {
		return 0, "", false
	}
	r, size := utf8.DecodeRuneInString(s)
	return r, s[size:], true
}

// classes are those of POSIX, in the plain locale: git knows no other.
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
	"space":  func(r rune) bool { return r < 0x80 && unicode.IsSpace(r) },
	"upper":  func(r rune) bool { return 'A' <= r && r <= 'Z' },
	"xdigit": func(r rune) bool { return isDigit(r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' },
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
