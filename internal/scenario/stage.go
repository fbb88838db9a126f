package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"drawbridge/approval"
	"drawbridge/approval/grant"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

// Start makes a bridge on one end of a wire. What it returns serves until the
// editor is gone or ctx ends, and tells the exit code.
type Start func(wire net.Conn, sessions session.Options) (run func(ctx context.Context) int)

// endLimit is how long a bridge may take to end once its editor is gone.
const endLimit = 2 * time.Second

// stage is a scenario while it runs.
type stage struct {
	sc     *Scenario
	start  Start
	dir    string // of the workspace
	state  string
	cast   *cast
	shell  *shelltest.Fake
	editor *editor
	scribe *scribe
	bridge *process
	made   int // sessions, for their ids

	watchers watchers
	errs     []error

	mu    sync.Mutex // guards below
	heard []message
}

// process is one life of the bridge.
type process struct {
	peer *peer
	stop context.CancelFunc
	done chan struct{} // closed after the bridge has returned
}

// newStage lays out the workspace in dir.
func newStage(sc *Scenario, dir string, start Start) (*stage, error) {
	s := &stage{sc: sc, start: start, dir: filepath.Join(dir, "work"), state: filepath.Join(dir, "state")}
	steps, err := parseCommands(sc.commands)
	if err != nil {
		return nil, err
	}
	s.shell = &shelltest.Fake{Steps: steps}
	s.cast = newCast(sc.models, sc.flags.retries)
	s.editor = newEditor(&sc.flags, s.dir, sc.documents)
	s.scribe = newScribe(&sc.flags.show, [][2]string{{s.dir, "$WORK"}, {s.state, "$STATE"}, {dir, "$OUTSIDE"}})
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, fmt.Errorf("lay out the workspace: %w", err)
	}
	return s, s.layOut()
}

func (s *stage) layOut() error {
	var errs []error
	for name, text := range s.sc.files {
		errs = append(errs, s.disk([]string{name, text}))
	}
	for name, target := range s.sc.links {
		name = filepath.Join(s.dir, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(target, name))
	}
	return errors.Join(errs...)
}

// perform plays the transcript and returns it with what the bridge said.
func (s *stage) perform() (list []exchange) {
	defer s.hangUp()
	list = exchanges(s.sc.wire)
	if err := s.boot(s.sc.flags.session); err != nil {
		s.fail("before the first line", err)
		return list
	}
	for i := range list {
		if i > 0 {
			if err := s.say(list[i].lead[0].said); err != nil {
				s.fail(list[i].lead[0].String(), err)
				return list[:i+1]
			}
		}
		if i+1 < len(list) && list[i+1].lead[0].dir == sentAlso {
			continue // the next line comes at once; what is said belongs behind it
		}
		time.Sleep(s.sc.flags.settle)
		s.record(&list[i])
	}
	return list
}

// record takes what the bridge has said since the last line.
func (s *stage) record(e *exchange) {
	synctest.Wait()
	lines, err := s.scribe.note(s.take())
	e.got = lines
	if err != nil {
		s.fail("the bridge's messages", err)
	}
}

func (s *stage) fail(where string, err error) {
	s.errs = append(s.errs, fmt.Errorf("%s: %w", where, err))
}

func (s *stage) hear(m message) {
	s.mu.Lock()
	s.heard = append(s.heard, m)
	s.mu.Unlock()
}

func (s *stage) take() []message {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.heard
	s.heard = nil
	return taken
}

// boot starts a bridge and makes it ready for the first line.
func (s *stage) boot(withSession bool) error {
	ours, theirs := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	p := &process{stop: stop, done: make(chan struct{})}
	p.peer = connect(ours, func(m message) {
		s.hear(m)
		if m.ID != nil && m.Method != "" {
			s.editor.answer(m, func(parts map[string]any) { _ = p.peer.send(parts) }) // plain maps always encode
		}
	})
	run := s.start(theirs, s.options())
	go func() { // ends with the bridge, whose last words are heard before its end
		defer close(p.done)
		code := run(ctx)
		_ = theirs.Close() // of a pipe in memory: cannot fail
		<-p.peer.deaf
		s.hear(message{Method: "!exit", Params: json.RawMessage(strconv.Itoa(code))})
	}()
	s.bridge = p
	if !s.sc.flags.handshake {
		return nil
	}
	return s.handshake(withSession)
}

// handshake does what every client does before a person can do anything. None
// of it stands in the transcript.
func (s *stage) handshake(withSession bool) error {
	if err := s.request("initialize", s.sc.flags.initialize(s.dir)); err != nil {
		return err
	}
	say := func(parts map[string]any) { _ = s.bridge.peer.send(parts) }
	say(notification("initialized", map[string]any{}))
	s.editor.open(say)
	if !withSession {
		return nil
	}
	return s.request("session/new", s.sc.flags.newSession())
}

// request sends a request of the runner's own and waits for its answer.
func (s *stage) request(method string, params any) error {
	if err := s.bridge.peer.send(map[string]any{"id": "setup", "method": method, "params": params}); err != nil {
		return err
	}
	synctest.Wait()
	heard := s.take()
	i := slices.IndexFunc(heard, func(m message) bool { return string(m.ID) == `"setup"` && m.Method == "" })
	if i < 0 {
		return fmt.Errorf("%s was not answered", method)
	}
	if heard[i].Error != nil {
		return fmt.Errorf("%s was refused: %s", method, heard[i].Error)
	}
	return nil
}

// options are what a program would give its bridge, with everything beyond the
// process replaced.
func (s *stage) options() session.Options {
	kept := grant.Open(filepath.Join(s.state, "grants"))
	o := session.Options{
		Policy: s.sc.said.policy(kept), Remind: s.sc.flags.remind,
		StateDir: s.state,
		Watch:    s.watchers.open,
		Models:   s.cast.open,
		Known:    s.sc.flags.known, VisionModel: s.sc.flags.seerSpec, Fetch: s.sc.web,
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &keptShell{Fake: s.shell} },
		Defaults: session.Settings{
			Mode: approval.AlwaysAsk, Preset: approval.PresetWorkspaceWrite,
			MaxSteps: s.sc.flags.steps,
		},
		ApprovalTimeout: s.sc.flags.timeout, SaveBeforeCommands: s.sc.flags.saves,
		DiagnosticsWait: time.Second,
		WakeOnExit:      s.sc.flags.wake, Pipes: s.sc.flags.pipes,
		Confine: s.sc.flags.confine(), Redact: s.sc.flags.redact(),
		NewID: func() string {
			s.made++
			return "s" + strconv.Itoa(s.made)
		},
	}
	if s.sc.flags.remembers {
		o.Keep = keep(kept)
	}
	return o
}

// hangUp closes the editor's end and waits for the bridge's.
func (s *stage) hangUp() {
	p := s.bridge
	if p == nil {
		return
	}
	p.peer.close()
	select {
	case <-p.done:
	case <-time.After(endLimit):
		s.fail("the end", fmt.Errorf("the bridge still runs %v after its editor has gone", endLimit))
		p.stop()
		<-p.done
	}
	p.stop()
}

// restart is the death of the editor's window and its next start: a new process
// over the same state, and the documents opened again.
func (s *stage) restart() error {
	s.hangUp()
	return s.boot(false)
}

func (f *flags) initialize(dir string) map[string]any {
	var folders []map[string]any
	for _, root := range append([]string{""}, f.roots...) {
		path := filepath.Join(dir, root)
		folders = append(folders, map[string]any{"uri": fileURI(path), "name": filepath.Base(path)})
	}
	if f.roots != nil {
		folders = folders[1:]
	}
	capabilities := map[string]any{
		"general": map[string]any{"positionEncodings": f.encodings},
		"workspace": map[string]any{
			"applyEdit": true, "workspaceFolders": true,
			"workspaceEdit": map[string]any{"documentChanges": f.versions},
		},
		"window": map[string]any{"workDoneProgress": true, "showDocument": map[string]any{"support": true}},
	}
	f.announceClient(capabilities)
	if f.caps != nil {
		ours := map[string]any{"version": 1}
		for _, part := range f.caps {
			ours[part] = true
		}
		capabilities["experimental"] = map[string]any{"drawbridge": ours}
	}
	return map[string]any{
		"processId": nil, "rootUri": nil, "capabilities": capabilities, "workspaceFolders": folders,
		"clientInfo": map[string]any{"name": "scenario", "version": "1"},
	}
}

// announceClient adds what flag client names.
func (f *flags) announceClient(capabilities map[string]any) {
	document := map[string]any{}
	workspace, _ := capabilities["workspace"].(map[string]any)
	for _, part := range f.client {
		switch part {
		case "noShowDocument":
			capabilities["window"] = map[string]any{"workDoneProgress": true}
		case "codeActionLiterals":
			kinds := map[string]any{"valueSet": []string{"quickfix"}}
			document["codeAction"] = map[string]any{"codeActionLiteralSupport": map[string]any{"codeActionKind": kinds}}
		case "codeLensRefresh":
			workspace["codeLens"] = map[string]any{"refreshSupport": true}
		case "textDocumentContent":
			workspace[part] = map[string]any{}
		default:
			document[part] = map[string]any{}
		}
	}
	if len(document) > 0 {
		capabilities["textDocument"] = document
	}
}

func (f *flags) newSession() map[string]any {
	params := map[string]any{}
	for key, value := range map[string]string{"mode": f.mode, "preset": f.preset, "profile": f.profile, "model": f.spec()} {
		if value != "" {
			params[key] = value
		}
	}
	return params
}

// verify holds what is left against what is wanted.
func (s *stage) verify() []error {
	errs := slices.Concat(s.errs, s.cast.faults(), s.editor.faults())
	w := &s.sc.wants
	for name, want := range w.files {
		got, err := os.ReadFile(filepath.Join(s.dir, name))
		errs = append(errs, err, differs(name, want, string(got)))
	}
	for name, want := range w.links {
		got, err := os.Readlink(filepath.Join(s.dir, name))
		errs = append(errs, err, differs("link "+name, want, got))
	}
	for _, name := range w.absent {
		if _, err := os.Lstat(filepath.Join(s.dir, name)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("%s is there (%v)", name, err))
		}
	}
	for name, want := range w.documents {
		got, _ := s.editor.text(name)
		errs = append(errs, differs("document "+name, want, got))
	}
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

func differs(what, want, got string) error {
	if want == got {
		return nil
	}
	return fmt.Errorf("%s\n is     %q\n wanted %q", what, got, want)
}

// commands are what the shell was asked to do, as want-shell has it.
func (s *stage) commands() string {
	return strings.ReplaceAll(describe(s.shell, s.dir), s.dir, "$WORK")
}
