package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"drawbridge/workspace"
)

const (
	maxDiffed    = 1 << 20 // bytes of a previous content that is still compared
	maxDiffLines = 60      // of a diff in a result
)

// writeFile creates a file or replaces the whole content of one.
type writeFile struct{}

func (writeFile) Spec() Spec {
	return Spec{
		Name: "write_file", Description: description(writeFilePage), Schema: schema(writeFileSchema),
		Access: Write, Limits: Limits{Timeout: fileTimeout, MaxOutput: maxOutput},
	}
}

func (writeFile) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	name, content, err := parseWrite(raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, name, Write)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Title: "Write " + p.Rel, Access: Write, Paths: []workspace.Path{p}}
	c, err := replaceable(ctx, env, p, name)
	if err != nil {
		return plan, err
	}
	content = workspace.KeepBOM(c.Text, content)
	plan.Title = "Create " + p.Rel
	if c.Exists {
		plan.Title = "Overwrite " + p.Rel
	}
	if c.Exists && c.Text == content {
		plan.Access, plan.Run = Read, unchanged(name, c)
		return plan, nil
	}
	change := workspace.Rewrite(c, content)
	if err := checkNotebook(env, name, change); err != nil {
		return plan, ofContent(name, err)
	}
	if err := env.Workspace.Fault(change); err != nil {
		return plan, ofContent(name, fileFailure(name, err))
	}
	e := effect{env: env, name: name, change: change, whole: true}
	e.done = func(o workspace.Outcome) string { return writeDone(e, o) }
	plan.Change, plan.Run = &change, e.run
	return plan, nil
}

// replaceable reads what is there, if it may be replaced.
func replaceable(ctx context.Context, env Env, p workspace.Path, name string) (workspace.Content, error) {
	env.Workspace.Fresh(ctx, p)
	c, err := env.Workspace.Read(ctx, p)
	if err != nil {
		return c, fileFailure(name, err)
	}
	if err := checkParent(name, p); err != nil {
		return c, err
	}
	return c, mayWrite(env, name, c)
}

func parseWrite(raw json.RawMessage) (name, content string, err error) {
	a, err := parse(raw)
	if err != nil {
		return "", "", err
	}
	if name, err = a.filled("file_path"); err != nil {
		return "", "", err
	}
	content, err = a.text("content")
	return name, content, err
}

// checkParent finds out while planning, before anyone is asked, that a parent
// is a file.
func checkParent(name string, p workspace.Path) error {
	for dir := filepath.Dir(p.Abs); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return Failf("Failed to write %q: %s exists but is a file, not a directory.", name, dir)
		}
		if err == nil || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// unchanged needs nobody's leave: it writes nothing.
func unchanged(name string, c workspace.Content) func(context.Context, Accepted, Output) (Result, error) {
	return func(_ context.Context, _ Accepted, out Output) (Result, error) {
		out.Write(headline("Overwrote", name, c) + "\n(content unchanged)")
		return Result{}, nil
	}
}

func headline(verb, name string, c workspace.Content) string {
	return fmt.Sprintf("%s %q (%s, %s).", verb, name, plural(lineCount(c.Text), "line"), plural(len(c.Bytes()), "byte"))
}

// spelling says in which encoding the file is now, where that can surprise.
func spelling(c workspace.Change) string {
	switch {
	case c.Encoding != "":
		return fmt.Sprintf("\n(encoded in %s, as before)", c.Encoding)
	case !c.Open && !utf8.ValidString(c.Old):
		return "\n(the previous content was not valid UTF-8; the file is UTF-8 now)"
	}
	return ""
}

// lineCount is how many lines read_file would number.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// writeDone says what was done, once it is.
func writeDone(e effect, o workspace.Outcome) string {
	verb := "Overwrote"
	if o.Change.Kind == workspace.Create {
		verb = "Created"
	}
	text := headline(verb, e.name, o.Change.Left()) + spelling(o.Change)
	if o.UserText {
		asked := workspace.Content{Path: e.change.Path, Exists: true, Text: e.change.New}
		return text + "\nThe user changed the proposal before accepting it (- proposed, + what stands):" +
			withLine(writeDiff(e, workspace.Rewrite(asked, o.Change.New)))
	}
	if o.State == workspace.Partly {
		text += "\n" + e.standing(o)
	}
	return text + withLine(writeDiff(e, o.Change))
}

// writeDiff shows a small change whole and sums a large one up.
func writeDiff(e effect, c workspace.Change) string {
	switch {
	case c.Kind == workspace.Create || len(c.Old) > maxDiffed || isBinary(c.Old):
		return ""
	case len(c.Hunks) == 0:
		return "(content unchanged)"
	}
	printed := c.Print(e.diffOptions(c, 0))
	if len(printed.Dropped) > 0 || strings.Count(printed.Text, "\n") > maxDiffLines {
		plus, minus := c.Stat()
		return fmt.Sprintf("+%d/−%d lines vs the previous content (diff too large to show)", plus, minus)
	}
	return strings.TrimSuffix(printed.Text, "\n")
}
