package bridge

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opens stands for a client that can show files; the other members are what it
// knows of us.
func opens(ours string) string {
	return `{"experimental":{"drawbridge":` + ours + `},"window":{"showDocument":{"support":true}},"textDocument":{"publishDiagnostics":{}}}`
}

// lying says whether the file that shows g1 is there.
func (e *editor) lying() bool {
	synctest.Wait()
	_, err := os.Stat(filepath.Join(e.server.diffs.folder(), "s1", "g1-a.txt.diff"))
	return err == nil
}

const showG1 = `{"command":"drawbridge.showDiff","arguments":[{"sessionId":"s1","changeId":"g1"}]}`

func yes(context.Context, json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil }

// A change that is decided already is shown for a while: no decision of it will
// end that.
func TestTheFileOfADecidedChangeGoesAfterAWhile(t *testing.T) {
	onWire(t, opens("null"), editBoth, nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.must("session/configure", `{"sessionId":"s1","mode":"auto-edit"}`, nil)
		e.prompt()
		e.answers("window/showDocument", yes)
		e.must("workspace/executeCommand", showG1, nil)
		time.Sleep(2 * shownTime)
		if !e.lying() {
			t.Error("what waits for a decision is not shown any more")
		}
		e.must("workspace/executeCommand", `{"command":"drawbridge.acceptAll"}`, nil)
		if e.lying() {
			t.Error("it was decided and is shown on")
		}
		e.must("workspace/executeCommand", showG1, nil)
		time.Sleep(shownTime / 2)
		e.must("workspace/executeCommand", showG1, nil)
		time.Sleep(shownTime * 3 / 4)
		if !e.lying() {
			t.Error("it was shown anew and went with what was shown before")
		}
		time.Sleep(shownTime / 2)
		if e.lying() {
			t.Error("it lies there for ever")
		}
		e.must("workspace/executeCommand", showG1, nil)
		if !e.lying() {
			t.Fatal("it is not shown")
		}
		e.prompt()
		if e.lying() {
			t.Error("the turn ended and it is shown on")
		}
	})
}

// A client may have a review and no questions: it is asked by messages.
func TestTheFileOfAQuestionGoesWithTheAnswerInEveryClient(t *testing.T) {
	onWire(t, opens(`{"version":1,"review":true}`), strings.Replace(editBoth, "----\n", "----\nsleep 1m\n", 1), nil, func(t *testing.T, e *editor) {
		e.write("a.txt", twoHelos)
		e.newSession()
		e.answers("window/showDocument", yes)
		asked := 0
		e.answers("window/showMessageRequest", func(context.Context, json.RawMessage) (any, error) {
			if asked++; asked == 1 {
				return map[string]string{"title": titleDiff}, nil
			}
			time.Sleep(time.Hour)
			if !e.lying() {
				t.Error("it is asked about and not shown any more")
			}
			return map[string]string{"title": titleAccept}, nil
		})
		done := e.begin("prompt", "session/prompt", promptS1)
		time.Sleep(time.Hour + time.Second)
		if e.lying() || e.file("a.txt") == twoHelos {
			t.Error("it was answered and is shown on")
		}
		<-done
	})
}
