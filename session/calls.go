package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/tools"
)

// call is one tool call of the current step. plan, terminal and result belong
// to the goroutine that carries it; settled is closed when result is there.
type call struct {
	id      string
	turn    string
	model   model.Call
	tool    tools.Tool
	args    json.RawMessage
	plan    tools.Plan
	planErr error
	// plannedAt is from when on others' writes are none that the plan knows of.
	plannedAt int
	started   time.Time
	waited    time.Duration // for people
	// paths and broken are of the first plan; other calls of the step look at
	// them while this one may be planned again.
	paths  map[string]bool
	broken bool

	terminal *terminal
	vigil    *vigil // over the files, of a command
	change   string
	denied   string // why it may not be done
	byPerson bool   // a person let it be done
	digest   string // of what was last decided about
	decision string // which rule or remembered yes decided, where nobody was asked
	grants   int64  // how many had been given when it was judged
	settled  chan struct{}
	result   model.Result

	// begun is closed when a call about subagents waits for its subagent.
	begun chan struct{}

	// earlier are the calls of the step before this one; passing is closed when
	// they need not be waited for any more to ask about later ones.
	earlier []*call
	passing chan struct{}
	passed  sync.Once
}

// runCalls carries the calls of one step and adds exactly one result for each
// to the conversation, in call order. Calls overlap; effects of one path run
// in the order of the calls, and a command starts after the changes before it.
func (s *Session) runCalls(t *running, calls []model.Call, stop model.StopReason) {
	batch := make([]*call, len(calls))
	for i, mc := range calls {
		batch[i] = s.open(t, mc, stop)
	}
	s.setState(StateChanged{State: StateTool, Detail: batch[0].plan.Title, Call: batch[0].id})
	var wg sync.WaitGroup
	for i, c := range batch {
		c.earlier = batch[:i]
		wg.Go(func() {
			defer close(c.settled)
			defer c.passOn()
			s.carry(t, c, batch[:i])
		})
		if s.serial {
			<-c.settled
		}
	}
	wg.Wait()
	s.closeStep(t, batch)
}

func (s *Session) closeStep(t *running, batch []*call) {
	parts := make([]model.Part, len(batch))
	for i, c := range batch {
		parts[i] = model.Part{Kind: model.PartResult, Result: &c.result}
		t.count(c)
	}
	s.lookAround(t.ctx)
	s.mu.Lock()
	s.talk.user(parts)
	s.mu.Unlock()
}

// open registers a call, makes its first plan and announces it.
func (s *Session) open(t *running, mc model.Call, stop model.StopReason) *call {
	s.mu.Lock()
	s.calls++
	id := "c" + strconv.Itoa(s.calls) + s.mark
	s.mu.Unlock()
	c := &call{id: id, turn: t.ID, model: mc, started: s.host.now(), settled: make(chan struct{}), begun: make(chan struct{}), passing: make(chan struct{})}
	s.planFirst(t.ctx, c, stop)
	c.paths, c.broken = map[string]bool{}, c.planErr != nil
	for _, p := range c.plan.Paths {
		c.paths[p.Abs] = true
	}
	if c.plan.Title == "" {
		c.plan.Title = tools.TitleOf(s.env, mc.Name, json.RawMessage(mc.Args))
	}
	s.out.keep(record{
		Type: recStarted, Turn: t.ID, Call: id, Name: mc.Name, Title: c.plan.Title,
		Access: c.access(), ID: mc.ID,
	}, CallStarted{
		Turn: t.ID, Call: id, Name: mc.Name, Title: c.plan.Title,
		Access: c.access(), Args: mc.Args,
	})
	return c
}

func (s *Session) planFirst(ctx context.Context, c *call, stop model.StopReason) {
	if stop == model.StopMaxTokens {
		c.planErr = tools.Failf("Not run: the answer was cut off at the output limit, so this call may be incomplete. " +
			"Send it again, in smaller pieces if it is large.")
		return
	}
	tool, err := s.tool(c.model.Name)
	if err != nil {
		c.planErr = err
		return
	}
	c.tool = tool
	if c.args, c.planErr = tools.Decode(tool.Spec(), c.model.Args); c.planErr == nil {
		s.planCall(ctx, c)
	}
}

func (s *Session) planCall(ctx context.Context, c *call) {
	env := s.env
	env.Limits, env.Offers = c.tool.Spec().Limits, s.offers()
	c.plannedAt = s.host.written.now()
	c.plan, c.planErr = c.tool.Plan(ctx, env, c.args)
}

// access of a tool that does not exist is the least: nothing is done.
func (c *call) access() tools.Access {
	if c.tool == nil {
		return tools.Read
	}
	return c.tool.Spec().Access
}

// carry takes a call from its plan to its one result.
func (s *Session) carry(t *running, c *call, earlier []*call) {
	if c.tool != nil {
		s.afterConflicts(t, c, earlier)
	}
	if c.planErr != nil {
		s.fail(t, c)
		return
	}
	d := s.decide(t, c)
	c.passOn()
	if c.planErr != nil {
		s.audit(t, c, d)
		c.denied = d.Cause
		s.fail(t, c)
		return
	}
	if d.Outcome != approval.Allowed {
		s.refuse(t, c, d)
		return
	}
	s.audit(t, c, d)
	if err := s.out.failure(); err != nil && c.plan.Access != tools.Read {
		c.denied = "not on record"
		s.complete(t, c, tools.Outcome{
			Status: tools.Aborted,
			Text:   "Not done: the decision could not be recorded (" + err.Error() + ").",
		})
		return
	}
	ok := accepted(d)
	c.byPerson = d.By == approval.ByPerson
	if cmd := c.plan.Command; d.Command != nil && cmd != nil && !c.typesOnly() && *d.Command != cmd.Script {
		s.retitle(c, tools.CommandTitle(*d.Command))
	}
	if c.startsCommand() {
		waitSettled(t.ctx, writes(earlier))
		ok.Unsaved = s.saveEdited(t.ctx)
		s.watchCommand(t.ctx, c, ok)
	}
	if c.aboutSubagents() {
		defer s.inOrder(t.ctx, c, earlier)()
	}
	written := s.vigils.writes(c.plan.Change)
	defer written()
	kept := s.keepWrites(c, &ok.Change)
	told := s.noteWrites(c, &ok.Change)
	said, asked := s.diagnosticsBefore(t.ctx, c)
	// The one line of the program where an effect starts.
	out := s.execute(t, c, func(ctx context.Context, out tools.Output) (tools.Result, error) {
		if err := s.overtaken(c, d); err != nil {
			return tools.Result{}, err
		}
		return c.plan.Run(ctx, ok, out)
	})
	kept(out.Change)
	told()
	if out.Change != nil { // shown before anybody is waited for
		s.settleChange(c, *out.Change)
		s.know(out.Change.Change.Path, nil)
	}
	if asked {
		s.tellDiagnostics(t.ctx, said, &out)
	}
	s.complete(t, c, out)
}

// overtaken says that the preset changed between the decision and its effect,
// which it does not stand for any more.
func (s *Session) overtaken(c *call, d approval.Decision) error {
	now := s.gate.Preset()
	if now == d.Preset || c.access() == tools.Read {
		return nil
	}
	c.denied = fmt.Sprintf("the preset changed from %s to %s before it began", d.Preset, now)
	return tools.Failf("Not done: %s. Send it again if it is still wanted.", c.denied)
}

// refuse closes a call that may not be done.
func (s *Session) refuse(t *running, c *call, d approval.Decision) {
	s.audit(t, c, d)
	c.denied = d.Cause
	s.complete(t, c, tools.Outcome{Status: tools.Aborted, Text: d.ModelText()})
}

// fail closes a call that cannot be planned. Why not is told as far as what was
// looked at may be read without asking. Where nothing may be read at all, the
// call is denied like any other.
func (s *Session) fail(t *running, c *call) {
	if c.tool != nil {
		look := s.request(c)
		look.Access, look.Look = approval.Read, true
		switch d := s.gate.Unasked(look); {
		case d.Outcome == approval.Allowed:
		case d.By == approval.ByRule:
			s.refuse(t, c, s.gate.Decide(t.ctx, look, nil))
			return
		default:
			c.planErr = tools.Unseen(c.planErr)
		}
	}
	fault := t.fault(c)
	s.complete(t, c, s.execute(t, c, func(context.Context, tools.Output) (tools.Result, error) {
		return tools.Result{}, fault
	}))
}

// typesOnly says that a call starts no command, but types into one that runs.
func (c *call) typesOnly() bool { return c.plan.Command != nil && c.plan.Command.TypedInto != "" }

// retitle announces what a call really does, when the person changed it.
func (s *Session) retitle(c *call, title string) {
	c.plan.Title = title
	s.out.keep(record{Type: recRetitled, Turn: c.turn, Call: c.id, Title: title},
		CallUpdated{Turn: c.turn, Call: c.id, Title: title})
}

func accepted(d approval.Decision) tools.Accepted {
	ok := tools.Accepted{Script: d.Command, Comment: d.Comment}
	ok.Change.All, ok.Change.Hunks, ok.Change.Text = d.All, d.Hunks, d.Text
	return ok
}

// afterConflicts waits for earlier calls of the step whose effects this plan
// depends on, and then plans again: what was planned from is no longer there.
func (s *Session) afterConflicts(t *running, c *call, earlier []*call) {
	var wait []*call
	for _, e := range earlier {
		if conflict(c, e) {
			wait = append(wait, e)
		}
	}
	if len(wait) > 0 {
		c.passOn()
	}
	one := waitSettled(t.ctx, wait)
	if t.ctx.Err() != nil {
		return // what is not begun any more needs no new plan
	}
	if one || s.serial && len(earlier) > 0 && c.args != nil { // what those before have left of a shell, say
		s.planCall(t.ctx, c)
	}
}

// writes returns the calls that change files, settled or not.
func writes(calls []*call) []*call {
	var w []*call
	for _, c := range calls {
		if c.access() == tools.Write {
			w = append(w, c)
		}
	}
	return w
}

// conflict says that c must not overtake e: one of them changes a file that the
// other touches too. What is read before a change is what stood there before it.
func conflict(c, e *call) bool {
	switch {
	case e.access() == tools.Write:
		return overlap(c, e)
	case c.access() == tools.Write && e.access() == tools.Read:
		return !c.broken && !e.broken && overlap(c, e)
	}
	return false
}

// overlap says that two calls touch a common path, as far as the first plans
// could tell.
func overlap(c, e *call) bool {
	if c.broken || e.broken {
		return true
	}
	for p := range c.paths {
		if e.paths[p] {
			return true
		}
	}
	return false
}

// waitSettled waits for calls; false when there was nothing to wait for.
func waitSettled(ctx context.Context, calls []*call) bool {
	for _, c := range calls {
		select {
		case <-c.settled:
		case <-ctx.Done():
			return false
		}
	}
	return len(calls) > 0
}

func (s *Session) execute(t *running, c *call,
	run func(context.Context, tools.Output) (tools.Result, error),
) tools.Outcome {
	spec := tools.Call{
		ID: c.id, Name: c.model.Name, ArchiveDir: s.scratch,
		Delta:    func(text string) { s.delta(c, text) },
		Terminal: func(p shell.Process) { c.terminal = s.openTerminal(c, p) },
		Warn:     func(line string) { s.log.Warn(line) },
		Redact:   s.host.o.Redact,
	}
	if c.tool != nil {
		spec.Limits, spec.Style = c.tool.Spec().Limits, c.tool.Spec().Style
		spec.Limits.Timeout = cmp.Or(c.plan.Timeout, spec.Limits.Timeout)
	}
	return tools.CarryOut(t.ctx, spec, run)
}

// delta streams a piece of a command's text to a client that shows no terminals.
// Other tools have their text at once: CallCompleted carries it, as it does for a
// call that could not be planned, of which nothing runs.
func (s *Session) delta(c *call, text string) {
	if c.access() == tools.Execute && c.planErr == nil && !s.host.o.Terminals {
		s.out.send(CallUpdated{Turn: c.turn, Call: c.id, Text: text})
	}
}

// complete closes a call: terminal, change, then the authoritative result.
func (s *Session) complete(t *running, c *call, out tools.Outcome) {
	s.measure(c, out)
	if out.Err != nil {
		s.log.Error("tool call", "tool", c.model.Name, "call", c.id, "err", out.Err)
	}
	ended := CallCompleted{
		Turn: t.ID, Call: c.id, Status: out.Status, Text: out.Text, Note: out.Note,
		Images: images(out), Process: out.ProcessID,
		Duration: s.host.now().Sub(c.started), Waited: c.waited, Decision: c.decision,
	}
	if c.terminal != nil {
		ended.Terminal = c.terminal.opened.Terminal
		if out.ProcessID == "" {
			c.terminal.waitClosed()
		} else {
			c.terminal.release()
		}
	}
	c.endVigil(out.ProcessID != "")
	if out.Change != nil {
		ended.Change = c.change
	} else if c.change != "" {
		ended.Change = s.rejectChange(c, c.denied)
	}
	// A secret that was written in pieces shows only in the whole.
	ended = redacted(ended, s.host.o.Redact)
	c.result = model.Result{CallID: c.model.ID, Text: ended.Text, Failed: out.Status != tools.Completed, Images: ended.Images}
	logged := ended
	logged.Text, logged.Images = "", nil // the result has them
	s.out.keep(record{Type: recCall, Turn: t.ID, Call: c.id, Result: &c.result, Done: &logged}, ended)
}

func images(out tools.Outcome) []model.Image {
	var ims []model.Image
	for _, im := range out.Images {
		ims = append(ims, model.Image{MimeType: im.MimeType, Data: im.Data})
	}
	return ims
}
