package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// How the editor treats the edits that the bridge asks for.
const (
	applyAll     = "apply"   // changes its document, reports that, answers
	applyEarly   = "early"   // answers before it reports the change
	applyPart    = "partial" // changes by the first edit alone, answers that all is well
	applyIgnore  = "ignore"  // answers that all is well, changes nothing
	applySilent  = "silent"  // changes its document, answers that it did not
	applyRefuse  = "refuse"  // answers that it did not, and does not
	applyFault   = "error"   // answers with an error
	applyHang    = "hang"    // does nothing at all
	applyByLines = "manual"  // leaves it to the transcript
)

var applyModes = []string{
	applyAll, applyEarly, applyPart, applyIgnore, applySilent, applyRefuse, applyFault,
	applyHang, applyByLines,
}

// editor is what the runner plays besides the lines of the transcript: open
// documents, and the answers that no person has to think about.
type editor struct {
	flags *flags
	dir   string // of the workspace

	mu   sync.Mutex // guards below
	docs map[string]*document
	errs []error
}

func newEditor(f *flags, dir string, open []openText) *editor {
	e := &editor{flags: f, dir: dir, docs: map[string]*document{}}
	for _, d := range open {
		e.docs[d.path] = &document{version: d.version, text: d.text}
	}
	return e
}

// encoding is what an LSP server that was offered these will take.
func (f *flags) encoding() string {
	for _, best := range []string{"utf-8", "utf-16", "utf-32"} {
		if slices.Contains(f.encodings, best) {
			return best
		}
	}
	return "utf-16"
}

func fileURI(path string) string { return "file://" + path }

func (e *editor) uri(path string) string { return fileURI(filepath.Join(e.dir, path)) }

func (e *editor) path(uri string) string {
	return strings.TrimPrefix(strings.TrimPrefix(uri, fileURI(e.dir)), "/")
}

// answer is called for every request of the bridge, on the reader's goroutine.
func (e *editor) answer(m message, say func(map[string]any)) {
	switch m.Method {
	case "window/workDoneProgress/create", "client/registerCapability", "workspace/codeLens/refresh",
		"workspace/textDocumentContent/refresh":
		say(map[string]any{"id": m.ID, "result": nil})
	case "workspace/applyEdit":
		e.edit(m, say)
	case "editor/refresh":
		e.refresh(m, say)
	}
}

// workspaceEdit is the part of an applyEdit that this editor knows.
type workspaceEdit struct {
	Edit struct {
		Changes         map[string][]textEdit `json:"changes"`
		DocumentChanges []struct {
			TextDocument struct {
				URI     string `json:"uri"`
				Version *int32 `json:"version"`
			} `json:"textDocument"`
			Edits []textEdit `json:"edits"`
		} `json:"documentChanges"`
	} `json:"edit"`
}

func (e *editor) edit(m message, say func(map[string]any)) {
	applied := func(yes bool) {
		say(map[string]any{"id": m.ID, "result": map[string]any{"applied": yes}})
	}
	switch e.flags.applyEdit {
	case applyHang, applyByLines:
	case applyFault:
		say(map[string]any{"id": m.ID, "error": map[string]any{"code": -32603, "message": "the view is gone"}})
	case applyRefuse, applyIgnore:
		applied(e.flags.applyEdit == applyIgnore)
	case applyEarly:
		applied(true)
		e.carryOut(m.Params, say)
	default:
		applied(e.carryOut(m.Params, say) && e.flags.applyEdit != applySilent)
	}
}

// carryOut is false where a real editor would refuse: it has not the document
// or not the version.
func (e *editor) carryOut(params json.RawMessage, say func(map[string]any)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	var w workspaceEdit
	if err := json.Unmarshal(params, &w); err != nil {
		e.errs = append(e.errs, err)
		return false
	}
	ok := true
	for uri, edits := range w.Edit.Changes {
		ok = e.changeLocked(uri, nil, edits, say) && ok
	}
	for _, c := range w.Edit.DocumentChanges {
		ok = e.changeLocked(c.TextDocument.URI, c.TextDocument.Version, c.Edits, say) && ok
	}
	return ok
}

func (e *editor) changeLocked(uri string, version *int32, edits []textEdit, say func(map[string]any)) bool {
	d := e.docs[e.path(uri)]
	if d == nil || version != nil && *version != d.version {
		return false
	}
	if e.flags.applyEdit == applyPart {
		edits = edits[:1]
	}
	after, done, err := splice(d.text, edits, e.flags.encoding())
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("applyEdit of %s: %w", uri, err))
		return false
	}
	d.text = after
	d.version++
	d.dirty = true
	say(e.didChange(uri, d, done))
	return true
}

func (e *editor) didChange(uri string, d *document, edits []textEdit) map[string]any {
	var changes []map[string]any
	for _, c := range edits {
		changes = append(changes, map[string]any{"range": c.Range, "text": c.NewText})
	}
	if e.flags.sync == "full" {
		changes = []map[string]any{{"text": d.text}}
	}
	return notification("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": d.version}, "contentChanges": changes,
	})
}

func notification(method string, params any) map[string]any {
	return map[string]any{"method": method, "params": params}
}

// open announces every open document, as after the start of the bridge.
func (e *editor) open(say func(map[string]any)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	paths := make([]string, 0, len(e.docs))
	for path := range e.docs {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		say(e.didOpen(path, e.docs[path]))
	}
}

func (e *editor) didOpen(path string, d *document) map[string]any {
	return notification("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": e.uri(path), "languageId": "plaintext", "version": d.version, "text": d.text,
	}})
}

// typeInto replaces the one place of a document where old stands. Nothing as
// old is the document's end.
func (e *editor) typeInto(path, old, text string) (map[string]any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[path]
	if d == nil || old != "" && strings.Count(d.text, old) != 1 {
		return nil, fmt.Errorf("type into %s: not open, or not exactly one %q", path, old)
	}
	from := len(d.text)
	if old != "" {
		from = strings.Index(d.text, old)
	}
	enc := e.flags.encoding()
	change := textEdit{span{at(d.text, from, enc), at(d.text, from+len(old), enc)}, text}
	d.text = d.text[:from] + text + d.text[from+len(old):]
	d.version++
	d.dirty = true
	return e.didChange(e.uri(path), d, []textEdit{change}), nil
}

// openFile opens a file as it is on the disk.
func (e *editor) openFile(path string) (map[string]any, error) {
	text, err := os.ReadFile(filepath.Join(e.dir, path))
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.docs[path] = &document{version: 1, text: string(text)}
	return e.didOpen(path, e.docs[path]), nil
}

// save writes a document to the disk.
func (e *editor) save(path string) (map[string]any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[path]
	if d == nil {
		return nil, fmt.Errorf("save %s: not open", path)
	}
	if err := os.WriteFile(filepath.Join(e.dir, path), []byte(d.text), 0o644); err != nil {
		return nil, fmt.Errorf("save: %w", err)
	}
	d.dirty = false
	return notification("textDocument/didSave", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(path)}, "text": d.text,
	}), nil
}

// reload reads a document without unsaved changes again from its file.
func (e *editor) reload(path string) (map[string]any, error) {
	text, err := os.ReadFile(filepath.Join(e.dir, path))
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[path]
	if err != nil || d == nil || d.dirty {
		return nil, fmt.Errorf("reload %s: not open, or with unsaved changes, or no file (%v)", path, err)
	}
	enc := e.flags.encoding()
	change := textEdit{span{at(d.text, 0, enc), at(d.text, len(d.text), enc)}, string(text)}
	d.text = string(text)
	d.version++
	return e.didChange(e.uri(path), d, []textEdit{change}), nil
}

// refresh answers what the capability refreshes promises.
func (e *editor) refresh(m message, say func(map[string]any)) {
	var p struct {
		URI string `json:"uri"`
	}
	err := json.Unmarshal(m.Params, &p)
	report, cannot := e.reload(e.path(p.URI))
	if err == nil && cannot == nil {
		say(report)
	}
	say(map[string]any{"id": m.ID, "result": map[string]any{"refreshed": err == nil && cannot == nil}})
}

func (e *editor) closeDocument(path string) (map[string]any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.docs[path] == nil {
		return nil, fmt.Errorf("close %s: not open", path)
	}
	delete(e.docs, path)
	return notification("textDocument/didClose", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(path)},
	}), nil
}

// text is what a document holds now.
func (e *editor) text(path string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[path]
	if d == nil {
		return "", false
	}
	return d.text, true
}

// faults are what the bridge asked for that no editor could do.
func (e *editor) faults() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.errs
}
