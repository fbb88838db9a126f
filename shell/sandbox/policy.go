// Package sandbox confines commands by means of the system: bubblewrap or
// Landlock on Linux, sandbox-exec on macOS. It turns a Policy, which is a list
// of paths, into a shell.Confinement; it knows nothing of tools, sessions or
// settings, and starts no command but the probe of a profile.
//
// It starts no goroutines. The zero Policy allows nothing to be written.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"drawbridge/shell"
)

// Presets that confine.
const (
	ReadOnly       = "read-only"
	WorkspaceWrite = "workspace-write"
)

// Network is what a confined command reaches of the network.
type Network string

const (
	// NoNetwork reaches nothing outside the command. Where the backend gives it a
	// network of its own (bubblewrap), what the command started itself is reached
	// by loopback.
	NoNetwork Network = "none"
	// Loopback reaches loopback addresses: of the command's own network where the
	// backend gives it one, else of the machine.
	Loopback Network = "loopback"
	// FullNetwork is the machine's network, abstract sockets included.
	FullNetwork Network = "full"
)

// Policy is what the commands of one workspace may reach. All paths are
// absolute; they are resolved by New. The deepest path that names a place
// decides about it, and of two that are equal the order is: Writable, Shown,
// Hidden, Protected, Roots.
type Policy struct {
	Preset string // ReadOnly or WorkspaceWrite
	// Roots are the workspace's folders, writable under WorkspaceWrite but for what
	// is protected in them, and but for one that is the home folder or holds it.
	Roots []string
	// Tmp is the session's private folder for temporary files: TMPDIR, and /tmp
	// where the backend can put it there. It must exist, and is writable under
	// either preset.
	Tmp string
	// Caches is our folder for caches of compilers and package managers; each
	// workspace has one of its own in it. Writable under either preset. "" has
	// none, and then such programs find their caches read-only.
	Caches string
	// Writable are further folders that WorkspaceWrite may write.
	Writable []string
	// Protected are never written, be they there or not: our own state and
	// settings.
	Protected []string
	// Hidden are not even read, where the backend can hide: credentials and
	// sockets of services, besides those that are known (see hidden).
	Hidden []string
	// Shown are folders in hidden ones that are read all the same, and not written.
	Shown   []string
	Network Network // "" is NoNetwork
	// Pass are variables that a command sees besides the usual ones, Set those
	// that the user's settings set.
	Pass, Set []string
	Home      string // the user's home folder; "" is none
}

// Backend names for Options.
const (
	Auto        = "auto"
	Bubblewrap  = "bubblewrap"
	LandlockLSM = "landlock"
	SandboxExec = "sandbox-exec"
	None        = "none"
)

// Options say how New confines.
type Options struct {
	// Backend is Auto ("" too), one by name, or None. One that is named and
	// missing is an error.
	Backend string
	// Environ is the bridge's environment, which names sockets to be hidden;
	// NAME=value.
	Environ []string
}

// Sandbox is a Policy held by a backend. It is a shell.Confinement, safe for
// concurrent use.
type Sandbox struct {
	policy  Policy
	backend backend
}

// backend is one of the system's means.
type backend interface {
	name() string
	// probe runs the very profile with a program that does nothing. It is called
	// once per profile; ctx bounds it. An error says in the system's words why the
	// profile does not hold.
	probe(ctx context.Context) error
	// wrap returns what to start instead of l, whose environment is filtered
	// already. It must not weaken the policy: what it cannot enforce is an error.
	wrap(l shell.Launch) (shell.Launch, error)
	// explain prints what holds in words, and what does not.
	explain(w io.Writer)
}

// Unavailable is the error of a backend that is missing or does not hold.
// Nothing runs instead.
type Unavailable struct {
	Backend string // the backend asked for; "auto" when none was found
	Err     error  // why
	Advice  string // what to install or to set
}

func (e *Unavailable) Error() string {
	text := fmt.Sprintf("SANDBOX_UNAVAILABLE: %s: %v", e.Backend, e.Err)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

func (e *Unavailable) Unwrap() error { return e.Err }

// resolve checks p and follows the links in its paths, so that a rule for a
// path holds for the place.
func (p Policy) resolve() (Policy, error) {
	if p.Preset != ReadOnly && p.Preset != WorkspaceWrite {
		return p, fmt.Errorf("preset %q confines nothing", p.Preset)
	}
	switch p.Network {
	case "":
		p.Network = NoNetwork
	case NoNetwork, Loopback, FullNetwork:
	default:
		return p, fmt.Errorf("network %q: choose none, loopback or full", p.Network)
	}
	if p.Tmp == "" {
		return p, errors.New("no private folder for temporary files")
	}
	for _, list := range []*[]string{&p.Roots, &p.Writable, &p.Protected, &p.Hidden, &p.Shown} {
		resolved, err := resolveAll(*list)
		if err != nil {
			return p, err
		}
		*list = resolved
	}
	for _, one := range []*string{&p.Tmp, &p.Caches, &p.Home} {
		if *one == "" {
			continue
		}
		resolved, err := resolveAll([]string{*one})
		if err != nil {
			return p, err
		}
		*one = resolved[0]
	}
	p.Protected = append(slices.Clip(p.Protected), programs()...)
	return p, nil
}

// programs are the files that this program is: itself, and what commands are
// started through, unconfined until it confines itself.
func programs() []string {
	var paths []string
	if self, err := os.Executable(); err == nil {
		paths = append(paths, followed(self))
	}
	if guard, err := shell.GuardPath(); err == nil {
		paths = append(paths, guard)
	}
	return paths
}

func resolveAll(paths []string) ([]string, error) {
	resolved := make([]string, 0, len(paths))
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("%q is not an absolute path", path)
		}
		if real := followed(path); !slices.Contains(resolved, real) {
			resolved = append(resolved, real)
		}
	}
	return resolved, nil
}

// followed is path with the links of what exists of it resolved.
func followed(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(followed(parent), filepath.Base(path))
}

// errNoBackend is why auto finds nothing.
var errNoBackend = errors.New("this system offers nothing to confine commands with")
