package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// checkEnvironment says what commands get of the environment: names, no values.
// With settings that cannot be read, which have a finding of their own, it says
// nothing.
func checkEnvironment() []finding {
	s, err := newSetup()
	if err != nil {
		return nil
	}
	asked, host := s.checkLogin()
	return []finding{asked, s.checkWithheld(host)}
}

// checkLogin asks the login shell as a session does, and returns what commands
// then start from.
func (s *setup) checkLogin() (finding, []string) {
	login := s.newLogin()
	switch {
	case s.cfg().Commands.LoginShell:
		return finding{name: "login shell", found: "read by every command (commands.loginShell)"}, os.Environ()
	case login == nil:
		return finding{name: "login shell", found: "not asked (environment.probe)", unused: true}, os.Environ()
	}
	defer login.Close()
	r := login.Report(context.Background())
	took := fmt.Sprintf("asked in %v", r.Took.Round(time.Millisecond))
	if r.Err != nil {
		return finding{
			name: "login shell", found: fmt.Sprintf("%s, %s: %v", r.Shell, took, r.Err),
			advice: "see what its profile does; until then commands have the environment of the editor alone",
		}, os.Environ()
	}
	f := finding{name: "login shell", found: r.Shell + ", " + took}
	if len(r.Added) > 0 {
		f.found += "; adds " + strings.Join(r.Added, ", ")
	}
	if len(r.Folders) > 0 {
		f.found += "; PATH gains " + strings.Join(r.Folders, ":")
	}
	if r.Took > slowProfile {
		f.advice = "the profile is slow; the first command of a session waits for it"
	}
	return f, login.Env(context.Background())
}

const slowProfile = time.Second

func (s *setup) checkWithheld(host []string) finding {
	names := s.withheld(host)
	if len(names) == 0 {
		return finding{name: "credentials", found: "no variable is withheld from commands", unused: true}
	}
	return finding{
		name: "credentials",
		found: fmt.Sprintf("%d withheld from commands (environment.allow lets one through): %s",
			len(names), strings.Join(names, ", ")),
	}
}
