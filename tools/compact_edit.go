package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"drawbridge/workspace"
)

// compactEdit replaces several texts of a file at once. All are looked for in the
// file as it was.
type compactEdit struct{}

func (compactEdit) Spec() Spec {
	return Spec{
		Name: "edit", Description: description(compactEditPage), Schema: schema(compactEditSchema),
		Access: Write, Limits: Limits{Timeout: fileTimeout, MaxOutput: compactOutput}, Style: compactFileStyle,
	}
}

// compactEdits are the arguments of an edit.
type compactEdits struct {
	name string
	list []compactReplacement
}

type compactReplacement struct{ old, new string }

func (compactEdit) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	args, err := parseCompactEdit(raw)
	if err != nil {
		return Plan{}, err
	}
	why, err := justification(raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, args.name, Write)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Title: "Edit " + p.Rel, Access: Write, Paths: []workspace.Path{p}, Justification: why}
	c, err := existingText(ctx, env, p, args.name)
	if err != nil {
		return plan, err
	}
	if err := mayWrite(env, args.name, c); err != nil {
		return plan, err
	}
	edits, err := args.place(c)
	if err != nil {
		return plan, ofContent(args.name, env.Reads.explain(c, err))
	}
	return args.plan(env, plan, workspace.Replace(c, edits), c)
}

// plan completes the plan of a change that was found.
func (e compactEdits) plan(env Env, plan Plan, change workspace.Change, c workspace.Content) (Plan, error) {
	if len(change.Hunks) == 0 {
		plan.Access, plan.Run = Read, stands(compactUnchanged("Edited")(e.name, c))
		return plan, nil
	}
	if err := changeFault(env, e.name, change); err != nil {
		return plan, ofContent(e.name, err)
	}
	f := effect{env: env, name: e.name, change: change}
	f.done = func(o workspace.Outcome) string { return compactDone("Edited")(f, o) }
	plan.Change, plan.Run = &change, f.run
	return plan, nil
}

func parseCompactEdit(raw json.RawMessage) (e compactEdits, err error) {
	a, err := parse(raw)
	if err != nil {
		return e, err
	}
	if e.name, err = a.filePath(); err != nil {
		return e, err
	}
	edits, err := a.objects("edits", "{oldText, newText}")
	if err != nil {
		return e, err
	}
	if len(edits) == 0 {
		return e, Failf("edits is empty, so there is nothing to change. Give at least one {oldText, newText}.")
	}
	for i, edit := range edits {
		r, err := parseReplacement(edit)
		if err != nil {
			return e, within("edits", i, err)
		}
		e.list = append(e.list, r)
	}
	return e, nil
}

func parseReplacement(a arguments) (r compactReplacement, err error) {
	if r.old, err = a.text("oldText"); err != nil {
		return r, err
	}
	if r.old == "" {
		return r, Failf("oldText is empty, so there is nothing to look for. To create a file or to replace all of it, use write.")
	}
	r.new, err = a.text("newText")
	return r, err
}

// placed is an edit where it belongs, under its number in the call.
type placed struct {
	workspace.Edit
	index int
}

// place finds where each edit belongs in the file as it was, all or none.
func (e compactEdits) place(c workspace.Content) ([]workspace.Edit, error) {
	all := make([]placed, len(e.list))
	for i, r := range e.list {
		s, err := e.find(c, i)
		if err != nil {
			return nil, err
		}
		repl := editArgs{old: r.old, new: r.new}.replacement(c.Text, s)
		all[i] = placed{workspace.Edit{Start: s.Start, End: s.End, New: repl}, i}
		if c.Cuts(all[i].Edit) {
			return nil, cutsCharacter(e.name)
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.Start, b.Start) })
	edits := make([]workspace.Edit, len(all))
	for i, p := range all {
		if i > 0 && p.Start < all[i-1].End {
			return nil, e.overlap(all[i-1].index, p.index)
		}
		edits[i] = p.Edit
	}
	return edits, nil
}

func (e compactEdits) overlap(a, b int) error {
	return Failf("edits[%d].oldText and edits[%d].oldText overlap in %q. Nothing was changed. Make one edit of the two: every edit is applied to the file as it was.",
		min(a, b), max(a, b), e.name)
}

// find wants the one place of an edit; places that overlap are several.
func (e compactEdits) find(c workspace.Content, i int) (workspace.Span, error) {
	old := e.list[i].old
	spans, _ := workspace.Find(c.Text, old)
	switch {
	case len(spans) == 0:
		return workspace.Span{}, e.missing(c, i)
	case len(spans) > 1:
		return workspace.Span{}, Failf("edits[%d].oldText occurs %d times in %q (lines %s), but it must match exactly once. Nothing was changed. Give more of the surrounding lines to make it unique.",
			i, len(spans), e.name, spanLines(c.Text, spans))
	case workspace.Recurs(c.Text, old, spans[0]):
		return workspace.Span{}, Failf("edits[%d].oldText occurs in %q at places that overlap (line %s), but it must match exactly once. Nothing was changed. Give more of the surrounding text to make it unique.",
			i, e.name, spanLines(c.Text, spans))
	}
	return spans[0], nil
}

func (e compactEdits) missing(c workspace.Content, i int) error {
	return absent{what: fmt.Sprintf("edits[%d].oldText", i), name: e.name, old: e.list[i].old, write: "write", read: func(from, to int) string {
		return fmt.Sprintf("Read lines %d-%d again (read with offset %d and limit %d) and copy the text from there", from, to, from, to-from+1)
	}}.failure(c)
}
