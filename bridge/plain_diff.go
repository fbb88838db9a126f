package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/bridge/lsp"
	"drawbridge/workspace"
)

// leftover is how old the diffs of a bridge are that was killed before it could
// remove them.
const leftover = 24 * time.Hour

// shownTime is how long the file lies there that shows a change which is decided
// already.
const shownTime = 10 * time.Minute

// plainDiffs shows diffs to a client without our review, in whatever way it
// has: a document of our scheme, a file that cannot be written, its log. What is
// shown is a diff, never the proposal itself: nothing of it can be saved by
// mistake.
type plainDiffs struct {
	s     *Server
	clear sync.Once

	mu    sync.Mutex         // guards below
	shown map[diffKey]string // the URI of what the client was shown
	files map[string]int     // those of them that are files, and how many were written before
	count int                // of files that were written
}

// diffKey names what a diff is of.
type diffKey struct{ session, change string }

func newPlainDiffs(s *Server) *plainDiffs {
	return &plainDiffs{s: s, shown: map[diffKey]string{}, files: map[string]int{}}
}

// showDiffCommand shows the changes that are named, else all that are open.
func (s *Server) showDiffCommand(_ context.Context, args []json.RawMessage) (any, error) {
	var one hunkArg
	var keys []diffKey
	if len(args) == 1 && readExactly(args[0], &one) == nil {
		keys = []diffKey{{one.SessionID, one.ChangeID}}
	} else {
		many, err := readMany(args)
		if err != nil {
			return nil, err
		}
		keys = s.review.open(many)
	}
	if len(keys) == 0 {
		s.face.ShowMessage(lsp.Info, "Drawbridge: no pending hunks, so there is no diff to show")
	}
	s.face.Go(func(ctx context.Context) { // an editor may open nothing while it waits for a command
		for _, k := range keys {
			if err := s.diffs.show(ctx, k); err != nil && ctx.Err() == nil {
				s.face.ShowMessage(lsp.Warning, "Drawbridge: "+s.wireError(err).Error())
			}
		}
	})
	return map[string]int{"shows": len(keys)}, nil
}

// open are the changes that are named, else those with hunks to decide about, of
// a session or of all.
func (r *plainReview) open(a manyArg) []diffKey {
	var keys []diffKey
	for _, c := range a.Changes {
		keys = append(keys, diffKey{c.SessionID, c.ChangeID})
	}
	if a.Changes != nil {
		return keys
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.list {
		if a.SessionID == "" || a.SessionID == m.session {
			keys = append(keys, diffKey{m.session, m.change})
		}
	}
	return keys
}

// text is a change's diff, under a line that says what became of it.
func (d *plainDiffs) text(k diffKey) (name, text string, err error) {
	r := d.s.review
	r.mu.Lock()
	m := r.findLocked(k.session, k.change)
	r.mu.Unlock()
	if m != nil {
		return m.whole.Path.Rel, d.head(k, m.state(), m.whole) + diff(m.whole), nil
	}
	sess, err := d.s.session(k.session)
	if err != nil {
		return "", "", err
	}
	ch, err := sess.Change(k.change)
	if err != nil {
		return "", "", err
	}
	shown := standing(ch)
	if ch.Gone {
		return filepath.Base(ch.Summary.Path), d.head(k, string(ch.State), shown) + ch.Summary.Diff, nil
	}
	return shown.Path.Rel, d.head(k, string(ch.State), shown) + diff(shown), nil
}

func (m *marked) state() string {
	if m.pending() {
		return "proposed, not applied yet"
	}
	return "applied, not decided yet"
}

func (d *plainDiffs) head(k diffKey, state string, c workspace.Change) string {
	plus, minus := c.Stat()
	return fmt.Sprintf("Drawbridge: change %s of session %s (+%d -%d): %s\n", k.change, k.session, plus, minus, state)
}

// show opens a change's diff in the editor. A client that can open nothing gets
// it into its log.
func (d *plainDiffs) show(ctx context.Context, k diffKey) error {
	name, text, err := d.text(k)
	if err != nil {
		return err
	}
	c := d.s.face.Client()
	if !c.ShowDocument {
		d.s.face.LogMessage(lsp.Info, text)
		d.s.face.ShowMessage(lsp.Info, "Drawbridge: the diff of "+name+" is in the log")
		return nil
	}
	u := contentURI(k, name)
	if !c.Contents {
		if u, err = d.write(k, name, text); err != nil {
			return err
		}
	}
	d.mu.Lock()
	again := d.shown[k] == u
	d.shown[k] = u
	d.mu.Unlock()
	if again && c.Contents {
		d.s.face.RefreshContent(u)
	}
	if !c.Contents && !d.open(k) {
		d.expire(lsp.Path(u))
	}
	if err := d.s.face.ShowDocument(ctx, u); err != nil {
		d.s.face.LogMessage(lsp.Info, text)
		return fmt.Errorf("the editor did not open the diff, which is in its log now: %w", err)
	}
	return nil
}

// open says that a change is still to be decided, so that its decision ends what
// is shown of it.
func (d *plainDiffs) open(k diffKey) bool {
	r := d.s.review
	r.mu.Lock()
	m := r.findLocked(k.session, k.change)
	r.mu.Unlock()
	return m != nil || d.s.asks(k.session, k.change)
}

// expire removes a file when shownTime is over, unless it is written anew.
func (d *plainDiffs) expire(file string) {
	d.mu.Lock()
	written := d.files[file]
	d.mu.Unlock()
	d.s.face.Go(func(ctx context.Context) {
		select {
		case <-time.After(shownTime):
		case <-ctx.Done():
		}
		d.mu.Lock()
		same := d.files[file] == written
		d.mu.Unlock()
		if same {
			d.remove(file)
		}
	})
}

// endTurn removes what is shown as files of changes of a session that nobody can
// decide about any more.
func (d *plainDiffs) endTurn(session string) {
	var keys []diffKey
	d.mu.Lock()
	for k, u := range d.shown {
		if k.session == session && !strings.HasPrefix(u, lsp.Scheme+":") {
			keys = append(keys, k)
		}
	}
	d.mu.Unlock()
	for _, k := range keys {
		if !d.open(k) {
			d.changed(k.session, k.change)
		}
	}
}

// contentURI names a change's diff as a document of our scheme.
func contentURI(k diffKey, name string) string {
	u := url.URL{Scheme: lsp.Scheme, Host: "diff", Path: "/" + strings.Join([]string{k.session, k.change, filepath.Base(name) + ".diff"}, "/")}
	return u.String()
}

// Content is the text of a document of our scheme. Others than those that were
// shown do not exist.
func (r *plainReview) Content(u string) (string, bool) {
	d := r.s.diffs
	asked, err := url.Parse(u)
	if err != nil || asked.Scheme != lsp.Scheme {
		return "", false
	}
	parts := strings.Split(strings.Trim(asked.Path, "/"), "/")
	if len(parts) != 3 {
		return "", false
	}
	_, text, err := d.text(diffKey{parts[0], parts[1]})
	return text, err == nil
}

// folder is where diffs lie that are shown as files: among what is private to
// the user and closed to tools.
func (d *plainDiffs) folder() string { return filepath.Join(d.s.o.Sessions.StateDir, "shown") }

// write puts a diff into a file that only its owner can read and nobody can
// write.
func (d *plainDiffs) write(k diffKey, name, text string) (string, error) {
	d.clear.Do(d.clearLeftovers)
	dir := filepath.Join(d.folder(), k.session)
	file := filepath.Join(dir, k.change+"-"+filepath.Base(name)+".diff")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("show the diff: %w", err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("show the diff: %w", err)
	}
	if err := os.WriteFile(file, []byte(text), 0o400); err != nil {
		return "", fmt.Errorf("show the diff: %w", err)
	}
	d.mu.Lock()
	d.count++
	d.files[file] = d.count
	d.mu.Unlock()
	return lsp.URI(file), nil
}

// clearLeftovers removes what a bridge left that was killed. Session ids are
// not given twice, and a day is longer than anybody looks at a diff.
func (d *plainDiffs) clearLeftovers() {
	list, _ := os.ReadDir(d.folder())
	for _, dir := range list {
		if info, err := dir.Info(); err == nil && time.Since(info.ModTime()) > leftover {
			_ = os.RemoveAll(filepath.Join(d.folder(), dir.Name()))
		}
	}
}

// changed brings up to date what is shown of a change that is another one now:
// a document is read again, a file goes.
func (d *plainDiffs) changed(session, change string) {
	k := diffKey{session, change}
	d.mu.Lock()
	u, ok := d.shown[k]
	d.mu.Unlock()
	if !ok {
		return
	}
	if !strings.HasPrefix(u, lsp.Scheme+":") {
		d.remove(lsp.Path(u))
		return
	}
	d.s.face.RefreshContent(u)
}

func (d *plainDiffs) remove(file string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ours := d.files[file]; !ours {
		return
	}
	delete(d.files, file)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		d.s.log.Warn("a shown diff stays behind", "file", file, "error", err)
	}
	_ = os.Remove(filepath.Dir(file)) // fails while another diff lies there
}

// close removes every file.
func (d *plainDiffs) close() {
	d.mu.Lock()
	files := make([]string, 0, len(d.files))
	for file := range d.files {
		files = append(files, file)
	}
	d.mu.Unlock()
	for _, file := range slices.Sorted(slices.Values(files)) {
		d.remove(file)
	}
	_ = os.Remove(d.folder()) // fails while another bridge shows something
}
