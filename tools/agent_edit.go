package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/workspace"
)

// agentEdit replaces exact text in an existing file. A text may be replaced by
// itself.
type agentEdit struct{}

func (agentEdit) Spec() Spec {
	return Spec{
		Name: "edit", Description: description(agentEditPage), Schema: schema(agentEditSchema),
		Access: Write, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentStyle,
	}
}

func (agentEdit) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	args, err := parseAgentEdit(env, raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, args.name, Write)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Title: "Edit " + p.Rel, Access: Write, Paths: []workspace.Path{p}}
	c, err := args.text(ctx, env, p)
	if err != nil {
		return plan, err
	}
	if err := mayWrite(env, args.name, c); err != nil {
		return plan, err
	}
	edits, err := args.place(env.Offers, c)
	if err != nil {
		return plan, ofContent(args.name, env.Reads.explain(c, err))
	}
	said := fmt.Sprintf("edited %s (%d replacement(s))", args.name, len(edits))
	if args.old == args.new {
		plan.Access, plan.Run = Read, stands(said)
		return plan, nil
	}
	change := workspace.Replace(c, edits)
	if err := args.sound(env, change); err != nil {
		return plan, ofContent(args.name, err)
	}
	e := effect{env: env, name: args.name, change: change}
	done := agentDone(func(workspace.Outcome) string { return said })
	e.done = func(o workspace.Outcome) string { return done(e, o) }
	plan.Change, plan.Run = &change, e.run
	return plan, nil
}

// agentEdits are the arguments of an edit.
type agentEdits struct{ editArgs }

func parseAgentEdit(env Env, raw json.RawMessage) (e agentEdits, err error) {
	a, err := parse(raw)
	if err != nil {
		return e, err
	}
	if e.name, err = a.filled("file_path"); err != nil {
		return e, err
	}
	if e.old, err = a.text("old_string"); err != nil {
		return e, err
	}
	if e.old == "" {
		return e, Failf("old_string is empty, so there is nothing to look for.%s", env.Offers.advice("write", "To create a file or to replace all of it, use write."))
	}
	if e.new, err = a.text("new_string"); err != nil {
		return e, err
	}
	e.all, err = a.flag("replace_all")
	return e, err
}

// text reads a file that must be there and be text.
func (e agentEdits) text(ctx context.Context, env Env, p workspace.Path) (workspace.Content, error) {
	info, err := env.Workspace.Stat(p)
	switch {
	case err != nil:
		return workspace.Content{}, agentFileFailure(e.name, err)
	case !info.Exists:
		return workspace.Content{}, noSuchFile(env, e.name, p, strings.TrimSpace(env.Offers.advice("write", "To create the file, use write.")))
	case !info.Regular:
		return workspace.Content{}, agentFileFailure(e.name, &workspace.FileError{Kind: kindOf(info)})
	}
	return existingText(ctx, env, p, e.name)
}

// kindOf says what is wrong with what is no regular file.
func kindOf(info workspace.Info) workspace.Kind {
	if info.Dir {
		return workspace.IsDir
	}
	return workspace.NotRegular
}

// place finds what is to be replaced.
func (e agentEdits) place(o Offers, c workspace.Content) ([]workspace.Edit, error) {
	spans, _ := workspace.Find(c.Text, e.old)
	switch {
	case len(spans) == 0:
		return nil, e.missing(o, c)
	case len(spans) > 1 && !e.all:
		return nil, Failf("old_string occurs %d times in %q (lines %s), and must be unique. Nothing was changed. Give more of the surrounding lines, or set replace_all to true to replace every occurrence.",
			len(spans), e.name, spanLines(c.Text, spans))
	}
	edits := make([]workspace.Edit, len(spans))
	for i, s := range spans {
		edits[i] = workspace.Edit{Start: s.Start, End: s.End, New: e.replacement(c.Text, s)}
	}
	if slices.ContainsFunc(edits, c.Cuts) {
		return nil, cutsCharacter(e.name)
	}
	return edits, nil
}

func (e agentEdits) missing(o Offers, c workspace.Content) error {
	return absent{what: "old_string", name: e.name, old: e.old, write: o.first("write"), read: func(from, to int) string {
		if !o.Has("read") {
			return fmt.Sprintf("Read lines %d-%d again and copy the text from there", from, to)
		}
		return fmt.Sprintf("Read these lines again (read with view_range [%d, %d]) and copy the text from there", from, to)
	}}.failure(c)
}
