package shell

import (
	"os"
	"slices"
	"strings"
)

// EnvOptions says how a command's environment differs from the host's.
type EnvOptions struct {
	Host    []string // NAME=value; nil is the bridge's own environment
	Allow   []string // names kept although they would be withheld, in any case
	Secrets []string // names withheld although they do not look it, in any case
	Set     []string // NAME=value added last; may bring a withheld name back
	// TTY says that a person shares the command's terminal: it may colour and
	// ask.
	TTY bool
	// Full leaves pagers, editors, prompts and colours as the host has them.
	Full bool
}

// Environ is the environment of a command: the host's without what would
// mislead a command or tell it a secret, then o.Set, then settings that keep
// programs from asking, paging and colouring. The latter always win. Withheld
// variables are absent, not empty: an empty FORCE_COLOR still turns colours on.
func Environ(o EnvOptions) []string {
	host := o.Host
	if host == nil {
		host = os.Environ()
	}
	tamed := o.tamed()
	env := make([]string, 0, len(host)+len(o.Set)+len(tamed))
	for _, kv := range host {
		name, value, ok := strings.Cut(kv, "=")
		if ok && name != "" && !o.withheld(name, value) {
			env = append(env, kv)
		}
	}
	return override(override(env, o.Set), tamed)
}

// tamed keeps a command from waiting for somebody who is not there, and from
// writing what nobody can read. In a terminal a person is there, who can read
// colours and answer git; a pager or an editor would still stop a command that
// the model is to go on with.
func (o EnvOptions) tamed() []string {
	switch {
	case o.Full && o.TTY:
		return []string{terminalType}
	case o.Full:
		return nil
	case o.TTY:
		return append([]string{terminalType}, unpaged...)
	}
	return append([]string{"GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1"}, unpaged...)
}

const terminalType = "TERM=xterm-256color"

var unpaged = []string{"GIT_EDITOR=true", "PAGER=cat", "GIT_PAGER=cat"}

func override(env, with []string) []string {
	for _, kv := range with {
		name := envName(kv)
		if name == "" {
			continue
		}
		env = slices.DeleteFunc(env, func(old string) bool { return envName(old) == name })
		env = append(env, kv)
	}
	return env
}

// envName is the part before '='; "" for what is no variable.
func envName(kv string) string {
	name, _, ok := strings.Cut(kv, "=")
	if !ok {
		return ""
	}
	return name
}
