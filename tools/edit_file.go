package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"drawbridge/workspace"
)

// maxEditHunks is how many places of an edit its result shows.
const maxEditHunks = 5

// nearLines is how many lines around the nearest place are to be read again.
const nearLines = 3

// editFile replaces exact text in an existing file.
type editFile struct{}

func (editFile) Spec() Spec {
	return Spec{
		Name: "edit_file", Description: description(editFilePage), Schema: schema(editFileSchema),
		Access: Write, Limits: Limits{Timeout: fileTimeout, MaxOutput: maxOutput},
	}
}

type editArgs struct {
	name     string
	old, new string
	all      bool
}

func (editFile) Plan(ctx context.Context, env Env, raw json.RawMessage) (Plan, error) {
	args, err := parseEdit(env, raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, args.name, Write)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Title: "Edit " + p.Rel, Access: Write, Paths: []workspace.Path{p}}
	c, err := existingText(ctx, env, p, args.name)
	if err != nil {
		return plan, err
	}
	if err := mayWrite(env, args.name, c); err != nil {
		return plan, err
	}
	edits, err := args.edits(env.Offers, c)
	if err != nil {
		return plan, ofContent(args.name, env.Reads.explain(c, err))
	}
	change := workspace.Replace(c, edits)
	if err := args.sound(env, change); err != nil {
		return plan, ofContent(args.name, err)
	}
	e := effect{env: env, name: args.name, change: change}
	e.done = func(o workspace.Outcome) string { return editDone(e, edits, o) }
	plan.Change, plan.Run = &change, e.run
	return plan, nil
}

// sound says why a change is not one to be asked about.
func (e editArgs) sound(env Env, change workspace.Change) error {
	if len(change.Hunks) == 0 {
		return Failf("The edit would not change %q: old_string and new_string differ only in line ends, and the file's own line ends are kept.", e.name)
	}
	return changeFault(env, e.name, change)
}

// changeFault says what is wrong with a change as it would stand.
func changeFault(env Env, name string, change workspace.Change) error {
	if err := checkNotebook(env, name, change); err != nil {
		return err
	}
	if err := env.Workspace.Fault(change); err != nil {
		return fileFailure(name, err)
	}
	return nil
}

func parseEdit(env Env, raw json.RawMessage) (e editArgs, err error) {
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
		return e, Failf("old_string is empty, so there is nothing to look for.%s", env.Offers.advice("write_file", "To create a file or to replace all of it, use write_file."))
	}
	if e.new, err = a.text("new_string"); err != nil {
		return e, err
	}
	if e.old == e.new {
		return e, Failf("old_string and new_string are identical; they must differ.")
	}
	e.all, err = a.flag("replace_all")
	return e, err
}

// existingText reads a file that must be there and be text.
func existingText(ctx context.Context, env Env, p workspace.Path, name string) (workspace.Content, error) {
	env.Workspace.Fresh(ctx, p)
	if size, binary := beginsBinary(env, p); binary {
		return workspace.Content{}, noText(name, size)
	}
	c, err := env.Workspace.Read(ctx, p)
	switch {
	case err != nil:
		return c, fileFailure(name, err)
	case !c.Exists:
		return c, notFound(env, name, p, "To create the file, write it whole.")
	case isBinary(c.Text):
		return c, noText(name, len(c.Bytes()))
	}
	return c, nil
}

func noText(name string, size int) error {
	return ofContent(name, Failf("%q is a binary file (it contains NUL bytes, %s): only text can be edited.", name, plural(size, "byte")))
}

const (
	// glance is how many bytes of a file are looked at before it is read whole.
	glance = 8 << 10
	// glanceFrom is the size from which on that is worth another opening.
	glanceFrom = 256 << 10
)

// beginsBinary reports whether a large file is none to be read whole, since its
// beginning is no text, and its size. The end of the beginning may cut a
// character, but none has a NUL in it once it is decoded.
func beginsBinary(env Env, p workspace.Path) (size int, binary bool) {
	info, err := env.Workspace.Stat(p)
	if err != nil || !info.Regular || info.Open || info.Size < glanceFrom || info.Size > workspace.MaxFile {
		return 0, false
	}
	text, _, err := env.Workspace.OpenText(p)
	if err != nil {
		return 0, false
	}
	defer text.Close()
	head := make([]byte, glance)
	n, _ := io.ReadFull(text, head)
	return int(info.Size), isBinary(string(head[:n]))
}

// edits finds what is to be replaced.
func (e editArgs) edits(o Offers, c workspace.Content) ([]workspace.Edit, error) {
	text := c.Text
	spans, _ := workspace.Find(text, e.old)
	switch {
	case len(spans) == 0:
		return nil, e.missing(o, c)
	case len(spans) > 1 && !e.all:
		return nil, Failf("old_string occurs %d times in %q (lines %s), but it must occur exactly once. Give more of the surrounding lines to make it unique, or set replace_all to true to replace every occurrence.",
			len(spans), e.name, spanLines(text, spans))
	}
	edits := make([]workspace.Edit, len(spans))
	for i, s := range spans {
		edits[i] = workspace.Edit{Start: s.Start, End: s.End, New: e.replacement(text, s)}
	}
	if slices.ContainsFunc(edits, c.Cuts) {
		return nil, cutsCharacter(e.name)
	}
	return edits, nil
}

func cutsCharacter(name string) error {
	return Failf("Nothing was changed in %q: the edit begins right behind bytes that are not UTF-8 (shown as �), and may change that character in the file's encoding, which is not known. Begin the text to replace elsewhere, or have the user open the file in the editor with its encoding.", name)
}

func (e editArgs) missing(o Offers, c workspace.Content) error {
	return absent{what: "old_string", name: e.name, old: e.old, write: o.first("write_file"), read: func(from, to int) string {
		how := fmt.Sprintf("(read_file with offset %d and limit %d) ", from, to-from+1)
		if !o.Has("read_file") {
			how = ""
		}
		return fmt.Sprintf("Read lines %d-%d again %sand copy the text from there", from, to, how)
	}}.failure(c)
}

// absent is text that is not in a file, in the words of a tool: what is its
// argument, write the tool that replaces a file, "" if the model has none, and
// read asks for lines again.
type absent struct {
	what, name, old, write string
	read                   func(from, to int) string
}

// failure quotes the nearest passages, but not of a file outside the workspace:
// that would be a read which nobody has allowed.
func (a absent) failure(c workspace.Content) error {
	said := fmt.Sprintf("%s was not found in %q. Nothing was changed.", a.what, a.name)
	if why := unreadable(c, a.old); why != "" {
		return Failf("%s %s", said, why)
	}
	near := workspace.Nearest(c.Text, a.old)
	if near.Text == "" || !c.Path.Inside {
		return Failf("%s Read the file again and copy the text exactly.", said)
	}
	or := ""
	if a.write != "" {
		or = ", or replace the whole file with " + a.write
	}
	return &Failure{
		Text: said + "\n" + near.Text,
		Again: fmt.Sprintf("%s is still not in %q; what comes nearest was told before. %s%s.",
			a.what, a.name, a.read(max(1, near.First-nearLines), near.Last+nearLines), or),
	}
}

// unreadable says that text beyond ASCII cannot be found in a file of which it is
// not known what it spells; "" if that is not what is wrong.
func unreadable(c workspace.Content, old string) string {
	if c.Open || c.Encoding != "" && c.Encoding.Known() || utf8.ValidString(c.Text) {
		return ""
	}
	for _, r := range old {
		if r < utf8.RuneSelf || strings.ContainsRune(c.Text, r) {
			continue
		}
		what := "The file is not valid UTF-8 and its encoding is not known"
		if c.Encoding != "" {
			what = fmt.Sprintf("The file is encoded in %s, which cannot be read here", c.Encoding)
		}
		return fmt.Sprintf("%s, so %q cannot be found in it, however it is copied. Choose a text to replace and a replacement of ASCII alone, or have the user open the file in the editor with its encoding and try again.", what, string(r))
	}
	return ""
}

// replacement is new_string as it belongs where s lies. When whole lines at the
// end of the file are replaced, the file keeps its last line end, unless taking
// that away is all that the edit does.
func (e editArgs) replacement(text string, s workspace.Span) string {
	repl := workspace.AdaptEOL(text, s, e.new)
	atEnd := s.End == len(text) && strings.HasSuffix(e.old, "\n")
	wholeLines := s.Start == 0 || text[s.Start-1] == '\n'
	if !atEnd || !wholeLines || e.new == "" || strings.HasSuffix(e.new, "\n") || e.new == strings.TrimRight(e.old, "\r\n") {
		return repl
	}
	if strings.HasSuffix(text, "\r\n") {
		return repl + "\r\n"
	}
	return repl + "\n"
}

// spanLines lists the line numbers of the first few spans.
func spanLines(text string, spans []workspace.Span) string {
	const most = 8
	var b strings.Builder
	line, at := 1, 0
	for i, s := range spans {
		if i == most {
			b.WriteString(", …")
			break
		}
		line += strings.Count(text[at:s.Start], "\n")
		at = s.Start
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
	}
	return b.String()
}

// editDone says what was done, once it is.
func editDone(e effect, edits []workspace.Edit, o workspace.Outcome) string {
	sites := sitesOf(e.change, edits)
	if o.State == workspace.Partly || o.UserText {
		return e.standing(o) + withLine(editDiff(e, o.Change, sites))
	}
	return fmt.Sprintf("Replaced %s in %q.", plural(len(edits), "occurrence"), e.name) +
		withLine(editDiff(e, o.Change, sites))
}

// sitesOf counts the replacements of each hunk, by id. One that is spread over
// several hunks counts in the first.
func sitesOf(c workspace.Change, edits []workspace.Edit) map[string]int {
	sites := make(map[string]int, len(c.Hunks))
	i := 0
	for _, e := range edits {
		for i < len(c.Hunks) && c.Hunks[i].OldEnd <= e.Start && c.Hunks[i].OldStart < e.Start {
			i++
		}
		if i < len(c.Hunks) {
			sites[c.Hunks[i].ID]++
		}
	}
	return sites
}

// editDiff prints the first hunks and counts the replacements in the others.
func editDiff(e effect, c workspace.Change, sites map[string]int) string {
	printed := c.Print(e.diffOptions(c, maxEditHunks))
	text := strings.TrimSuffix(printed.Text, "\n")
	more := 0
	for _, id := range printed.Dropped {
		more += sites[id]
	}
	switch {
	case len(printed.Dropped) == 0:
		return text
	case more == 0:
		more = len(printed.Dropped)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s\n…and %d more replacements", text, more), "\n")
}
