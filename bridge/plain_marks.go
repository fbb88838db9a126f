package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"drawbridge/bridge/lsp"
	"drawbridge/internal/mirror"
	"drawbridge/workspace"
)

// maxSample is how much of a hunk's text its mark quotes, in characters.
const maxSample = 80

// hunkMark is a mark with the hunk that it is for.
type hunkMark struct {
	lsp.Mark
	id string
}

// placing remembers where the hunks of a change were found last.
type placing struct {
	text  string
	found []placedHunk // nil: not looked for yet
}

// placedHunk is a hunk at the place where it lies now.
type placedHunk struct {
	id         string
	start, end int    // of what it replaces
	text       string // what comes instead, or stood there before
	old        string // what it replaces
}

// marksLocked places a change's hunks in its document as it is now. What the
// document holds no longer has no mark.
func (r *plainReview) marksLocked(m *marked) (marks []hunkMark, version *int32) {
	if m.pending() && m.shown.Kind == workspace.Create && !r.visible(m) {
		return nil, nil // there is no file to mark
	}
	var now string
	if doc, open := r.s.face.Documents().ByPath(m.path); open {
		now, version = doc.Text, &doc.Version
	} else {
		now = r.textLocked(m)
	}
	if m.where.found == nil || m.where.text != now {
		m.where = placing{text: now, found: place(m.shown, now)}
	}
	at := mirror.NewLocator(now, r.s.face.Client().Encoding)
	for i, h := range m.where.found {
		if i == maxMarks {
			break
		}
		k := hunkMark{id: h.id}
		k.Range.Start = at.Position(h.start)
		k.Range.End = at.Position(h.start + len(withoutEnd(now[h.start:h.end])))
		k.Message = m.describe(h)
		k.Lenses = m.lenses(h.id)
		marks = append(marks, k)
	}
	return marks, version
}

// textLocked is what a file that is not open holds; where that is not to be read,
// what the newest change to it left. One without marks is the file that is gone.
func (r *plainReview) textLocked(m *marked) string {
	text := m.shown.Old
	if m.pending() {
		return text
	}
	info, err := os.Stat(m.path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err == nil && m.disk.is(info) {
		return m.disk.text
	}
	if sess, noSession := r.s.session(m.session); err == nil && noSession == nil {
		if text, ok := sess.OnDisk(m.whole.Path); ok {
			m.disk = looked{size: info.Size(), changed: info.ModTime(), text: text}
			return text
		}
	}
	for _, other := range r.list {
		if other.path == m.path && !other.pending() {
			text = other.shown.Old
		}
	}
	return text
}

// looked is what a file held when it was read last.
type looked struct {
	size    int64
	changed time.Time
	text    string
}

// is says that the file is as it was then, as far as its date tells.
func (l looked) is(info os.FileInfo) bool {
	return !l.changed.IsZero() && l.size == info.Size() && l.changed.Equal(info.ModTime())
}

// place finds a change's hunks in a text that went on since: where a rebase puts
// them, else each whose own lines still stand. There may be no mark for a hunk
// that could still be taken back, but none lies where its hunk does not.
func place(c workspace.Change, now string) []placedHunk {
	content := workspace.Content{Path: c.Path, Exists: true, Text: now}
	moved, fits := c, c.Old == now
	if !fits {
		moved, fits = workspace.Rebase(c, content)
	}
	var since []workspace.Hunk
	if !fits {
		was := workspace.Content{Path: c.Path, Exists: true, Text: c.Old}
		moved, since = c, workspace.Rewrite(was, now).Hunks
	}
	found := make([]placedHunk, 0, len(moved.Hunks))
	for _, h := range moved.Hunks {
		by, stands := shift(since, h)
		if !stands {
			continue
		}
		found = append(found, placedHunk{
			id: h.ID, start: h.OldStart + by, end: h.OldEnd + by,
			old: moved.Old[h.OldStart:h.OldEnd], text: moved.New[h.NewStart:h.NewEnd],
		})
	}
	return found
}

// shift is how far what happened since moved the lines of a hunk; false when it
// touched them.
func shift(since []workspace.Hunk, h workspace.Hunk) (by int, stands bool) {
	for _, d := range since {
		switch {
		case d.OldEnd <= h.OldStart:
			by += (d.NewEnd - d.NewStart) - (d.OldEnd - d.OldStart)
		case d.OldStart < h.OldEnd || d.OldStart < h.OldStart:
			return 0, false
		}
	}
	return by, true
}

// withoutEnd is the text up to its last line end: a mark does not reach into
// the line behind it.
func withoutEnd(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// describe says in a line what a hunk does, and how it is answered.
func (m *marked) describe(h placedHunk) string {
	if yes, decided := m.verdicts[h.id]; decided {
		word := "rejected"
		if yes {
			word = "accepted"
		}
		return word + ", and waits for the other hunks of this change"
	}
	if m.pending() {
		return "proposed: " + deed(h.old, h.text, "insert", "delete", "replace") + " (code actions: accept, reject)"
	}
	return "applied: " + deed(h.text, h.old, "inserted", "deleted", "replaced") + " (code actions: keep, undo)"
}

// deed tells of old lines that become new ones.
func deed(old, new, insert, remove, replace string) string {
	a, b := lines(old), lines(new)
	switch {
	case a == 0:
		return fmt.Sprintf("%s %s, “%s”", insert, count(b), sample(new))
	case b == 0:
		return fmt.Sprintf("%s %s, “%s”", remove, count(a), sample(old))
	case replace == "replaced": // what came stands there to be read
		return fmt.Sprintf("%s %s, “%s”", replace, count(a), sample(old))
	}
	return fmt.Sprintf("%s %s by “%s”", replace, count(a), sample(new))
}

func count(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func lines(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(withoutEnd(strings.ReplaceAll(s, "\r\n", "\n")), "\n") + 1
}

// sample quotes the beginning of a text: one line that any client can show.
func sample(s string) string {
	all := withoutEnd(s)
	line, _, more := strings.Cut(all, "\n")
	line = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(line, "�"))
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) > maxSample {
		line, more = string([]rune(line)[:maxSample]), true
	}
	if more {
		line += " …"
	}
	return line
}

// touches says that a mark lies on a line of a range. A mark without extent is
// found from the lines on both sides of it.
func touches(m, at mirror.Range) bool {
	first, last := m.Start.Line, m.End.Line
	if m.Start == m.End && m.Start.Character == 0 && first > 0 {
		first--
	}
	return at.Start.Line <= last && first <= at.End.Line
}

func compareAt(a, b mirror.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
}
