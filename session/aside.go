package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"drawbridge/shell"
)

// What is unfinished stands beside the log, as it was a moment ago, so that a
// bridge that is killed loses no more than that moment. The log does not grow
// by it, and what ends meanwhile never touches the disk.

// draftPause is how long arriving text may stand in memory alone.
const draftPause = 250 * time.Millisecond

// tailPause is how long new output of a command may; its first waits only for
// firstTail, which most commands do not run for.
const (
	tailPause = 500 * time.Millisecond
	firstTail = 100 * time.Millisecond
)

func draftPath(dir string) string { return filepath.Join(dir, "draft") }

func tailPath(dir, terminal string) string { return filepath.Join(dir, terminal+".tail") }

// said is what has arrived of an answer. The numbers are of its last chunks.
type said struct {
	Turn       string `json:"turn"`
	Text       string `json:"text,omitempty"`
	TextSeq    int64  `json:"textSeq,omitempty"`
	Thought    string `json:"thought,omitempty"`
	ThoughtSeq int64  `json:"thoughtSeq,omitempty"`
}

func (s said) last() int64 { return max(s.TextSeq, s.ThoughtSeq) }

// draft is the answer that is arriving, until it is in the log. Adding to it
// never waits for the disk. Its timer runs only while there is something that
// the file lacks.
type draft struct {
	path   string // "": nothing is kept
	warn   func(msg string, args ...any)
	redact func(string) string // nil changes nothing

	writing sync.Mutex // held while the file is written or removed

	mu            sync.Mutex // guards below
	now           said       // but for its texts
	text, thought strings.Builder
	timer         *time.Timer
	filed         bool
}

func (d *draft) addText(turn, text string, seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text.WriteString(text)
	d.now.Turn, d.now.TextSeq = turn, seq
	d.wakeLocked()
}

func (d *draft) addThought(turn, thought string, seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.thought.WriteString(thought)
	d.now.Turn, d.now.ThoughtSeq = turn, seq
	d.wakeLocked()
}

func (d *draft) wakeLocked() {
	if d.timer == nil && d.path != "" {
		d.timer = time.AfterFunc(draftPause, d.file)
	}
}

// shown is what has arrived by now, without secrets.
func (d *draft) shown() said {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shownLocked()
}

func (d *draft) shownLocked() said {
	now := d.now
	now.Text, now.Thought = d.text.String(), d.thought.String()
	return redacted(now, d.redact)
}

// file brings the draft to the disk.
func (d *draft) file() {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.mu.Lock()
	now, over := d.shownLocked(), d.timer == nil
	d.timer, d.filed = nil, !over
	d.mu.Unlock()
	if over {
		return
	}
	raw, err := json.Marshal(now)
	if err == nil {
		err = replaceFile(d.path, raw)
	}
	if err != nil {
		d.warn("the answer is not kept while it arrives", "err", err)
	}
}

// clear ends the draft: the log has the answer, or there was none.
func (d *draft) clear() {
	if d.forget() {
		d.writing.Lock()
		defer d.writing.Unlock()
		os.Remove(d.path)
	}
}

// forget empties the draft and says whether it has a file.
func (d *draft) forget() (filed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	filed = d.filed
	d.now, d.timer, d.filed = said{}, nil, false
	d.text.Reset()
	d.thought.Reset()
	return filed
}

// readDraft is what a killed bridge left of an answer.
func readDraft(dir string) (left said) {
	raw, err := os.ReadFile(draftPath(dir))
	if err != nil || json.Unmarshal(raw, &left) != nil || left.last() >= maxSeq {
		return said{}
	}
	return left
}

// keepTail keeps the end of a command's output beside the log. The returned
// stop ends that; what the file says is then for the log to say.
func (s *Session) keepTail(t *terminal) (stop func()) {
	if s.host.o.Ephemeral {
		return func() {}
	}
	path := tailPath(s.host.dir(s.id), t.opened.Terminal)
	ctx, cancel := context.WithCancel(context.Background())
	filed := make(chan bool, 1)
	go func() { filed <- s.followTail(ctx, t.opened.Process, path) }() // ends with ctx or the output
	return func() {
		cancel()
		if <-filed {
			t.tail = path
		}
	}
}

// followTail refreshes a file until the output or ctx ends, and says whether
// there is one.
func (s *Session) followTail(ctx context.Context, p shell.Process, path string) (filed bool) {
	var seen int64
	for pause := firstTail; p.Output().Wait(ctx, seen) == nil; pause = tailPause {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return filed
		}
		end := p.Output().End()
		if end == seen { // nothing comes any more
			return filed
		}
		seen = end
		if err := replaceFile(path, []byte(tailOf(p, s.host.o.Redact))); err != nil {
			s.log.Warn("the output of a command is not kept while it runs", "err", err)
			return filed
		}
		filed = true
	}
	return filed
}

// secretSize is how long a secret may be, in bytes, that is known although a
// cut goes through it.
const secretSize = 8 << 10

// tailOf is the end of a command's output by now, without secrets. It is read
// from further back than it begins, so that it begins within none.
func tailOf(p shell.Process, redact func(string) string) string {
	size := tailSize
	if redact != nil {
		size += secretSize
	}
	last := p.Output().Read(p.Output().End()-int64(size), size)
	text := shell.Text(last.Data, p.Spec().TTY)
	if redact == nil || len(text) <= tailSize {
		return redacted(text, redact)
	}
	text = redact(text)
	return strings.ToValidUTF8(text[max(0, len(text)-tailSize):], "")
}

// readTail is what a killed bridge left of a command's output.
func readTail(dir, terminal string) string {
	raw, err := os.ReadFile(tailPath(dir, terminal))
	if err != nil || len(raw) > 4*tailSize {
		return ""
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// sweepAside removes what stood beside a log that has it now.
func sweepAside(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, "*.tail")) // the pattern is sound
	for _, path := range append(left, draftPath(dir)) {
		os.Remove(path)
	}
}
