package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"drawbridge/model"

	"github.com/google/go-cmp/cmp"
)

// transcripts are the conversations of requests, one message a line.
func transcripts(reqs []model.Request) []string {
	var all []string
	for _, req := range reqs {
		var lines []string
		for _, m := range req.Messages {
			line := string(m.Role) + ":"
			for _, p := range m.Parts {
				line += " " + p.Text
			}
			lines = append(lines, line)
		}
		all = append(all, strings.Join(lines, "\n"))
	}
	return all
}

func breakOff(context.Context, model.Request, model.Sink) (model.Response, error) {
	return model.Response{}, errors.New("no connection")
}

func proceed(t *testing.T, s *Session) TurnCompleted {
	t.Helper()
	turn, err := s.Continue()
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	return turn.End()
}

// After an error the same request is made again; no word is added that the
// person did not say.
func TestContinueAfterAnErrorRepeatsTheRequest(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(breakOff).then(say("Hello."))
	s := b.start(t)
	prompt(t, s, "go")
	if end := proceed(t, s); end.Stop != StopEndTurn {
		t.Fatalf("ended %s: %s", end.Stop, end.Cause)
	}
	if diff := cmp.Diff([]string{"user: go", "user: go"}, transcripts(b.model.requests())); diff != "" {
		t.Error(diff)
	}
}

// What a replaced turn said is gone from the next request, what came before it
// is not; also when that turn had failed, so that two prompts stood in one
// message, and also in a later process.
func TestAReplacedPromptIsForgotten(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(breakOff).then(breakOff).then(breakOff).then(say("Third."))
	s := b.start(t)
	prompt(t, s, "first")
	prompt(t, s, "second")
	proceed(t, s) // belongs to the turn that is replaced
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "third"}}, "t2")
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()

	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, _, err = b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	prompt(t, s, "fourth")
	want := []string{
		"user: first", "user: first second", "user: first second", "user: first third",
		"user: first third\nassistant: Third.\nuser: fourth",
	}
	if diff := cmp.Diff(want, transcripts(b.model.requests())); diff != "" {
		t.Error(diff)
	}
}
