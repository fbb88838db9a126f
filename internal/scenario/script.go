package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"drawbridge/model"
	"drawbridge/model/script"
)

// cast are the scripted models of a scenario. A script goes on where it
// stopped, also when the bridge was started anew.
type cast struct {
	retries int

	mu      sync.Mutex // guards below
	actors  map[string]*actor
	sources map[string]string
}

func newCast(sources map[string]string, retries int) *cast {
	return &cast{retries: retries, actors: map[string]*actor{}, sources: sources}
}

// open is what a host opens models with: "" is the section model, script:NAME
// the section model/NAME.
func (c *cast) open(spec string) (model.Provider, string, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := strings.TrimPrefix(strings.TrimPrefix(spec, script.Name), ":")
	name = strings.TrimPrefix(name, "main")
	a := c.actors[name]
	if a == nil {
		source, ok := c.sources[name]
		if !ok {
			return nil, "", "", fmt.Errorf("no model %q", spec)
		}
		player, err := script.New(source)
		if err != nil {
			return nil, "", "", fmt.Errorf("section model/%s: %w", name, err)
		}
		a = &actor{Player: player}
		c.actors[name] = a
	}
	full := script.Name + ":" + name
	if name == "" {
		full += "main"
	}
	// No jitter: the transcript must come out the same each time.
	policy := model.Policy{Retries: c.retries, Jitter: func() float64 { return 0 }}
	if c.retries == 0 {
		policy.Retries = -1
	}
	return model.Retrying(a, policy), name, full, nil
}

// faults are requests that a strict service would refuse, and wishes of the
// scripts that were not met.
func (c *cast) faults() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []error
	for name, a := range c.actors {
		for _, err := range a.faults() {
			all = append(all, fmt.Errorf("model %q: %w", name, err))
		}
	}
	return all
}

// actor plays a script and is as strict as the real services are.
type actor struct {
	*script.Player

	mu   sync.Mutex // guards below
	errs []error
}

// Stream implements model.Provider.
func (a *actor) Stream(ctx context.Context, req model.Request, sink model.Sink) (model.Response, error) {
	a.note(wellFormed(req.Messages))
	resp, err := a.Player.Stream(ctx, req, sink)
	if err != nil && strings.HasPrefix(err.Error(), "script: ") {
		a.note(err)
	}
	return resp, err
}

func (a *actor) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.errs = append(a.errs, err)
	}
}

func (a *actor) faults() []error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.errs
}

// wellFormed holds a conversation against what real services insist on: turns
// alternate and say something, each call has an object as arguments and exactly
// one result, in the very next message.
func wellFormed(messages []model.Message) error {
	var open []string
	for i, m := range messages {
		switch {
		case len(m.Parts) == 0:
			return fmt.Errorf("message %d is empty", i)
		case i > 0 && m.Role == messages[i-1].Role:
			return fmt.Errorf("messages %d and %d are both by %s", i-1, i, m.Role)
		}
		calls, results, err := pairing(m)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if got, want := strings.Join(results, " "), strings.Join(open, " "); got != want {
			return fmt.Errorf("message %d has results of %q, the calls before it are %q", i, got, want)
		}
		open = calls
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without results at the end: %s", strings.Join(open, " "))
	}
	return nil
}

func pairing(m model.Message) (calls, results []string, err error) {
	seen := map[string]bool{}
	for _, p := range m.Parts {
		switch p.Kind {
		case model.PartCall:
			var object map[string]any
			if json.Unmarshal([]byte(p.Call.Args), &object) != nil || object == nil {
				return nil, nil, fmt.Errorf("call %s has arguments that are no object: %s", p.Call.ID, p.Call.Args)
			}
			if seen[p.Call.ID] || p.Call.Name == "" {
				return nil, nil, fmt.Errorf("call %q of %q: an id twice, or no name", p.Call.ID, p.Call.Name)
			}
			seen[p.Call.ID] = true
			calls = append(calls, p.Call.ID)
		case model.PartResult:
			results = append(results, p.Result.CallID)
		case model.PartText:
			if p.Text == "" {
				return nil, nil, fmt.Errorf("an empty text")
			}
		}
	}
	return calls, results, nil
}
