package tools

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"drawbridge/shell"
)

// following reads on from a held command for one call.
type following struct {
	env      Env
	commands *Commands
	held     *held
	out      Output
	match    *matcher // nil: nothing is waited for
	recent   []byte   // the end of what was read, at least recentBytes of it
	ended    bool     // the model knew before that the leader had ended
	limit    int      // characters that the model may read; 0 or less: all
}

func newFollowing(env Env, h *held, out Output, want *regexp.Regexp) *following {
	out.Live()
	f := &following{env: env, commands: env.Commands, held: h, out: out, ended: h.isTold(), limit: env.Limits.MaxOutput}
	if want != nil {
		f.match = &matcher{want: want, screen: viewOf(h.process)}
	}
	return f
}

// recall looks for the pattern in what is unread already.
func (f *following) recall() {
	if f.match != nil {
		f.match.look(f.held.peek())
	}
}

// skip passes on what came before, without a look at it.
func (f *following) skip() { f.held.pass(nil, f.write) }

// pass passes on what nothing can change any more. Once the model has as much
// as it may read, the rest is left unread to the end of the call, bounded as
// ever, and only looked at if something is waited for.
func (f *following) pass() (more bool) {
	switch {
	case !f.full():
		f.held.pass(f.match, f.write)
	case f.match != nil:
		f.held.look(f.match)
	default:
		return false
	}
	return true
}

func (f *following) full() bool { return f.limit > 0 && f.out.Len() > f.limit }

func (f *following) write(text string) {
	f.out.Write(text)
	f.recent = append(f.recent, text...)
	if over := len(f.recent) - recentBytes; over > recentBytes {
		f.recent = append(f.recent[:0], f.recent[over:]...)
	}
}

// follow passes output on until what is waited for has come, the command or
// what it left behind has ended, or the window has. The end of the call leaves
// the command alone. A poll of a command that only the model can answer does
// not wait.
func (f *following) follow(ctx context.Context, window time.Duration, poll bool) (Result, error) {
	p := f.held.process
	began := time.Now()
	timer := time.NewTimer(window)
	defer timer.Stop()
	bytes := waiter{ring: p.Output()}
	defer bytes.stop()
	status, changed := p.Status()
	answered := poll // whether the command may be seen waiting again
	for {
		var came <-chan struct{}
		if f.pass() {
			came = bytes.beyond(f.held.offset())
		}
		answered = answered || !status.Waiting
		if f.match.hit() || f.over(status) || stuck(p, status) && answered {
			return f.close(status, time.Since(began)), nil
		}
		select {
		case <-came:
		case <-changed:
			status, changed = p.Status()
		case <-timer.C:
			return f.close(status, window), nil
		case <-ctx.Done():
			return Result{}, context.Cause(ctx)
		}
	}
}

// over says that there is nothing more to wait for: the leader has ended, or,
// when the model knew that, all that it left behind.
func (f *following) over(s shell.Status) bool {
	return s.Done && (!f.ended || len(s.Survivors)+s.More == 0)
}

// refuse closes a call whose keys reached nobody.
func (f *following) refuse(err error) Result {
	status, _ := f.held.process.Status()
	why := "[nothing was typed: " + err.Error() + "]"
	switch {
	case errors.Is(err, shell.ErrInputClosed) && status.Done:
		why = "[nothing was typed: the command had ended before]"
	case errors.Is(err, shell.ErrInputClosed):
		why = "[nothing was typed: the command reads no more, its input is closed]"
	}
	f.match = nil
	res := f.close(status, 0)
	res.Status, res.Note = Failed, lines(why, res.Note)
	return res
}

// close tells how the command stands. One that is gone is told of for the last
// time.
func (f *following) close(s shell.Status, waited time.Duration) Result {
	p := f.held.process
	if !s.Done {
		f.write(f.held.take())
		return Result{ProcessID: p.ID(), Note: lines(f.verdict(waited), followNote(p, s))}
	}
	end := endOf(p, f.env)
	if end.left == 0 {
		f.write(f.held.finish())
		f.commands.remove(f.held)
	} else {
		f.write(f.held.take())
	}
	res := end.after()
	if !f.ended {
		f.held.tell()
		f.commands.disarm(f.held)
		res = end.result(strings.ToValidUTF8(string(f.recent), ""))
		if why := f.commands.whyEnded(f.held); why != "" && end.stopped == "" {
			res.Note = lines(res.Note, "["+why+"]")
		}
	}
	if f.match.hit() || end.left > 0 {
		res.Note = lines(f.verdict(waited), res.Note)
	}
	return res
}

// verdict says what became of the wait for a pattern.
func (f *following) verdict(waited time.Duration) string {
	switch {
	case f.match == nil:
		return ""
	case f.match.hit():
		return "[wait_for matched after " + waited.Round(time.Millisecond).String() + "]"
	}
	return "[wait_for did not match within " + waited.Round(time.Millisecond).String() + "]"
}

// waiter waits for bytes of a ring with at most one goroutine, which ends with
// stop.
type waiter struct {
	ring   *shell.Ring
	came   chan struct{}
	cancel context.CancelFunc
}

// beyond returns a channel that is closed when there are bytes from offset on.
// It is nil when there never will be.
func (w *waiter) beyond(offset int64) <-chan struct{} {
	if w.came != nil && !closed(w.came) {
		return w.came
	}
	w.stop()
	if w.ring.Read(offset, 0).EOF {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan struct{})
	w.came, w.cancel = came, cancel
	go func() {
		defer close(came)
		_ = w.ring.Wait(ctx, offset) // its only error is the end of ctx
	}()
	return came
}

func (w *waiter) stop() {
	if w.came == nil {
		return
	}
	w.cancel()
	<-w.came
	w.came = nil
}

// matcher looks for a pattern in output as it comes, what a line shows for a
// moment too. It sees one line at a time, unfinished ones included.
type matcher struct {
	want   *regexp.Regexp
	screen *view
	line   string // the beginning of an unfinished line
	found  bool
}

// maxLineLooked bounds an unfinished line in characters.
const maxLineLooked = 4 << 10

// see takes raw output. Nil sees nothing.
func (m *matcher) see(raw []byte) {
	if m != nil && !m.found {
		m.look(m.screen.Write(raw) + m.screen.Take())
	}
}

func (m *matcher) look(text string) {
	text = m.line + strings.ReplaceAll(text, "\r\n", "\n")
	m.found = m.found || m.want.MatchString(text)
	m.line = tail(text[strings.LastIndexByte(text, '\n')+1:], maxLineLooked)
}

func (m *matcher) hit() bool { return m != nil && m.found }
