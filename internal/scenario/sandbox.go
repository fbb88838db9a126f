package scenario

import (
	"errors"
	"strings"

	"drawbridge/session"
	"drawbridge/shell"
)

// What a scenario says of the sandbox: the system has none at all, it works, or
// it should be there and is not.
const (
	sandboxNone    = "none"
	sandboxYes     = "yes"
	sandboxMissing = "missing"
)

// sandbox holds nothing: it is there to be named. Its commands are scripted.
type sandbox struct{ preset string }

func (sandbox) Backend() string                           { return "sandbox" }
func (s sandbox) Preset() string                          { return s.preset }
func (sandbox) Wrap(l shell.Launch) (shell.Launch, error) { return l, nil }
func (sandbox) Denied(output string, exit shell.Exit) shell.Denial {
	if exit.Code != 0 && strings.Contains(output, "Read-only file system") {
		return shell.Denial{Why: "[the sandbox denied a write]"}
	}
	return shell.Denial{}
}

// confine is what holds commands; nil where nothing could.
func (f *flags) confine() func(session.Confines) (shell.Confinement, error) {
	switch f.sandbox {
	case sandboxYes:
		return func(c session.Confines) (shell.Confinement, error) { return sandbox{string(c.Preset)}, nil }
	case sandboxMissing:
		return func(session.Confines) (shell.Confinement, error) {
			return nil, errors.New("SANDBOX_UNAVAILABLE: the program is not installed")
		}
	}
	return nil
}

// redact hides the scenario's secrets; nil where it has none.
func (f *flags) redact() func(string) string {
	if f.secrets == nil {
		return nil
	}
	var pairs []string
	for _, s := range f.secrets {
		pairs = append(pairs, s, "[redacted]")
	}
	return strings.NewReplacer(pairs...).Replace
}
