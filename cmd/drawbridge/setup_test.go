package main

import (
	"testing"

	"drawbridge/config"
	"drawbridge/model/providers"
)

// What the user has set reaches the sessions.
func TestSettingsReachSessions(t *testing.T) {
	cfg, err := config.Parse("settings", []byte("model: script:x\nmode: plan\npreset: read-only\nsaveBeforeCommands: false\ncheckpoints: {enabled: false, maxBytes: 3MiB}\napproval: {timeout: 7s, remind: 8s}\ndiagnostics: {wait: 3s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []config.Config{cfg, config.Default()} {
		s := &setup{keys: &providers.Keys{}}
		s.settings.Store(&c)
		o := s.session()
		d := o.Defaults
		if d.Model != c.Model || string(d.Mode) != c.Mode || string(d.Preset) != c.Preset || d.Profile != c.Profile ||
			o.SaveBeforeCommands != c.SaveBeforeCommands || o.NoCheckpoints == c.Checkpoints.Enabled ||
			o.CheckpointBytes != c.Checkpoints.MaxBytes || o.ApprovalTimeout != c.Approval.Timeout || o.Remind != c.Approval.Remind || o.DiagnosticsWait != c.Diagnostics.Wait {
			t.Errorf("of %+v came %+v", c, o)
		}
	}
}
