package tools

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Subagents are models at work for a session's model, each in a session of its
// own. Safe for concurrent use.
type Subagents interface {
	// Check says why none can be started so, as a *Failure; nil where nothing is
	// known to be in the way. It only looks.
	Check(s SubagentStart) error
	// Start begins one. A *Failure says why it cannot be.
	Start(s SubagentStart) (Subagent, error)
	// Find returns one that the model can still talk to, nil if there is none.
	Find(id string) Subagent
	// Fate says what became of one that Find does not find any more, in a sentence;
	// "" if there never was one.
	Fate(id string) string
}

// SubagentStart is what a subagent is started with.
type SubagentStart struct {
	Call          string // the call that starts it
	Title, Prompt string
	// Provider and Model name its model, both or neither: then it is that of the
	// session, as it is at any time.
	Provider, Model string
	// Thinking is low, medium or high; "" is the session's, as it is at any time.
	Thinking string
	// Background has the session told when it has answered.
	Background bool
}

// Subagent is one of Subagents. Safe for concurrent use.
type Subagent interface {
	ID() string
	Title() string
	// Prompt gives it a further prompt; a *Failure says why it takes none.
	Prompt(text string) error
	// Attend says that a call waits for it, until done.
	Attend(call, title string) (done func())
	// Status is how it stands, and a channel that is closed when that changes, or
	// when there is something to take.
	Status() (SubagentStatus, <-chan struct{})
	// Take returns what it has said since the last time, bounded, behind a line that
	// tells how much of it was dropped. What it said before a Status is in the next
	// Take.
	Take() string
	// Tell notes that the model is told how it stands, so that nothing else tells
	// it: false where it was told before.
	Tell() bool
	// Stop ends its turn. It stays there, and Stop does not wait.
	Stop(cause error)
	// End ends it, with its commands and questions, and waits for that or for ctx.
	End(ctx context.Context, cause error) error
}

// SubagentStatus is how a subagent stands.
type SubagentStatus struct {
	Running   bool
	Questions int // that wait for a person
	// Said says that it said something in its last turn.
	Said bool
	// Failed says why its last turn broke off; "" where it did not.
	Failed string
	// Gone says why it is not there any more; "" while it is. Answered says that its
	// last turn had ended before that.
	Gone     string
	Answered bool
}

const (
	subagentYield     = 300 * time.Second // of a prompt
	subagentPollYield = 10 * time.Second
	subagentTimeout   = 600 * time.Second
	// maxSubagentText bounds the text of a subagent that no call has taken, in
	// characters.
	maxSubagentText = 1 << 20
)

// SubagentTools names the tools by which a model has others work for it. Those
// others are not given them.
func SubagentTools() []string { return []string{"run_subagent", "input_subagent", "kill_subagent"} }

// SubagentText keeps the newest of what a subagent has said, for calls that take
// it, up to 1 MiB characters. It is not safe for concurrent use.
type SubagentText struct{ kept backlog }

// Add keeps text.
func (t *SubagentText) Add(text string) {
	t.kept.limit = maxSubagentText
	t.kept.add(text)
}

// Take is as Subagent.Take.
func (t *SubagentText) Take() string { return t.kept.take() }

// Peek is what Take would return, of which it takes nothing.
func (t *SubagentText) Peek() string { return string(t.kept.text) }

// attending is a call that waits for a subagent.
type attending struct {
	of  Subagent
	out Output
	// window is how long it waits.
	window time.Duration
	offers Offers
}

// follow passes on what the subagent says until it has answered, or the window is
// over. The end of the call leaves it alone.
func (f attending) follow(ctx context.Context) (Result, error) {
	began := time.Now()
	timer := time.NewTimer(f.window)
	defer timer.Stop()
	for {
		status, changed := f.of.Status()
		f.pass()
		if !status.Running {
			return f.ended(status), nil
		}
		select {
		case <-changed:
		case <-timer.C:
			f.pass()
			status, _ = f.of.Status()
			if !status.Running {
				f.pass()
				return f.ended(status), nil
			}
			return f.yielded(status, time.Since(began)), nil
		case <-ctx.Done():
			f.pass()
			return Result{}, context.Cause(ctx)
		}
	}
}

func (f attending) pass() {
	text := f.of.Take()
	if f.out.Len() == 0 {
		text = strings.TrimPrefix(text, "\n") // which parts it from what an earlier call has
	}
	if text != "" {
		f.out.Write(text)
	}
}

// yielded closes a call whose subagent works on.
func (f attending) yielded(s SubagentStatus, waited time.Duration) Result {
	return Result{Note: lines(
		fmt.Sprintf("[still running after %s; subagent_id: %s]", waited.Round(time.Millisecond), f.of.ID()),
		questionsNote(s),
		"It works on in the background: "+f.offers.subagentAdvice("reads on")+". Do not start it a second time.",
	)}
}

func questionsNote(s SubagentStatus) string {
	if s.Questions == 0 {
		return ""
	}
	return fmt.Sprintf("[waiting for approval of %d tool call(s)]", s.Questions)
}

// ended closes a call whose subagent has nothing more to say.
func (f attending) ended(s SubagentStatus) Result {
	f.of.Tell()
	res := Result{Note: f.idleNote()}
	if s.Gone != "" {
		res.Note = "[gone: " + s.Gone + "]"
	}
	switch {
	case s.Gone != "" && !s.Answered:
		return Result{Status: Failed, Note: "[aborted: " + s.Gone + "]"}
	case s.Failed != "":
		res.Status = Failed
		res.Note = lines("[aborted: "+s.Failed+"]", res.Note)
	case !s.Said:
		res.Note = lines("[the subagent finished without text]", res.Note)
	}
	return res
}

func (f attending) idleNote() string {
	if !f.offers.Has("input_subagent") {
		return "[idle]"
	}
	return fmt.Sprintf("[idle; subagent_id: %s]\nIt keeps what it knows: input_subagent gives it a further prompt.", f.of.ID())
}

func unknownSubagent(s Subagents, id string) error {
	if fate := s.Fate(id); fate != "" {
		return Failf("There is no subagent with subagent_id %q any more. %s", id, fate)
	}
	return Failf("There is no subagent with subagent_id %q.", id)
}

// subagentTitle is what a subagent does, in one line.
func subagentTitle(a arguments) string {
	for _, name := range []string{"description", "prompt"} {
		if text, err := a.filled(name); err == nil {
			return CommandTitle(text)
		}
	}
	return "subagent"
}

var errNoSubagents = Failf("There is no session here in which subagents could work.")

// thinkingTiers are what a model may ask of a subagent's, and what comes closest.
var thinkingTiers = []struct{ word, means string }{
	{"low", "low"}, {"medium", "medium"}, {"high", "high"}, {"xhigh", "high"}, {"max", "high"},
}

// thinking is the optional thinking_level.
func (a arguments) thinking() (string, error) {
	if !a.has("thinking_level") {
		return "", nil
	}
	var words []string
	given, err := a.text("thinking_level")
	for _, t := range thinkingTiers {
		if err == nil && given == t.word {
			return t.means, nil
		}
		words = append(words, t.word)
	}
	return "", Failf("Invalid argument thinking_level: %s is none of %s. Leave it out to inherit that of this session.",
		a.shown("thinking_level"), strings.Join(words, ", "))
}

// blank says that an optional name is not there, or empty.
func (a arguments) blank(name string) bool {
	text, err := a.text(name)
	return !a.has(name) || err == nil && strings.TrimSpace(text) == ""
}
