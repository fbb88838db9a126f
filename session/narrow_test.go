package session

import (
	"testing"

	"drawbridge/approval"
)

// What the user trusts of a folder's settings narrows a session at once, and one
// that is opened again.
func TestASessionIsNarrowedByWhatIsTrusted(t *testing.T) {
	trusted := false
	b := newBench(t, func(o *Options) {
		o.Narrow = func(_ []string, mode approval.Mode, preset approval.Preset) (approval.Mode, approval.Preset) {
			if trusted {
				return approval.Plan, approval.PresetReadOnly
			}
			return mode, preset
		}
	})
	check := func(s *Session, mode approval.Mode, preset approval.Preset) {
		t.Helper()
		if info := s.Info(); info.Mode != mode || info.Preset != preset || s.gate.Mode() != mode || s.gate.Preset() != preset {
			t.Errorf("it has %s, %s, and says %s, %s", s.gate.Mode(), s.gate.Preset(), info.Mode, info.Preset)
		}
	}
	now, later := b.start(t), b.start(t)
	was := now.Info()
	now.Narrow()
	check(now, was.Mode, was.Preset)
	id := later.Info().ID
	if err := later.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	trusted = true
	now.Narrow()
	check(now, approval.Plan, approval.PresetReadOnly)
	again, _, err := b.Load(id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	check(again, approval.Plan, approval.PresetReadOnly)
	if _, err := again.Configure(Settings{Mode: approval.AlwaysAsk}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Load(id, 0, func(Event) {}); err != nil { // which is open
		t.Fatal(err)
	}
	check(again, approval.AlwaysAsk, approval.PresetReadOnly)
}
