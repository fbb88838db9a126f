package script

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"drawbridge/model"
)

// act is one line of a step at work.
type act func(ctx context.Context, t *turn) error

func say(text string) act {
	return speak(model.EventText, model.PartText, text)
}

func think(text string) act {
	return speak(model.EventThinking, model.PartThinking, text)
}

// speak streams text and leaves what was shown in the response, also when ctx
// ends half-way.
func speak(event model.EventKind, kind model.PartKind, text string) act {
	return func(ctx context.Context, t *turn) error {
		t.response.Parts = append(t.response.Parts, model.Part{Kind: kind})
		part := &t.response.Parts[len(t.response.Parts)-1]
		if kind == model.PartThinking {
			part.Provider = Name
		}
		for _, piece := range pieces(text) {
			if err := pause(ctx, t.pace); err != nil {
				return err
			}
			part.Text += piece
			t.sink(model.Event{Kind: event, Text: piece})
		}
		return nil
	}
}

func call(id, name, args string) act {
	return func(ctx context.Context, t *turn) error {
		round := strconv.Itoa(t.round)
		id, args := strings.ReplaceAll(id, "{n}", round), strings.ReplaceAll(args, "{n}", round)
		args, err := t.named(args)
		if err != nil {
			return err
		}
		if err := pause(ctx, t.pace); err != nil {
			return err
		}
		t.sink(model.Event{Kind: model.EventCallStart, Call: model.Call{ID: id, Name: name}})
		t.response.Parts = append(t.response.Parts, model.Part{
			Kind: model.PartCall,
			Call: &model.Call{ID: id, Name: name, Args: args},
		})
		if args != "" {
			t.sink(model.Event{Kind: model.EventCallArgs, Call: model.Call{ID: id}, Text: args})
		}
		return nil
	}
}

var idOfResult = regexp.MustCompile(`\{([\w-]+)\.(subagent_id|process_id)\}`)

// named puts in the ids that results of earlier calls name.
func (t *turn) named(args string) (string, error) {
	var missing error
	filled := idOfResult.ReplaceAllStringFunc(args, func(ref string) string {
		m := idOfResult.FindStringSubmatch(ref)
		text, _ := resultOf(t.request.Messages, m[1])
		at := strings.LastIndex(text, m[2]+": ")
		if at < 0 {
			missing = unmet("the result of call %s should name a %s; it is %q", m[1], m[2], text)
			return ref
		}
		id := text[at+len(m[2])+2:]
		if end := strings.IndexAny(id, "]); \n"); end >= 0 {
			id = id[:end]
		}
		return id
	})
	return filled, missing
}

func usage(in, out int) act {
	return func(_ context.Context, t *turn) error {
		t.response.Usage = model.Usage{Input: in, Output: out}
		return nil
	}
}

func wait(d time.Duration) act {
	return func(ctx context.Context, _ *turn) error { return pause(ctx, d) }
}

func pace(d time.Duration) act {
	return func(_ context.Context, t *turn) error {
		t.pace = d
		return nil
	}
}

func stall(ctx context.Context, _ *turn) error {
	<-ctx.Done()
	return ctx.Err()
}

func fail(e model.Error) act {
	return func(context.Context, *turn) error {
		copied := e
		return &copied
	}
}

// want checks what the model is shown of an earlier call.
func want(id, text string, present bool) act {
	return func(_ context.Context, t *turn) error {
		got, found := resultOf(t.request.Messages, strings.ReplaceAll(id, "{n}", strconv.Itoa(t.round)))
		switch {
		case !found:
			return unmet("a result of call %s is wanted; the request has none", id)
		case present && !strings.Contains(got, text):
			return unmet("the result of call %s should hold %q; it is %q", id, text, got)
		case !present && strings.Contains(got, text):
			return unmet("the result of call %s should not hold %q; it is %q", id, text, got)
		}
		return nil
	}
}

func wantUser(text string) act {
	return func(_ context.Context, t *turn) error {
		if got := lastWords(t.request.Messages); !strings.Contains(got, text) {
			return unmet("the user's last words should hold %q; they are %q", text, got)
		}
		return nil
	}
}

func unmet(format string, args ...any) error {
	return &model.Error{Kind: model.ErrInvalid, Message: "script: " + fmt.Sprintf(format, args...)}
}

// resultOf is the latest result of the call: an id may come again.
func resultOf(messages []model.Message, id string) (string, bool) {
	for i := len(messages) - 1; i >= 0; i-- {
		for _, p := range messages[i].Parts {
			if p.Kind == model.PartResult && p.Result.CallID == id {
				return p.Result.Text, true
			}
		}
	}
	return "", false
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
