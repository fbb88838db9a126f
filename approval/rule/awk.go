package rule

import (
	"regexp"
	"strings"
)

// plainAwk reports whether a program of awk only prints what it reads: no pipe,
// no file of its own, no command. One that divides is not read: what is a
// pattern and what is not cannot be told apart without its whole grammar.
func plainAwk(program string) bool {
	braces, brackets, last := 0, 0, byte(0)
	var bare strings.Builder
	for i := 0; i < len(program); i++ {
		c := program[i]
		switch c {
		case '"', '/':
			n := awkLiteral(program[i:], last)
			if n < 0 {
				return false
			}
			i, c = i+n, '"'
		case '#':
			for i+1 < len(program) && program[i+1] != '\n' {
				i++
			}
			continue
		case '{', '}':
			braces += int('|' - c)
		case '(', ')':
			brackets += 1 - 2*int(c-'(')
		case '|':
			if i+1 == len(program) || program[i+1] != '|' {
				return false
			}
			i++
		case '>':
			if braces != 0 && brackets == 0 {
				return false // print > FILE
			}
		}
		if brackets < 0 || braces < 0 {
			return false
		}
		bare.WriteByte(c)
		if c != ' ' && c != '\t' {
			last = c
		}
	}
	return !awkReaches.MatchString(bare.String())
}

var awkReaches = regexp.MustCompile(`[@\\]|system|getline|ARGV|ENVIRON|SYMTAB|FUNCTAB|close|FILENAME *=|include|load`)

// awkLiteral is how many bytes follow the beginning of a text or a pattern up to
// and with its end; -1 when that is not plain to see.
func awkLiteral(s string, before byte) int {
	if s[0] == '/' && strings.IndexByte("\x00{};(,!~&|\n", before) < 0 {
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return -1
		case s[0]:
			if s[0] == '/' && strings.Contains(s[:i], "[") && strings.Contains(s[:i], `\/`) {
				return -1
			}
			return i
		case '[':
			if n := bracket(s[i:]); s[0] == '/' && (n < 0 || strings.Contains(s[i+1:i+1+n], "/")) {
				return -1
			}
		}
	}
	return -1
}
