package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"drawbridge/approval"
	"drawbridge/config"
	"drawbridge/model/providers"
	"drawbridge/session"
)

// checkSandbox confines a command in an empty workspace by each preset that
// confines, as the settings say, and reports what held it.
func checkSandbox(dirs config.Dirs) finding {
	f := finding{name: "sandbox"}
	cfg, err := config.Load(dirs)
	if err != nil {
		f.found, f.unused = "not tried: the settings cannot be read", true
		return f
	}
	dir, err := os.MkdirTemp("", "drawbridge-doctor-")
	if err != nil {
		f.found, f.bad, f.advice = err.Error(), true, "make the folder for temporary files writable, or set TMPDIR"
		return f
	}
	defer os.RemoveAll(dir)
	s := &setup{dirs: dirs, log: slog.New(slog.DiscardHandler), keys: &providers.Keys{}}
	s.settings.Store(&cfg)
	s.dirs.Cache = filepath.Join(dir, "cache")
	c := session.Confines{Roots: []string{filepath.Join(dir, "workspace")}, Tmp: filepath.Join(dir, "tmp")}
	for _, made := range []string{c.Roots[0], c.Tmp} {
		if err := os.Mkdir(made, 0o700); err != nil {
			f.found, f.bad = err.Error(), true
			return f
		}
	}
	for _, c.Preset = range []approval.Preset{approval.PresetWorkspaceWrite, approval.PresetReadOnly} {
		box, err := s.sandbox(c)
		switch {
		case err != nil:
			f.found = err.Error()
			f.advice = "until then commands are refused under the presets read-only and workspace-write"
			return f
		case box == nil:
			f.found = "nothing confines commands (" + whyUnconfined(c.Preset) + ")"
			f.advice = "every question about a command says unconfined; read them"
			return f
		}
		f.found, f.advice = box.Backend(), box.Lacking()
	}
	f.found += " holds commands: workspace-write writes " + strings.Join(append([]string{"the workspace"}, cfg.Sandbox.Writable...), ", ") +
		"; read-only writes nothing of yours; network: " + cfg.Sandbox.Network
	return f
}
