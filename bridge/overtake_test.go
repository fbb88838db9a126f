package bridge

import (
	"context"
	"encoding/json"
	"testing"
)

// A yes that is sent behind a change of the preset is heard behind it: nothing
// happens by it, however close it follows.
func TestAYesDoesNotOvertakeAPreset(t *testing.T) {
	for range 20 {
		onWire(t, everything, editBoth, nil, func(t *testing.T, e *editor) {
			e.write("a.txt", twoHelos)
			e.newSession()
			e.answers("approval/request", func(context.Context, json.RawMessage) (any, error) {
				e.begin("configure", "session/configure", `{"sessionId":"s1","preset":"read-only"}`)
				return map[string]string{"outcome": "selected", "optionId": "allow"}, nil
			})
			e.prompt()
			if got := e.file("a.txt"); got != twoHelos {
				t.Errorf("under read-only it is written: %q", got)
			}
		})
	}
}
