package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What little changed is had of what it was before, byte for byte, also by the
// process after this one.
func TestWhatIsLeftIsHadOfWhatWas(t *testing.T) {
	dir := t.TempDir()
	store := Open(filepath.Join(dir, "store"))
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, "journals", string(rune('a'+n%26)), "j.jsonl")
		os.RemoveAll(path)
		before := strings.Repeat(rapid.StringMatching(`[a-c]{1,9}\n`).Draw(t, "line"), wholeBytes/2)
		at := rapid.IntRange(0, len(before)).Draw(t, "at")
		end := rapid.IntRange(at, min(len(before), at+3*block)).Draw(t, "end")
		put := strings.Repeat(rapid.StringN(0, 6, 6).Draw(t, "put"), rapid.IntRange(0, 4000).Draw(t, "times"))
		left := before[:at] + put + before[end:]
		j := mustOpen(t, path, store)
		id, err := j.Begin(Begin{})
		if err == nil {
			_, err = j.Keep(Kept{Checkpoint: id, Path: "/f", Before: State{Exists: true}, Text: before, After: &State{Exists: true}, Left: left})
		}
		j.Close()
		if err != nil {
			t.Fatal(err)
		}
		step := mustOpen(t, path, store).Steps()[0]
		if got, err := store.Bytes(*step.After); err != nil || got != left {
			t.Fatalf("%d bytes came back as %d, %v", len(left), len(got), err)
		}
		if whole := step.After.Splice == nil; whole != (len(left) <= wholeBytes || sharesMore(before, left)) {
			t.Fatalf("kept whole: %v, %d bytes put into %d", whole, len(put), len(before))
		}
	})
}

// sharesMore says that what the two have in common leaves too much between.
func sharesMore(before, left string) bool {
	head := sharedHead(before, left)
	return len(left)-head-sharedTail(before[head:], left[head:]) > maxSplice
}

func mustOpen(t *rapid.T, path string, store *Store) *Journal {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(path, store)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A damaged or missing object gives no wrong bytes to what is had of it, and
// what others are had of is not pruned.
func TestWhatIsHadOfWhatIsDamagedIsGone(t *testing.T) {
	dir := t.TempDir()
	store := Open(filepath.Join(dir, "store"))
	path := filepath.Join(dir, "j.jsonl")
	j, err := OpenJournal(path, store)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	id, _ := j.Begin(Begin{})
	before := strings.Repeat("line\n", wholeBytes)
	after := State{Exists: true}
	if _, err := j.Keep(Kept{Checkpoint: id, Path: "/f", Before: State{Exists: true}, Text: before, After: &after, Left: before + "more\n"}); err != nil {
		t.Fatal(err)
	}
	if after.Splice == nil {
		t.Fatal("an added line was kept as a whole file")
	}
	if _, err := store.Prune([]Owner{{Journal: path, Open: true}}, Limits{Bytes: 0}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Bytes(after); err != nil || got != before+"more\n" {
		t.Fatalf("after pruning: %d bytes, %v", len(got), err)
	}
	if err := os.WriteFile(store.path(after.Splice.From), []byte(strings.Repeat("LINE\n", wholeBytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Bytes(after); !errors.Is(err, ErrGone) {
		t.Errorf("a damaged object gave %v", err)
	}
	wild := after
	wild.Splice = &Splice{From: after.Splice.From, Head: 1 << 40, Tail: -1}
	if _, err := store.Bytes(wild); !errors.Is(err, ErrGone) {
		t.Errorf("a note that does not fit gave %v", err)
	}
}
