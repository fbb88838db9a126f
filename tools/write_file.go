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
	return planWrite(ctx, env, name, content, wroteWords{unchanged: writeUnchanged, done: writeDone})
}

// wroteWords are what a profile says of a whole content that was written.
type wroteWords struct {
	// unchanged describes a file that holds the content already.
	unchanged func(name string, c workspace.Content) string
	// done describes an outcome that left a change behind.
	done func(e effect, o workspace.Outcome) string
}

// planWrite plans the whole content of a file, whatever tool it is for.
func planWrite(ctx context.Context, env Env, name, content string, words wroteWords) (Plan, error) {
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
		plan.Access, plan.Run = Read, stands(words.unchanged(name, c))
		return plan, nil
	}
	change := workspace.Rewrite(c, content)
	change.Mode = env.NewFile
	plan.Title += unshown(change)
	if err := changeFault(env, name, change); err != nil {
		return plan, ofContent(name, err)
	}
	e := effect{env: env, name: name, change: change, whole: true}
	e.done = func(o workspace.Outcome) string { return words.done(e, o) }
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
	if err := namesFile(name); err != nil {
		return "", "", err
	}
	content, err = a.text("content")
	return name, content, err
}

// namesFile refuses what can only be the name of a folder.
func namesFile(name string) error {
	if last := name[strings.LastIndexByte(name, '/')+1:]; last == "" || last == "." || last == ".." {
		return Failf("%q names a folder, not a file. Give the name of the file in it.", name)
	}
	return nil
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

// stands says of a file that it holds what it was to hold. It needs nobody's
// leave: it writes nothing.
func stands(said string) func(context.Context, Accepted, Output) (Result, error) {
	return func(_ context.Context, _ Accepted, out Output) (Result, error) {
		out.Write(said)
		return Result{}, nil
	}
}

func writeUnchanged(name string, c workspace.Content) string {
	return headline("Overwrote", name, c) + "\n(content unchanged)"
}

func headline(verb, name string, c workspace.Content) string {
	return fmt.Sprintf("%s %q (%s, %s).", verb, name, plural(lineCount(c.Text), "line"), plural(len(c.Bytes()), "byte"))
}

// spelling says how the file is spelled now, where that can surprise.
func spelling(c workspace.Change) string {
	text := ""
	switch {
	case c.Encoding != "":
		text = fmt.Sprintf("\n(encoded in %s, as before)", c.Encoding)
	case respells(c):
		text = "\n(the previous content was not valid UTF-8; the file is UTF-8 now)"
	}
	if was, now := endsOf(c.Old), endsOf(c.New); was.become(now) && compared(c) {
		text += fmt.Sprintf("\n(line ends changed: before %s, now %s)", was, now)
	}
	return text
}

// respells says that a file which was not UTF-8 becomes so.
func respells(c workspace.Change) bool {
	return c.Encoding == "" && !c.Open && !utf8.ValidString(c.Old)
}

// unshown is the part of a title that says what no diff shows to a person. Line
// ends of a document are its editor's matter.
func unshown(c workspace.Change) string {
	var said []string
	switch {
	case isBinary(c.Old):
		said = append(said, "it is a binary file now")
	case respells(c):
		said = append(said, "it is not valid UTF-8; all of it will be UTF-8")
	}
	if was, now := endsOf(c.Old), endsOf(c.New); was.become(now) && !c.Open && !isBinary(c.Old) {
		said = append(said, fmt.Sprintf("line ends: %s, will be %s", was, now))
	}
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, "; ") + ")"
}

// ends counts the line ends of a text.
type ends struct{ crlf, lf int }

func endsOf(text string) ends {
	crlf := strings.Count(text, "\r\n")
	return ends{crlf, strings.Count(text, "\n") - crlf}
}

// become says that lines end in another way than before; a text without any
// says nothing.
func (e ends) become(now ends) bool {
	if e == (ends{}) || now == (ends{}) {
		return false
	}
	return (e.crlf > 0) != (now.crlf > 0) || (e.lf > 0) != (now.lf > 0)
}

func (e ends) String() string {
	switch {
	case e.lf == 0:
		return fmt.Sprintf("all CRLF (%d)", e.crlf)
	case e.crlf == 0:
		return fmt.Sprintf("all LF (%d)", e.lf)
	}
	return fmt.Sprintf("%d CRLF and %d LF", e.crlf, e.lf)
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

// compared says that the result of a write is set against what was there.
func compared(c workspace.Change) bool { return len(c.Old) <= maxDiffed && !isBinary(c.Old) }

// writeDiff shows a small change whole and sums a large one up.
func writeDiff(e effect, c workspace.Change) string {
	switch {
	case c.Kind == workspace.Create || !compared(c):
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
