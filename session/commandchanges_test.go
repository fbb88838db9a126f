package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
	"drawbridge/workspace"
	"drawbridge/workspace/watch"
)

// lookout is a Watcher that saw what it is told.
type lookout struct {
	saw    []watch.Difference
	opened int
	closed int
}

func (l *lookout) Start()                                  {}
func (l *lookout) Follow(string) (<-chan struct{}, func()) { return nil, func() {} }
func (l *lookout) Begin() Window                           { return &glimpse{of: l} }
func (l *lookout) Close()                                  { l.closed++ }

type glimpse struct{ of *lookout }

func (g *glimpse) Close() {}

func (g *glimpse) Differences(context.Context) ([]watch.Difference, bool) {
	saw := g.of.saw
	g.of.saw = nil
	return saw, false
}

// watching is a bench whose commands do one thing and whose watcher is l.
func watching(t *testing.T, l *lookout, do func(dir string)) *bench {
	t.Helper()
	return newBench(t, func(o *Options) {
		o.Watch = func([]string) Watcher { l.opened++; return l }
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{Out: []shelltest.Piece{{Do: do}}}}}
		}
	})
}

func TestAFloodOfChangesIsCounted(t *testing.T) {
	const made = maxListed + 50
	l := &lookout{}
	b := watching(t, l, func(dir string) {
		for i := range made {
			path := filepath.Join(dir, fmt.Sprintf("f%03d.txt", i))
			if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
				t.Error(err)
			}
			l.saw = append(l.saw, watch.Difference{Path: path, After: watch.Stat(path)})
		}
	})
	b.model.then(callTools("x", "exec_command", `{"cmd":"generate"}`))
	s := b.start(t)
	prompt(t, s, "go")
	changes := s.Changes()
	if len(changes) != maxListed {
		t.Fatalf("%d changes are listed, want %d", len(changes), maxListed)
	}
	if why := changes[maxListed-1].Why; !strings.Contains(why, "50 more files") {
		t.Errorf("the last says %q", why)
	}
	whole := 0
	for _, ch := range changes {
		if ch.Summary.Kind != workspace.Create || !ch.ByCommand {
			t.Fatalf("%+v", ch)
		}
		if !ch.Gone {
			whole++
		}
	}
	if whole != maxFormer {
		t.Errorf("%d have their texts, want %d", whole, maxFormer)
	}
	rewind, err := s.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil {
		t.Fatal(err)
	}
	files := rewind.Files
	if i := slices.IndexFunc(files, func(f RewindFile) bool { return f.Path == s.Info().Dir }); i < 0 || !strings.Contains(files[i].Why, "50 more files") {
		t.Error("a rewind does not say that 50 files stay")
	}
}

func TestWhatIsReadBeforeACommandIsBounded(t *testing.T) {
	b := watching(t, &lookout{}, func(string) {})
	s := b.start(t)
	big := strings.Repeat("x", 5<<20)
	for i := range 10 {
		b.file(t, fmt.Sprintf("big%d", i), big)
	}
	b.file(t, "huge", strings.Repeat("x", formerFile+1))
	v := &vigil{s: s, before: map[string]former{}}
	far := time.Now().Add(time.Hour)
	v.read(slices.Values(filesNamed(s.ws, "cat huge big*", b.dir, far).paths), far)
	bytes := 0
	for path, f := range v.before {
		bytes += len(f.Text)
		if filepath.Base(path) == "huge" {
			t.Error("a file beyond the bound was read")
		}
	}
	if bytes != 30<<20 { // no other file fits
		t.Errorf("%d bytes were read", bytes)
	}
}

func TestSessionsOfTheSameFoldersShareAWatcher(t *testing.T) {
	l := &lookout{}
	b := watching(t, l, func(string) {})
	one, two := b.start(t), b.start(t)
	if l.opened != 1 {
		t.Fatalf("%d watchers for two sessions", l.opened)
	}
	one.Close(t.Context())
	if l.closed != 0 {
		t.Fatal("closed while a session has it")
	}
	two.Close(t.Context())
	if l.closed != 1 {
		t.Errorf("closed %d times", l.closed)
	}
	b.start(t)
	if l.opened != 2 {
		t.Error("a later session has none")
	}
}

// A command that a turn's end cuts off has changed what it has changed.
func TestAKilledCommandsChangesAreListed(t *testing.T) {
	l := &lookout{}
	path := ""
	b := newBench(t, func(o *Options) {
		o.Watch = func([]string) Watcher { return l }
		o.NewShell = func() shell.Runner {
			return &shelltest.Fake{Steps: []shelltest.Step{{
				Out: []shelltest.Piece{{Text: "begun\n", Do: func(string) { os.WriteFile(path, []byte("2\n"), 0o644) }}}, WaitInput: true,
			}}}
		}
	})
	path = b.file(t, "a.txt", "1\n")
	b.model.then(callTools("x", "exec_command", `{"cmd":"slow a.txt"}`))
	s := b.start(t)
	turn, err := s.Prompt([]Block{{Kind: BlockText, Text: "go"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if now, _ := os.ReadFile(path); string(now) == "2\n" {
			break
		}
	}
	s.Cancel("")
	<-turn.Done()
	changes := s.Changes()
	if len(changes) != 1 || !changes[0].ByCommand || changes[0].Done == nil || changes[0].Done.Old != "1\n" || changes[0].Done.New != "2\n" {
		t.Errorf("%+v", changes)
	}
}

// A rewind is told which changes are the command's for sure: those of files that
// it names, and that the session had read or changed.
func TestAChangeIsTheCommandsOrWasSeenMeanwhile(t *testing.T) {
	l := &lookout{}
	b := watching(t, l, func(dir string) {
		for _, name := range []string{"read.txt", "named.txt", "out/made.txt", "else.txt"} {
			path := filepath.Join(dir, name)
			was := watch.Stat(path)
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, []byte("changed\n"), 0o644); err != nil {
				t.Error(err)
			}
			l.saw = append(l.saw, watch.Difference{Path: path, Before: was, After: watch.Stat(path)})
		}
	})
	for _, name := range []string{"read.txt", "named.txt", "else.txt"} {
		b.file(t, name, "1\n")
	}
	command := "build named.txt  out " + strings.Repeat("x", maxWhile)
	b.model.then(callTools("r", "read_file", `{"file_path":"read.txt"}`))
	b.model.then(callTools("x", "exec_command", `{"cmd":"`+command+`"}`))
	s := b.start(t)
	prompt(t, s, "go")
	journal, err := s.keeper.open()
	if err != nil {
		t.Fatal(err)
	}
	while := map[string]string{}
	for _, step := range journal.Steps() {
		while[filepath.Base(step.Path)] = step.While
	}
	said := while["else.txt"]
	if len(while) != 4 || while["read.txt"]+while["named.txt"]+while["made.txt"] != "" ||
		!strings.HasPrefix(said, "build named.txt out xxx") || len([]rune(said)) != maxWhile {
		t.Errorf("%q", while)
	}
}

// Who looks at the files while one of the session's own changes is being written
// must not take it for the command's.
func TestAChangeThatIsBeingWrittenIsNoCommands(t *testing.T) {
	l := &lookout{}
	b := watching(t, l, func(string) {})
	s := b.start(t)
	path := b.file(t, "a.txt", "2\n")
	p, err := s.ws.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	v := s.beginVigil(&call{id: "c1", turn: "t1", plan: tools.Plan{Command: &tools.Command{Dir: b.dir}}}, "sleep 3")
	written := s.vigils.writes(&workspace.Change{Path: p})
	l.saw = []watch.Difference{{Path: path, After: watch.Stat(path)}}
	v.report(t.Context())
	if changes := s.Changes(); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
	written()
	b.file(t, "a.txt", "3\n")
	l.saw = []watch.Difference{{Path: path, After: watch.Stat(path)}}
	v.end(t.Context())
	if changes := s.Changes(); len(changes) != 1 {
		t.Errorf("what came later is not listed: %+v", changes)
	}
}
