package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"drawbridge/workspace"
)

const (
	// maxRemark bounds what the model is told of one word of a person, in bytes.
	maxRemark = 2 << 10
	// maxOwnDiff bounds a person's own text in it.
	maxOwnDiff = 1 << 10
	// maxQuote bounds the line by which a hunk is known, in characters.
	maxQuote = 60
)

// deed is what a person did with an applied change.
type deed struct {
	change     Change // as it was before
	kept, back []string
	stuck      []workspace.Stuck
	own        *workspace.Change // what their own text changed
}

// news says that the model does not know already what stands.
func (d deed) news() bool { return len(d.back) > 0 || d.own != nil }

// tellOf has the model told of what a person did. That they kept what it did is
// no news, unless they say something about it.
func (s *Session) tellOf(comment string, deeds ...deed) {
	news := slices.ContainsFunc(deeds, deed.news)
	if !news && (comment == "" || len(deeds) == 0) {
		return
	}
	var b strings.Builder
	for i, d := range deeds {
		if news && !d.news() {
			continue
		}
		text := d.describe()
		if b.Len()+len(text) > maxRemark {
			fmt.Fprintf(&b, "(and changes of %d more files)\n", len(deeds)-i)
			break
		}
		b.WriteString(text)
	}
	if comment != "" {
		b.WriteString("The user says: " + cut(comment, maxRemark))
	}
	s.remark(strings.TrimSuffix(b.String(), "\n"))
}

// describe says in words what was done with one change.
func (d deed) describe() string {
	name, left := d.change.Done.Path.Rel, len(d.change.standing())-len(d.back)
	switch {
	case d.own != nil:
		return fmt.Sprintf("The user wrote their own text in place of your change of %q:\n%s", name, ownDiff(*d.own))
	case len(d.back) == 0:
		return fmt.Sprintf("The user looked at your change of %q and keeps it.\n", name)
	case left == 0 && d.change.Done.Kind == workspace.Create:
		return fmt.Sprintf("The user took back your new file %q: it is not there any more.\n", name)
	case left == 0:
		return fmt.Sprintf("The user took back your change of %q:\n%s", name, d.list("taken back", d.back))
	}
	return fmt.Sprintf("The user took back a part of your change of %q:\n%s%s", name,
		d.list("taken back", d.back), d.list("kept", d.kept))
}

// list names hunks by their place in what the change left and by a line.
func (d deed) list(word string, ids []string) string {
	const most = 10
	var b strings.Builder
	n, named := 0, setOf(ids)
	for _, h := range d.change.Done.Hunks {
		if !named[h.ID] {
			continue
		}
		if n++; n > most {
			continue
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", word, hunkPlace(h), quote(*d.change.Done, h))
	}
	if n > most {
		fmt.Fprintf(&b, "  %s: %d more\n", word, n-most)
	}
	return b.String()
}

// hunkPlace is a hunk's line in a diff without context.
func hunkPlace(h workspace.Hunk) string {
	side := func(line, count int) string {
		if count == 0 {
			line--
		}
		return fmt.Sprintf("%d,%d", line, count)
	}
	return "@@ -" + side(h.OldLine, h.OldLines) + " +" + side(h.NewLine, h.NewLines) + " @@"
}

// quote is the first line of a hunk that says anything.
func quote(c workspace.Change, h workspace.Hunk) string {
	sign, lines := "+", c.New[h.NewStart:h.NewEnd]
	if strings.TrimSpace(lines) == "" {
		sign, lines = "-", c.Old[h.OldStart:h.OldEnd]
	}
	line, _, _ := strings.Cut(strings.TrimSpace(lines), "\n")
	if line == "" {
		return ""
	}
	return " " + sign + cut(strings.TrimSpace(line), maxQuote)
}

func ownDiff(c workspace.Change) string {
	p := c.Print(workspace.DiffOptions{Context: 1, MaxBytes: maxOwnDiff, MaxLine: 200, StripCR: true})
	text := p.Text
	if len(p.Dropped) > 0 {
		text += fmt.Sprintf("(and %d more places)\n", len(p.Dropped))
	}
	return text
}

// cut shortens a text to n bytes, at a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
