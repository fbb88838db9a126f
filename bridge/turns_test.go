package bridge

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc/protocol"
)

func TestATurnEndsBeforeItsAnswer(t *testing.T) {
	onWire(t, everything, `text "hello"`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		done := e.begin("prompt", "session/prompt", promptS1)
		var r protocol.PromptResult
		if err := json.Unmarshal(<-done, &r); err != nil || r.StopReason != protocol.StopEndTurn || r.TurnID != "t1" {
			t.Errorf("%+v, %v", r, err)
		}
		want := "turn/started message/chunk turn/completed #prompt"
		if got := e.order("turn/started", "message/chunk", "turn/completed", "#prompt"); got != want {
			t.Errorf("order %q, want %q", got, want)
		}
	})
}

// However a turn is cancelled, its own answer is a result and comes first.
func TestCancelIsAnsweredLast(t *testing.T) {
	onWire(t, everything, `stall`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		first := e.begin("cancel1", "session/cancel", `{"sessionId":"s1"}`)
		second := e.begin("cancel2", "session/cancel", `{"sessionId":"s1","turnId":"t1"}`)
		var r protocol.PromptResult
		if err := json.Unmarshal(<-prompt, &r); err != nil || r.StopReason != protocol.StopCancelled {
			t.Errorf("%+v, %v", r, err)
		}
		<-first
		<-second
		if got, want := e.order("turn/completed", "#prompt", "#cancel1"), "turn/completed #prompt #cancel1"; got != want {
			t.Errorf("order %q, want %q", got, want)
		}
	})
}

// A cancel that was sent after a prompt ends it, also when it is read before
// the prompt has begun.
func TestCancelRightAfterPrompt(t *testing.T) {
	onWire(t, everything, "stall\n----\ntext \"next\"", nil, func(t *testing.T, e *editor) {
		e.newSession()
		prompt := e.begin("prompt", "session/prompt", promptS1)
		cancel := e.begin("cancel", "session/cancel", `{"sessionId":"s1"}`)
		<-prompt
		<-cancel
		if r := e.prompt(); r.StopReason != protocol.StopEndTurn {
			t.Errorf("the next turn ended with %s", r.StopReason)
		}
	})
}

func TestCancelWithNothingToCancel(t *testing.T) {
	onWire(t, everything, "text \"a\"\n----\nstall", nil, func(t *testing.T, e *editor) {
		e.newSession()
		e.must("session/cancel", `{"sessionId":"s1"}`, nil)
		e.prompt()
		e.must("session/cancel", `{"sessionId":"s1"}`, nil)
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		e.must("session/cancel", `{"sessionId":"s1","turnId":"t1"}`, nil)
		if got := e.order("#prompt"); got != "" {
			t.Error("cancelling an old turn ended the new one")
		}
		e.must("session/cancel", `{"sessionId":"s1"}`, nil)
		<-prompt
	})
}

func TestCancelRequestOfAPromptGivesAResult(t *testing.T) {
	onWire(t, everything, `stall`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		prompt := e.begin("prompt", "session/prompt", promptS1)
		e.notify("$/cancelRequest", `{"id":"prompt"}`)
		var r protocol.PromptResult
		if err := json.Unmarshal(<-prompt, &r); err != nil || r.StopReason != protocol.StopCancelled {
			t.Errorf("%+v, %v", r, err)
		}
		ends := of[protocol.TurnCompleted](e, "turn/completed")
		if len(ends) != 1 || ends[0].StopReason != protocol.StopCancelled {
			t.Errorf("%+v", ends)
		}
		e.must("session/cancel", `{"sessionId":"s1"}`, nil) // answers: the prompt was answered
	})
}

func TestPromptsDuringATurnAreRefused(t *testing.T) {
	onWire(t, everything, "sleep 1s\ntext \"a\"\n----\ntext \"b\"", nil, func(t *testing.T, e *editor) {
		e.newSession()
		if got := e.refused("session/steer", promptS1); got != "noTurn" {
			t.Errorf("steer without a turn: %s", got)
		}
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		if got := e.refused("session/prompt", promptS1); got != "turnRunning" {
			t.Errorf("second prompt: %s", got)
		}
		if got := e.refused("session/continue", `{"sessionId":"s1"}`); got == "" {
			t.Error("continue was taken during a turn")
		}
		var r protocol.SteerResult
		e.must("session/steer", promptS1, &r)
		if r.Delivered != protocol.DeliveredQueued {
			t.Errorf("steer: %s", r.Delivered)
		}
		<-prompt
	})
}

// The end of the editor interrupts a turn, which is no cancellation.
func TestTheEditorsEndInterrupts(t *testing.T) {
	onWire(t, everything, `stall`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		sess, err := e.server.session("s1")
		if err != nil {
			t.Fatal(err)
		}
		e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		begin := time.Now()
		_ = e.conn.Close(0)
		e.exit <- <-e.exit
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("the end took %v", took)
		}
		if sess.Info().Unfinished == "" {
			t.Error("the turn was not recorded as interrupted")
		}
	})
}

func TestExitCode(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(e *editor)
		want  int
	}{
		"shutdown and exit": {func(e *editor) { e.must("shutdown", `null`, nil); e.notify("exit", `null`) }, 0},
		"exit alone":        {func(e *editor) { e.notify("exit", `null`) }, 1},
		"hanging up":        {func(e *editor) { _ = e.conn.Close(0) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			onWire(t, everything, `text "x"`, nil, func(t *testing.T, e *editor) {
				c.leave(e)
				got := <-e.exit
				e.exit <- got
				if got != c.want {
					t.Errorf("exit code %d, want %d", got, c.want)
				}
			})
		})
	}
}

func TestShutdownEndsRunningTurns(t *testing.T) {
	onWire(t, everything, `stall`, nil, func(t *testing.T, e *editor) {
		e.newSession()
		prompt := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		e.must("shutdown", `null`, nil)
		var r protocol.PromptResult
		if err := json.Unmarshal(<-prompt, &r); err != nil || r.StopReason != protocol.StopInterrupted {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
