package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"drawbridge/shell"
)

// probeLimit bounds the probe of a profile.
const probeLimit = 5 * time.Second

// New returns what holds commands to p. It probes the profile, at most five
// seconds and once for each; a backend that is missing or does not hold is an
// *Unavailable. Nil without an error is Options.Backend None, or a system that
// has no backend at all: then commands are unconfined.
func New(p Policy, o Options) (*Sandbox, error) {
	if o.Backend == None || len(candidates) == 0 && (o.Backend == Auto || o.Backend == "") {
		return nil, nil
	}
	p, err := p.resolve()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if err := p.makeCaches(); err != nil {
		return nil, fmt.Errorf("sandbox: private caches: %w", err)
	}
	b, err := choose(p, o)
	if err != nil {
		return nil, err
	}
	tidy(p)
	return &Sandbox{policy: p, backend: b}, nil
}

// candidate is a backend of this system.
type candidate struct {
	name   string
	open   func(p Policy, o Options) (backend, error)
	advice string // what to do where it is missing
}

// choose takes the backend that is asked for, or the first that holds.
func choose(p Policy, o Options) (backend, error) {
	asked := o.Backend
	if asked == "" {
		asked = Auto
	}
	missing := &Unavailable{Backend: asked}
	for _, c := range candidates {
		if asked != Auto && asked != c.name {
			continue
		}
		b, err := c.open(p, o)
		if err == nil {
			err = probed(b, p)
		}
		if err == nil {
			return b, nil
		}
		missing.add(c, err)
	}
	if missing.Err == nil {
		missing.Err = errNoBackend
		missing.Advice = "set sandbox.backend: auto in the settings"
	}
	return nil, missing
}

// add notes why a candidate does not hold.
func (e *Unavailable) add(c candidate, err error) {
	err = fmt.Errorf("%s: %w", c.name, err)
	if e.Err != nil {
		err = fmt.Errorf("%w; %w", e.Err, err)
	}
	e.Err = err
	if e.Advice == "" {
		e.Advice = c.advice
		if namespacesRefused.MatchString(err.Error()) {
			e.Advice = allowNamespaces
		}
	}
}

// namespacesRefused are the words of a system that lets ordinary programs have
// no namespaces.
var namespacesRefused = regexp.MustCompile(`(?i)uid map|namespace|clone.*not permitted|loopback|mount proc`)

// allowNamespaces says where that is set.
const allowNamespaces = "this system refuses user namespaces to programs: allow them (Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0, " +
	"or a profile for bwrap; Debian: sysctl kernel.unprivileged_userns_clone=1; in a container: its seccomp and apparmor options), " +
	"or set sandbox.backend: none in the settings, which confines nothing"

// profile is all that a probe's answer depends on.
type profile struct{ backend, policy string }

var (
	holdMu sync.Mutex           // guards holds
	holds  = map[profile]bool{} // that were probed and hold
)

// probed runs the profile once. What does not hold is tried again: the system
// may have been mended.
func probed(b backend, p Policy) error {
	key := profile{b.name(), fmt.Sprintf("%q", p)}
	holdMu.Lock()
	known := holds[key]
	holdMu.Unlock()
	if known {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), probeLimit)
	defer stop()
	if err := b.probe(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.Join(fmt.Errorf("its probe did not end in %s", probeLimit), err)
		}
		return err
	}
	holdMu.Lock()
	defer holdMu.Unlock()
	holds[key] = true
	return nil
}

// tryOut runs l to its end and closes its files; an error has what it printed.
func tryOut(ctx context.Context, l shell.Launch) error {
	if l.Release != nil {
		defer l.Release()
	}
	cmd := exec.CommandContext(ctx, l.Path, l.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.ExtraFiles, cmd.WaitDelay = l.Env, l.Dir, l.Files, probeLimit
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := shell.RunApart(cmd)
	for _, file := range l.Files {
		file.Close()
	}
	if err != nil && out.Len() > 0 {
		return fmt.Errorf("%s (%w)", strings.TrimSpace(out.String()), err)
	}
	return err
}

var tidied sync.Map // roots; each is tidied once in the life of a bridge

// tidy removes what a killed bridge left in the workspace.
func tidy(p Policy) {
	if p.Preset != WorkspaceWrite {
		return
	}
	for _, root := range p.Roots {
		if _, done := tidied.LoadOrStore(root, true); !done {
			sweep(root, p.guard(root))
		}
	}
}

// Backend names what holds: Bubblewrap, LandlockLSM or SandboxExec.
func (s *Sandbox) Backend() string { return s.backend.name() }

// Preset is ReadOnly or WorkspaceWrite.
func (s *Sandbox) Preset() string { return s.policy.Preset }

// Wrap returns what to start instead of l, under a process 1 of ours where the
// backend gives a command processes of its own, so that what its leader leaves
// behind lives on. See shell.Confinement.
func (s *Sandbox) Wrap(l shell.Launch) (shell.Launch, error) {
	if b, ok := s.backend.(interface {
		guarded(l shell.Launch) (shell.Launch, error)
	}); ok {
		var err error
		if l, err = b.guarded(l); err != nil {
			return l, err
		}
	}
	return s.Bare(l)
}

// Bare is Wrap for a caller that waits for the program and needs nothing of it
// to live on.
func (s *Sandbox) Bare(l shell.Launch) (shell.Launch, error) {
	l.Env = s.policy.environ(l.Env)
	wrapped, err := s.backend.wrap(l)
	if err != nil {
		return l, fmt.Errorf("%s: %w", s.backend.name(), err)
	}
	return wrapped, nil
}

// Explain prints what holds, in words.
func (s *Sandbox) Explain(w io.Writer) {
	fmt.Fprintf(w, "backend   %s\npreset    %s\nnetwork   %s\n", s.Backend(), s.Preset(), s.policy.Network)
	for _, root := range s.policy.Roots {
		if s.Preset() == WorkspaceWrite && s.policy.holdsHome(root) {
			fmt.Fprintf(w, "%s is the home folder, or holds it, and is read-only for that: open a folder below it, or name folders in sandbox.writable\n", root)
		}
	}
	s.backend.explain(w)
}

// Lacking says in a line what this machine keeps the backend from, and what to
// do; "" when it holds all that it can.
func (s *Sandbox) Lacking() string {
	if b, ok := s.backend.(interface{ lacking() string }); ok {
		return b.lacking()
	}
	return ""
}
