package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"drawbridge/approval"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/shell/sandbox"
)

// Exit codes of the sandbox command itself, as shells and their like have them.
const (
	exitNoSandbox  = 125 // it could not be set up; the program did not run
	exitNotRunning = 126 // the program is there and cannot be run
	exitNotFound   = 127
)

func runSandbox(args []string) int {
	fs := newFlags("sandbox", "[flags] -- PROGRAM [ARG]...", "Runs one program as the agent's commands are run: confined by the preset and the settings, with\n"+
		"their environment. Its input, output, terminal and signals are yours.\n\n"+
		"Exit codes: the program's own, 128 and the number of the signal that ended it; 125 the sandbox could not\n"+
		"be set up; 126 the program cannot be run; 127 it was not found; 2 wrong usage or settings.")
	dir := fs.String("workspace", ".", "the workspace folder, in which the program starts")
	preset := fs.String("preset", "", "preset: read-only, workspace-write, full-access (default: the settings', else workspace-write)")
	explain := fs.Bool("explain", false, "print what holds and how, and run nothing")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return help(fs)
		}
		return fail(fmt.Errorf("%w; see %s --help", err, fs.Name()))
	}
	argv := fs.Args()
	if (len(argv) == 0) != *explain {
		return fail(errors.New("name one program, or give --explain without one; see drawbridge sandbox --help"))
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	c, err := s.oneCommand(*dir, *preset)
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(c.Tmp)
	box, err := s.sandbox(c)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitNoSandbox
	case *explain:
		return explainSandbox(box, c.Preset)
	}
	return s.runConfined(box, c.Roots[0], argv)
}

// oneCommand is what a session would say about its commands.
func (s *setup) oneCommand(dir, preset string) (session.Confines, error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return session.Confines{}, fmt.Errorf("workspace %s: %w", dir, errors.Unwrap(err))
	}
	if preset == "" {
		preset = s.cfg.Preset
	}
	if preset == "" {
		preset = string(approval.PresetWorkspaceWrite)
	}
	switch approval.Preset(preset) {
	case approval.PresetReadOnly, approval.PresetWorkspaceWrite, approval.PresetFullAccess:
	default:
		return session.Confines{}, fmt.Errorf("unknown preset %q: choose read-only, workspace-write or full-access", preset)
	}
	tmp, err := os.MkdirTemp("", "drawbridge-sandbox-")
	if err != nil {
		return session.Confines{}, err
	}
	return session.Confines{Preset: approval.Preset(preset), Roots: []string{root}, Tmp: tmp}, nil
}

func explainSandbox(box *sandbox.Sandbox, preset approval.Preset) int {
	if box == nil {
		return show(fmt.Sprintf("preset    %s\nunconfined: a command can do whatever you can (%s)\n", preset, whyUnconfined(preset)))
	}
	var text strings.Builder
	box.Explain(&text)
	return show(text.String())
}

func whyUnconfined(preset approval.Preset) string {
	if preset == approval.PresetFullAccess {
		return "the preset says so"
	}
	return "sandbox.backend is none, or this system has nothing to confine with"
}

// runConfined runs argv to its end. Without a box it runs as it is.
func (s *setup) runConfined(box *sandbox.Sandbox, dir string, argv []string) int {
	env := s.environ(context.Background(), isTerminal(os.Stdin))
	path, exit := findProgram(argv[0], dir, env)
	if exit != 0 {
		return exit
	}
	l := shell.Launch{Path: path, Args: argv, Env: env, Dir: dir}
	if box != nil {
		var err error
		if l, err = box.Bare(l); err != nil {
			fmt.Fprintln(os.Stderr, "drawbridge: SANDBOX_UNAVAILABLE: "+err.Error())
			return exitNoSandbox
		}
	}
	if l.Release != nil {
		defer l.Release()
	}
	return runLaunch(l)
}

// findProgram looks a program up as a shell would in dir with env.
func findProgram(name, dir string, env []string) (path string, exit int) {
	places := []string{name}
	if !strings.Contains(name, "/") {
		places = nil
		for _, folder := range filepath.SplitList(valueOf(env, "PATH")) {
			places = append(places, filepath.Join(folder, name))
		}
	}
	exit = exitNotFound
	for _, place := range places {
		if !filepath.IsAbs(place) {
			place = filepath.Join(dir, place)
		}
		info, err := os.Stat(place)
		switch {
		case err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0:
			return place, 0
		case err == nil || errors.Is(err, fs.ErrPermission):
			exit = exitNotRunning
		}
	}
	why := "not found"
	if exit == exitNotRunning {
		why = "cannot be run"
	}
	fmt.Fprintf(os.Stderr, "drawbridge: %s: %s\n", name, why)
	return "", exit
}

func valueOf(env []string, name string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// runLaunch starts l on our own input and output, hands signals on and returns
// its exit code.
func runLaunch(l shell.Launch) int {
	secludeDescriptors()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	cmd := exec.Command(l.Path, l.Args[1:]...)
	cmd.Args[0] = l.Args[0]
	cmd.Env, cmd.Dir, cmd.ExtraFiles = l.Env, l.Dir, l.Files
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitNotRunning
	}
	for _, file := range l.Files {
		file.Close()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			handOn(cmd.Process.Pid, sig.(syscall.Signal))
		case err := <-ended:
			return exitOf(err, cmd.ProcessState)
		}
	}
}

// handOn sends a signal to the program. What a person types at a terminal has
// reached it by itself.
func handOn(pid int, sig syscall.Signal) {
	if typed := sig == syscall.SIGINT || sig == syscall.SIGQUIT; typed && isTerminal(os.Stdin) {
		return
	}
	_ = syscall.Kill(sandbox.Leader(pid), sig)
}

// exitOf is the exit code of a program as a shell has it.
func exitOf(err error, state *os.ProcessState) int {
	if state == nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitFault
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// maxInherited is one more than the highest descriptor that is looked for.
const maxInherited = 1024

// secludeDescriptors keeps from the program what we were given besides our
// input and output.
func secludeDescriptors() {
	for fd := 3; fd < maxInherited; fd++ {
		syscall.CloseOnExec(fd)
	}
}
