package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	cfg, err := checked(config.Load(dirs))
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{dirs: dirs, log: slog.New(slog.NewTextHandler(io.Discard, nil)), keys: &providers.Keys{}, trust: config.OpenTrust(dirs, faultsOfTools)}
	s.said = s.policiesOf(nil)
	s.use(cfg)
	r := newReloader(s, 7)
	var told []bridge.SettingsChange
	r.tell = func(c bridge.SettingsChange) { told = append(told, c) }

	if _, changed := r.begin(); changed || len(told) > 0 {
		t.Errorf("nothing was changed, and told is %+v", told)
	}
	write("mode: auto-edit\napproval: {tools: {write_file: always_deny}}\n")
	r.look()
	if s.cfg().Mode != "plan" || len(s.said.policy("/w", []string{"/w"}).Tools) != 0 {
		t.Error("it counts before the turn")
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
