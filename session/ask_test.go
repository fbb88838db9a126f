package session

import (
	"context"
	"sync"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// B24: the questions of a step are put in the order of its calls, each when the
// one before is on its way, and nobody has to answer one to see the next.
func TestQuestionsOfAStepArePutInTheOrderOfTheCalls(t *testing.T) {
	var mu sync.Mutex
	var order []string
	both := make(chan struct{})
	b := newBench(t, func(o *Options) {
		o.Defaults.Mode = approval.AlwaysAsk
		o.Ask = func(_ context.Context, a Approval) (approval.Answer, error) {
			if a.Call == "c1" {
				time.Sleep(30 * time.Millisecond) // the wire is slow
			}
			mu.Lock()
			order = append(order, a.Call)
			if len(order) == 2 {
				close(both)
			}
			mu.Unlock()
			a.Out()
			<-both
			return approval.Answer{Answered: true}, nil
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"one"}`, "y", "exec_command", `{"cmd":"two"}`))
	prompt(t, b.start(t), "go")
	if order[0] != "c1" || order[1] != "c2" {
		t.Errorf("asked %v", order)
	}
}

// B25: a question that is just being put when a yes is remembered is answered by
// it too.
func TestAYesReachesAQuestionThatIsOnItsWay(t *testing.T) {
	for range 30 {
		b := newBench(t, func(o *Options) {
			o.Defaults.Mode = approval.AlwaysAsk
			o.NewShell = func() shell.Runner { return &shelltest.Fake{Steps: []shelltest.Step{{Repeat: true}}} }
			o.Ask = func(ctx context.Context, a Approval) (approval.Answer, error) {
				if a.Call == "c1" {
					return approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: approval.Session, All: true}, nil
				}
				<-ctx.Done()
				return approval.Answer{}, ctx.Err()
			}
		})
		b.model.then(callTools("x", "exec_command", `{"cmd":"make a"}`, "y", "exec_command", `{"cmd":"make a"}`))
		done := make(chan struct{})
		s := b.start(t)
		go func() {
			defer close(done)
			prompt(t, s, "go")
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("the question waits, although it is answered")
		}
	}
}
