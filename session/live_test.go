package session

import (
	"context"
	"testing"

	"drawbridge/model"
)

// A turn ends by what it began with: neither another session, nor a new one, nor
// a subagent has changed settings count meanwhile.
func TestNothingNewCountsWhileATurnRuns(t *testing.T) {
	begun := 0
	b := newBench(t, func(o *Options) {
		o.Begin = func() (Live, bool) { begun++; return o.Live(), false }
	})
	a, other := b.start(t), b.start(t)
	if begun != 2 {
		t.Errorf("%d, with two new sessions", begun)
	}
	inside, out := make(chan struct{}), make(chan struct{})
	b.model.then(func(ctx context.Context, _ model.Request, _ model.Sink) (model.Response, error) {
		close(inside)
		<-out
		return model.Response{Stop: model.StopEnd}, nil
	})
	turn, err := a.Prompt([]Block{{Kind: BlockText, Text: "x"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	<-inside
	begun = 0
	prompt(t, other, "y")
	b.start(t)
	if begun != 0 {
		t.Errorf("it began %d times within a turn", begun)
	}
	close(out)
	<-turn.Done()
	other.host.beginTurn(true) // a subagent's
	other.host.ended()
	if begun != 0 {
		t.Error("a subagent's turn has settings count")
	}
	prompt(t, other, "z")
	if begun != 1 {
		t.Errorf("it began %d times after it", begun)
	}
}

// What becomes known of a model counts from the next turn on.
func TestWhatIsKnownOfAModelIsRenewed(t *testing.T) {
	facts := map[string]model.Info{"p:sees": {}}
	b := knowing(t, facts, nil)
	s := b.start(t)
	for _, want := range []string{"describe_image", "read_image"} {
		prompt(t, s, "hello")
		if got := given(b.model.last()); len(got) != 1 || got[0] != want {
			t.Errorf("%v, not %s", got, want)
		}
		facts["p:sees"] = model.Info{Vision: true}
	}
}
