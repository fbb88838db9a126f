package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"drawbridge/bridge"
	"drawbridge/rpc"
	"drawbridge/shell"
	"drawbridge/tools"
)

const serveAbout = `Serves one editor: JSON-RPC with Content-Length headers on stdin and stdout. Nothing but frames is
written to stdout; the log goes to stderr (warnings) and to a file in the state folder.
Exit codes: 0 after shutdown and exit; 1 when the editor left or the stream broke; 2 when the settings
cannot be read.`

// logLevels are those of the settings; "" leaves it to them.
var logLevels = []string{"", "debug", "info", "warn", "error"}

func runServe(args []string) int {
	fs := newFlags("serve", "[flags]", serveAbout)
	level := fs.String("log-level", "", "debug, info, warn or error (default: as in the settings)")
	trace := fs.Bool("trace", false, "write every frame, redacted, to the log file")
	steps := fs.Int("max-steps", 0, "end a turn after this many model requests since its prompt, those of subagents included (0: no limit)")
	rules := addRuleFlags(fs)
	fs.Bool("stdio", true, "accepted for editors that pass it; there is no other way")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("serve takes no argument %q", rest[0]))
	}
	if !slices.Contains(logLevels, *level) {
		return fail(fmt.Errorf("unknown --log-level %q: choose %s", *level, strings.Join(logLevels[1:], ", ")))
	}
	keepPrivate()
	// From here on a print from anywhere reaches stderr, never the editor.
	wire, err := rpc.TakeStdout(os.Stdout, os.Stderr)
	if err != nil {
		return fail(err)
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	s.said = s.policiesOf(*rules)
	defer s.openLog(*level, os.Stderr)()
	if err := shell.FollowParent(); err != nil {
		s.log.Info("commands outlive the editor for as long as the bridge does", "err", err)
	}
	return s.serve(wire, *trace || s.cfg().Log.Trace, *steps)
}

func (s *setup) serve(wire *os.File, trace bool, steps int) int {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	survivePipes()
	tidying, enough := context.WithCancel(ctx)
	defer s.tidy(tidying)()
	defer enough()
	s.said.tell(s.cfg().Warnings...)
	sessions := s.session()
	sessions.Defaults.MaxSteps = steps
	defer s.measure(&sessions)()
	reload := newReloader(s, steps)
	sessions.Begin = reload.begin
	sessions.NewShell = s.newShellSoonUsed
	defer s.closeLogin()
	o := bridge.Options{Version: version, Profiles: tools.Profiles(), Sessions: sessions, Models: s.catalogue(), Trust: s.trust, Follow: reload.follow, Forget: s.said.forget, Log: s.log}
	if trace {
		o.Trace = s.tracer()
	}
	server := bridge.New(rpc.Stdio(os.Stdin, wire), o)
	code := server.Run(ctx)
	var fatal *rpc.FatalError
	if errors.As(server.Err(), &fatal) {
		fmt.Fprintln(os.Stderr, "drawbridge: "+fatal.Error())
	}
	return code
}

// endSignals are those that end the program in order. One that was to ignore
// its terminal's end (nohup) goes on ignoring it.
func endSignals() []os.Signal {
	all := []os.Signal{syscall.SIGTERM, os.Interrupt}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
