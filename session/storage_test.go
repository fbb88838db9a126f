package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// leave makes a file of n bytes below a state folder, last changed so long ago.
func leave(t *testing.T, state, name string, n int, age time.Duration) {
	t.Helper()
	path := filepath.Join(state, name)
	then := time.Now().Add(-age)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

const days = 24 * time.Hour

// stored is a state folder with an old session, a new one, an old one that is
// open, and what calls of single tools have left, old and new.
func stored(t *testing.T) (state string) {
	state = t.TempDir()
	for id, age := range map[string]time.Duration{"old": 40 * days, "new": days, "open": 50 * days} {
		leave(t, state, "sessions/"+id+"/log.jsonl", 1000, age)
		leave(t, state, "sessions/"+id+"/owner", 0, age)
		leave(t, state, "heads/"+id, 400, age)
		leave(t, state, "sessions/"+id+"/changes/g1", 100, age)
		leave(t, state, "scratch/"+id+"/tmp/x/y", 10, age)
		leave(t, state, "scratch/"+id+"/truncated-tool-output/1.txt", 20, age)
	}
	leave(t, state, "scratch/single/truncated-tool-output/1.txt", 3, 60*days)
	leave(t, state, "heads/gone", 400, 30*days)
	leave(t, state, "scratch/justnow/truncated-tool-output/1.txt", 4, time.Hour)
	hold, err := own(filepath.Join(state, "sessions/open"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hold.release)
	return state
}

func TestStorageIsMeasured(t *testing.T) {
	list, checkpoints, err := OpenStorage(stored(t)).Sessions()
	if err != nil || checkpoints != 0 {
		t.Fatalf("%d, %v", checkpoints, err)
	}
	var got []string
	for _, s := range list {
		b := s.Bytes
		got = append(got, fmt.Sprint(s.ID, s.Open, b[StoredTemporary], b[StoredOutputs], b[StoredChanges]))
		if s.ID == "old" && b[StoredSessions] != 1400 {
			t.Errorf("the log of a session and its head have %d bytes", b[StoredSessions])
		}
	}
	want := []string{"singlefalse 0 3 0", "opentrue 10 20 100", "oldfalse 10 20 100", "gonefalse 0 0 0", "newfalse 10 20 100", "justnowfalse 0 4 0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStorageIsPruned(t *testing.T) {
	month := map[StoredKind]time.Duration{StoredTemporary: 30 * days, StoredOutputs: 30 * days}
	everything := map[StoredKind]time.Duration{}
	for _, kind := range StoredKinds {
		everything[kind] = time.Minute
	}
	for name, c := range map[string]struct {
		p    Pruning
		want []string // what is removed
		left []string // what is there afterwards, of all that was
	}{
		"by age": {
			Pruning{Ages: month, Bytes: -1},
			[]string{"old temporary", "single outputs", "old outputs"},
			[]string{"sessions/old/log.jsonl", "sessions/old/changes/g1", "scratch/new/tmp/x/y", "scratch/open/tmp/x/y", "scratch/justnow"},
		},
		"tried": {
			Pruning{Ages: month, Bytes: -1, DryRun: true},
			[]string{"old temporary", "single outputs", "old outputs"},
			[]string{"scratch/old/tmp/x/y", "scratch/single"},
		},
		"of an open session nothing": {
			Pruning{Ages: everything, Bytes: -1},
			[]string{"old temporary", "new temporary", "single outputs", "old outputs", "new outputs", "old changes", "new changes", "old sessions", "gone sessions", "new sessions"},
			[]string{"sessions/open/log.jsonl", "sessions/open/changes/g1", "heads/open", "scratch/open/tmp/x/y", "scratch/justnow/truncated-tool-output/1.txt"},
		},
		"by size, kind by kind": {
			Pruning{Kinds: []StoredKind{StoredOutputs, StoredChanges}, Bytes: 4870},
			[]string{"single outputs", "old outputs", "new outputs", "old changes"},
			[]string{"sessions/new/changes/g1", "sessions/old/log.jsonl", "heads/old", "scratch/old/tmp/x/y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := stored(t)
			c.p.Now = time.Now()
			removed, err := OpenStorage(state).Prune(c.p)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range removed {
				got = append(got, r.Session+" "+string(r.Kind))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("removed %q, want %q", got, c.want)
			}
			for _, name := range c.left {
				if _, err := os.Stat(filepath.Join(state, name)); err != nil {
					t.Error(err)
				}
			}
			if c.p.DryRun {
				return
			}
			for _, r := range removed {
				if _, err := os.Stat(OpenStorage(state).path(r.Session, r.Kind)); err == nil {
					t.Errorf("%s of %s is still there", r.Kind, r.Session)
				}
				if _, err := os.Stat(headPath(state, r.Session)); err == nil && r.Kind == StoredSessions {
					t.Errorf("the head of %s is still there", r.Session)
				}
			}
		})
	}
}
