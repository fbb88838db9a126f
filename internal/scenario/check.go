package scenario

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// killGrace is what commands get that their session's end finds running.
const killGrace = 200 * time.Millisecond

// Mode says what Check does with a transcript that differs.
type Mode int

const (
	Compare Mode = iota // it fails
	Update              // the bridge's lines in the file are rewritten
)

// Check plays the scenario against the bridge that start makes, and reports
// everything in which it is not as the file says.
func (s *Scenario) Check(t *testing.T, start Start, mode Mode) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		st, err := newStage(s, dir, start)
		if err != nil {
			t.Fatal(err)
		}
		list := st.perform()
		for _, err := range st.verify() {
			t.Error(err)
		}
		s.compare(t, st, list, mode)
	})
}

func (s *Scenario) compare(t *testing.T, st *stage, list []exchange, mode Mode) {
	t.Helper()
	same := true
	for i := range list {
		same = same && list[i].fits()
	}
	switch {
	case same:
	case mode == Compare || len(st.errs) > 0:
		t.Errorf("%s\n%s", s.Rule, report(list))
	default:
		if err := s.rewrite("wire", updated(list)); err != nil {
			t.Error(err)
		}
	}
	s.compareCommands(t, st.commands(), mode)
}

func (s *Scenario) compareCommands(t *testing.T, got string, mode Mode) {
	t.Helper()
	want := s.wants.commands
	switch {
	case want == nil || *want == got:
	case mode == Compare:
		t.Error(differs("the commands", *want, got))
	default:
		if err := s.rewrite("want-shell", got); err != nil {
			t.Error(err)
		}
	}
}

// keptShell lets one scripted shell serve every session of a scenario, and each
// session end its own commands: the next one still finds the script.
type keptShell struct {
	*shelltest.Fake

	mu     sync.Mutex // guards below
	own    []shell.Process
	closed bool
}

// Start implements shell.Runner.
func (k *keptShell) Start(spec shell.Spec) (shell.Process, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, &shell.SpawnError{Dir: spec.Dir, Err: shell.ErrClosed}
	}
	p, err := k.Fake.Start(spec)
	if err == nil {
		k.own = append(k.own, p)
	}
	return p, err
}

// Close implements shell.Runner.
func (k *keptShell) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	own := k.own
	k.mu.Unlock()
	for _, p := range own {
		if err := p.Kill(ctx, killGrace); err != nil {
			return err
		}
	}
	return nil
}
