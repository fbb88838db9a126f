package search

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// spelled is a pattern in which classes stand character by character. What \w,
// \d, \s, \b and [[:alpha:]] mean beyond ASCII differs from engine to engine, and
// with GNU grep from version to version; spelled, they are ASCII in all of them,
// which is what PCRE has them be unless it is told otherwise. borders has \b
// spelled too, by looking around. The pattern must be one.
func spelled(pattern string, borders bool) string {
	s := speller{rest: pattern, borders: borders, folds: folding.MatchString(pattern)}
	for s.rest != "" {
		s.next()
	}
	return s.out.String()
}

// folding says that a pattern may take upper and lower case alike.
var folding = regexp.MustCompile(`\(\?\^?[A-Za-z]*i`)

// speller is on its way through a pattern.
type speller struct {
	rest    string
	out     strings.Builder
	borders bool
	folds   bool
	within  bool // brackets
}

func (s *speller) next() {
	switch {
	case s.rest[0] == '\\' && len(s.rest) > 1:
		s.escape(s.rest[1])
	case s.within && s.named():
	case s.within:
		s.within = s.rest[0] != ']'
		s.copy(1)
	case s.rest[0] == '[':
		// Right behind the bracket "]" is a character like others.
		s.within = true
		s.copy(len(opening.FindString(s.rest)))
	case strings.HasPrefix(s.rest, "(?#"):
		s.copyTo(")")
	default:
		s.copy(1)
	}
}

var opening = regexp.MustCompile(`^\[\^?\]?`)

func (s *speller) copy(n int) {
	n = min(n, len(s.rest))
	s.out.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

func (s *speller) copyTo(end string) {
	at := strings.Index(s.rest, end)
	if at < 0 {
		at = len(s.rest)
	}
	s.copy(at + len(end))
}

func (s *speller) escape(letter byte) {
	switch class := escaped[unicode.ToLower(rune(letter))]; {
	case class != "":
		s.rest = s.rest[2:]
		s.put(classes[class], unicode.IsUpper(rune(letter)))
	case letter == 'Q':
		s.copyTo(`\E`)
	case letter == 'c': // a control character, which "[" and "\" name too
		s.copy(3)
	case s.borders && !s.within && (letter == 'b' || letter == 'B'):
		s.rest = s.rest[2:]
		s.out.WriteString(border[letter])
	default:
		s.copy(2)
	}
}

// escaped are the classes with a letter of their own.
var escaped = map[rune]string{'w': "word", 'd': "digit", 's': "space"}

// border is where a word begins or ends, and where none does.
var border = map[byte]string{
	'b': `(?-i:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))`,
	'B': `(?-i:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))`,
}

// named spells a class like [:alpha:], if one is next.
func (s *speller) named() bool {
	found := posix.FindStringSubmatch(s.rest)
	if found == nil || classes[found[2]] == nil {
		return false
	}
	s.rest = s.rest[len(found[0]):]
	s.put(classes[found[2]], found[1] != "")
	return true
}

var posix = regexp.MustCompile(`^\[:(\^?)([a-z]+):\]`)

// put spells a class, or all that is not in it.
func (s *speller) put(class spans, not bool) {
	switch {
	case !s.within && not:
		s.out.WriteString("(?-i:[^" + class.String() + "])")
		return
	case !s.within:
		s.out.WriteString("(?-i:[" + class.String() + "])")
		return
	case not && s.folds:
		class = class.folded().opposite()
	case not:
		class = class.opposite()
	}
	s.out.WriteString(class.String())
}

// spans are characters, from one to another, in order.
type spans [][2]rune

var classes = map[string]spans{
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"ascii":  {{0, 0x7f}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"cntrl":  {{0, 0x1f}, {0x7f, 0x7f}},
	"digit":  {{'0', '9'}},
	"graph":  {{'!', '~'}},
	"lower":  {{'a', 'z'}},
	"print":  {{' ', '~'}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"space":  {{'\t', '\r'}, {' ', ' '}},
	"upper":  {{'A', 'Z'}},
	"word":   {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}

func (s spans) String() string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, r[0], r[1])
	}
	return b.String()
}

func (s spans) opposite() (not spans) {
	next := rune(0)
	for _, r := range s {
		if r[0] > next {
			not = append(not, [2]rune{next, r[0] - 1})
		}
		next = r[1] + 1
	}
	return append(not, [2]rune{next, unicode.MaxRune})
}

// folded are the spans with what is the same where case does not count: what is
// opposite to a class must not come back into it.
func (s spans) folded() (all spans) {
	has := func(r rune) bool {
		for _, span := range s {
			if span[0] <= r && r <= span[1] {
				return true
			}
		}
		return false
	}
	for r := range rune(kelvin + 1) {
		in := has(r)
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			in = in || has(other)
		}
		if in {
			all = append(all, [2]rune{r, r})
		}
	}
	return all
}

// kelvin is the last character that is the same as one of ASCII: K.
const kelvin = '\u212a'
