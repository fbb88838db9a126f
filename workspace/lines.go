package workspace

import (
	"strings"
	"unicode/utf8"
)

// A line ends with its \n; a \r before it is part of the line, and a lone \r
// is data. A text that does not end with \n has a last line without one.

// bom is the byte order mark that some programs put before UTF-8 text.
const bom = "\uFEFF"

// lineStart returns where the line begins that holds the byte at, or from when
// it begins before that.
func lineStart(text string, from, at int) int {
	if at < from {
		return from
	}
	return from + strings.LastIndexByte(text[from:at], '\n') + 1
}

// begins reports whether a line begins at.
func begins(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

// nextLine returns where the line after the byte at begins, or the end.
func nextLine(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// skipLines returns where the line begins that is n lines after the one that
// begins at.
func skipLines(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		at = nextLine(text, at)
	}
	return at
}

// backLines returns where the line begins that is n lines before the one that
// begins at.
func backLines(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		at = lineStart(text, 0, at-1)
	}
	return at
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// sharedLines returns how many bytes of whole lines a and b have in common at
// the beginning and, of the rest, at the end.
func sharedLines(a, b string) (head, tail int) {
	head = sharedHead(a, b)
	if head == len(a) && head == len(b) {
		return head, 0
	}
	head = lineStart(a, 0, head)
	a, b = a[head:], b[head:]
	tail = sharedTail(a, b)
	return head, wholeTail(a, b, tail)
}

// wholeTail shrinks a shared tail until a line begins with it in both texts.
func wholeTail(a, b string, tail int) int {
	if begins(a, len(a)-tail) && begins(b, len(b)-tail) {
		return tail
	}
	i := strings.IndexByte(a[len(a)-tail:], '\n')
	if i < 0 {
		return 0
	}
	return tail - i - 1
}

// block is how much is compared at once: long equal runs go by at the speed of
// memory, and only the last block is looked at byte by byte.
const block = 4096

func sharedHead(a, b string) int {
	limit := min(len(a), len(b))
	n := 0
	for n+block <= limit && a[n:n+block] == b[n:n+block] {
		n += block
	}
	for n < limit && a[n] == b[n] {
		n++
	}
	return n
}

func sharedTail(a, b string) int {
	limit := min(len(a), len(b))
	n := 0
	for n+block <= limit && a[len(a)-n-block:len(a)-n] == b[len(b)-n-block:len(b)-n] {
		n += block
	}
	for n < limit && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// cutAt moves n, up to which a and b are the same, back to where both may be
// cut: not within a character and not between \r and \n.
func cutAt(a, b string, n int) int {
	for n > 0 && !(cuttable(a, n) && cuttable(b, n)) {
		n--
	}
	return n
}

// cutAfter moves the cuts atA and atB, after which a and b are the same,
// forward until both may be cut, and returns the one in a.
func cutAfter(a, b string, atA, atB int) int {
	for atA < len(a) && !(cuttable(a, atA) && cuttable(b, atB)) {
		atA, atB = atA+1, atB+1
	}
	return atA
}

func cuttable(s string, at int) bool {
	if at == 0 || at == len(s) {
		return true
	}
	return utf8.RuneStart(s[at]) && !(s[at] == '\n' && s[at-1] == '\r')
}
