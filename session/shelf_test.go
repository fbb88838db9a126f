package session

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drawbridge/workspace"
)

// threeHunks is a session with a change of three places in a file.
func threeHunks(t *testing.T, change func(*Options)) (b *bench, s *Session, path string) {
	t.Helper()
	b = newBench(t, change)
	path = b.file(t, "a.txt", "a\n1\nb\n2\nc\n3\n")
	b.model.then(callTools("x", "write_file", `{"file_path":"a.txt","content":"A\n1\nB\n2\nC\n3\n"}`))
	s = b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	return b, s, path
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("%s is %q, want %q", filepath.Base(path), got, want)
	}
}

// Each run takes one hunk back: the next one knows of all that went before.
func TestHunksAreTakenBackOneRunAfterTheOther(t *testing.T) {
	b, s, path := threeHunks(t, nil)
	for _, back := range []string{"h2", "h1"} {
		again, _ := reload(t, b.Host, s.id, 0)
		if _, err := again.Resolve(t.Context(), "g1", Verdict{Reject: Choice{Hunks: []string{back}}}); err != nil {
			t.Fatal(err)
		}
		again.Close(t.Context())
	}
	checkFile(t, path, "a\n1\nb\n2\nC\n3\n")
	again, _ := reload(t, b.Host, s.id, 0)
	if ch := again.Changes()[0]; ch.State != ChangePartly || len(ch.Done.Hunks) != 1 || ch.Done.Hunks[0].ID != "h3" {
		t.Errorf("%s, %+v", ch.State, ch.Done)
	}
}

// Memory may let texts go while a hunk is being taken back.
func TestChangeThatRestsMeanwhileIsAnnouncedWhole(t *testing.T) {
	b, s, _ := threeHunks(t, nil)
	again, _ := reload(t, b.Host, s.id, 0)
	again.announce("g1", func(ch *Change) { ch.afterTakeBack([]string{"h2"}, 2) })
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.events[len(b.events)-1].Body.(ChangeUpdated).Change
	if told.Gone || told.State != ChangePartly || len(told.Done.Hunks) != 2 {
		t.Errorf("told of %+v", told)
	}
}

// TestTextsAreKeptUpToALimit drops the oldest, and those only.
func TestTextsAreKeptUpToALimit(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	long := strings.Repeat("x", 1000)
	for i := range 4 {
		b.model.then(callTools("x", "write_file", fmt.Sprintf(`{"file_path":"%d.txt","content":"%s"}`, i, long)))
	}
	s.changes.shelf.limit = 4000 // a file holds its text in base64, and some words
	prompt(t, s, "go")
	s.Close(t.Context())
	again, _ := reload(t, b.Host, s.id, 0)
	var gone []bool
	for _, ch := range again.Changes() {
		gone = append(gone, ch.Gone)
	}
	if !reflect.DeepEqual(gone, []bool{true, true, false, false}) {
		t.Errorf("gone are %v", gone)
	}
	if _, err := again.Resolve(t.Context(), "g1", Verdict{Reject: Choice{All: true}}); err == nil {
		t.Error("a change without texts is taken back")
	}
	if _, err := os.Stat(filepath.Join(b.dir, "0.txt")); err != nil {
		t.Error(err)
	}
	again.changes.shelf.limit = 4000 // what the first run left counts
	b.model.then(callTools("y", "write_file", fmt.Sprintf(`{"file_path":"new.txt","content":"%s"}`, long)))
	prompt(t, again, "more")
	if _, err := os.Stat(again.changes.shelf.path("g3")); err == nil {
		t.Error("the oldest texts of the earlier run are still there")
	}
}

func TestLargeTextsAreKeptToo(t *testing.T) {
	b := newBench(t, nil)
	text := strings.Repeat("0123456789abcde\n", largeTexts/16) + "two\n"
	path := b.file(t, "a.txt", text)
	b.model.then(callTools("x", "edit_file", editTwo))
	s := b.start(t)
	prompt(t, s, "go")
	s.Close(t.Context())
	again, _ := reload(t, b.Host, s.id, 0)
	if _, err := again.Resolve(t.Context(), "g1", Verdict{Reject: Choice{All: true}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != text {
		t.Errorf("%d bytes are not as before", len(got))
	}
}

// What memory let go is read again.
func TestRestingChangeIsTakenBack(t *testing.T) {
	_, s, path := edited(t)
	s.changes.update("g1", func(ch *Change) { ch.resting, ch.Planned, ch.Done = true, workspace.Change{}, nil })
	if list := s.Changes(); list[0].Gone || list[0].Done == nil {
		t.Errorf("listed as %+v", list[0])
	}
	if r, err := s.Resolve(t.Context(), "g1", Verdict{Reject: Choice{All: true}}); err != nil || r.Change.State != ChangeReverted {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, _ := os.ReadFile(path); !strings.Contains(string(got), "two") {
		t.Errorf("file = %q", got)
	}
}

// TestDamagedTextsAreGone breaks a file at every place: it says what was
// written, or nothing.
func TestDamagedTextsAreGone(t *testing.T) {
	_, s, _ := edited(t)
	path := s.changes.shelf.path("g1")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		broken := slices.Clone(whole)
		broken[i] ^= 1
		for _, raw := range [][]byte{broken, whole[:i]} {
			os.WriteFile(path, raw, 0o600)
			if _, err := s.changes.shelf.get("g1"); err == nil {
				t.Fatalf("byte %d of %d is not missed", i, len(whole))
			}
		}
	}
}

func TestTextsArePrivate(t *testing.T) {
	_, s, _ := edited(t)
	for path, want := range map[string]os.FileMode{s.changes.shelf.dir: 0o700, s.changes.shelf.path("g1"): 0o600} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v %v", filepath.Base(path), st.Mode(), err)
		}
	}
}
