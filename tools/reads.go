package tools

import (
	"container/list"
	"context"
	"fmt"
	"strings"
	"sync"

	"drawbridge/workspace"
)

const (
	// maxRemembered bounds the texts that a session remembers together, in bytes,
	// and maxRememberedFile each of them.
	maxRemembered     = 32 << 20
	maxRememberedFile = 4 << 20
	// maxToldPlaces and maxToldBytes bound what a result says of others' changes.
	maxToldPlaces = 5
	maxToldBytes  = 1500
)

// Reads remember what the files held that a model has read or edited, as it last
// knew them, under one name each, however they were named. What was read longest
// ago is forgotten first. The nil Reads remember nothing. Safe for concurrent use.
type Reads struct {
	mu    sync.Mutex // guards below
	files map[string]*list.Element
	order *list.List // of *remembered, the newest in front
	bytes int
}

type remembered struct{ path, text string }

// NewReads remember nothing yet.
func NewReads() *Reads { return &Reads{files: map[string]*list.Element{}, order: list.New()} }

// Saw remembers what the model knows a file to hold.
func (r *Reads) Saw(p workspace.Path, text string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetLocked(p.Abs)
	if len(text) > maxRememberedFile {
		return
	}
	r.files[p.Abs] = r.order.PushFront(&remembered{p.Abs, text})
	r.bytes += len(text)
	for r.bytes > maxRemembered {
		r.forgetLocked(r.order.Back().Value.(*remembered).path)
	}
}

func (r *Reads) forgetLocked(path string) {
	if e := r.files[path]; e != nil {
		r.order.Remove(e)
		delete(r.files, path)
		r.bytes -= len(e.Value.(*remembered).text)
	}
}

// Text is what the model last knew a file to hold.
func (r *Reads) Text(p workspace.Path) (string, bool) {
	if r == nil {
		return "", false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.files[p.Abs]; e != nil {
		return e.Value.(*remembered).text, true
	}
	return "", false
}

// Planned remembers what a change was planned from, if nothing is remembered of
// its file: should the plan not fit any more, that tells what changed.
func (r *Reads) Planned(ch workspace.Change) {
	if _, known := r.Text(ch.Path); !known {
		r.Saw(ch.Path, ch.Old)
	}
}

// Paths are the absolute paths of what is remembered, the last used first.
func (r *Reads) Paths() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	paths := make([]string, 0, r.order.Len())
	for e := r.order.Front(); e != nil; e = e.Next() {
		paths = append(paths, e.Value.(*remembered).path)
	}
	return paths
}

// look remembers what a file holds that the model was just shown a part of.
func (r *Reads) look(ctx context.Context, ws *workspace.Workspace, p workspace.Path) {
	if r == nil {
		return
	}
	if info, err := ws.Stat(p); err != nil || !info.Regular || info.Size > maxRememberedFile {
		return
	}
	if c, err := ws.Read(ctx, p); err == nil && c.Exists {
		r.Saw(p, c.Text)
	}
}

// since is what others have made of a file since the model knew it, as a change
// of plain text; false if nothing, or where that is not known. Line ends and byte
// order marks do not count: editors hide them.
func (r *Reads) since(p workspace.Path, now string) (workspace.Change, bool) {
	known, ok := r.Text(p)
	if !ok || known == now {
		return workspace.Change{}, false
	}
	was := workspace.Content{Path: p, Exists: true, Text: plain(known)}
	ch := workspace.Rewrite(was, plain(now))
	return ch, len(ch.Hunks) > 0
}

func plain(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, bom), "\r\n", "\n")
}

// explain adds to why an edit cannot be made what others have changed in the
// file, once, if the edit may have been written for what was there before.
func (r *Reads) explain(c workspace.Content, err error) error {
	fault, ok := err.(*Failure)
	if !ok || !c.Path.Inside {
		return err
	}
	ch, changed := r.since(c.Path, c.Text)
	if !changed {
		return err
	}
	r.Saw(c.Path, c.Text)
	p := ch.Print(workspace.DiffOptions{
		Context: 1, MaxHunks: maxToldPlaces, MaxBytes: maxToldBytes, MaxLine: 200, StripCR: true, NoNewline: true,
	})
	text := strings.TrimSuffix(p.Text, "\n")
	if len(p.Shown) == 0 {
		text = "in " + places(ch.Hunks, nil)
	} else if n := len(p.Dropped); n > 0 {
		text += fmt.Sprintf("\n(and %d more places)", n)
	}
	return Failf("%s\nSince you last saw it, the file was changed by a command or by somebody else:\n%s", fault.Text, text)
}

// merged tells where others have changed a file that was now written; "" if
// nowhere. For an edit lines count in what the file holds after it; whole content
// replaced theirs.
func (r *Reads) merged(o workspace.Outcome, whole bool) string {
	ch, changed := r.since(o.Change.Path, o.Change.Old)
	switch {
	case !changed:
		return ""
	case whole:
		return fmt.Sprintf("(since you last saw the file, a command or somebody else had changed it (%s); your content replaced that)",
			places(ch.Hunks, nil))
	}
	return fmt.Sprintf("(since you last saw the file, a command or somebody else changed %s; your edit was applied to what it held now)",
		places(ch.Hunks, o.Change.Hunks))
}

// places names the lines of hunks, as they lie once other hunks are applied.
func places(hunks, others []workspace.Hunk) string {
	var list []string
	for _, h := range hunks {
		if len(list) == maxToldPlaces {
			list = append(list, fmt.Sprintf("and %d more places", len(hunks)-maxToldPlaces))
			break
		}
		list = append(list, lineRange(h, shift(h.NewLine, others)))
	}
	return strings.Join(list, ", ")
}

func lineRange(h workspace.Hunk, by int) string {
	first := h.NewLine + by
	switch {
	case h.NewLines == 0:
		return fmt.Sprintf("what stood before line %d", first)
	case h.NewLines == 1:
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, first+h.NewLines-1)
}

// shift is how far a line moves by the hunks before it.
func shift(line int, hunks []workspace.Hunk) int {
	by := 0
	for _, h := range hunks {
		if h.OldLine < line {
			by += h.NewLines - h.OldLines
		}
	}
	return by
}
