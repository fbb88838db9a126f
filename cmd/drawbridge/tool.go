package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/approval"
	"drawbridge/bridge/headless"
	"drawbridge/model"
	"drawbridge/session"
	"drawbridge/tools"
)

// toolFlags are the flags of a tool call from the command line.
type toolFlags struct {
	workspace, mode, preset, profile, vision string
	batch                                    bool
}

// What is said of flags that several commands have.
const presetHelp = "preset: read-only, workspace-write, full-access; without it that of the settings, else read-only with the profile compact and workspace-write with the others"

var profileHelp = "profile: " + strings.Join(tools.Profiles(), ", ") + "; without it that of the settings"

// toolResult is what a tool call prints. Text is what the model would read.
type toolResult struct {
	Status tools.Status `json:"status"`
	Text   string       `json:"text"`
	Note   string       `json:"note,omitempty"`
	Images []toolImage  `json:"images,omitempty"`
	Change *toolChange  `json:"change,omitempty"`
	// ProcessID names a command that runs on, for further calls of the batch.
	ProcessID string `json:"processId,omitempty"`
}

type toolImage struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

type toolChange struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	Diff  string `json:"diff"`
}

const toolsAbout = `Prints the definitions that a model is given, as a JSON array. With --policies it prints what becomes of
their calls instead: always_ask and always_deny in every mode, always_allow where nothing else is in the way, mode
where nothing was said and the mode decides.`

func runTools(args []string) int {
	fs := newFlags("tools", "[--profile P] [--policies]", toolsAbout)
	profile := fs.String("profile", "", "which set of tools; without it that of the settings")
	policies := fs.Bool("policies", false, "print what becomes of their calls")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("tools takes no argument %q", rest[0]))
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	set, err := s.tools(cmp.Or(*profile, s.cfg().Profile))
	if err != nil {
		return fail(err)
	}
	for _, w := range s.cfg().Warnings {
		fmt.Fprintln(os.Stderr, "drawbridge: "+w)
	}
	if *policies {
		return printJSON(s.policiesOfTools(set))
	}
	return printJSON(definitionsOf(set))
}

// toldTool is a tool as a model is told of it.
type toldTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func definitionsOf(set tools.Toolset) []toldTool {
	told := []toldTool{}
	for _, t := range set.Tools {
		spec := t.Spec()
		told = append(told, toldTool{spec.Name, spec.Description, spec.Schema})
	}
	return told
}

func printJSON(v any) int {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fail(err)
	}
	return show(text.String())
}

func runTool(args []string) int {
	var f toolFlags
	fs := newFlags("tool", "NAME [flags] < ARGUMENTS", "Makes one tool call as a model would, with the arguments as JSON on stdin,\n"+
		"and prints one JSON object {status, text, note?, images?, change?, processId?}.\n"+
		"With --batch each line of stdin is {\"name\": …, \"args\": {…}} and each gets one line. What a call leaves\n"+
		"running is there for the next ones, by its process id, and is ended with the batch.\n"+
		"Nobody is asked: what the mode would ask about is denied.\n\n"+
		"Exit codes: 0 a result was printed, whatever its status; 1 it could not be printed; 2 wrong usage or\n"+
		"settings.")
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	fs.StringVar(&f.mode, "approve", "", "mode: always-ask (default), auto-edit, read-only, plan, allow-all, deny-all")
	fs.StringVar(&f.preset, "preset", "", presetHelp)
	fs.StringVar(&f.profile, "profile", "", profileHelp)
	fs.StringVar(&f.vision, "vision", "yes", "yes: as a model that takes pictures, with read_image; no: as one that does not, with describe_image")
	fs.BoolVar(&f.batch, "batch", false, "one call a line, all in one session")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if f.batch == (len(rest) == 1) || len(rest) > 1 {
		return fail(errors.New("name one tool, or give --batch; see drawbridge tool --help"))
	}
	if f.vision != "yes" && f.vision != "no" {
		return fail(fmt.Errorf("--vision is yes or no, not %q", f.vision))
	}
	b, err := openToolbox(f, nil)
	if err != nil {
		return fail(err)
	}
	defer b.close()
	if f.batch {
		return b.batch(os.Stdin)
	}
	return b.single(rest[0], os.Stdin)
}

// toolbox is a session whose model is the command line: it asks for the calls
// that it is given, so that they take the same way as a model's.
type toolbox struct {
	setup   *setup
	host    *session.Host
	session *session.Session
	feed    *feed

	stopMeter func()

	mu      sync.Mutex // guards below
	last    session.CallCompleted
	advised bool // the person knows of --preset
}

func openToolbox(f toolFlags, rules ruleFlags) (*toolbox, error) {
	dir, err := filepath.Abs(f.workspace)
	if err != nil {
		return nil, err
	}
	s, err := newSetup()
	if err != nil {
		return nil, err
	}
	keepPrivate()
	s.said = s.policiesOf(rules)
	s.log = slog.New(slog.NewTextHandler(discreet{&plainLog{to: os.Stderr}, &s.known}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	b := &toolbox{setup: s, feed: &feed{}}
	o := s.session()
	b.stopMeter = s.measure(&o)
	o.Ephemeral, o.Emit, o.NoInherit = true, b.emit, true
	o.WakeOnExit = false // turns begin with the calls alone
	o.Models, o.Known, o.Defaults.Model = b.models, b.known(f.vision != "no"), ""
	b.host = session.NewHost(o)
	b.session, err = b.host.New(session.Settings{Dir: dir, Mode: approval.Mode(f.mode), Preset: approval.Preset(f.preset), Profile: f.profile})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// commandLine is the name of the model that the command line is.
const commandLine = "command line"

// models opens the command line, and the models that describe pictures to it or
// work for it.
func (b *toolbox) models(spec string) (model.Provider, string, string, error) {
	if spec != "" && spec != commandLine {
		return b.setup.models(spec)
	}
	return b.feed, "", commandLine, nil
}

func (b *toolbox) known(vision bool) func(full string) model.Info {
	return func(full string) model.Info {
		if full == commandLine {
			return model.Info{Vision: vision, NoVision: !vision}
		}
		return b.setup.knownOf(full)
	}
}

func (b *toolbox) emit(e session.Event) {
	if done, ok := e.Body.(session.CallCompleted); ok {
		b.mu.Lock()
		b.last = done
		b.mu.Unlock()
	}
}

// closeLimit bounds the end of what a call started.
const closeLimit = 3 * time.Second

// close ends all that the calls started.
func (b *toolbox) close() {
	ctx, stop := context.WithTimeout(context.Background(), closeLimit)
	defer stop()
	_ = b.host.Close(ctx)
	b.setup.closeLogin()
	b.stopMeter()
}

func (b *toolbox) single(name string, in io.Reader) int {
	raw, err := io.ReadAll(in)
	if err != nil {
		return fail(fmt.Errorf("read arguments: %w", err))
	}
	return printJSON(b.call(name, string(raw)))
}

// maxLine bounds a line of a batch; a file of the largest size fits.
const maxLine = 128 << 20

func (b *toolbox) batch(in io.Reader) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := out.Encode(b.line(lines.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
			return exitFault
		}
	}
	if err := lines.Err(); err != nil {
		return fail(fmt.Errorf("read batch: %w", err))
	}
	return 0
}

// line makes the call of one line of a batch.
func (b *toolbox) line(raw []byte) toolResult {
	name, args, fault := lineCall(raw)
	if fault != "" {
		return toolResult{Status: tools.Failed, Text: fault + " Give it as {\"name\": …, \"args\": {…}}."}
	}
	return b.call(name, args)
}

// lineCall reads a line of a batch: the name of a tool, and its arguments as a
// model would have sent them. A string stands for itself, so that broken arguments
// can be tried too. A fault is a sentence.
func lineCall(raw []byte) (name, args, fault string) {
	if !json.Valid(raw) {
		return "", "", fmt.Sprintf("The line is not valid JSON: %v.", json.Unmarshal(raw, new(any)))
	}
	var line map[string]json.RawMessage
	if json.Unmarshal(raw, &line) != nil || line == nil {
		return "", "", fmt.Sprintf("The line is %s, not an object.", jsonWord(raw))
	}
	for _, key := range slices.Sorted(maps.Keys(line)) {
		if key != "name" && key != "args" {
			return "", "", fmt.Sprintf("The line has the unknown key %q.", key)
		}
	}
	if said := line["name"]; said != nil && json.Unmarshal(said, &name) != nil {
		return "", "", fmt.Sprintf("The name of the tool is %s, not text.", jsonWord(said))
	}
	if name == "" {
		return "", "", "The line names no tool."
	}
	said := line["args"]
	if said == nil || json.Unmarshal(said, &args) == nil {
		return name, args, ""
	}
	if said[0] != '{' {
		return "", "", fmt.Sprintf("args is %s, not an object.", jsonWord(said))
	}
	return name, string(said), ""
}

// jsonWord says what a value of JSON is.
func jsonWord(raw []byte) string {
	switch bytes.TrimSpace(raw)[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// call makes one call and waits for its result.
func (b *toolbox) call(name, args string) toolResult {
	b.feed.put(name, args)
	turn, err := b.session.Prompt([]session.Block{{Kind: session.BlockText, Text: "call " + name}}, "")
	if err != nil {
		return toolResult{Status: tools.Failed, Text: err.Error()}
	}
	<-turn.Done()
	b.mu.Lock()
	defer b.mu.Unlock()
	if advice := headless.PresetAdvice(b.last.Text); advice != "" && !b.advised && isTerminal(os.Stderr) {
		fmt.Fprintln(os.Stderr, "drawbridge: "+advice)
		b.advised = true
	}
	res := toolResult{Status: b.last.Status, Text: b.last.Text, Note: b.last.Note, ProcessID: b.last.Process}
	for _, im := range b.last.Images {
		res.Images = append(res.Images, toolImage{im.MimeType, im.Data})
	}
	if ch, err := b.session.Change(b.last.Change); err == nil {
		res.Change = &toolChange{Path: ch.Summary.Path, Kind: string(ch.Summary.Kind), State: string(ch.State), Diff: ch.Summary.Diff}
	}
	return res
}

// feed is a model that asks for the call it was given, and then has no more to
// say.
type feed struct {
	mu   sync.Mutex // guards below
	next *model.Call
	n    int
}

func (f *feed) put(name, args string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.next = &model.Call{ID: fmt.Sprintf("call_%d", f.n), Name: name, Args: args}
}

func (f *feed) Name() string { return commandLine }

func (f *feed) Stream(context.Context, model.Request, model.Sink) (model.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil {
		return model.Response{Stop: model.StopEnd}, nil
	}
	call := f.next
	f.next = nil
	return model.Response{Parts: []model.Part{{Kind: model.PartCall, Call: call}}, Stop: model.StopCalls}, nil
}
