package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/bridge"
	"drawbridge/config"
	"drawbridge/model/providers"
)

// Settings that change count from the next turn on; with a fault in them those
// count that were read last.
func TestChangedSettingsCountFromTheNextTurn(t *testing.T) {
	dirs := config.Dirs{Config: t.TempDir(), State: t.TempDir()}
	file := filepath.Join(dirs.Config, "config.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mode: plan\nsaveBeforeCommands: false\n")
	cfg, err := config.Load(dirs, faultsOfTools)
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{dirs: dirs, log: slog.New(slog.NewTextHandler(io.Discard, nil)), keys: &providers.Keys{}, trust: config.OpenTrust(dirs, faultsOfTools)}
	s.said = s.policiesOf(nil)
	s.use(cfg)
	r := newReloader(s, 7)
	r.file.Now = func() time.Time { return time.Now().Add(time.Hour) } // the file has rested
	var told []bridge.SettingsChange
	r.tell = func(c bridge.SettingsChange) { told = append(told, c) }

	if _, changed := r.begin(); changed || len(told) > 0 {
		t.Errorf("nothing was changed, and told is %+v", told)
	}
	write("mode: auto-edit\napproval: {tools: {write_file: always_deny}}\n")
	r.look()
	if s.cfg().Mode != "plan" {
		t.Error("it counts before the turn")
	}
	if s.said.policy("/w", []string{"/w"}).Tools["write_file"] != approval.ToolDeny {
		t.Error("a restriction waits for the turn")
	}
	live, changed := r.begin()
	if !changed || live.Defaults.Mode != approval.AutoEdit || !live.SaveBeforeCommands || live.Defaults.MaxSteps != 7 ||
		s.said.policy("/w", []string{"/w"}).Tools["write_file"] != approval.ToolDeny {
		t.Errorf("changed %v, %+v", changed, live)
	}
	write("mode: plan\nprofle: compact\n")
	if _, changed := r.begin(); changed || s.cfg().Mode != "auto-edit" {
		t.Error("settings with a fault count")
	}
	write("mode: auto-edit\napproval: {tools: {write_file: always_deny}}\ntools: {agent_toolset_20260401: {type: x}}\n")
	if _, changed := r.begin(); changed {
		t.Error("a toolset that cannot be counts")
	}
	if len(told) != 3 || !told[0].Applied || !slices.Equal(told[0].Changed, []string{"mode", "saveBeforeCommands", "approval.tools"}) ||
		len(told[0].Later) == 0 || told[1].Applied || told[1].Problems[0].Line != 2 || !strings.Contains(told[1].Problems[0].Text, "profile") ||
		len(told[2].Problems) == 0 {
		t.Errorf("told is %+v", told)
	}
}

// A comment, or another right on the file, is nothing to tell of.
func TestWhatChangesNoSettingIsNotTold(t *testing.T) {
	dirs := config.Dirs{Config: t.TempDir(), State: t.TempDir()}
	s := &setup{dirs: dirs, log: slog.New(slog.DiscardHandler), keys: &providers.Keys{}, trust: config.OpenTrust(dirs, faultsOfTools)}
	s.said = s.policiesOf(nil)
	r := newReloader(s, 0)
	r.file.Now = func() time.Time { return time.Now().Add(time.Hour) }
	var told []bridge.SettingsChange
	r.tell = func(c bridge.SettingsChange) { told = append(told, c) }
	for _, step := range []struct {
		text string
		told int
	}{
		{"mode: plan\n", 1}, {"mode: plan # as ever\n", 1}, {"mode: paln\n", 2}, {"mode: plan\n", 3}, {"", 4}, {"# none\n", 4},
	} {
		if err := os.WriteFile(config.FileOf(dirs), []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.look()
		if len(told) != step.told {
			t.Errorf("%q: told %d times, not %d: %+v", step.text, len(told), step.told, told)
		}
	}
	if last := told[len(told)-1]; len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0], "the defaults count") {
		t.Errorf("%+v", last)
	}
}
