package session

import (
	"strings"
	"testing"

	"drawbridge/approval"
)

// A decision stands for the preset that it was made under: what it allowed and has
// not begun when that changes is not done. What only reads is.
func TestADecisionIsForItsPreset(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	d := approval.Decision{Outcome: approval.Allowed, Preset: s.gate.Preset()}
	for _, name := range []string{"exec_command", "write_file", "read_file"} {
		if err := s.overtaken(&call{tool: s.tools[name]}, d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Configure(Settings{Preset: approval.PresetReadOnly}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"exec_command", "write_file"} {
		c := &call{tool: s.tools[name]}
		if err := s.overtaken(c, d); err == nil || !strings.Contains(err.Error(), "Not done: the preset changed from "+string(d.Preset)+" to read-only") || c.denied == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.overtaken(&call{tool: s.tools["read_file"]}, d); err != nil {
		t.Error(err)
	}
}
