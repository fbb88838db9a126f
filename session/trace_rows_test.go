package session

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Whoever keeps a record keeps a line of its own.
//
// Cases: P-TRC-01
func TestRecordsOfManyAreALineEach(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	prompt(t, s, "go")
	const many, each = 8, 50
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			for range each {
				s.out.keep(record{Type: recTurn, Turn: strings.Repeat("x", 100*i)})
			}
		})
	}
	all.Wait()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	turns := 0
	check := newChainCheck(s.id)
	skipped, err := readLog(b.logPath(s.id), check, func(r record) {
		if r.Type == recTurn {
			turns++
		}
	})
	if err != nil || skipped != 0 || turns != 1+many*each {
		t.Errorf("%d turns, %d lines skipped, %v", turns, skipped, err)
	}
}

// A line in the middle that cannot be read costs that record alone.
//
// Cases: P-TRC-01
func TestADamagedLineCostsNoTurn(t *testing.T) {
	b := newBench(t, nil)
	b.model.then(say("one")).then(say("two"))
	s := b.start(t)
	prompt(t, s, "first")
	prompt(t, s, "second")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := logText(t, b, s.id)
	at := bytes.Index(log, []byte(`"one"`))
	if at < 0 {
		t.Fatalf("no answer in %s", log)
	}
	log[at] = '{'
	if err := os.WriteFile(b.logPath(s.id), log, 0o600); err != nil {
		t.Fatal(err)
	}
	var turns []string
	again, _, err := b.Load(s.id, 0, func(e Event) {
		if begun, ok := e.Body.(TurnStarted); ok {
			turns = append(turns, fmt.Sprint(begun.Prompt))
		}
	})
	if err != nil || len(turns) != 2 || !strings.Contains(turns[0], "first") || !strings.Contains(turns[1], "second") {
		t.Fatalf("turns %v, %v", turns, err)
	}
	prompt(t, again, "third")
	if why := valid(b.model.last().Messages); why != "" {
		t.Error(why)
	}
}

// The result that a strict service wants for a call which never began is made up
// for the model, and is not written into the record.
//
// Cases: P-TRC-01
func TestAResultThatNeverWasIsInMemoryAlone(t *testing.T) {
	b := newBench(t, nil)
	b.file(t, "a.txt", "one\n")
	b.model.then(callTools("a", "read_file", `{"file_path":"a.txt"}`))
	s := b.start(t)
	prompt(t, s, "go")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := logText(t, b, s.id)
	at := bytes.Index(log, []byte(`"read_file"`))
	cut := log[:at+bytes.IndexByte(log[at:], '\n')+1]
	if err := os.WriteFile(b.logPath(s.id), cut, 0o600); err != nil {
		t.Fatal(err)
	}
	before := loadUnanswered(t, b, s.id)
	if !bytes.HasPrefix(before, cut) || bytes.Contains(before, []byte("[interrupted")) {
		t.Errorf("the record became %s", before[len(cut):])
	}
	if after := loadUnanswered(t, b, s.id); !bytes.Equal(before, after) {
		t.Errorf("to load it once more added %s", after[len(before):])
	}
}

// loadUnanswered loads a session whose last call has no result, and returns its
// log as that leaves it.
func loadUnanswered(t *testing.T, b *bench, id string) []byte {
	t.Helper()
	s, _, err := b.Load(id, 0, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if why := valid(s.talk.messages); why != "" {
		t.Error(why)
	}
	last := s.talk.messages[len(s.talk.messages)-1].Parts
	if len(last) != 1 || last[0].Result == nil || last[0].Result.Text != interruptedText {
		t.Errorf("the call was answered by %+v", last)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return logText(t, b, id)
}

func logText(t *testing.T, b *bench, id string) []byte {
	t.Helper()
	log, err := os.ReadFile(b.logPath(id))
	if err != nil {
		t.Fatal(err)
	}
	return log
}
