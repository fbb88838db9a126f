package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"drawbridge/model"
)

// running is a turn while it runs. Its fields belong to the turn's goroutine,
// except fails, which the goroutine that closes a step writes while no call is
// carried.
type running struct {
	Turn
	title  string // what it was asked for, in a line
	ctx    context.Context
	cancel context.CancelCauseFunc
	usage  model.Usage
	// fails are the calls that failed; halt is set when one fails too often.
	fails map[string]failure
	halt  string
	// textSeq and thoughtSeq are the numbers of the step's last chunks.
	textSeq, thoughtSeq int64
	// retrying says that the last thing heard of the model was a retry.
	retrying bool
}

func newRunning(id string) *running {
	t := &running{Turn: Turn{ID: id, done: make(chan struct{})}, fails: map[string]failure{}}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

func (s *Session) turnID(n int) string { return turnID(n, s.mark) }

func turnID(n int, mark string) string { return "t" + strconv.Itoa(n) + mark }

// runTurn carries a turn from its first event to its last.
func (s *Session) runTurn(t *running, start record) {
	defer t.cancel(nil)
	s.host.beginTurn(s.isChild())
	s.renew()
	s.out.keep(start, start.turnStarted())
	s.updated()
	if start.Background {
		gather(t.ctx)
	}
	if !s.deliverNotices(t, !start.Background) && start.Background {
		// It was cancelled before the model was told; what it was for is still queued.
		s.finish(t, s.failed(t, context.Cause(t.ctx)))
		return
	}
	end := s.steps(t)
	s.finish(t, end)
}

func (r record) turnStarted() TurnStarted {
	return TurnStarted{Turn: r.Turn, Prompt: r.Blocks, Background: r.Background, Continues: r.Continues, Replaces: r.Replaces}
}

// steps asks the model and runs what it calls for until there is a reason to
// stop.
func (s *Session) steps(t *running) TurnCompleted {
	for {
		if why := s.root().takeStep(s.isChild()); why != "" {
			return stopped(StopMaxSteps, why)
		}
		resp, err := s.ask(t)
		calls := s.keepResponse(t, resp, err)
		if err != nil {
			return s.failed(t, err)
		}
		if len(calls) > 0 {
			s.runCalls(t, calls, resp.Stop)
		}
		if end, over := s.boundary(t, resp.Stop, len(calls)); over {
			return end
		}
	}
}

// taken counts the requests to models since a person last said what to do: those
// of turns, also of turns that began by themselves, and among all those of
// subagents.
type taken struct{ all, children int }

// takeStep counts a request to a model, one of a subagent's or of its own; why says
// why there can be none.
func (s *Session) takeStep(child bool) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch limit, by := s.set.MaxSteps, s.taken.children; {
	case limit <= 0 || s.taken.all < limit:
		s.taken.all++
		if child {
			s.taken.children++
		}
		return ""
	case by > 0:
		return fmt.Sprintf("the limit of %d model steps was reached; subagents took %d of them", limit, by)
	default:
		return fmt.Sprintf("the limit of %d model steps was reached", limit)
	}
}

// boundary is the point between two steps: reasons to stop are looked at, and
// steering text and notices are delivered.
func (s *Session) boundary(t *running, stop model.StopReason, calls int) (TurnCompleted, bool) {
	if t.ctx.Err() != nil {
		return s.failed(t, context.Cause(t.ctx)), true
	}
	if err := s.out.failure(); err != nil {
		end := stopped(StopError, "the session's log cannot be written: "+err.Error())
		end.Hint = "make room or mend the rights of " + s.host.sessionsDir() + "; nothing is done that is not on record"
		return end, true
	}
	switch {
	case stop == model.StopMaxTokens:
		return stopped(StopMaxTokens, "the answer was cut off at the model's output limit"), true
	case stop == model.StopRefusal:
		return stopped(StopRefusal, "the model refused to answer"), true
	case t.halt != "":
		return stopped(StopError, t.halt), true
	}
	steered := s.deliverSteers(t)
	notified := s.deliverNotices(t, steered || calls > 0)
	if steered || notified || calls > 0 {
		return TurnCompleted{}, false
	}
	return stopped(StopEndTurn, ""), true
}

func stopped(stop StopReason, cause string) TurnCompleted {
	return TurnCompleted{Stop: stop, Cause: cause}
}

// failed says how an error ends the turn.
func (s *Session) failed(t *running, err error) TurnCompleted {
	switch cause := context.Cause(t.ctx); {
	case cause == errCancelled:
		return stopped(StopCancelled, "cancelled by the user")
	case errors.Is(cause, errCancelled):
		return stopped(StopCancelled, cause.Error())
	case errors.Is(cause, errInterrupted):
		return stopped(StopInterrupted, "the bridge was closing")
	}
	end := stopped(StopError, err.Error())
	var me *model.Error
	if errors.As(err, &me) {
		end.Hint = me.Hint
	}
	return end
}

// deliverSteers puts queued text into the conversation.
func (s *Session) deliverSteers(t *running) bool {
	s.mu.Lock()
	blocks := s.steers
	s.steers = nil
	if len(blocks) > 0 {
		s.talk.user(partsOf(blocks))
	}
	s.mu.Unlock()
	if len(blocks) == 0 {
		return false
	}
	s.out.keep(record{Type: recSteer, Turn: t.ID, Blocks: blocks}, TurnSteered{Turn: t.ID, Content: blocks})
	return true
}

// finish is the one place where a turn ends.
func (s *Session) finish(t *running, end TurnCompleted) {
	end = redacted(end, s.host.o.Redact) // which answers the prompt, too
	s.mu.Lock()
	end.Turn, end.Usage = t.ID, t.usage
	end.Returned, s.steers = s.steers, nil
	s.running, s.ending = nil, t
	s.info.Turn, s.info.State = "", StateIdle
	if end.Stop.unfinished() {
		s.info.Unfinished = t.ID
	}
	s.broke = end.Stop == StopError
	s.info.Updated = s.host.now()
	info := s.info
	s.mu.Unlock()
	s.host.ended()
	s.out.state(StateChanged{State: StateIdle, Since: s.host.now()})
	s.out.keepSynced(record{Type: recEnd, Turn: t.ID, End: &end}, end)
	s.host.saveMeta(info)
	t.end = end
	close(t.done)
	s.under.turned(end)
	s.wake()
}

// unfinished says that a turn ended before the model had no more to say.
func (r StopReason) unfinished() bool { return r != StopEndTurn && r != StopRefusal }

// ask makes one model request and streams what comes.
func (s *Session) ask(t *running) (model.Response, error) {
	s.mu.Lock()
	spec, thinking := s.info.Model, s.info.Thinking
	messages := s.talk.forModel()
	s.mu.Unlock()
	m, err := s.provider(spec)
	if err != nil {
		return model.Response{}, err
	}
	s.setState(StateChanged{State: StateModel, Detail: "waiting for " + m.full})
	req := model.Request{
		Model: m.name, System: redacted(s.systemPrompt(), s.host.o.Redact), Messages: forEyes(m, messages), Tools: m.defs,
		Thinking: thinkingFor(m.info, thinking), CacheKey: s.id,
	}
	return m.provider.Stream(t.ctx, req, func(e model.Event) { s.streamed(t, m.full, e) })
}

// opened is the provider in use. It is kept from step to step: a provider may
// hold a place in its session. What is known of the model counts from turn to turn,
// so that what was sent once does not change within one.
type opened struct {
	spec, name, full string
	provider         model.Provider
	info             model.Info
	defs             []model.ToolDef
}

func (s *Session) provider(spec string) (opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model.provider != nil && s.model.spec == spec {
		return s.model, nil
	}
	p, name, full, err := s.host.o.Models(spec)
	if err != nil {
		return opened{}, err
	}
	info := s.host.known(full)
	s.model = opened{spec: spec, name: name, full: full, provider: p, info: info, defs: s.offered(info)}
	return s.model, nil
}

// renew looks at what is known of the model by now.
func (s *Session) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model.provider != nil {
		s.model.info = s.host.known(s.model.full)
		s.model.defs = s.offered(s.model.info)
	}
}

func (s *Session) streamed(t *running, spec string, e model.Event) {
	s.watcher.Start() // while the model answers, nobody waits for it
	if t.retrying && e.Kind != model.EventRetry {
		t.retrying = false
		s.setState(StateChanged{State: StateModel, Detail: spec + " answers"})
	}
	switch e.Kind {
	case model.EventText:
		t.textSeq = s.out.send(MessageChunk{Turn: t.ID, Text: e.Text})
		s.under.hear(e.Text)
		s.draft.addText(t.ID, e.Text, t.textSeq)
	case model.EventThinking:
		t.thoughtSeq = s.out.send(ThoughtChunk{Turn: t.ID, Text: e.Text})
		s.draft.addThought(t.ID, e.Text, t.thoughtSeq)
	case model.EventRetry:
		t.retrying = true
		s.setState(StateChanged{
			State: StateRetry, Attempt: e.Retry.Attempt, Max: e.Retry.Max,
			Detail: fmt.Sprintf("%s: %s; next try in %s", spec, e.Retry.Cause, e.Retry.Delay.Round(100*time.Millisecond)),
		})
	}
}

// keepResponse adds an answer to the conversation and returns its calls. Of an
// answer that broke off only the text is kept: what was shown stays, and a
// call that nobody ran leaves no hole. The log has its thoughts as well, to be
// shown again.
func (s *Session) keepResponse(t *running, resp model.Response, err error) []model.Call {
	defer s.draft.clear()
	if err != nil {
		resp.Parts = textOnly(resp.Parts)
	}
	s.mu.Lock()
	parts, calls := s.talk.assistant(resp.Parts)
	addUsage(&t.usage, resp.Usage)
	addUsage(&s.total, resp.Usage)
	total, used := s.total, t.usage
	s.mu.Unlock()
	s.under.stepped(resp.Usage)
	limit := s.contextLimit()
	thought := s.draft.shown().Thought
	cut := err != nil && thought != ""
	if cut {
		parts = append([]model.Part{{Kind: model.PartThinking, Text: thought}}, parts...)
	}
	if len(parts) == 0 {
		return nil
	}
	s.out.keep(record{
		Type: recMessage, Turn: t.ID, Parts: parts, Usage: &resp.Usage, Cut: cut,
		TextSeq: t.textSeq, ThoughtSeq: t.thoughtSeq,
	},
		UsageUpdated{
			Turn: t.ID, TurnUsage: used, TotalUsage: total,
			ContextUsed: resp.Usage.Input + resp.Usage.Output, ContextLimit: limit,
		})
	return calls
}

func textOnly(parts []model.Part) []model.Part {
	var kept []model.Part
	for _, p := range parts {
		if p.Kind == model.PartText {
			kept = append(kept, p)
		}
	}
	return kept
}

func addUsage(sum *model.Usage, u model.Usage) {
	sum.Input += u.Input
	sum.Output += u.Output
	sum.CacheRead += u.CacheRead
	sum.CacheWrite += u.CacheWrite
}
