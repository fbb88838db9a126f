package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		"their environment. Its input, output, terminal and signals are yours, and nothing of it is left when\n"+
		"it ends.\n\n"+
		"Exit codes: the program's own, 128 and the number of the signal that ended it; 125 the sandbox could not\n"+
		"be set up; 126 the program cannot be run; 127 it was not found; 2 wrong usage or settings.")
	dir := fs.String("workspace", ".", "the workspace folder, in which the program starts")
	preset := fs.String("preset", "", presetHelp)
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
	if !*explain && !isKeeper() {
		return underKeeper()
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	c, err := s.oneCommand(*dir, *preset)
	if err != nil {
		return fail(err)
	}
	defer removeTmp(c.Tmp)
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
	chosen := cmp.Or(approval.Preset(cmp.Or(preset, s.cfg().Preset)), session.PresetOf(s.cfg().Profile))
	if !slices.Contains(approval.Presets(), chosen) {
		return session.Confines{}, fmt.Errorf("unknown preset %q: choose read-only, workspace-write or full-access", preset)
	}
	_, chosen = s.said.narrowed([]string{root}, "", chosen)
	tmp, err := os.MkdirTemp("", "drawbridge-sandbox-")
	if err != nil {
		return session.Confines{}, err
	}
	return session.Confines{Preset: chosen, Roots: []string{root}, Tmp: tmp}, nil
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
	env := s.environ(context.Background(), []string{dir}, isTerminal(os.Stdin))
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
