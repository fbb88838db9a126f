package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drawbridge/approval"
	"drawbridge/bridge/headless"
	"drawbridge/model"
	"drawbridge/model/providers"
	"drawbridge/model/script"
	"drawbridge/rpc/protocol"
	"drawbridge/tools"
)

// runFlags are the flags of one run.
type runFlags struct {
	model, mode        string
	preset, profile    string
	workspace, session string
	cont, json, yes    bool
	maxSteps           int
	maxTime            time.Duration
	prompt             string
	rules              ruleFlags
	intro              string // shown first
}

const runAbout = `Sends one prompt and shows what happens: streamed text, diffs, questions, command output.
Without PROMPT, or with -, the prompt is read from stdin. Questions are asked when a person sits
at the terminal and --json is not given; else whatever would ask is denied. Each waits for its
answer in a line that begins with ⟫, a sign that neither a model nor a command can show. What is
typed while a command runs goes to the command, also to one in the background that waits for it,
else to the model. Subagents that work in the background are waited for; commands that run there end
with the run, which names them. Ctrl-C
cancels the turn, a second one ends the run at once. Ctrl-\ is a key for the command that runs;
where none does, it ends the run at once.

Exit codes: 0 the model ended its turn; 1 an error; 2 wrong usage or settings; 3 a limit was
reached (--max-steps, --max-time, the model's output limit); 4 the model refused; 5 interrupted,
--continue takes the turn up; 130 cancelled.`

func runRun(args []string) int {
	var f runFlags
	fs := newFlags("run", "[flags] [PROMPT]", runAbout)
	fs.StringVar(&f.model, "model", "", "the model, as PROVIDER:NAME")
	fs.StringVar(&f.mode, "approve", "", "mode: always-ask (default), auto-edit, read-only, plan, allow-all, deny-all")
	fs.StringVar(&f.preset, "preset", "", presetHelp)
	fs.StringVar(&f.profile, "profile", "", "profile of a new session: "+strings.Join(tools.Profiles(), ", ")+"; without it that of the settings")
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	fs.BoolVar(&f.cont, "continue", false, "go on with the newest session of the workspace; without PROMPT, with its interrupted turn")
	fs.StringVar(&f.session, "session", "", "go on with this session, named by its id or the beginning of it")
	fs.IntVar(&f.maxSteps, "max-steps", 0, "stop after this many model requests, those of subagents included (0: no limit)")
	fs.Func("max-time", "cancel after this `time`, such as 90s or 10m (0: no limit)", f.setMaxTime)
	fs.BoolVar(&f.json, "json", false, "print the events, one JSON object a line; nobody is asked, not at a terminal either: what would ask is denied")
	rules := addRuleFlags(fs)
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	f.rules = *rules
	f.prompt = strings.TrimSpace(strings.Join(rest, " "))
	if err := errors.Join(f.complete(), settingsFault()); err != nil {
		return fail(err)
	}
	return runWith(f)
}

func (f *runFlags) setMaxTime(text string) (err error) {
	if f.maxTime, err = time.ParseDuration(text); err == nil {
		return nil
	}
	if _, number := strconv.ParseFloat(text, 64); number == nil {
		return fmt.Errorf("a unit is missing: write %ss or %sm", text, text)
	}
	return errors.New("want a time with its unit, such as 90s or 10m")
}

// complete reads the prompt from stdin where it is not on the command line,
// and refuses flags that contradict each other.
func (f *runFlags) complete() error {
	if f.session != "" && f.cont {
		return errors.New("give --session or --continue, not both")
	}
	if f.profile != "" && (f.session != "" || f.cont) {
		return errors.New("a session keeps its profile: leave --profile out, or begin a new session")
	}
	if f.maxSteps < 0 || f.maxTime < 0 {
		return errors.New("a limit cannot be negative")
	}
	if err := f.words(); err != nil {
		return err
	}
	fromStdin := f.prompt == "-"
	if f.prompt != "" && !fromStdin {
		return nil
	}
	if fromStdin || !isTerminal(os.Stdin) {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fmt.Errorf("read the prompt: %w", err)
		}
		f.prompt = strings.TrimSpace(string(text))
	}
	if f.prompt == "" && f.session == "" && !f.cont {
		return errors.New("no prompt: give it as an argument or on stdin")
	}
	return nil
}

// words refuses what is no mode, no preset and no model.
func (f *runFlags) words() error {
	var mode, preset, profile, model error
	if f.mode != "" {
		_, mode = approval.ParseMode(f.mode)
	}
	if f.preset != "" {
		_, preset = approval.ParsePreset(f.preset)
	}
	if f.profile != "" {
		_, profile = tools.Profile(f.profile)
	}
	if f.model != "" {
		_, _, model = providers.Split(f.model)
	}
	return errors.Join(mode, preset, profile, plainly(model))
}

// plainly is an error of a model on one line, with what to do about it.
func plainly(err error) error {
	if hint := hintOf(err); hint != "" {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

func hintOf(err error) string {
	var told *model.Error
	if errors.As(err, &told) {
		return told.Hint
	}
	return ""
}

// personPresent says that somebody can read a question and type an answer.
func personPresent() bool { return isTerminal(os.Stdin) && isTerminal(os.Stdout) }

// runWith spawns a bridge and plays its editor for one turn.
func runWith(f runFlags) int {
	dir, err := filepath.Abs(f.workspace)
	if err != nil {
		return fail(err)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fail(fmt.Errorf("workspace %s is not a folder", dir))
	}
	self, err := os.Executable()
	if err != nil {
		return fail(fmt.Errorf("find this program: %w", err))
	}
	keepPrivate()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &outlet{w: os.Stdout, broken: cancel}
	unknown := f.findSession()
	o, person := f.options(dir, out)
	if err := cmp.Or(unknown, f.modelFault()); err != nil {
		end := headless.Ending{Stop: protocol.StopError, Cause: err.Error(), Hint: hintOf(err)}
		o.View.Ended(end)
		return end.Code()
	}
	defer attend(cancel, person)()
	_, _ = io.WriteString(out, f.intro) // out remembers its fault
	args := append([]string{"serve", "--max-steps", strconv.Itoa(f.maxSteps)}, f.rules.args()...)
	bridge, err := headless.Spawn(self, args, os.Environ(), &plainLog{to: os.Stderr})
	if err != nil {
		return fail(err)
	}
	end := headless.Run(ctx, bridge, o)
	_ = bridge.Wait() // what its end means for the turn, end says
	if err := out.fault(); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: the turn was cancelled: its output cannot be written: "+err.Error())
		return headless.ExitError
	}
	return end.Code()
}

// settingsFault finds here what would keep the bridge from starting, so that a
// person reads the one line about it and nothing of wires.
func settingsFault() error {
	_, err := newSetup()
	return err
}

// findSession puts the whole id in place of the beginning that was given.
func (f *runFlags) findSession() error {
	if f.session == "" {
		return nil
	}
	s, err := newSetup()
	if err != nil {
		return err
	}
	if f.session, err = s.sessionNamed(f.session); err != nil {
		return &model.Error{Kind: model.ErrSetup, Message: err.Error(), Hint: "--continue takes the newest of the workspace"}
	}
	return nil
}

// modelFault finds what would keep a new session from asking its model, before
// there is one. A session that is gone on with knows its model.
func (f runFlags) modelFault() error {
	if f.session != "" || f.cont {
		return nil
	}
	s, err := newSetup()
	if err != nil {
		return err
	}
	_, name, spec, err := s.models(f.model)
	if err != nil || !strings.HasPrefix(spec, script.Name+":") {
		return err
	}
	return script.NewLibrary(s.providerOptions().Scripts).Check(name)
}

// options are those of the run, and the person at the terminal if one is asked.
func (f runFlags) options(dir string, out io.Writer) (headless.Options, *seat) {
	view := &headless.TextView{Out: out, Color: colours(), Dir: dir, Undo: f.intro == ""}
	o := headless.Options{
		Prompt: f.prompt, Dir: dir, Model: f.model, Mode: protocol.Mode(f.mode), Preset: protocol.Preset(f.preset),
		Profile: protocol.Profile(f.profile),
		Session: f.session, Continue: f.cont, MaxTime: f.maxTime, Version: version,
		View: view,
	}
	if f.json {
		o.View = headless.JSONView{Out: out}
	}
	switch {
	case f.yes:
		o.Person = headless.Yes{Out: out}
	case personPresent() && !f.json:
		p := newSeat(os.Stdin, out)
		o.Person, o.Terminals, view.Typing = p.Terminal, true, true
		return o, p
	}
	return o, nil
}

// colours follows the usual variables.
func colours() bool {
	return isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
