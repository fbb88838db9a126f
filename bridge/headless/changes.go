package headless

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drawbridge/rpc/protocol"
)

// changeView is a change as the summary names it.
type changeView struct {
	id, verb, text string
	// gone says that a command changed the file before its bytes were kept.
	gone bool
}

// changeUpdated shows what was applied, unless its question has shown it, and
// keeps what the summary says of it. A change comes up again with all that
// becomes of it.
func (v *TextView) changeUpdated(c protocol.ChangeUpdated) {
	at := slices.IndexFunc(v.changed, func(o changeView) bool { return o.id == c.ChangeID })
	if c.State != protocol.ChangeApplied && c.State != protocol.ChangePartly {
		if at >= 0 { // it was taken back
			v.changed = slices.Delete(v.changed, at, at+1)
		}
		return
	}
	line := changeView{id: c.ChangeID, verb: changeVerb(c), text: v.changeLine(c), gone: c.Gone}
	if at >= 0 {
		v.changed[at] = line
		return
	}
	v.changed = append(v.changed, line)
	if stand := standing(c.Hunks); stand < len(c.Hunks) {
		v.call(c.CallID).partly = fmt.Sprintf("%d of %d hunks  ", stand, len(c.Hunks))
	}
	switch {
	case c.ByCommand:
		v.line(v.paint(dim, "  "+line.verb+"  ") + line.text)
	case !v.shown[c.ChangeID]:
		v.line(v.diff(hunksText(c.Hunks)))
	}
}

// changeLine names a change: its file, and how many lines come and go.
func (v *TextView) changeLine(c protocol.ChangeUpdated) string {
	name := v.short(c.URI)
	if c.From != "" {
		name = v.short(c.From) + " → " + name
	}
	if c.ByCommand {
		name += "  (by a command)"
	}
	if c.Gone {
		return name + v.paint(dim, "  "+oneLine(cmp.Or(c.Why, "cannot be taken back: what it held was not kept")))
	}
	plus, minus := 0, 0
	for _, h := range c.Hunks {
		if h.State != protocol.HunkRejected {
			plus += lines(h.NewText)
			minus += lines(h.OldText)
		}
	}
	if plus == 0 && minus == 0 && (c.Kind == protocol.ChangeRename || c.Kind == protocol.ChangeDelete) {
		return name
	}
	return fmt.Sprintf("%s  +%d −%d", name, plus, minus)
}

// lines counts them, one without an end too.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// changeVerb is what a change did to its file.
func changeVerb(c protocol.ChangeUpdated) string {
	switch c.Kind {
	case protocol.ChangeCreate:
		return "created"
	case protocol.ChangeDelete:
		return "deleted"
	case protocol.ChangeRename:
		return "renamed"
	}
	return "changed"
}

func standing(hunks []protocol.Hunk) int {
	n := 0
	for _, h := range hunks {
		if h.State != protocol.HunkRejected {
			n++
		}
	}
	return n
}

// changeSummary lists what the turn changed, and how to take it back.
func (v *TextView) changeSummary(session string) {
	kept := false
	var all []changeView
	for _, one := range v.family() {
		for _, c := range one.changed {
			c.text += v.paint(dim, one.by)
			all = append(all, c)
		}
	}
	for _, c := range all {
		v.line(v.paint(dim, c.verb+"  ") + c.text)
		kept = kept || !c.gone
	}
	if v.Undo && kept && session != "" {
		v.line(v.paint(dim, "undo     drawbridge rewind --session "+oneLine(session)))
	}
}
