package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRewoundAfterAKill kills a bridge that edits as fast as it can, at random
// moments. Whatever it had done, the next one gives the files what they held
// before the turn, byte for byte, and removes what was made.
func TestRewoundAfterAKill(t *testing.T) {
	t.Parallel()
	rounds := 8
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		rounds = 500
	}
	changed := 0
	for round := range rounds {
		if editedAndKilled(t, time.Duration(rand.IntN(400_000))*time.Microsecond) {
			changed++
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d of %d kills came after something was written", changed, rounds)
	if changed == 0 {
		t.Error("no kill came after anything was written")
	}
}

// manyEdits is a turn that edits a.txt again and again, and makes files.
func manyEdits() string {
	var script strings.Builder
	for i := range 100 {
		fmt.Fprintf(&script, "call e%d edit_file {\"file_path\":\"a.txt\",\"old_string\":\"%d\\n\",\"new_string\":\"%d\\n\"}\n", i, 1000+i, 1001+i)
		fmt.Fprintf(&script, "call n%d write_file {\"file_path\":\"made/n%d.txt\",\"content\":\"%d\"}\n----\n", i, i, i)
	}
	return script.String() + "text \"Done.\""
}

// editedAndKilled reports whether anything had been written when the bridge was
// killed.
func editedAndKilled(t *testing.T, after time.Duration) (changed bool) {
	t.Helper()
	e := serve(t)
	e.handshake(os.Getpid())
	path := filepath.Join(e.work, "a.txt")
	original := "1000\r\ncaf\xe9\r\n" + strings.Repeat("a line of the file\r\n", 2000)
	if err := os.WriteFile(path, []byte(original), 0o640); err != nil {
		t.Fatal(err)
	}
	s := e.open("auto-edit", manyEdits())
	e.prompt(s, "go")
	time.Sleep(after)
	next := e.kill("log.jsonl")
	changed = next.content("a.txt") != original || len(entries(t, e.work)) > 1
	next.call("session/load", object{"sessionId": s}, nil)
	var kept struct{ Checkpoints []object }
	next.call("checkpoint/list", object{"sessionId": s}, &kept)
	if len(kept.Checkpoints) == 0 {
		if changed {
			t.Errorf("killed after %v: something was written, and no checkpoint is listed", after)
		}
		next.shutDown()
		return changed
	}
	var plan struct{ Digest string }
	next.call("checkpoint/preview", object{"sessionId": s}, &plan)
	next.call("checkpoint/restore", object{"sessionId": s, "digest": plan.Digest}, nil)
	if got := next.content("a.txt"); got != original {
		t.Errorf("killed after %v, the file is not what it was: %s", after, brief(got))
	}
	left := entries(t, e.work)
	if slices.Contains(left, "made") && len(entries(t, filepath.Join(e.work, "made"))) == 0 {
		left = left[:1] // the kill left a temporary file in there, which is not ours to judge
	}
	if len(left) != 1 {
		t.Errorf("killed after %v, left are %v", after, left)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	next.shutDown()
	return changed
}

// entries are the names in a folder without temporary files, of which a kill may
// leave one.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return slices.DeleteFunc(names, temporary.MatchString)
}
