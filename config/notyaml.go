package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxSearched bounds the text, in bytes, in which the line of a fault is searched by
// reading it again and again.
const maxSearched = 16 << 10

// maxWork bounds the bytes that are read for that, for all faults of one text.
const maxWork = 4 << 20

// maxBroken bounds the faults of one text that are told apart.
const maxBroken = 8

var (
	parserLine = regexp.MustCompile(`^line (\d+): `)
	noToken    = regexp.MustCompile("(?:^|[:,\\[{-])[ ]*([@`%])")
	// topKey begins a line that begins a setting or a section of the whole file.
	topKey = regexp.MustCompile(`^["']?[A-Za-z][A-Za-z0-9_.]*["']?[ ]*:([ \r\n]|$)`)
)

// documents are those of a text. What in it is no YAML is a fault, and what else
// stands at the top of the file is read all the same, so that one look tells of all.
func documents(file string, text []byte) (docs []*yaml.Node, broken error) {
	if inUTF16(text) {
		return nil, &Problem{file, 1, 1, "the file is UTF-16; settings must be UTF-8"}
	}
	left := maxWork
	return documentsWithin(file, text, &left)
}

func documentsWithin(file string, text []byte, left *int) (docs []*yaml.Node, broken error) {
	for range maxBroken {
		docs, err := parseYAML(text)
		if err == nil {
			return docs, broken
		}
		if broken != nil && strings.Contains(err.Error(), "unknown anchor") {
			return nil, broken // it may stand in what was left out
		}
		p, found := notYAML(file, text, err, left)
		broken = errors.Join(broken, p)
		if !found {
			return nil, broken // what else stands there cannot be told apart
		}
		text = withoutBlock(text, p.Line)
	}
	return nil, broken
}

// inUTF16 says that text begins as UTF-16 does: with its byte order mark, or with a
// character of ASCII in two bytes.
func inUTF16(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	a, b := text[0], text[1]
	return a == 0xff && b == 0xfe || a == 0xfe && b == 0xff || (a == 0) != (b == 0)
}

func parseYAML(text []byte) (docs []*yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		docs = append(docs, &n)
	}
}

// withoutBlock is text with empty lines for that line and all that belongs to the
// same key at the top of the file.
func withoutBlock(text []byte, line int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	from, to := line-1, line
	for from > 0 && !topKey.Match(lines[from]) {
		from--
	}
	for to < len(lines) && !topKey.Match(lines[to]) {
		to++
	}
	for i := from; i < to; i++ {
		lines[i] = []byte("\n")
	}
	return bytes.Join(lines, nil)
}

// notYAML says where text stops to be YAML. The parser knows the line roughly, if
// at all; the fault stands in the first line that what is before it does without,
// or in the lines that belong to that one. It is not found in a text too long to be
// searched, or when left, the bytes that may be read for it, is used up.
func notYAML(file string, text []byte, err error, left *int) (p *Problem, found bool) {
	why := strings.TrimPrefix(err.Error(), "yaml: ")
	rough := 1
	if m := parserLine.FindStringSubmatch(why); m != nil {
		rough, _ = strconv.Atoi(m[1])
		why = why[len(m[0]):]
	}
	if i := badByte(text); i >= 0 {
		line, column := placeOf(text, i)
		return &Problem{file, line, column, "not valid YAML: " + why}, len(text) <= maxSearched
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	line := 0
	if len(text) <= maxSearched {
		line = firstBad(lines, left)
	}
	if line == 0 {
		line = min(rough, len(lines))
		return &Problem{file, line, begin(lines[line-1]), "not valid YAML, here or before: " + why}, false
	}
	column, tab := columnIn(lines[line-1])
	if tab {
		why = "a tab in the indentation, which is of spaces only"
	}
	return &Problem{file, line, column, "not valid YAML: " + why}, true
}

// badByte is where text has what YAML has nowhere; -1 is nowhere.
func badByte(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\u0085' {
			return i
		}
		i += n
	}
	return -1
}

// placeOf is the line and the column, in characters, of the byte at i.
func placeOf(text []byte, i int) (line, column int) {
	before := text[:i]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// firstBad is the line after the longest beginning that is YAML; 0 when left does
// not suffice to find it.
func firstBad(lines [][]byte, left *int) int {
	for n := len(lines) - 1; n > 0; n-- {
		text := bytes.Join(lines[:n], nil)
		if *left -= len(text); *left < 0 {
			return 0
		}
		if isYAML(text) {
			return n + 1
		}
	}
	return 1
}

func isYAML(text []byte) bool {
	_, err := parseYAML(text)
	return err == nil
}

// columnIn is where a line is likely at fault, else where it begins; tab says that it
// is indented by one.
func columnIn(line []byte) (column int, tab bool) {
	start := begin(line)
	if i := bytes.IndexByte(line[:start-1], '\t'); i >= 0 {
		return i + 1, true
	}
	if m := noToken.FindSubmatchIndex(line); m != nil {
		return 1 + utf8.RuneCount(line[:m[2]]), false
	}
	return start, false
}

// begin is the column of the first character of a line that is no space.
func begin(line []byte) int {
	return 1 + len(line) - len(bytes.TrimLeft(line, " \t"))
}
