package tools

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"drawbridge/shell"
)

// maxPending bounds the pieces that wait for a slow sink; beyond it they are
// joined, so a sink sees fewer and longer pieces but never loses text.
const maxPending = 1024

// output is the Output of one call. The tool writes, the goroutine that called
// CarryOut forwards, so a slow sink never holds the tool up.
//
// A character is a code point; text is cut between two. What is beyond the
// limit is counted and kept, never forwarded. Where the end of an output is what
// stays, what is forwarded is its beginning all the same: it shows that the tool
// is at work, and the Outcome has the text.
//
// What a process writes is forwarded at once. A secret of which it writes a part
// now and a part later is found only in the whole; see body.
type output struct {
	call  Call             // immutable
	clock *clock           // the call's
	wake  chan struct{}    // has room for one: something is pending
	opens chan openedShell // from Terminal to pump
	over  chan struct{}    // closed when sealed

	mu     sync.Mutex   // guards below
	cut    shell.Cutter // joins characters that were split over two writes
	hidden redaction
	live   bool     // nothing is held back
	pieces []string // the visible text
	sent   int      // how many of pieces were forwarded
	count  int      // characters or bytes written, beyond the limit too
	ends   int      // line ends in the visible text
	cutOff bool     // there is more than may be shown
	beyond string   // the first of what is beyond the limit, at most heldBack bytes
	sealed bool     // nothing is accepted any more
	excess *capture // the whole text, once there is more than may be shown
}

func newOutput(call Call) *output {
	return &output{call: call, hidden: redaction{redact: call.Redact}, wake: make(chan struct{}, 1), opens: make(chan openedShell), over: make(chan struct{})}
}

func (o *output) Write(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sealed {
		return
	}
	o.acceptLocked(o.redactLocked(o.plain(o.cut.Write([]byte(text)))))
}

// plain is text without what the style takes out.
func (o *output) plain(text string) string {
	if o.call.Style.NoNUL {
		return strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// redactLocked takes secrets out of text and returns what is certain.
func (o *output) redactLocked(text string) string {
	if o.live {
		return o.Redact(o.hidden.rest() + text)
	}
	return o.hidden.pass(text)
}

// Redact is the text without its secrets.
func (o *output) Redact(text string) string {
	if o.call.Redact == nil || text == "" {
		return text
	}
	return o.call.Redact(text)
}

func (o *output) Call() string { return o.call.ID }

func (o *output) Limit(d time.Duration, cause error) { o.clock.set(d, cause) }

func (o *output) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count
}

func (o *output) Live() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live = true
}

// openedShell is a started process on its way to the caller of CarryOut.
type openedShell struct {
	process shell.Process
	told    chan struct{}
}

// Terminal returns when the caller has been told.
func (o *output) Terminal(p shell.Process) {
	o.Live()
	opened := openedShell{p, make(chan struct{})}
	select {
	case o.opens <- opened:
		<-opened.told
	case <-o.over:
	}
}

func (o *output) tell(opened openedShell) {
	defer close(opened.told)
	if o.call.Terminal != nil {
		o.call.Terminal(opened.process)
	}
}

func (o *output) acceptLocked(text string) {
	if text == "" {
		return
	}
	visible := o.visibleLocked(text)
	o.count += o.call.Style.size(text)
	o.ends += strings.Count(visible, "\n")
	if visible != "" {
		o.appendLocked(visible)
	}
	if len(visible) < len(text) {
		o.overflowLocked(text[len(visible):])
	}
}

// visibleLocked is what of the text that comes next may be shown.
func (o *output) visibleLocked(text string) string {
	style, limit := o.call.Style, o.call.Limits.MaxOutput
	if o.cutOff {
		return ""
	}
	if style.MaxLines > 0 {
		text = firstLines(text, style.MaxLines-o.ends)
	}
	if limit > 0 {
		text = style.head(text, limit-o.count)
	}
	return text
}

// head is the first n characters of text.
func head(text string, n int) string {
	for i := range text {
		if n <= 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func (o *output) appendLocked(text string) {
	if last := len(o.pieces) - 1; last-o.sent >= maxPending {
		o.pieces[last] += text
		return
	}
	o.pieces = append(o.pieces, text)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *output) overflowLocked(text string) {
	o.cutOff = true
	if room := heldBack - len(o.beyond); room > 0 {
		o.beyond += strings.ToValidUTF8(text[:min(room, len(text))], "")
	}
	if style := o.call.Style; !style.Tail && (style.NoArchive || o.call.ArchiveDir == "") {
		return
	}
	o.keepLocked()
	o.excess.write([]byte(text))
}

// keepLocked begins to keep the whole text.
func (o *output) keepLocked() {
	if o.excess != nil {
		return
	}
	o.excess = &capture{}
	for _, p := range o.pieces {
		o.excess.write([]byte(p))
	}
}

// pump forwards text until run has ended or is given up, and seals the output.
func (o *output) pump(ctx context.Context, done <-chan ending) ending {
	cancelled := ctx.Done()
	var abandon <-chan time.Time
	for {
		select {
		case <-o.wake:
			o.forward()
		case opened := <-o.opens:
			o.tell(opened)
		case end := <-done:
			o.seal()
			return end
		case <-cancelled:
			cancelled = nil
			timer := time.NewTimer(abandonAfter)
			defer timer.Stop()
			abandon = timer.C
		case <-abandon:
			o.seal()
			return ending{abandoned: true}
		}
	}
}

func (o *output) seal() {
	o.mu.Lock()
	o.acceptLocked(o.Redact(o.hidden.rest() + o.plain(o.cut.Flush())))
	o.sealed = true
	o.mu.Unlock()
	close(o.over)
	o.forward()
}

func (o *output) forward() {
	for {
		text, ok := o.next()
		if !ok {
			return
		}
		if o.call.Delta != nil {
			o.call.Delta(text)
		}
	}
}

func (o *output) next() (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sent == len(o.pieces) {
		return "", false
	}
	o.sent++
	return o.pieces[o.sent-1], true
}

// What follows is for the close-out: the output is sealed, and only the
// goroutine of CarryOut is left.

func (o *output) truncated() bool { return o.cutOff }

// whole keeps the visible text, where that is all of it; nil if it is not.
func (o *output) whole() *capture {
	if o.cutOff {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keepLocked()
	return o.excess
}

// body is what was written, up to the limit, without the secrets that came in
// parts either. kept holds more of it, if there is more.
func (o *output) body(kept *capture) string {
	if o.cutOff && o.call.Style.Tail && kept != nil {
		return strings.TrimSuffix(o.lastOf(kept), "\n") // the marker brings one
	}
	text := redactCut(o.call.Redact, strings.Join(o.pieces, ""), o.beyond)
	if o.cutOff && o.ends == o.call.Style.MaxLines {
		text = strings.TrimSuffix(text, "\n") // as many lines, and no empty one
	}
	return text
}

// lastOf is the end of what is kept, up to the limit, without secrets.
func (o *output) lastOf(kept *capture) string {
	style, limit := o.call.Style, o.call.Limits.MaxOutput
	if limit <= 0 {
		limit = tailBytes
	}
	look := int64(limit)*utf8.UTFMax + heldBack
	text := kept.end(look)
	if look < kept.length() {
		return style.last(redactBehind(o.call.Redact, text), limit)
	}
	return style.last(o.Redact(text), limit)
}

// emit streams text as it is, outside the limit.
func (o *output) emit(text string) {
	o.mu.Lock()
	o.pieces = append(o.pieces, text)
	o.mu.Unlock()
	o.forward()
}

// line streams text on a line of its own; nothing for "".
func (o *output) line(text string) {
	switch {
	case text == "":
	case len(o.pieces) == 0 || strings.HasSuffix(o.pieces[len(o.pieces)-1], "\n"):
		o.emit(text)
	default:
		o.emit("\n" + text)
	}
}
