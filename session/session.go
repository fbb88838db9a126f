// Package session sequences: a prompt becomes model steps, steps become tool
// calls, calls become effects once they are approved, and everything that
// happened is an event and a line in the session's log. It knows no editor
// and no wire.
//
// Goroutines: one per running turn (ends with the turn), one per tool call of
// the current step (the turn waits for them), one per open terminal (ends when
// the command's last byte was delivered). A subagent is a session of its own, which
// its parent closes. Session.Close waits for all.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/tools"
	"drawbridge/workspace"
)

// Causes that end a turn's context.
var (
	errCancelled   = fmt.Errorf("cancelled by the user: %w", tools.ErrInterrupted)
	errInterrupted = errors.New("the bridge is closing")
)

// cancelledFor is errCancelled, but not by the user.
type cancelledFor string

func (c cancelledFor) Error() string { return string(c) }

func (c cancelledFor) Is(target error) bool { return target == errCancelled }

// Session is one conversation with its workspace, commands and log. Safe for
// concurrent use.
type Session struct {
	host  *Host
	id    string
	ws    *workspace.Workspace
	sh    shell.Runner
	gate  *approval.Gate
	tools map[string]tools.Tool
	defs  []model.ToolDef
	takes tools.Offers // what each of its tools takes
	env   tools.Env
	// serial has the calls of a step carried one after another.
	serial bool
	// policies are what the settings say of the tools of its profile.
	policies map[string]string
	// scratch is where oversized output of tools is kept.
	scratch string

	out       *stream
	draft     draft
	desk      *desk
	changes   *book
	keeper    *keeper
	terminals *terminals
	commands  *tools.Commands
	watcher   Watcher
	vigils    *vigils
	unwatch   func() // gives the watcher back
	owner     *owner
	// subs are its subagents, nil where it is one; under is which it is, while that
	// lives.
	subs  *subagents
	under *subagent
	mark  string // in which its ids end
	log   *slog.Logger
	wg    sync.WaitGroup // turns and terminals

	// settling holds a token while a person's word about an applied change is
	// carried out: two of them must not take back the same lines.
	settling chan struct{}

	// grants counts what yeses have left behind, here and in other sessions.
	grants atomic.Int64

	// states is held from looking at what a step waits for to telling it.
	states sync.Mutex

	mu      sync.Mutex // guards below
	info    Info
	talk    history
	asked   asked
	broke   bool // the last turn ended by an error
	running *running
	ending  *running          // the turn before; its end may still be on its way
	steers  []Block           // for the next boundary of the running turn
	notices []Notice          // of commands whose end the model does not know yet
	remarks []string          // that the model does not know yet
	fresh   bool              // some of them came since the session was opened
	waiting map[string]*call  // of the running step, whose commands wait for typing
	asking  map[string]string // by call: what a subagent asks that it waits for
	ordered map[string]*call  // of the running step: those about subagents that have not begun
	alone   int               // turns since a person said something
	taken   taken             // of the steps that MaxSteps bounds
	turns   int
	calls   int
	total   model.Usage
	set     Settings
	model   opened
	closed  bool
	gone    chan struct{} // closed when Close is through

	// rewinding says that files are being given back what they held: no turn
	// begins meanwhile.
	rewinding bool
}

// Info is a snapshot of the session's summary.
func (s *Session) Info() Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Prompt starts a turn. It does not block; a running turn is an *Error of kind
// turnRunning. With replaces, the model forgets the turn of that id, which must
// be the last one that a prompt began, and those that took it up; what they did
// stays done.
func (s *Session) Prompt(blocks []Block, replaces string) (*Turn, error) {
	if s.isChild() {
		return nil, errChild(s.Info())
	}
	return s.prompt(blocks, replaces)
}

func (s *Session) prompt(blocks []Block, replaces string) (*Turn, error) {
	if len(blocks) == 0 {
		return nil, &Error{Kind: "invalid", Message: "an empty prompt", Hint: "send at least one content block"}
	}
	blocks, err := attached(blocks)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.readyLocked(); err != nil {
		return nil, err
	}
	if replaces != "" && replaces != s.asked.turn {
		return nil, &Error{
			Kind: "invalid", Message: "turn " + replaces + " is not the last one that a prompt began",
			Hint: "only the last prompt can be replaced" + cmp.Or(mention(s.asked.turn), "; there is none yet"),
		}
	}
	if replaces != "" {
		s.talk.cut(s.asked.before)
		s.notices = append(s.asked.untold(), s.notices...)
		s.remarks = slices.Concat(s.asked.heard, s.remarks)
	}
	blocks = redacted(blocks, s.host.o.Redact)
	if s.info.Title == "" {
		s.info.Title = titleOf(blocks)
	}
	s.alone, s.taken = 0, taken{}
	start := record{Blocks: blocks, Replaces: replaces}
	s.asked = asked{before: s.talk.here(), turn: s.turnID(s.turns + 1), calls: s.calls}
	return s.beginLocked(start), nil
}

func mention(turn string) string {
	if turn == "" {
		return ""
	}
	return ": " + turn
}

// Continue takes up a turn that ended before its work was done. What it had
// planned is planned and asked anew.
func (s *Session) Continue() (*Turn, error) {
	if s.isChild() {
		return nil, errChild(s.Info())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.readyLocked(); err != nil {
		return nil, err
	}
	if s.info.Unfinished == "" {
		return nil, &Error{
			Kind: "notInterrupted", Message: "the last turn was not cut off: there is nothing to continue",
			Hint: "begin a new turn with a prompt",
		}
	}
	start := record{Continues: s.info.Unfinished, Nudge: continueText}
	if s.broke && s.talk.awaitsAnswer() {
		start.Nudge = "" // the same request again
	}
	s.alone, s.taken = 0, taken{}
	return s.beginLocked(start), nil
}

const continueText = "The previous turn was interrupted. Continue from where it stopped; " +
	"effects that have no result did not happen."

// asked is the last turn that a prompt began, and what was before it.
type asked struct {
	turn   string
	before place
	calls  int
	told   []Notice // since then
	heard  []string // remarks, since then
}

// untold are the ends that the model knew since, of commands that it still knows
// when what was said since is forgotten.
func (a asked) untold() []Notice {
	return slices.DeleteFunc(slices.Clone(a.told), func(n Notice) bool { return number(n.Call) > a.calls })
}

// readyLocked says why no turn can begin.
func (s *Session) readyLocked() error {
	if s.closed {
		return errClosed(s.id)
	}
	if s.rewinding {
		return &Error{Kind: "turnRunning", Message: "a rewind is under way", Hint: "wait for its end"}
	}
	if s.running != nil {
		return &Error{
			Kind: "turnRunning", Message: "a turn is running: " + s.running.ID,
			Hint: "use session/steer to add to it, or session/cancel to end it",
		}
	}
	return nil
}

func (s *Session) beginLocked(start record) *Turn {
	s.turns++
	t := newRunning(s.turnID(s.turns))
	t.title = start.title()
	before := s.ending
	s.running = t
	s.info.Turn, s.info.Unfinished = t.ID, ""
	start.Type, start.Turn = recTurn, t.ID
	s.talk.user(start.forModel())
	s.wg.Go(func() {
		if before != nil {
			<-before.done // turns do not overlap, neither in the log nor for the client
		}
		s.runTurn(t, start)
	})
	return &t.Turn
}

// forModel is what the model reads at the beginning of a turn.
func (r record) forModel() []model.Part {
	if r.Nudge != "" {
		return []model.Part{{Kind: model.PartText, Text: r.Nudge}}
	}
	return partsOf(r.Blocks)
}

// Steer adds to the running turn. The model reads it with the next request:
// after the calls of this step, or, if queued, after the answer that is being
// given now. Text that the turn's end overtakes comes back in TurnCompleted.
func (s *Session) Steer(expected string, blocks []Block) (queued bool, err error) {
	if s.isChild() {
		return false, errChild(s.Info())
	}
	if blocks, err = attached(blocks); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return false, errClosed(s.id)
	case len(blocks) == 0:
		return false, &Error{Kind: "invalid", Message: "an empty steer", Hint: "send at least one content block"}
	case s.running == nil:
		return false, &Error{Kind: "noTurn", Message: "no turn is running", Hint: "send session/prompt"}
	case expected != "" && expected != s.running.ID:
		return false, &Error{
			Kind: "noTurn", Message: "turn " + expected + " is not running; " + s.running.ID + " is",
			Hint: "leave expectedTurnId out to steer whichever turn runs",
		}
	}
	s.steers = append(s.steers, redacted(blocks, s.host.o.Redact)...)
	s.alone = 0
	return s.info.State == StateModel || s.info.State == StateRetry, nil
}

// Cancel ends the running turn if turn names it or is empty. It returns that
// turn, or the newest one when none runs, whose end may still be on its way; nil
// if it is another one that is named. Commands in the background go on.
func (s *Session) Cancel(turn string) *Turn { return s.CancelFor(turn, "") }

// CancelFor is Cancel for a cause that is not the user, who is meant by "". The
// first cause counts.
func (s *Session) CancelFor(turn, cause string) *Turn {
	s.mu.Lock()
	t := s.running
	if t == nil {
		t = s.ending
	}
	s.mu.Unlock()
	if t == nil || turn != "" && turn != t.ID {
		return nil
	}
	err := errCancelled
	if line := strings.Join(strings.Fields(cause), " "); line != "" {
		err = cancelledFor(line)
	}
	t.cancel(err)
	return &t.Turn
}

// Configure changes settings; mode and preset count from the next decision,
// the model from the next step.
func (s *Session) Configure(set Settings) (Info, error) {
	if s.isChild() {
		return Info{}, errChild(s.Info())
	}
	if err := set.check(); err != nil {
		return Info{}, err
	}
	set = redacted(set, s.host.o.Redact)
	full := ""
	if set.Model != "" {
		var err error
		if _, _, full, err = s.host.o.Models(set.Model); err != nil {
			return Info{}, &Error{Kind: "invalid", Message: err.Error(), Hint: hintOf(err)}
		}
	}
	if set.Mode != "" {
		s.gate.SetMode(set.Mode)
	}
	if set.Preset != "" && set.Preset != s.gate.Preset() {
		s.gate.SetPreset(set.Preset)
		for _, o := range s.family() {
			o.supersede(errPreset)
		}
	}
	s.mu.Lock()
	s.info.apply(set, full)
	s.mu.Unlock()
	info := s.updated()
	for _, a := range s.subs.all() {
		a.inherit(set, full)
	}
	s.wake() // what was in the way may be so no longer
	return info, nil
}

// Narrow takes over a stricter mode or preset of what the session's folders bring
// and the user trusts, at once. It says so like any change of settings.
func (s *Session) Narrow() {
	if s.host.o.Narrow == nil || s.isChild() {
		return
	}
	now := Settings{Mode: s.gate.Mode(), Preset: s.gate.Preset()}
	mode, preset := s.host.o.Narrow(s.Info().Roots, now.Mode, now.Preset)
	if mode == now.Mode && preset == now.Preset {
		return
	}
	if _, err := s.Configure(Settings{Mode: mode, Preset: preset}); err != nil {
		s.log.Warn("the folder's mode and preset do not count", "err", err)
	}
}

// check refuses words that mean nothing, before anything is changed.
func (set Settings) check() error {
	var errs []error
	if set.Mode != "" {
		_, err := approval.ParseMode(string(set.Mode))
		errs = append(errs, err)
	}
	if set.Preset != "" {
		_, err := approval.ParsePreset(string(set.Preset))
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &Error{Kind: "invalid", Message: err.Error()}
	}
	return nil
}

// apply takes over the fields of set that say something.
func (i *Info) apply(set Settings, model string) {
	for _, f := range []struct {
		to   *string
		from string
	}{{&i.Model, model}, {&i.Title, set.Title}, {&i.Thinking, set.Thinking}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if set.Mode != "" {
		i.Mode = set.Mode
	}
	if set.Preset != "" {
		i.Preset = set.Preset
	}
}

// updated records and announces the summary as it is now.
func (s *Session) updated() Info {
	s.mu.Lock()
	s.info.Updated = s.host.now()
	info := s.info
	s.mu.Unlock()
	s.out.keep(record{Type: recConfigure, Info: &info}, SessionUpdated{Info: info})
	s.host.saveMeta(info)
	return info
}

// setState announces what the session waits for, when that changed.
func (s *Session) setState(next StateChanged) {
	next.Since = s.host.now()
	s.mu.Lock()
	s.info.State = next.State
	s.mu.Unlock()
	s.out.state(next)
}

// Close interrupts the turn, ends every command and gives the session up. It
// returns when nothing of it runs any more, or ctx is done.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	first, t := !s.closed, s.running
	s.closed = true
	s.mu.Unlock()
	if !first {
		return s.awaitClosed(ctx)
	}
	defer close(s.gone)
	if t != nil {
		t.cancel(errInterrupted)
	}
	s.commands.Close() // nothing is told of the ends that follow
	s.promise()
	var children sync.WaitGroup
	children.Go(func() { s.subs.close(ctx) })
	err := s.sh.Close(ctx)
	children.Wait()
	waitGroup(ctx, &s.wg)
	s.unwatch()
	s.removeTmp()
	s.removeState()
	if s.under == nil { // else it is another's
		s.keeper.close()
	}
	s.out.close()
	s.owner.release()
	s.host.forget(s.id)
	return err
}

// awaitClosed waits for a Close that is under way.
func (s *Session) awaitClosed(ctx context.Context) error {
	select {
	case <-s.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitGroup waits for wg or ctx, whichever comes first.
func waitGroup(ctx context.Context, wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { // ends with wg
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func errClosed(id string) error {
	return &Error{Kind: "closed", Message: "session " + id + " is closed", Hint: "session/load opens it again"}
}
