package shell

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// question is one way to ask a shell.
type question struct {
	shell, flags string
	opts         LoginOptions
}

// put runs the shell in a runner of its own, so that what its profile starts
// is ended as that of a command.
func (q question) put(ctx context.Context) ([]string, error) {
	frame := "DRAWBRIDGE_FRAME=" + randomHex(16)
	run := NewRunner(Options{Shell: "/bin/sh", Log: q.opts.Log})
	p, err := run.Start(Spec{
		Script: q.script(frame), Dir: q.home(),
		Env: Environ(EnvOptions{Host: loginHost(q.opts.Host), TTY: true, Full: true}),
	})
	if err == nil {
		p.CloseInput()
		select {
		case <-p.Done():
		case <-ctx.Done():
		}
		p.Kill(context.WithoutCancel(ctx), 0) // an interactive shell ignores TERM
	}
	run.Close(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("ask the login shell: %w", err)
	}
	theirs := framed(p.Output().Read(0, RingSize).Data, frame)
	switch {
	case theirs != nil:
		return withoutDeadAgent(withFolders(theirs, valueIn(q.opts.Host, "PATH"))), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ask the login shell: it was not done with its profile within %v", q.opts.Limit)
	}
	return nil, fmt.Errorf("ask the login shell: its profile ended it (%s)", ending(p.Exit()))
}

func ending(e Exit) string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// home is where a terminal begins; a workspace could have hooks of its own for
// who enters it.
func (q question) home() string {
	home := valueIn(q.opts.Host, "HOME")
	if info, err := os.Stat(home); !filepath.IsAbs(home) || err != nil || !info.IsDir() {
		return "/"
	}
	return home
}

// script has the shell print its environment twice, each time with the frame
// somewhere in it. The program that prints is named by its path, which neither
// a function nor PATH can stand before, and takes the shell's place the second
// time, so that nothing runs at its exit.
func (q question) script(frame string) string {
	env := "/usr/bin/env"
	if !isProgram(env) {
		env = "/bin/env"
	}
	show := env + " -0 " + frame
	inner := q.unread() + "\\set +x 2>/dev/null\n" + show + "\n\\exec " + show
	return "exec " + quote(q.shell) + " " + q.flags + " -c " + quote(inner)
}

// unread reads .bashrc where a login shell would not: terminals of most Linux
// desktops do, and profiles usually do it for login shells, but not all.
func (q question) unread() string {
	if filepath.Base(q.shell) != "bash" || !strings.Contains(q.flags, "-i") {
		return ""
	}
	for _, name := range []string{".bash_profile", ".bash_login", ".profile"} {
		text, err := os.ReadFile(filepath.Join(q.home(), name))
		if err == nil && bytes.Contains(text, []byte("bashrc")) {
			return ""
		}
	}
	return "[ ! -r ~/.bashrc ] || . ~/.bashrc\n"
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// framed takes the environment out of what the shell wrote. The frame stands at
// one place in both prints, so that between the two there is each variable
// once. What a profile's background jobs wrote between is in one print only.
func framed(out []byte, frame string) []string {
	records := strings.Split(string(out), "\x00")
	var at []int
	for i, r := range records {
		if strings.HasSuffix(r, frame) { // the first print follows the profile's noise
			at = append(at, i)
		}
	}
	if len(at) != 2 {
		return nil
	}
	first, second := at[0], at[1]
	size := second - first
	around := records[max(0, first-size):min(len(records), second+size)]
	var env []string
	for _, r := range records[first+1 : second] {
		if r != "" && printedTwice(around, r) {
			env = append(env, r)
		}
	}
	return env
}

func printedTwice(records []string, record string) bool {
	n := 0
	for _, r := range records {
		if strings.HasSuffix(r, record) {
			n++
		}
	}
	return n >= 2
}

// withoutDeadAgent drops the address of an ssh-agent that the profile started
// and that ended with it.
func withoutDeadAgent(env []string) []string {
	const socket = "SSH_AUTH_SOCK"
	if valueIn(env, socket) == "" {
		return env
	}
	c, err := net.DialTimeout("unix", valueIn(env, socket), time.Second)
	if err == nil {
		c.Close()
		return env
	}
	return slices.DeleteFunc(env, func(kv string) bool {
		name := envName(kv)
		return name == socket || name == "SSH_AGENT_PID"
	})
}
