package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/checkpoint"
	"drawbridge/workspace"
)

// rehearsal is a session in whose files the agent changes even lines and the
// user odd ones, at random, so that it is known what a rewind must give.
type rehearsal struct {
	t     *testing.T
	rng   *rand.Rand
	bench *bench
	s     *Session
	count int
	ends  string // of lines
	now   map[string][]string
	// past is what the files held before each turn, and who has made which.
	past  []map[string][]string
	made  map[string]int // by the agent, in which turn
	mixed map[string]bool
}

func newRehearsal(t *testing.T, seed uint64) *rehearsal {
	r := &rehearsal{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), bench: newBench(t, nil), ends: "\n",
		now: map[string][]string{}, made: map[string]int{}, mixed: map[string]bool{},
	}
	if seed%3 == 0 {
		r.ends = "\r\n"
	}
	for i := range 3 {
		var lines []string
		for n := range 8 + r.rng.IntN(20) {
			lines = append(lines, fmt.Sprintf("f%d line %d caf\xe9%s", i, n, r.ends))
		}
		r.put(fmt.Sprintf("f%d.txt", i), lines)
	}
	r.s = r.bench.start(t)
	return r
}

func (r *rehearsal) put(name string, lines []string) {
	r.now[name] = lines
	path := filepath.Join(r.bench.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// held is a copy of what all files hold.
func (r *rehearsal) held() map[string][]string {
	held := map[string][]string{}
	for name, lines := range r.now {
		held[name] = append([]string(nil), lines...)
	}
	return held
}

// pick is a line of a file that is not new, of the parity.
func (r *rehearsal) pick(parity int) (name string, at int) {
	name = fmt.Sprintf("f%d.txt", r.rng.IntN(3))
	at = r.rng.IntN(len(r.now[name])/2)*2 + parity
	return name, at
}

func (r *rehearsal) word() string { r.count++; return fmt.Sprintf("word %d.%s", r.count, r.ends) }

// turn has the agent do something.
func (r *rehearsal) turn() {
	r.past = append(r.past, r.held())
	var calls []string
	for range 1 + r.rng.IntN(3) {
		id := fmt.Sprintf("c%d", r.count)
		name, at := r.pick(0)
		text := r.word()
		if r.rng.IntN(4) == 0 {
			name = fmt.Sprintf("made/d%d/n%d.txt", r.count%3, r.count)
			r.made[name], r.now[name] = len(r.past), []string{text}
			calls = append(calls, id, "write_file", arguments("file_path", name, "content", text))
			continue
		}
		old := strings.TrimSuffix(r.now[name][at], r.ends)
		if strings.Contains(old, "\xe9") { // no model can write this byte
			old = old[:strings.Index(old, "caf")]
			text = strings.TrimSuffix(text, r.ends)
			r.now[name][at] = text + r.now[name][at][len(old):]
		} else {
			text = strings.TrimSuffix(text, r.ends)
			r.now[name][at] = text + r.ends
		}
		calls = append(calls, id, "edit_file", arguments("file_path", name, "old_string", old, "new_string", text))
	}
	r.bench.model.then(callTools(calls...)).then(say("done"))
	if end := prompt(r.t, r.s, "go"); end.Stop != StopEndTurn {
		r.t.Fatalf("%+v", end)
	}
}

func arguments(pairs ...string) string {
	args := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = pairs[i+1]
	}
	raw, _ := json.Marshal(args)
	return string(raw)
}

// user has the user change lines, in some file that the agent made too.
func (r *rehearsal) user() {
	for range r.rng.IntN(3) {
		name, at := r.pick(1)
		r.now[name][at] = r.word()
		r.put(name, r.now[name])
	}
	for name := range r.made {
		if r.now[name] != nil && r.rng.IntN(5) == 0 {
			r.mixed[name] = true
			r.put(name, append(r.now[name], r.word()))
			return
		}
	}
}

// rewound is what the files must hold after a rewind to before a turn: the
// agent's lines of then, the user's of now.
func (r *rehearsal) rewound(turn int) map[string][]string {
	want := r.held()
	for name, then := range r.past[turn-1] {
		for at := range then {
			if at%2 == 0 && len(then) > 1 && r.made[name] == 0 {
				want[name][at] = then[at]
			}
		}
	}
	for name, in := range r.made {
		if in >= turn && !r.mixed[name] {
			delete(want, name)
		}
	}
	return want
}

func (r *rehearsal) check(what string, want map[string][]string) {
	r.t.Helper()
	seen := 0
	_ = filepath.WalkDir(r.bench.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			seen++
		}
		if err == nil && e.IsDir() && path != r.bench.dir {
			if list, _ := os.ReadDir(path); len(list) == 0 {
				r.t.Errorf("%s: an empty folder is left: %s", what, path)
			}
		}
		return nil
	})
	for name, lines := range want {
		got, err := os.ReadFile(filepath.Join(r.bench.dir, name))
		if err != nil || string(got) != strings.Join(lines, "") {
			r.t.Errorf("%s: %s holds %q, %v\nwant %q", what, name, got, err, strings.Join(lines, ""))
		}
	}
	if seen != len(want) {
		r.t.Errorf("%s: there are %d files, want %d", what, seen, len(want))
	}
}

// rewind goes back to before a checkpoint and returns the one it made.
func (r *rehearsal) rewind(to string) (id string) {
	r.t.Helper()
	ctx := context.Background()
	plan, err := r.s.PreviewRewind(ctx, RewindChoice{To: to})
	if err != nil {
		r.t.Fatal(err)
	}
	id, files, err := r.s.Rewind(ctx, RewindChoice{To: to}, plan.Digest)
	if err != nil {
		r.t.Fatal(err)
	}
	for i, f := range files {
		if f.State != plan.Files[i].State || f.Effective() && f.Change.After() != plan.Files[i].Change.After() {
			r.t.Errorf("%s was to be %s and is %s", f.Path, plan.Files[i].State, f.State)
		}
	}
	return id
}

// TestRewindAtRandom lets agent and user work in the same files in turns, and
// then goes back to before some turn: the agent's lines are as they were, the
// user's as they are, every other byte is the same. Undone, all is as it was; in
// another process, too.
func TestRewindAtRandom(t *testing.T) {
	seeds := uint64(10)
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		seeds = 2000
	}
	for seed := range seeds {
		r := newRehearsal(t, seed)
		turns := 2 + r.rng.IntN(5)
		for range turns {
			r.turn()
			r.user()
		}
		r.check("before", r.now)
		if r.rng.IntN(2) == 0 {
			id := r.s.id
			if err := r.s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			var err error
			if r.s, _, err = r.bench.Load(id, 0, func(Event) {}); err != nil {
				t.Fatal(err)
			}
		}
		turn := 1 + r.rng.IntN(turns)
		undo := r.rewind(fmt.Sprint("k", turn))
		r.check("rewound", r.rewound(turn))
		if undo != "" {
			again := r.rewind(undo)
			r.check("undone", r.now)
			r.rewind(again)
			r.check("redone", r.rewound(turn))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		r.s.Close(t.Context())
	}
}

// A rewind takes back what a person has left of the changes, and what a command
// did to files that were kept before it: bytes, modes, removals. What was not
// kept is listed.
func TestRewindOfWhatACommandDid(t *testing.T) {
	b := newBench(t, nil)
	paths := map[string]string{}
	for name, text := range map[string]string{"changed": "one\n", "removed": "gone\x00\xff", "moded": "#!/bin/sh\n", "unkept": "u\n"} {
		paths[name] = b.file(t, name, text)
	}
	if err := os.Chmod(paths["removed"], 0o600); err != nil {
		t.Fatal(err)
	}
	s := b.start(t)
	prompt(t, s, "go")
	paths["made"] = filepath.Join(b.dir, "made")
	for _, name := range []string{"changed", "removed", "moded", "made"} {
		if err := s.keepFile(t.Context(), "t1", paths[name]); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.Checkpoints(); err != nil || len(list) != 0 {
		t.Errorf("what no command changed is listed: %+v, %v", list, err)
	}
	b.file(t, "changed", "two\n")
	b.file(t, "made", "made\n")
	b.file(t, "unkept", "v\n")
	if err := os.Remove(paths["removed"]); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(paths["moded"], 0o755); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]workspace.ChangeKind{
		"changed": workspace.Modify, "removed": workspace.Delete, "moded": workspace.Modify, "made": workspace.Create, "unkept": workspace.Modify,
	} {
		s.noteCommandChange("t1", checkpoint.Step{Path: paths[name], Kind: string(kind)})
	}
	plan, err := s.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]RewindState{}
	for _, f := range plan.Files {
		states[filepath.Base(f.Path)] = f.State
	}
	if fmt.Sprint(states) != "map[changed:restore made:restore moded:restore removed:restore unkept:unkept]" {
		t.Errorf("planned: %v", states)
	}
	undo, _, err := s.Rewind(t.Context(), RewindChoice{}, plan.Digest)
	if err != nil {
		t.Fatal(err)
	}
	look(t, b.dir, "changed one\n", "removed gone\x00\xff", "moded #!/bin/sh\n", "unkept v\n")
	for name, mode := range map[string]os.FileMode{"removed": 0o600, "moded": 0o644} {
		if info, err := os.Stat(paths[name]); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if plan, err = s.PreviewRewind(t.Context(), RewindChoice{To: undo}); err != nil {
		t.Fatal(err)
	}
	if _, _, err = s.Rewind(t.Context(), RewindChoice{To: undo}, plan.Digest); err != nil {
		t.Fatal(err)
	}
	look(t, b.dir, "changed two\n", "made made\n", "moded #!/bin/sh\n", "unkept v\n")
	if info, err := os.Stat(paths["moded"]); err != nil || info.Mode() != 0o755 {
		t.Errorf("the mode after the undoing: %v, %v", info.Mode(), err)
	}
}

// look checks that a folder holds these files, each given as its name and its
// text, and no other.
func look(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != len(want) {
		t.Errorf("there are %v, %v", list, err)
	}
	for _, file := range want {
		name, text, _ := strings.Cut(file, " ")
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s holds %q, %v, want %q", name, got, err, text)
		}
	}
}

// keepFile keeps what a file holds on the disk, for a command of the turn that
// may change it; one that is not there is kept as such. An error says that it
// could not be kept: it is larger than maxKept, no regular file, or the disk
// refuses.
func (s *Session) keepFile(ctx context.Context, turn, path string) error {
	if s.keeper == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now, text, err := onDisk(path)
	if err != nil {
		return err
	}
	journal, id, err := s.checkpointOf(turn)
	if err != nil {
		return err
	}
	now.Sum = sumOf(now, text)
	if last, ok := journal.Latest(id, path); ok && last.Command && last.After == nil && last.Before.Same(now) {
		return nil
	}
	defer s.makeRoom()
	_, err = journal.Keep(checkpoint.Kept{Checkpoint: id, Path: path, Before: now, Text: text, Command: true})
	return err
}
