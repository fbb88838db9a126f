package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"drawbridge/shell"
)

// seatbelt runs a command under macOS's sandbox-exec, whose profile the kernel
// asks at each operation: paths need not exist to be protected.
type seatbelt struct {
	policy  Policy
	options Options
}

const seatbeltProgram = "/usr/bin/sandbox-exec"

func openSeatbelt(p Policy, o Options) (backend, error) {
	if _, err := os.Stat(seatbeltProgram); err != nil {
		return nil, err
	}
	return &seatbelt{p, o}, nil
}

func (s *seatbelt) name() string { return SandboxExec }

func (s *seatbelt) probe(ctx context.Context) error {
	l, err := s.wrap(shell.Launch{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", "exit 0"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/"})
	if err != nil {
		return err
	}
	return tryOut(ctx, l)
}

func (s *seatbelt) wrap(l shell.Launch) (shell.Launch, error) {
	plan, err := s.policy.plan(s.options.Environ)
	if err != nil {
		return l, err
	}
	profile, err := plan.seatbelt(s.policy)
	if err != nil {
		return l, err
	}
	l.Args = slices.Concat([]string{seatbeltProgram, "-p", profile, "--", l.Path}, l.Args[1:])
	l.Path = seatbeltProgram
	return l, nil
}

func (s *seatbelt) explain(w io.Writer) {
	plan, err := s.policy.plan(s.options.Environ)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	profile, err := plan.seatbelt(s.policy)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	plan.explain(w)
	fmt.Fprintf(w, "\n%s -p PROFILE -- PROGRAM\n\n%s", seatbeltProgram, profile)
}
