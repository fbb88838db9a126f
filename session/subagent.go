package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/model"
	"drawbridge/tools"
)

// subagent is a session that works for another one's model. It implements
// tools.Subagent. What the child session does it hears from that session's own
// goroutines.
type subagent struct {
	all         *subagents
	child       *Session
	id          string
	call, title string
	promised    bool // the model is told when it has answered
	// ownModel and ownThinking are its own, not the session's.
	ownModel, ownThinking bool
	since                 time.Time
	over                  chan struct{} // closed when it is gone

	// telling is held from looking at what it does to telling it. It guards the two
	// below.
	telling sync.Mutex
	shown   Subagent
	calls   map[string]string // that wait for it: their titles

	mu       sync.Mutex // guards below
	runs     bool       // a turn, or is about to
	answers  int        // turns that have ended
	reported int        // of those, until which its session was given notice
	text     tools.SubagentText
	last     byte // of the text
	pause    bool // between two messages
	said     bool
	failed   string
	detail   string
	spent    model.Usage // that its session's total does not hold yet
	ending   string      // why it ends
	answered bool        // before that
	gone     bool
	// waits are the calls that wait for it: none gives way. starting says that the
	// one which starts it is counted and has not come yet.
	waits    int
	starting bool
	left     bool // a call has left it working
	changed  chan struct{}
}

func newSubagent(all *subagents, s tools.SubagentStart) *subagent {
	return &subagent{
		all: all, call: s.Call, title: s.Title, promised: s.Background,
		ownModel: s.Model != "", ownThinking: s.Thinking != "",
		since: all.of.host.now(), over: make(chan struct{}), calls: map[string]string{},
		changed: make(chan struct{}), left: s.Background, starting: !s.Background, waits: waiting(!s.Background),
	}
}

// of is the session that it works for.
func (a *subagent) of() *Session { return a.all.of }

// ID is what the model calls it.
func (a *subagent) ID() string { return a.id }

// Title is what it was started for.
func (a *subagent) Title() string { return a.title }

func waiting(one bool) int {
	if one {
		return 1
	}
	return 0
}

// mayGiveWay says that it does nothing, and that no call waits to tell what it did.
func (a *subagent) mayGiveWay() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.runs && a.waits == 0
}

// awaited counts a call that begins to wait for it.
func (a *subagent) awaited() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.starting {
		a.waits++
	}
	a.starting = false
}

// unawaited takes back what awaited counted, or the call that starts it.
func (a *subagent) unawaited() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waits, a.starting = max(a.waits-1, 0), false
}

func (a *subagent) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.runs
}

// newsLocked wakes who waits for a change.
func (a *subagent) newsLocked() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// Status is how it stands.
func (a *subagent) Status() (tools.SubagentStatus, <-chan struct{}) {
	questions := a.child.desk.count()
	a.mu.Lock()
	defer a.mu.Unlock()
	st := tools.SubagentStatus{
		Running: a.runs || a.ending != "", Questions: questions, Said: a.said, Failed: a.failed,
	}
	if a.gone {
		st.Running, st.Gone, st.Answered = false, a.ending, a.answered
	}
	return st, a.changed
}

// Take returns what it has said since the last time.
func (a *subagent) Take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Take()
}

// read notes that the model has been told all that it has said, in a notice.
func (a *subagent) read(n Notice) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n.Answer == a.answers && strings.TrimPrefix(a.text.Peek(), "\n") == n.Tail {
		a.text.Take()
	}
}

// hear takes a piece of its answer.
func (a *subagent) hear(text string) {
	if a == nil || text == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pause && a.last != '\n' && a.last != 0 {
		a.text.Add("\n")
	}
	a.text.Add(text)
	a.pause, a.said, a.last = false, true, text[len(text)-1]
	a.newsLocked()
}

// stepped says that the next piece is of another message.
func (a *subagent) stepped(u model.Usage) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pause = true
	addUsage(&a.spent, u)
}

// Prompt begins a further turn of it.
func (a *subagent) Prompt(text string) error {
	if !a.idle() {
		return a.busy()
	}
	a.Tell()
	return a.begin(text)
}

// begin begins a turn of it, of which the client hears behind that it works.
func (a *subagent) begin(text string) error {
	a.mu.Lock()
	free := !a.runs && a.ending == ""
	if free {
		a.runs, a.said, a.failed, a.detail, a.pause = true, false, "", "", true
	}
	a.mu.Unlock()
	if !free {
		return a.busy()
	}
	a.announce(a.keep)
	_, err := a.child.prompt([]Block{{Kind: BlockText, Text: text}}, "")
	if err == nil {
		return nil
	}
	a.mu.Lock()
	a.runs, a.detail = false, err.Error()
	a.mu.Unlock()
	a.announce(a.keep)
	return tools.Failf("The subagent %s takes no prompt: %s", a.id, err)
}

func (a *subagent) busy() error {
	or := ""
	if a.of().offers().Has("kill_subagent") {
		or = ", or end it with kill_subagent"
	}
	return tools.Failf("The subagent %s is still running: it takes a prompt only while it is idle. The prompt was not given to it. "+
		"Read on without a prompt until it is idle%s.", a.id, or)
}

// Attend has the questions of the subagent be what the call waits for.
func (a *subagent) Attend(call, title string) (done func()) {
	a.awaited()
	a.of().begun(call)
	a.telling.Lock()
	defer a.telling.Unlock()
	a.calls[call] = title
	a.asksLocked()
	return func() {
		a.telling.Lock()
		delete(a.calls, call)
		a.of().childAsks(call, title, "")
		a.telling.Unlock()
		a.unawaited()
		a.released()
	}
}

// released says that a call does not wait for it any more: it works in the
// background, or has answered and the call was broken off before it could tell.
func (a *subagent) released() {
	a.mu.Lock()
	runs, gone := a.runs, a.ending != ""
	a.left = a.left || runs
	a.mu.Unlock()
	switch {
	case gone:
	case runs:
		a.refresh()
	default:
		a.report()
	}
}

func (a *subagent) attended() bool {
	a.telling.Lock()
	defer a.telling.Unlock()
	return len(a.calls) > 0
}

// Tell notes that the model knows of all its answers.
func (a *subagent) Tell() bool {
	a.mu.Lock()
	n := a.answers
	a.mu.Unlock()
	return a.all.tell(a.id, n)
}

// Stop ends its turn.
func (a *subagent) Stop(cause error) { a.child.cancelWith(childCause(cause)) }

// childCause is why a turn of a subagent ends for a cause outside it.
func childCause(cause error) error {
	if errors.Is(cause, errCancelled) || errors.Is(cause, errInterrupted) {
		return cause
	}
	return cancelledFor(cause.Error())
}

// End ends it and all it has started. Of several that end it the first says why.
func (a *subagent) End(ctx context.Context, cause error) error {
	a.mu.Lock()
	first := a.ending == ""
	if first {
		a.ending, a.answered = endWords(cause), !a.runs && a.answers > 0
	}
	a.mu.Unlock()
	if !first {
		select {
		case <-a.over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	a.all.leave(a, a.ending)
	a.Stop(cause)
	err := a.child.Close(ctx)
	a.mu.Lock()
	a.gone, a.runs, a.detail = true, false, a.ending
	a.mu.Unlock()
	a.announce(a.keep)
	a.mu.Lock()
	a.newsLocked()
	a.mu.Unlock()
	close(a.over)
	return err
}

func endWords(cause error) string {
	switch {
	case cause == errCancelled:
		return "cancelled by the user"
	case errors.Is(cause, errInterrupted):
		return "it ended with its session"
	}
	return cause.Error()
}

// turned takes the end of a turn of its session.
func (a *subagent) turned(end TurnCompleted) {
	if a == nil {
		return
	}
	a.mu.Lock()
	a.runs, a.left = false, false
	a.answers++
	a.failed, a.detail = "", end.Cause
	if end.Stop != StopEndTurn {
		a.failed = cmp.Or(end.Cause, string(end.Stop))
	}
	ending := a.ending != ""
	a.mu.Unlock()
	if !ending { // else its end is told, at once
		a.announce(a.keep)
	}
	if !a.attended() {
		a.report()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.newsLocked()
}

// report has the session's model told that it has answered, where that was
// promised and no call has told it.
func (a *subagent) report() {
	a.mu.Lock()
	n := a.notice()
	news := a.promised && !a.runs && a.ending == "" && a.reported < a.answers
	a.reported = a.answers
	a.mu.Unlock()
	if news && !a.all.knows(n) {
		a.of().notice(n, true)
	}
}

// notice is what the model would be told of it now.
func (a *subagent) notice() Notice {
	n := Notice{
		Subagent: a.id, Call: a.call, Title: a.title, OK: a.failed == "", Answer: a.answers,
		Detail: "it has answered", Tail: strings.TrimPrefix(a.text.Peek(), "\n"),
	}
	switch {
	case a.failed != "":
		n.Detail = "aborted: " + a.failed
	case !a.said:
		n.Detail = "finished without text"
	}
	return n
}

// owe has the model told, once the session is loaded again, that it ended with
// something before it had answered.
func (a *subagent) owe(with string) {
	a.mu.Lock()
	n := a.notice()
	owed := a.promised && a.runs && a.ending == ""
	a.mu.Unlock()
	if owed {
		n.OK, n.Lost, n.Detail = false, true, "ended with "+with
		a.of().notice(n, true)
	}
}

// look is how it stands, for people.
func (a *subagent) look() Subagent {
	info := a.child.Info()
	questions := a.child.desk.count()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := Subagent{
		ID: a.id, Session: a.child.id, Call: a.call, Title: a.title, Model: info.Model, State: SubagentRunning,
		Detail: a.detail, Background: a.left && a.runs && !a.gone, Questions: questions, Since: a.since,
	}
	switch {
	case a.gone:
		s.State, s.Questions = SubagentEnded, 0
	case !a.runs:
		s.State = SubagentIdle
	case questions > 0:
		s.State = SubagentWaiting
	}
	return s
}

func (a *subagent) shownNow() Subagent {
	a.telling.Lock()
	defer a.telling.Unlock()
	return a.look()
}

// refresh tells what it does if that is news.
func (a *subagent) refresh() {
	if a == nil {
		return
	}
	a.announce(func(s Subagent) { a.of().out.send(SubagentUpdated{s}) })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.newsLocked()
}

// announce tells what it does by tell, if that is news.
func (a *subagent) announce(tell func(Subagent)) {
	a.telling.Lock()
	defer a.telling.Unlock()
	now := a.look()
	if now == a.shown {
		return
	}
	a.shown = now
	tell(now)
	a.asksLocked()
}

// asksLocked has the calls that wait for it say that it asks.
func (a *subagent) asksLocked() {
	asks := ""
	for _, q := range a.child.desk.all() {
		asks = a.id + ": " + a.child.desk.shown(q).Plan.Title
		break
	}
	for _, call := range slices.Sorted(maps.Keys(a.calls)) {
		a.of().childAsks(call, a.calls[call], asks)
	}
}

// keep records what it does, with what it has cost since the last time.
func (a *subagent) keep(s Subagent) {
	a.mu.Lock()
	spent := a.spent
	a.spent = model.Usage{}
	waits := a.waits > 0
	a.mu.Unlock()
	a.of().spend(spent, waits)
	a.of().out.keep(record{
		Type: recSubagent, Call: a.call, Subagent: &s, Background: a.promised, Usage: &spent,
	}, SubagentUpdated{s})
}
