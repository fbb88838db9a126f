package shell

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// Login knows what the user's terminals have and the bridge has not: an editor
// that was started from a desktop gives it a poor PATH. It asks the user's
// login shell once, in the background, and ends whatever the profile started.
// Safe for concurrent use. One goroutine asks, from Begin to Close at most.
type Login struct {
	opts LoginOptions  // immutable
	once func()        // asks, or waits for who asks
	stop func()        // ends the asking
	done chan struct{} // closed when it has ended

	found LoginReport // written before done is closed
	env   []string    // likewise
}

// LoginOptions may all be left out.
type LoginOptions struct {
	Host  []string      // NAME=value; nil is the bridge's own environment
	Shell string        // path; "" is the user's own
	Limit time.Duration // for the profile; 0 is five seconds
	Log   *slog.Logger  // nil logs nothing
	// Found is called once with the environment that was found, before anybody
	// is given it. May be nil.
	Found func(env []string)
}

// LoginReport says how the asking went.
type LoginReport struct {
	Shell   string
	Took    time.Duration
	Added   []string // names of variables, sorted
	Folders []string // that PATH gained
	Err     error    // why there is nothing but the bridge's own environment
}

const loginLimit = 5 * time.Second

// NewLogin makes a Login that has not begun to ask.
func NewLogin(o LoginOptions) *Login {
	if o.Host == nil {
		o.Host = os.Environ()
	}
	if o.Limit <= 0 {
		o.Limit = loginLimit
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Login{opts: o, stop: stop, done: make(chan struct{}), env: o.Host}
	l.once = sync.OnceFunc(func() {
		defer close(l.done)
		l.ask(ctx)
	})
	return l
}

// Begin asks after a pause, unless that has begun, and does not wait. After
// Close it does nothing.
func (l *Login) Begin(pause time.Duration) { time.AfterFunc(pause, l.once) }

// Env is the bridge's environment with what the login shell adds. It waits for
// the shell, which is bounded, but not past the end of ctx; then, and when the
// shell could not be asked, it is the bridge's own.
func (l *Login) Env(ctx context.Context) []string {
	l.Report(ctx)
	select {
	case <-l.done:
		return slices.Clone(l.env)
	default:
		return slices.Clone(l.opts.Host)
	}
}

// Report waits as Env does.
func (l *Login) Report(ctx context.Context) LoginReport {
	l.Begin(0)
	select {
	case <-l.done:
		return l.found
	case <-ctx.Done():
		return LoginReport{Err: fmt.Errorf("ask the login shell: %w", context.Cause(ctx))}
	}
}

// Close ends the asking and waits until nothing is left of it.
func (l *Login) Close() {
	l.stop()
	l.once()
}

func (l *Login) ask(ctx context.Context) {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, l.opts.Limit)
	defer cancel()
	theirs, err := l.answer(limited)
	l.found.Took, l.found.Err = time.Since(start), err
	switch {
	case ctx.Err() != nil:
		return // nobody is left who would read of it
	case err != nil:
		l.opts.Log.Warn("commands have the environment of the editor only", "shell", l.found.Shell, "err", err)
		return
	}
	l.env, l.found.Added, l.found.Folders = fill(l.opts.Host, theirs)
	if l.opts.Found != nil {
		l.opts.Found(slices.Clone(l.env))
	}
	l.opts.Log.Info("asked the login shell", "shell", l.found.Shell, "took", l.found.Took,
		"added", l.found.Added, "folders", l.found.Folders)
}

// answer is the environment of the login shell, as a terminal has it. What
// people set up for terminals stands in files that interactive shells read,
// some of which end a shell that has no terminal: then it is asked again for
// what every login shell reads.
func (l *Login) answer(ctx context.Context) (theirs []string, err error) {
	if l.found.Shell = l.opts.Shell; l.found.Shell == "" {
		if l.found.Shell, err = userShell(); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, flags := range []string{"-i -l", "-l"} {
		theirs, err = question{l.found.Shell, flags, l.opts}.put(ctx)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return theirs, err
}
