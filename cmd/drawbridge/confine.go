package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"drawbridge/approval"
	"drawbridge/config"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/shell/sandbox"
)

// confine is what holds the commands of a session; nil where its preset, the
// settings or the system confine nothing.
func (s *setup) confine(c session.Confines) (shell.Confinement, error) {
	box, err := s.sandbox(c)
	if err != nil || box == nil {
		return nil, err
	}
	return box, nil
}

// sandbox is confine for a caller that starts the program itself.
func (s *setup) sandbox(c session.Confines) (*sandbox.Sandbox, error) {
	switch c.Preset {
	case approval.PresetReadOnly, approval.PresetWorkspaceWrite:
		return sandbox.New(s.policy(c), sandbox.Options{Backend: s.narrowedSandbox(c.Roots).Backend, Environ: os.Environ()})
	case approval.PresetFullAccess:
		return nil, nil
	}
	return nil, fmt.Errorf("unknown preset %q: choose read-only, workspace-write or full-access", c.Preset)
}

// networkOrder goes from the widest to the strictest.
var networkOrder = []string{"full", "loopback", "none"}

// narrowedSandbox is the user's, where what the folders bring and the user trusts
// is not stricter. Of two that confine, which is stricter depends on the machine,
// and so the user's stays.
func (s *setup) narrowedSandbox(roots []string) config.Sandbox {
	now := s.cfg().Sandbox
	for _, b := range trustedIn(s.trust, roots) {
		now.Network = stricter(networkOrder, now.Network, b.Sandbox.Network)
		if now.Backend == "none" {
			now.Backend = cmp.Or(b.Sandbox.Backend, now.Backend)
		}
	}
	return now
}

// setIn names the variables that are set for commands.
func (s *setup) setIn(roots []string) []string {
	names := slices.Collect(maps.Keys(s.cfg().Environment.Set))
	for _, b := range trustedIn(s.trust, roots) {
		names = slices.AppendSeq(names, maps.Keys(b.Environment.Set))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// policy is what the settings say about a session's commands. Our own folders
// are never written by one, and not read but for scratch folders.
func (s *setup) policy(c session.Confines) sandbox.Policy {
	return sandbox.Policy{
		Preset:    string(c.Preset),
		Roots:     c.Roots,
		Tmp:       c.Tmp,
		Caches:    filepath.Join(s.dirs.Cache, "commands"),
		Writable:  s.cfg().Sandbox.Writable,
		Protected: s.dirs.Protected(),
		Hidden:    s.hidden(),
		Shown:     s.shown(),
		Network:   sandbox.Network(s.narrowedSandbox(c.Roots).Network),
		Pass:      slices.Concat(s.cfg().Sandbox.Pass, s.cfg().Environment.Allow),
		Set:       s.setIn(c.Roots),
		Home:      s.dirs.Home,
	}
}

// hidden are our own files, as no command may read them: the settings with their
// keys and all that is kept, be it there by now or later.
func (s *setup) hidden() []string { return []string{s.dirs.Config, s.dirs.State} }

// shown is what a command sees of our own folders, read-only: scratch folders,
// where long output of tools is kept for the model.
func (s *setup) shown() []string { return []string{filepath.Join(s.dirs.State, "scratch")} }
