package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// opened is a store with the journal of one session.
func opened(t *testing.T) (*Store, *Journal) {
	t.Helper()
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "store"))
	j, err := OpenJournal(filepath.Join(dir, "journal"), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	return s, j
}

// keep keeps one file in a new checkpoint of that age.
func keep(t *testing.T, j *Journal, path, text string, age time.Duration) (id string) {
	t.Helper()
	id, err := j.Begin(Begin{Time: time.Now().Add(-age), Title: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Keep(Kept{Checkpoint: id, Path: path, Before: State{Exists: true}, Text: text}); err != nil {
		t.Fatal(err)
	}
	return id
}

// kept says what is there of each step.
func kept(s *Store, j *Journal) string {
	var b strings.Builder
	for _, step := range j.Steps() {
		text, err := s.Get(step.Before.Sum)
		if err != nil {
			text = err.Error()
		}
		fmt.Fprintf(&b, "%s %s: %s\n", step.Checkpoint, step.Path, text)
	}
	return b.String()
}

func TestAnotherProcessReadsWhatWasKept(t *testing.T) {
	s, j := opened(t)
	odd := "/w/caf\xe9\n"
	var first Step
	id, err := j.Begin(Begin{Turn: "t1", Time: time.UnixMilli(5), Title: "one\ntwo"})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []Kept{
		{Path: odd, Before: State{Exists: true, Mode: 0o640}, Text: "a\x00\xff", After: &State{Exists: true}, Left: "b", Dirs: []string{"/w/\xff"}},
		{Path: "/w/new", Before: State{}, After: &State{Exists: true, Document: true}, Left: "", Command: true},
		{Path: "/w/maybe", Before: State{Exists: true}, Text: "as it is", Command: true},
	} {
		k.Checkpoint = id
		step, err := j.Keep(k)
		if err != nil {
			t.Fatal(err)
		}
		if k.Path == odd {
			first = step
		}
	}
	text := "c"
	err = errors.Join(j.Left(first, State{Exists: true}, &text), j.Unkept(Step{Checkpoint: id, Path: "/w/big", Kind: "modify", Unkept: "too large", While: "make"}),
		j.Reverted(id, map[string]string{"g1": "applied"}))
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenJournal(j.path, s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", again.Steps()), fmt.Sprintf("%+v", j.Steps()); len(again.Steps()) != 3 || stripped(got) != stripped(want) {
		t.Errorf("%s, want %s", got, want)
	}
	cs := again.Checkpoints()
	if len(cs) != 1 || cs[0].Title != "one\ntwo" || cs[0].Damaged || cs[0].Reverted["g1"] != "applied" || !cs[0].Time.Equal(time.UnixMilli(5)) {
		t.Errorf("%+v", cs)
	}
	step := again.Steps()[0]
	before, err1 := s.Get(step.Before.Sum)
	after, err2 := s.Get(step.After.Sum)
	if before != "a\x00\xff" || after != "c" || err1 != nil || err2 != nil || step.Path != odd || step.Dirs[0] != "/w/\xff" || step.Before.Mode != 0o640 {
		t.Errorf("%q, %q, %v, %v, %+v", before, after, err1, err2, step)
	}
	if _, ok := again.Latest(id, "/w/maybe"); !ok {
		t.Error("what was kept for a command is not known")
	}
}

// stripped is a printed step without addresses.
func stripped(text string) string {
	parts := strings.Split(text, "After:")
	for i, p := range parts[1:] {
		_, parts[i+1], _ = strings.Cut(p, " ")
	}
	return strings.Join(parts, "")
}

func TestWhatIsKeptIsPrivateAndThereOnce(t *testing.T) {
	s, j := opened(t)
	keep(t, j, "a", "the same", 0)
	keep(t, j, "b", "the same", 0)
	files := 0
	err := filepath.Walk(filepath.Dir(j.path), func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[info.IsDir()]; path != filepath.Dir(j.path) && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if strings.HasPrefix(path, s.objects()) && !info.IsDir() {
			files++
		}
		return nil
	})
	if err != nil || files != 1 {
		t.Errorf("%d objects, %v", files, err)
	}
}

func TestDamagedBytesAreGone(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"changed":   func(path string) error { return os.WriteFile(path, []byte("what it bold"), 0o600) },
		"cut":       func(path string) error { return os.Truncate(path, 3) },
		"longer":    func(path string) error { return os.WriteFile(path, []byte("what it held and more"), 0o600) },
		"not there": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			s, j := opened(t)
			keep(t, j, "a", "what it held", 0)
			path := s.path(SumOf("what it held"))
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			if text, err := s.Get(SumOf("what it held")); !errors.Is(err, ErrGone) || text != "" {
				t.Errorf("%q, %v", text, err)
			}
			keep(t, j, "b", "what it held", 0) // which mends it
			if text, err := s.Get(SumOf("what it held")); err != nil || text != "what it held" {
				t.Errorf("after it was kept again: %q, %v", text, err)
			}
		})
	}
}

func TestPruneDropsTheOldestFirst(t *testing.T) {
	s, j := opened(t)
	other, err := OpenJournal(j.path+"2", s)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	keep(t, j, "a", "0123456789", 9*time.Hour)
	keep(t, j, "b", "shared789!", 8*time.Hour)
	spared := keep(t, j, "c", "spared 789", 7*time.Hour)
	keep(t, other, "d", "other 7890", time.Hour)
	keep(t, other, "e", "shared789!", time.Hour)
	owners := []Owner{{Journal: j.path, Rank: 1, Spared: []string{spared}}, {Journal: other.path}, {Journal: j.path + "not there"}}
	if p, err := s.Prune(owners, Limits{Bytes: 30, DryRun: true}); err != nil || p != (Pruned{Checkpoints: 1, Objects: 1, Bytes: 10, Left: 30}) {
		t.Errorf("dry run: %+v, %v", p, err)
	}
	for _, step := range []struct {
		limit int64
		want  string
	}{
		{100, "k1 a: 0123456789\nk2 b: shared789!\nk3 c: spared 789\n + k1 d: other 7890\nk2 e: shared789!\n"},
		{30, "k1 a: 0123456789\nk2 b: shared789!\nk3 c: spared 789\n + k1 d: " + ErrGone.Error() + "\nk2 e: shared789!\n"},
		{20, "k1 a: " + ErrGone.Error() + "\nk2 b: shared789!\nk3 c: spared 789\n + k1 d: " + ErrGone.Error() + "\nk2 e: shared789!\n"},
		{0, "k1 a: " + ErrGone.Error() + "\nk2 b: " + ErrGone.Error() + "\nk3 c: spared 789\n + k1 d: " + ErrGone.Error() + "\nk2 e: " + ErrGone.Error() + "\n"},
	} {
		if _, err := s.Prune(owners, Limits{Bytes: step.limit}); err != nil {
			t.Fatal(err)
		}
		if got := kept(s, j) + " + " + kept(s, other); got != step.want {
			t.Errorf("limit %d:\n%swant\n%s", step.limit, got, step.want)
		}
	}
}

func TestPruneByAge(t *testing.T) {
	s, j := opened(t)
	keep(t, j, "a", "old", 9*time.Hour)
	keep(t, j, "b", "new", time.Hour)
	keep(t, j, "c", "old", time.Hour)
	keep(t, j, "d", "very old", 9*time.Hour)
	if _, err := s.Prune([]Owner{{Journal: j.path}}, Limits{Bytes: -1, Before: time.Now().Add(-2 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if got, want := kept(s, j), "k1 a: old\nk2 b: new\nk3 c: old\nk4 d: "+ErrGone.Error()+"\n"; got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	open := []Owner{{Journal: j.path, Open: true}}
	if _, err := s.Prune(open, Limits{Before: time.Now()}); err != nil || s.Has(SumOf("new")) == false {
		t.Errorf("what is open was pruned: %v", err)
	}
}

// What no journal names goes, and what was left of a write that a crash broke.
func TestPruneSweepsScraps(t *testing.T) {
	s, j := opened(t)
	keep(t, j, "a", "here", 0)
	if err := s.put(SumOf("nobody's"), "nobody's", durable); err != nil {
		t.Fatal(err)
	}
	scrap := filepath.Join(filepath.Dir(s.path(SumOf("here"))), "123"+unfinished)
	if err := os.WriteFile(scrap, []byte("he"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune([]Owner{{Journal: j.path, Open: true}}, Limits{Bytes: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(scrap); err == nil || s.Has(SumOf("nobody's")) || !s.Has(SumOf("here")) {
		t.Errorf("%v, %v, %v", err, s.Has(SumOf("nobody's")), s.Has(SumOf("here")))
	}
}

// A journal that cannot be read may name anything: nothing is removed.
func TestPruneStopsWhereAJournalCannotBeRead(t *testing.T) {
	s, j := opened(t)
	keep(t, j, "a", "here", 0)
	folder := t.TempDir() // reading it fails
	if _, err := s.Prune([]Owner{{Journal: folder}}, Limits{}); err == nil || !s.Has(SumOf("here")) {
		t.Errorf("%v, %v", err, s.Has(SumOf("here")))
	}
}

// Stores of one folder, as several processes have, keep and prune at once: what
// was kept, and is of an open session, is there afterwards.
func TestNothingIsPrunedThatWasJustKept(t *testing.T) {
	dir := t.TempDir()
	const sessions, rounds = 4, 60
	owners := make([]Owner, sessions)
	for i := range owners {
		owners[i] = Owner{Journal: filepath.Join(dir, fmt.Sprint("j", i)), Open: true}
	}
	var keeping, pruning sync.WaitGroup
	over := make(chan struct{})
	pruning.Go(func() {
		s := Open(filepath.Join(dir, "store"))
		for {
			if _, err := s.Prune(owners, Limits{}); err != nil {
				t.Error(err)
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	for i := range owners {
		keeping.Go(func() {
			s := Open(filepath.Join(dir, "store"))
			j, err := OpenJournal(owners[i].Journal, s)
			if err != nil {
				t.Error(err)
				return
			}
			defer j.Close()
			for r := range rounds {
				text := fmt.Sprint("text ", r%7+i) // which others keep as well
				id, err := j.Begin(Begin{})
				_, failed := j.Keep(Kept{Checkpoint: id, Path: "a", Before: State{Exists: true}, Text: text})
				err = errors.Join(err, failed)
				got, lost := s.Get(SumOf(text))
				if err != nil || lost != nil || got != text {
					t.Errorf("%v, %v, %q", err, lost, got)
					return
				}
			}
		})
	}
	keeping.Wait()
	close(over)
	pruning.Wait()
}

// The journal cut at any byte tells what its whole lines said, and takes more.
func TestJournalCutAnywhere(t *testing.T) {
	s, j := opened(t)
	for i := range 3 {
		keep(t, j, fmt.Sprint("f", i), fmt.Sprint("text ", i), 0)
	}
	whole, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := OpenJournal(path, s)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(whole[:cut]), "\n")
		cs := again.Checkpoints()
		if len(cs) != (lines+1)/2 || len(again.Steps()) != lines/2 || slices.ContainsFunc(cs, func(c Checkpoint) bool { return c.Damaged }) {
			t.Fatalf("cut at %d: %d checkpoints and %d steps of %d lines", cut, len(cs), len(again.Steps()), lines)
		}
		if cut%7 != 0 { // to write each of them takes long
			continue
		}
		keep(t, again, "more", "text", 0)
		again.Close()
		if again, err = OpenJournal(path, s); err != nil || len(again.Steps()) != lines/2+1 {
			t.Fatalf("cut at %d and written: %v, %d steps", cut, err, len(again.Steps()))
		}
	}
}

// A line with any of its bytes changed is no line; what it was about cannot be
// restored.
func TestJournalDamagedAnywhere(t *testing.T) {
	s, j := opened(t)
	keep(t, j, "a", "text", 0)
	keep(t, j, "b", "text", 0)
	whole, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.Index(string(whole), "\n") + 1
	second := first + strings.Index(string(whole[first:]), "\n") // its step
	for at := first; at < second; at++ {
		damaged := slices.Clone(whole)
		damaged[at] ^= 1
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := OpenJournal(path, s)
		if err != nil {
			t.Fatal(err)
		}
		cs := again.Checkpoints()
		if len(cs) != 2 || !cs[0].Damaged || cs[1].Damaged {
			t.Fatalf("byte %d (%q): %+v", at, whole[at], cs)
		}
	}
}

// A write that the disk refuses leaves no half line behind.
func TestJournalThatCannotBeWritten(t *testing.T) {
	s, j := opened(t)
	id := keep(t, j, "a", "text", 0)
	real := j.f
	j.f, _ = os.Open(j.path) // cannot be written
	_, err := j.Keep(Kept{Checkpoint: id, Path: "b", Before: State{Exists: true}, Text: "b"})
	j.f.Close()
	j.f = real
	if err == nil || len(j.Steps()) != 1 {
		t.Errorf("%v, %+v", err, j.Steps())
	}
	keep(t, j, "c", "c", 0)
	again, err := OpenJournal(j.path, s)
	if err != nil || len(again.Steps()) != 2 {
		t.Errorf("%v, %+v", err, again.Steps())
	}
}

// Two writers of one file each say what they left once they have let go of it, in
// any order: it is told of the step that is meant, also to who reads it later.
func TestWhatIsLeftIsToldOfItsStep(t *testing.T) {
	s, j := opened(t)
	id, err := j.Begin(Begin{Turn: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"zero", "one", "two"}
	var steps []Step
	for i := range 2 {
		step, err := j.Keep(Kept{Checkpoint: id, Path: "/w/a", Before: State{Exists: true}, Text: texts[i]})
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	for _, i := range []int{1, 0} {
		if err := j.Left(steps[i], State{Exists: true}, &texts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenJournal(j.path, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Journal{j, again} {
		for i, step := range of.Steps() {
			if step.After == nil || step.After.Sum != SumOf(texts[i+1]) {
				t.Errorf("step %d left %+v", i, step.After)
			}
		}
	}
	next, err := again.Keep(Kept{Checkpoint: id, Path: "/w/a", Before: State{Exists: true}, Text: "two"})
	if err != nil || next.Number <= steps[1].Number {
		t.Errorf("the next step is %+v, %v", next, err)
	}
}
