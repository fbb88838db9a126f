// Package script plays a written conversation in place of a model: the demo,
// the tests and rehearsals without a key run on it. It knows nothing of tools
// beyond the names and arguments it is told to send, and starts no goroutine.
//
// A script is text, often the "model" section of a txtar file. Steps stand
// apart by lines of four dashes or more; each answers one request. A line that
// starts with # is a comment. The lines of a step are played in order:
//
//	text "Go-quoted text"     say it, in pieces of about a word
//	think "…"                 reason aloud
//	call ID NAME {JSON}       call a tool; the rest of the line is sent as it
//	                          is, broken JSON too
//	call ID NAME <<END        the same with raw arguments on the lines up to END
//	stop WORD                 end_turn, tool_use, max_tokens or refusal; without
//	                          it a step with calls stops for them
//	usage IN OUT              token counts
//	sleep 2s                  wait
//	pace 20ms                 wait that long before each piece from here on
//	stall                     say nothing until the request is cancelled
//	error KIND "…" [retry-after 2s]
//	                          fail: auth, invalid, tooLong, rateLimit,
//	                          overloaded, network, stalled or protocol
//	want ID "…"               the request must hold a result of call ID with
//	wantnot ID "…"            (without) this text in it
//	want-user "…"             the user's last words must hold this text
//	repeat N                  play this step N times; {n} in its calls is the
//	                          round, from 1
//
// {ID.subagent_id} and {ID.process_id} in a call stand for what the result of
// call ID names so; where it does not, the request fails.
//
// A want that does not hold fails the request with an error that says what was
// wanted and what came. After the last step every request is answered by
// "(the script has ended)".
package script

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"drawbridge/model"
)

// Name is this provider's word in configuration.
const Name = "script"

// Player plays one script from its start. Each session needs its own.
type Player struct {
	steps []step // immutable

	mu    sync.Mutex // guards below
	next  int
	round int // rounds of the next step that were played
}

// New reads a script. An error names the line.
func New(src string) (*Player, error) {
	steps, err := parse(src)
	if err != nil {
		return nil, err
	}
	return &Player{steps: steps}, nil
}

func (p *Player) Name() string { return Name }

// Stream plays the next step.
func (p *Player) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	s, round := p.advance()
	t := turn{request: req, sink: sink, round: round}
	for _, act := range s.acts {
		if err := act(ctx, &t); err != nil {
			t.response.Stop = model.StopMaxTokens
			return t.response, err
		}
		if ctx.Err() != nil {
			t.response.Stop = model.StopMaxTokens
			return t.response, ctx.Err()
		}
	}
	t.response.Stop = s.stopReason()
	return t.response, nil
}

// Models names the script itself.
func (p *Player) Models(context.Context) ([]model.Info, error) {
	return []model.Info{{ID: Name}}, nil
}

var ended = step{acts: []act{say("(the script has ended)")}}

// advance takes the next step, and its round if it repeats.
func (p *Player) advance() (step, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next >= len(p.steps) {
		return ended, 1
	}
	s := p.steps[p.next]
	p.round++
	round := p.round
	if p.round >= s.repeat {
		p.next, p.round = p.next+1, 0
	}
	return s, round
}

// step is one answer.
type step struct {
	acts   []act
	stop   model.StopReason // empty: by whether it calls
	calls  bool
	repeat int
}

func (s step) stopReason() model.StopReason {
	switch {
	case s.stop != "":
		return s.stop
	case s.calls:
		return model.StopCalls
	}
	return model.StopEnd
}

// turn is one playing of a step.
type turn struct {
	request  model.Request
	sink     model.Sink
	round    int
	pace     time.Duration
	response model.Response
}

// Library plays scripts by name: the model of the first request selects one.
// A name is looked up among the given sources and else read as a file. Like a
// Player it belongs to one session.
type Library struct {
	sources map[string]string

	mu      sync.Mutex // guards below
	players map[string]*Player
}

// NewLibrary makes a provider of the named sources; nothing is read yet.
func NewLibrary(sources map[string]string) *Library {
	return &Library{sources: sources, players: map[string]*Player{}}
}

func (l *Library) Name() string { return Name }

// Stream plays the next step of the script that req.Model names.
func (l *Library) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	p, err := l.player(req.Model)
	if err != nil {
		return model.Response{}, err
	}
	return p.Stream(ctx, req, sink)
}

// Models names the scripts that need no file.
func (l *Library) Models(context.Context) ([]model.Info, error) {
	var infos []model.Info
	for name := range l.sources {
		infos = append(infos, model.Info{ID: name})
	}
	return infos, nil
}

// Check says why the script of a name cannot be played, nil if it can.
func (l *Library) Check(name string) error {
	_, err := l.player(name)
	return err
}

func (l *Library) player(name string) (*Player, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.players[name]; p != nil {
		return p, nil
	}
	src, err := l.source(name)
	if err != nil {
		return nil, err
	}
	p, err := New(src)
	if err != nil {
		return nil, &model.Error{Kind: model.ErrSetup, Message: "script " + name + ": " + err.Error(), Err: err}
	}
	l.players[name] = p
	return p, nil
}

func (l *Library) source(name string) (string, error) {
	if src, ok := l.sources[name]; ok {
		return src, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", &model.Error{
			Kind:    model.ErrSetup,
			Message: "read script: " + err.Error(),
			Hint:    "name a script file: --model script:PATH",
			Err:     err,
		}
	}
	return Section(string(text)), nil
}

// pieces cuts text after each run of blanks, so that joining gives it back.
func pieces(text string) []string {
	var out []string
	start, blank := 0, false
	for i, r := range text {
		if unicode.IsSpace(r) {
			blank = true
		} else if blank {
			out = append(out, text[start:i])
			start, blank = i, false
		}
	}
	return append(out, text[start:])
}

// lastWords are the user's words in the last message that has any.
func lastWords(messages []model.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != model.RoleUser {
			continue
		}
		var texts []string
		for _, p := range messages[i].Parts {
			if p.Kind == model.PartText {
				texts = append(texts, p.Text)
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, "\n")
		}
	}
	return ""
}
