package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"drawbridge/workspace"
)

// diffReserve is what a result needs besides its diff.
const diffReserve = 120

// effect is a planned change of one file, ready to be carried out. What it
// tells the model is made after the commit, from what was really done.
type effect struct {
	env    Env
	name   string // of the file, as the model wrote it
	change workspace.Change
	whole  bool // the model gave the whole content
	// done describes an outcome that left a change behind.
	done func(o workspace.Outcome) string
}

func (e effect) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	o, err := e.env.Workspace.Commit(ctx, e.change, ok.Change)
	if err != nil {
		return Result{}, e.failure(err)
	}
	res := Result{Outcome: &o, Note: e.note(o, ok)}
	switch o.State {
	case workspace.Applied, workspace.Partly:
		e.env.Reads.Saw(o.Change.Path, o.Change.New)
		out.Write(e.done(o))
	default:
		res.Status = Failed
		out.Write(e.refusal(o))
	}
	return res, nil
}

func (e effect) failure(err error) error { return writeFailure(e.name, err) }

// writeFailure is what there is to say of a file that cannot be written.
func writeFailure(name string, err error) error {
	err = fileFailure(name, err)
	if f, ok := err.(*Failure); ok {
		return Failf("Failed to write %s", f.Text)
	}
	return err
}

// mayWrite finds out while planning, before anyone is asked, that the file or
// its directory cannot be written.
func mayWrite(env Env, name string, c workspace.Content) error {
	if err := env.Workspace.Writable(c); err != nil {
		return writeFailure(name, err)
	}
	return nil
}

func (e effect) refusal(o workspace.Outcome) string {
	text := fmt.Sprintf("Nothing was changed in %q", e.name)
	if o.Why == "" {
		return text + "."
	}
	return text + ": " + o.Why
}

// note is what the model must learn however long the diff is.
func (e effect) note(o workspace.Outcome, ok Accepted) string {
	var lines []string
	if o.State == workspace.Partly && !o.UserText {
		lines = append(lines, e.refused(o, ok)...)
	}
	if o.State == workspace.Partly && o.Why != "" {
		lines = append(lines, o.Why)
	}
	if text := e.env.Reads.merged(o, e.whole); text != "" && (o.State == workspace.Applied || o.State == workspace.Partly) {
		lines = append(lines, text)
	}
	if o.Open && (o.State == workspace.Applied || o.State == workspace.Partly) {
		lines = append(lines, "(changed in the editor; the file on disk is not saved yet)")
		if e.env.Workspace.ChangedOnDisk(o.Change.Path) {
			lines = append(lines, "(the file on disk was changed by others meanwhile; saving the editor's text will replace that)")
		}
	}
	if o.Note != "" {
		lines = append(lines, "("+strings.ReplaceAll(o.Note, "\n", ")\n(")+")")
	}
	if ok.Comment != "" {
		lines = append(lines, "The user says: "+ok.Comment)
	}
	return strings.Join(lines, "\n")
}

// refused names the hunks that do not stand, by where they were proposed.
func (e effect) refused(o workspace.Outcome, ok Accepted) []string {
	const most = 20
	why := "Not applied"
	if !ok.Change.All {
		why = "Refused by the user"
	}
	var lines []string
	for _, h := range e.change.Hunks {
		if !slices.Contains(o.Rejected, h.ID) {
			continue
		}
		if len(lines) == most {
			return append(lines, fmt.Sprintf("… (+%d more)", len(o.Rejected)-most))
		}
		lines = append(lines, fmt.Sprintf("%s: %s", why, hunkHeader(h)))
	}
	return lines
}

// hunkHeader is the hunk's own range, without context. A side of no lines names
// the line before, as in a diff.
func hunkHeader(h workspace.Hunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldLine-empty(h.OldLines), h.OldLines, h.NewLine-empty(h.NewLines), h.NewLines)
}

func empty(lines int) int {
	if lines == 0 {
		return 1
	}
	return 0
}

// standing heads a result where less or something else stands than was planned.
func (e effect) standing(o workspace.Outcome) string {
	if o.UserText {
		return fmt.Sprintf("The user changed the proposal for %q before accepting it. What was really changed:", e.name)
	}
	return fmt.Sprintf("%d of %d hunks applied to %q. What was really changed:", len(o.Applied), len(e.change.Hunks), e.name)
}

// diffOptions are those of a diff in a result. A missing final line end is
// marked only where it tells something: when the change adds or removes it.
func (e effect) diffOptions(c workspace.Change, maxHunks int) workspace.DiffOptions {
	o := workspace.DiffOptions{
		MaxHunks: maxHunks, MaxLine: maxLineChars, StripCR: true,
		NoNewline: c.Old != "" && c.New != "" && strings.HasSuffix(c.Old, "\n") != strings.HasSuffix(c.New, "\n"),
	}
	if limit := e.env.Limits.MaxOutput; limit > 0 {
		o.MaxBytes = max(1, limit-diffReserve)
	}
	return o
}

func withLine(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}
