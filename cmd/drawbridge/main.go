// Command drawbridge is the bridge between an editor and an agent: without
// arguments it serves the editor that spawned it on stdin and stdout; with a
// word it does what the word says. It reads flags and settings and puts the
// packages together; what they do is theirs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"drawbridge/shell"
	"drawbridge/shell/sandbox"
	"drawbridge/shell/sandbox/stage"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

// exitUsage is the exit code of a wrong command line or of settings that
// cannot be read.
const exitUsage = 2

// exitFault is the exit code of a command that could not do its work.
const exitFault = 1

type command struct {
	name, args, summary string
	run                 func(args []string) int
}

func commands() []command {
	return []command{
		{"serve", "[--log-level L] [--trace]", "serve the editor on stdin and stdout (the default)", runServe},
		{"run", "[flags] PROMPT", "one prompt, in this terminal", runRun},
		{"demo", "[--yes]", "see the main job on a sample project, without a model or a key", runDemo},
		{"tools", "[--profile P]", "the tools a model is given, as JSON", runTools},
		{"tool", "NAME | --batch [flags]", "one tool call, arguments as JSON on stdin", runTool},
		{"sandbox", "[flags] -- PROGRAM [ARG]...", "run one program as the agent's commands are run", runSandbox},
		{"approval", "explain | rules | forget", "what would be allowed, asked about or denied, and why", runApproval},
		{"rewind", "[--to CHECKPOINT] [flags]", "give files what they held before a turn", runRewind},
		{"session", "list | show | verify", "what was recorded of sessions, and whether it still is", runSession},
		{"storage", "[prune] [flags]", "what sessions have on the disk, and less of it", runStorage},
		{"config", "check | show | schema", "the settings: what is wrong with them, what holds, and their schema", runConfig},
		{"trust", "[--yes | --no | --forget]", "the settings that a workspace brings, and whether they count", runTrust},
		{"doctor", "", "check this machine and say what to do", runDoctor},
		{"report", "[--log FILE]", "a problem report to pass on, without secrets", runReport},
		{"protocol", "", "the schema of the wire that this program speaks", runProtocol},
		{"version", "", "the version", runVersion},
	}
}

func main() {
	shell.GuardMain()
	stage.Main()
	exit := dispatch(os.Args[1:])
	sandbox.LetGo()
	os.Exit(exit)
}

func dispatch(args []string) int {
	if len(args) == 0 {
		if isTerminal(os.Stdin) {
			usage(os.Stderr)
			return exitUsage
		}
		return runServe(nil)
	}
	switch name := args[0]; {
	case name == "help" && len(args) > 1 && find(args[1]) != nil:
		return find(args[1]).run([]string{"--help"})
	case asksHelp(name) && (name != "help" || len(args) == 1 || asksHelp(args[1])):
		usage(os.Stdout)
		return 0
	case name == "help":
		args = args[1:]
	case name == "--version" || name == "-version":
		return runVersion(args[1:])
	case strings.HasPrefix(name, "-"):
		return runServe(args) // as editors start us: flags and no word
	}
	if c := find(args[0]); c != nil {
		return c.run(args[1:])
	}
	fmt.Fprintf(os.Stderr, "drawbridge: no command %q\n\n", args[0])
	usage(os.Stderr)
	return exitUsage
}

func asksHelp(word string) bool {
	return slices.Contains([]string{"help", "--help", "-help", "-h"}, word)
}

// find is the command of a name, nil without.
func find(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func usage(w io.Writer) {
	fmt.Fprintf(w, "Drawbridge runs an AI agent on the workspace that is open in your editor.\n\nUsage: drawbridge [COMMAND]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-9s %-28s %s\n", c.name, c.args, c.summary)
	}
	fmt.Fprintf(w, "\n`drawbridge COMMAND --help` lists the flags of a command.\n"+
		"Flags without a command are those of serve.\n")
}

func runVersion(args []string) int {
	fs := newFlags("version", "", "Prints the version.")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("version takes no argument %q", rest[0]))
	}
	return show("drawbridge " + version + "\n")
}

// parse reads flags that may stand before, between and after other arguments,
// and returns the others. The second result is an exit code, -1 to go on.
func parse(fs *flag.FlagSet, args []string) (rest []string, exit int) {
	for {
		err := fs.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, help(fs)
		}
		if err != nil {
			return nil, fail(fmt.Errorf("%w; see %s --help", err, fs.Name()))
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, -1
		}
		// What follows "--" is no flag.
		if i := len(args) - len(left); i > 0 && args[i-1] == "--" {
			return append(rest, left...), -1
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// help prints what was asked for where it was asked for.
func help(fs *flag.FlagSet) int {
	var text strings.Builder
	fs.SetOutput(&text)
	fs.Usage()
	return show(text.String())
}

// show prints the whole answer of a command, and makes it an error when nobody
// can have read it.
func show(text string) int {
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitFault
	}
	return 0
}

// newFlags makes a flag set whose help begins with how the command is used.
func newFlags(name, args, about string) *flag.FlagSet {
	fs := flag.NewFlagSet("drawbridge "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // a fault is said in one line, and help when it is asked for
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "Usage: %s\n\n%s\n", strings.TrimSpace("drawbridge "+name+" "+args), about)
		var any bool
		fs.VisitAll(func(*flag.Flag) { any = true })
		if any {
			fmt.Fprintln(fs.Output(), "\nFlags:")
			fs.PrintDefaults()
		}
	}
	return fs
}

// fail prints why a command cannot run.
func fail(err error) int {
	fmt.Fprintln(os.Stderr, "drawbridge: "+strings.TrimSpace(err.Error()))
	return exitUsage
}
