package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"drawbridge/approval"
	"drawbridge/approval/command"
	"drawbridge/approval/rule"
	"drawbridge/workspace"
)

// world is what a command of a workspace would meet.
type world struct {
	ws   *workspace.Workspace
	path func() string
	home string
}

// NewWorld returns what commands in a workspace would meet: its files, the
// programs that path, their PATH, has at the time, and home, their HOME. Safe
// for concurrent use if path is.
func NewWorld(ws *workspace.Workspace, path func() string, home string) command.World {
	return world{ws: ws, path: path, home: home}
}

// Target of a path that cannot be followed, around a ring of links say, is
// outside and its reading asked about.
func (w world) Target(dir, name string) command.Target {
	p, err := w.ws.ResolveFrom(dir, name)
	t := Target(p)
	if err != nil && t.Secret == "" {
		t.Secret = "nobody can tell what it leads to"
	}
	return t
}

// Program is inside the workspace when the folder that it was found in is, or
// what it is a link to; and when a folder of PATH depends on where the command
// runs, for then anything may be found first.
func (w world) Program(name string) (t command.Target, ok bool) {
	for _, dir := range filepath.SplitList(w.path()) {
		if !filepath.IsAbs(dir) {
			return command.Target{Abs: name, Lexical: name, Inside: true}, true
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		t = w.Target("/", file)
		folder := w.Target("/", dir)
		t.Inside = t.Inside || folder.Inside
		return t, true
	}
	return command.Target{}, false
}

func (w world) Glob(dir, pattern string) (names []string, ok bool) {
	return workspace.Glob(dir, pattern)
}

// Secrets knows names and what IgnoreFile says.
func (w world) Secrets(dir string) (names []string, ok bool) {
	return w.ws.Below(dir, rule.HoldsSecrets)
}

func (w world) Home() string { return w.home }

// world is that of this session's commands. It waits for nobody: what the login
// shell has not said yet of PATH is not there.
func (s *Session) world() command.World {
	path := sync.OnceValue(func() string { return s.variable("PATH") })
	return NewWorld(s.ws, path, s.variable("HOME"))
}

// variable is one of the environment of commands, as it is known now.
func (s *Session) variable(name string) (value string) {
	if s.env.Environ == nil {
		return ""
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kv := range s.env.Environ(now, s.env.TTY) {
		if is, v, ok := strings.Cut(kv, "="); ok && is == name {
			value = v
		}
	}
	return value
}

// Target describes a path of a plan to the gate.
func Target(p workspace.Path) approval.Target {
	t := approval.Target{Abs: p.Abs, Lexical: p.Lexical, Inside: p.Inside, Protected: p.Protected, Secret: p.Ignored}
	if p.Inside {
		t.Rel = p.Rel
	}
	if p.Holds {
		t.Holds = workspace.HoldsProtected
	}
	for _, path := range []string{p.Abs, p.Lexical} {
		if t.Secret == "" {
			t.Secret = rule.HoldsSecrets(path)
		}
	}
	return t
}

// target is Target for what a change would make of the path.
func target(p workspace.Path, change *workspace.Change) approval.Target {
	t := Target(p)
	if change != nil && change.Path.Abs == p.Abs && change.Kind == workspace.Modify {
		t.Plain = rule.RunsSame(p.Abs, change.Old, change.New) && rule.RunsSame(p.Lexical, change.Old, change.New)
	}
	return t
}
