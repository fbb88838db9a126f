package bridge

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/config"
	"drawbridge/rpc/protocol"
)

var faulty = SettingsChange{
	Problems: []config.Problem{{File: "/c.yaml", Line: 3, Column: 1, Text: `unknown setting "preste"`}}, Warnings: []string{"a rule counts for nothing"},
}

// What becomes of changed settings is told, with the places of their faults, to
// clients of every kind.
func TestChangedSettingsAreTold(t *testing.T) {
	for face, capabilities := range map[string]string{"native": everything, "plain": plainCapabilities} {
		t.Run(face, func(t *testing.T) {
			onWire(t, capabilities, `text "hello"`, nil, func(t *testing.T, e *editor) {
				e.server.tellSettings(faulty)
				e.server.tellSettings(SettingsChange{Applied: true, Changed: []string{"mode"}, Later: []string{"mode: new sessions"}})
				synctest.Wait()
				if face == "plain" {
					checkToldPlainly(t, e)
					return
				}
				told := of[protocol.SettingsChanged](e, "settings/changed")
				if len(told) != 2 || told[0].Applied || len(told[0].Problems) != 2 || !told[0].Problems[1].Warning ||
					told[0].Problems[0].Line != 3 || !told[1].Applied || told[1].Changed[0] != "mode" || len(told[1].Later) != 1 {
					t.Errorf("%+v", told)
				}
			})
		})
	}
}

func checkToldPlainly(t *testing.T, e *editor) {
	t.Helper()
	said := of[struct{ Message string }](e, "window/showMessage")
	if len(said) != 2 || !strings.Contains(said[0].Message, `/c.yaml:3:1: unknown setting "preste"`) || !strings.Contains(said[1].Message, "mode") {
		t.Errorf("%+v", said)
	}
}

// Who follows the settings ends with the connection.
func TestFollowingEndsWithTheConnection(t *testing.T) {
	ended := make(chan struct{})
	synctest.Test(t, func(t *testing.T) {
		e := start(t, `text "hello"`, nil)
		e.server.o.Follow = func(ctx context.Context, tell func(SettingsChange)) {
			tell(SettingsChange{Applied: true})
			<-ctx.Done()
			close(ended)
		}
		e.must("initialize", `{"processId":null,"capabilities":`+everything+`}`, nil)
		e.notify("initialized", `{}`)
		synctest.Wait()
		if n := len(of[protocol.SettingsChanged](e, "settings/changed")); n != 1 {
			t.Errorf("told %d times", n)
		}
		e.stop()
		<-ended
	})
}
