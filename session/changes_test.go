package session

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

const editTwo = `{"file_path":"a.txt","old_string":"two","new_string":"2"}`

// edited is a session that changed the second of several lines.
func edited(t *testing.T) (b *bench, s *Session, path string) {
	t.Helper()
	b = newBench(t, nil)
	path = b.file(t, "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	b.model.then(callTools("x", "edit_file", editTwo))
	s = b.start(t)
	prompt(t, s, "go")
	return b, s, path
}

func TestOwnTextLeavesLaterWorkAlone(t *testing.T) {
	_, s, path := edited(t)
	os.WriteFile(path, []byte("one\n2\nthree\nfour\nfive\nsix\nseven\nmine\n"), 0o644)
	text := "one\nzwei\nthree\nfour\nfive\nsix\nseven\n"
	if r, err := s.Resolve(t.Context(), "g1", Verdict{Text: &text}); err != nil || len(r.Stuck) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\nzwei\nthree\nfour\nfive\nsix\nseven\nmine\n" {
		t.Errorf("file = %q", got)
	}
}

func TestOwnTextForLinesThatAreGoneIsStale(t *testing.T) {
	_, s, path := edited(t)
	now := "all is different\n"
	os.WriteFile(path, []byte(now), 0o644)
	text := "one\nzwei\nthree\nfour\nfive\nsix\nseven\n"
	r, err := s.Resolve(t.Context(), "g1", Verdict{Text: &text})
	if err != nil || len(r.Stuck) != 1 || !strings.Contains(r.Stuck[0].Why, "has changed") {
		t.Errorf("%+v, %v", r, err)
	}
	if got, _ := os.ReadFile(path); string(got) != now {
		t.Errorf("file = %q", got)
	}
}

func TestChangeIDsAreNeverGivenTwice(t *testing.T) {
	b, s, _ := edited(t)
	b.model.then(callTools("y", "write_file", `{"file_path":"b.txt","content":"x\n"}`))
	prompt(t, s, "more")
	s.Close(context.Background())
	// The first change's record is lost, as a proposal's was that nobody settled.
	log, _ := os.ReadFile(b.logPath(s.id))
	var kept []byte
	for _, line := range splitLines(log) {
		if !contains(line, `"id":"g1"`) {
			kept = append(kept, line...)
		}
	}
	os.WriteFile(b.logPath(s.id), kept, 0o600)
	again, _, err := b.Load(s.id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	b.model.then(callTools("z", "write_file", `{"file_path":"c.txt","content":"x\n"}`))
	prompt(t, again, "and more")
	ids := map[string]int{}
	for _, ch := range again.Changes() {
		ids[ch.ID]++
	}
	if len(ids) != 2 || ids["g3"] != 1 {
		t.Errorf("ids = %v", ids)
	}
}

func splitLines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }

func contains(line []byte, s string) bool { return bytes.Contains(line, []byte(s)) }
