package lsp

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
)

// An editor that did not show what a file holds is not asked again for the same,
// which would cost every call the wait.
func TestARefreshInVainIsNotAskedForAgain(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		asked := 0
		e.onFresh = func(json.RawMessage) (any, error) {
			asked++
			return json.RawMessage(`{"refreshed":false}`), nil
		}
		e.initialize(`{"experimental":{"drawbridge":{"version":1,"refreshes":true}}}`)
		e.notify("textDocument/didOpen", open("text"))
		synctest.Wait()
		for i, disk := range []string{"one", "one", "two", "two", "one"} {
			e.face.Refresh(context.Background(), docPath, disk)
			if want := []int{1, 1, 2, 2, 3}[i]; asked != want {
				t.Errorf("after %d refreshes the editor was asked %d times, want %d", i+1, asked, want)
			}
		}
	})
}

// A refresh that the end of its turn cut short says nothing of the editor.
func TestARefreshCutShortIsAskedForAgain(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, e *editor) {
		asked, over := 0, make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		e.onFresh = func(json.RawMessage) (any, error) {
			asked++
			cancel()
			<-over
			return json.RawMessage(`{"refreshed":false}`), nil
		}
		e.initialize(`{"experimental":{"drawbridge":{"version":1,"refreshes":true}}}`)
		e.notify("textDocument/didOpen", open("text"))
		synctest.Wait()
		e.face.Refresh(ctx, docPath, "one")
		close(over)
		e.face.Refresh(context.Background(), docPath, "one")
		if asked != 2 {
			t.Errorf("the editor was asked %d times, want 2", asked)
		}
	})
}
