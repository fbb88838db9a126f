package main

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// plainLog shows lines of a log as a person at a command reads them: what is
// said, without when and how loud. Lines that are none of a log's are shown as
// they are. Each Write holds whole lines, as log handlers write them; what another
// process writes in pieces is held until its line is whole.
type plainLog struct {
	to   io.Writer
	held []byte
}

var logLine = regexp.MustCompile(`^time=\S+ level=\S+ msg=("(?:[^"\\]|\\.)*"|\S+)(.*)$`)

func (p *plainLog) Write(b []byte) (int, error) {
	p.held = append(p.held, b...)
	for {
		line, rest, whole := bytes.Cut(p.held, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if _, err := io.WriteString(p.to, plainLine(string(line))+"\n"); err != nil {
			return 0, err
		}
		p.held = append([]byte(nil), rest...)
	}
}

func plainLine(line string) string {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		return line
	}
	said := m[1]
	if text, err := strconv.Unquote(said); err == nil {
		said = text
	}
	return "drawbridge: " + strings.ReplaceAll(said, "\n", "\n  ") + m[2]
}
