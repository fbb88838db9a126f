package main

import (
	"context"
	"os"
	"slices"
	"time"

	"drawbridge/shell"
)

// environ is the environment of a command of a session with these folders.
func (s *setup) environ(ctx context.Context, roots []string, tty bool) []string {
	o := s.ruleIn(roots)
	o.TTY = tty
	if login := s.loginShell(); login != nil {
		o.Host = login.Env(ctx)
	}
	return shell.Environ(o)
}

// rule is what the settings say about the environment of commands.
func (s *setup) rule() shell.EnvOptions {
	o := shell.EnvOptions{
		// Whoever lets a variable into a sandbox lets it reach commands.
		Allow:   slices.Concat(s.cfg().Environment.Allow, s.cfg().Sandbox.Pass),
		Secrets: slices.Clone(s.cfg().Environment.Secrets),
		Full:    s.cfg().Commands.FullTerminal,
	}
	for _, p := range s.cfg().Providers {
		if p.KeyEnv != "" {
			o.Secrets = append(o.Secrets, p.KeyEnv)
		}
	}
	for name, value := range s.cfg().Environment.Set {
		o.Set = append(o.Set, name+"="+value)
	}
	return o
}

// ruleIn is rule with what trusted workspaces add. What they set are secrets
// where it looks it, like any other.
func (s *setup) ruleIn(roots []string) shell.EnvOptions {
	o := s.rule()
	for _, b := range trustedIn(s.trust, roots) {
		var set []string
		for name, value := range b.Environment.Set {
			if _, own := s.cfg().Environment.Set[name]; !own {
				set = append(set, name+"="+value)
			}
		}
		o.Set, o.Secrets = append(set, o.Set...), append(o.Secrets, b.Environment.Secrets...)
		s.learn(shell.SecretValues(slices.Concat(os.Environ(), set), o)...)
	}
	return o
}

// loginShell is the one that all sessions of the process share.
func (s *setup) loginShell() *shell.Login {
	s.loginOnce.Do(func() { s.login = s.newLogin() })
	return s.login
}

// newLogin is nil where the settings switch it off. A command that is a login
// shell itself needs nobody to be asked before.
func (s *setup) newLogin() *shell.Login {
	if !s.cfg().Environment.Probe || s.cfg().Commands.LoginShell {
		return nil
	}
	return shell.NewLogin(shell.LoginOptions{Log: s.log, Found: func(env []string) {
		s.learn(shell.SecretValues(env, s.rule())...)
	}})
}

func (s *setup) newShell() shell.Runner {
	return shell.NewRunner(shell.Options{Login: s.cfg().Commands.LoginShell, Log: s.log, Secrets: &s.known})
}

// loginPause lets the answer that makes a session go out first.
const loginPause = 50 * time.Millisecond

// newShellSoonUsed asks the login shell before the first command needs it.
func (s *setup) newShellSoonUsed() shell.Runner {
	if login := s.loginShell(); login != nil {
		login.Begin(loginPause)
	}
	return s.newShell()
}

// closeLogin ends what asking the login shell has started.
func (s *setup) closeLogin() {
	if login := s.loginShell(); login != nil {
		login.Close()
	}
}

// withheld names the variables that commands do not see because they hold
// credentials.
func (s *setup) withheld(host []string) []string { return shell.Withheld(host, s.rule()) }
