package bridge

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
)

// A command and the message may be answered at the same time: the first one
// counts, and the other is no trouble. A word about what stands is.
func TestAnAnswerThatCameSecondIsNoTrouble(t *testing.T) {
	onWire(t, `{"textDocument":{"publishDiagnostics":{}}}`, editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		answer := make(chan string)
		e.answers("window/showMessageRequest", func(context.Context, json.RawMessage) (any, error) {
			return map[string]string{"title": <-answer}, nil
		})
		done := e.begin("prompt", "session/prompt", promptS1)
		synctest.Wait()
		r := e.server.review
		r.mu.Lock()
		late := r.list[0].restLocked(false)
		r.list[0].sent = false // as it is for the message
		r.mu.Unlock()
		answer <- titleReject
		<-done
		synctest.Wait()
		if err := r.carryOut(context.Background(), []*verdict{late}); err != nil {
			t.Error(err)
		}
		late.answer = false
		if err := r.carryOut(context.Background(), []*verdict{late}); err == nil {
			t.Error("a word about what does not stand came to nothing, and nobody is told")
		}
	})
}
