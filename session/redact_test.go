package session

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

const secret = "hunter2\"hunter3"

func hide(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }

func parsePreset(t *testing.T, word string) approval.Preset {
	t.Helper()
	p, err := approval.ParsePreset(word)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Texts are replaced wherever they stand, and what others hold of the value is
// as it was.
func TestTextsAreRedactedInCopies(t *testing.T) {
	exit := TerminalClosed{Tail: "a " + secret}
	r := record{
		Type: recTerminal, Blocks: []Block{{Text: "plain"}, {Text: secret}}, Terminal: &exit,
		Result: &model.Result{Text: secret}, Updated: &TerminalUpdated{Status: shell.Status{Survivors: []shell.Survivor{{Name: secret}}}},
	}
	got := redacted(r, hide)
	if got.Terminal.Tail != "a [redacted]" || got.Blocks[1].Text != "[redacted]" || got.Blocks[0].Text != "plain" ||
		got.Result.Text != "[redacted]" || got.Updated.Status.Survivors[0].Name != "[redacted]" {
		t.Errorf("%+v", got)
	}
	if exit.Tail != "a "+secret || r.Blocks[1].Text != secret || r.Updated.Status.Survivors[0].Name != secret {
		t.Error("the original has changed")
	}
}

func TestWhatHasNoSecretIsNotCopied(t *testing.T) {
	blocks := []Block{{Text: "plain"}}
	if got := redacted(blocks, hide); &got[0] != &blocks[0] {
		t.Error("it was copied")
	}
	if got := redacted(blocks, nil); !reflect.DeepEqual(got, blocks) {
		t.Errorf("%+v", got)
	}
}

// A person's own file is shown and applied as it is.
func TestTextsOfAChangeAreLeftAlone(t *testing.T) {
	ch := ChangeUpdated{Change: Change{Why: secret}}
	if got := redactedBody(ch, hide).(ChangeUpdated); got.Change.Why != secret {
		t.Errorf("%+v", got)
	}
	if got := redactedBody(MessageChunk{Text: secret}, hide).(MessageChunk); got.Text != "[redacted]" {
		t.Errorf("%+v", got)
	}
}

// No record of a session holds a secret: not what the person said, not what a
// tool brought or was called with, not what stands beside the log.
func TestTheLogHoldsNoSecret(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Redact = hide })
	b.file(t, "a.txt", secret+"\nother\n")
	b.model.then(callTools("a", "read_file", `{"file_path":"a.txt"}`)).
		then(callTools("b", "edit_file", `{"file_path":"a.txt","old_string":"other","new_string":"more"}`))
	s := b.start(t)
	prompt(t, s, "my word is "+secret)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(b.logPath(s.id))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.ReadFile(b.metaPath(s.id))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(log), "hunter2") || strings.Contains(string(info), "hunter2") {
		t.Error("a secret is on the disk")
	}
	for _, req := range b.model.requests() {
		for _, m := range req.Messages {
			for _, p := range m.Parts {
				if p.Result != nil && strings.Contains(p.Result.Text, "hunter2") || strings.Contains(p.Text, "hunter2") {
					t.Errorf("the model read %+v", p)
				}
			}
		}
	}
}

// pieces write a secret with a pause within it, which the shell lets through.
func pieces(after string) []shelltest.Piece {
	half := len(secret) / 2
	return []shelltest.Piece{{Text: secret[:half]}, {Text: secret[half:] + "\r\n" + after, After: time.Second}}
}

// A secret that a command writes in pieces is none of them, but shows in the
// whole: neither the model reads it, nor is it kept.
func TestASecretInPiecesIsKeptFromTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) {
			commands(
				shelltest.Step{Match: "one", Out: pieces("")},
				shelltest.Step{Match: "two", Out: pieces(""), After: time.Minute},
				shelltest.Step{Match: "three", Out: pieces(strings.Repeat("x", tailSize-len("unter3\r\n"))), After: time.Hour},
			)(o)
			o.Redact = hide
		})
		b.model.then(callTools("a", "exec_command", `{"cmd":"one"}`)).
			then(background("b", "two")).then(background("c", "three"))
		s := b.start(t)
		prompt(t, s, "go")
		time.Sleep(10 * time.Second)
		checkDisk(t, b.Host.dir(s.id), 1)
		time.Sleep(2 * time.Minute)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkDisk(t, b.Host.dir(s.id), 5)
		told := 0
		for _, req := range b.model.requests() {
			for _, m := range req.Messages {
				for _, p := range m.Parts {
					text := p.Text
					if p.Result != nil {
						text = p.Result.Text
					}
					told += strings.Count(text, "[redacted]")
					if strings.Contains(text, secret) {
						t.Errorf("the model read %q", text)
					}
				}
			}
		}
		if told == 0 {
			t.Error("the model was shown nothing")
		}
	})
}

// What a tool brings is read by the model as the client is told it.
func TestAResultIsRedactedWhole(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Redact = hide })
	s := b.start(t)
	c := &call{id: "c1", turn: "t1", model: model.Call{ID: "a"}}
	s.complete(newRunning("t1"), c, tools.Outcome{Text: "a " + secret})
	if c.result.Text != "a [redacted]" {
		t.Errorf("the model reads %q", c.result.Text)
	}
}

// checkDisk looks for a secret, or the end of one, in the files of a folder, and
// for at least so many that were replaced.
func checkDisk(t *testing.T, dir string, least int) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found += strings.Count(string(text), "[redacted]")
		if strings.Contains(string(text), "hunter3") || strings.Contains(string(text), "nter3") {
			t.Errorf("%s holds a secret", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < least {
		t.Errorf("%d secrets were replaced in %s, want %d", found, filepath.Base(dir), least)
	}
}

// The same of an answer: beside the log, and for a client that loads meanwhile.
func TestASecretInAnArrivingAnswerIsNotKept(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Redact = hide })
	b.model.then(func(ctx context.Context, _ model.Request, sink model.Sink) (model.Response, error) {
		sink(model.Event{Kind: model.EventThinking, Text: "It is " + secret[:9]})
		sink(model.Event{Kind: model.EventThinking, Text: secret[9:]})
		sink(model.Event{Kind: model.EventText, Text: "It is " + secret[:9]})
		sink(model.Event{Kind: model.EventText, Text: secret[9:]})
		<-ctx.Done()
		return model.Response{}, ctx.Err()
	})
	s := b.start(t)
	turn := start(t, s)
	await(t, draftPath(b.dirOf(s)))
	_, events := reload(t, b.Host, s.id, 0)
	checkOutline(t, events, "ThoughtChunk {Turn:t1 Text:It is [redacted]}", "MessageChunk {Turn:t1 Text:It is [redacted]}")
	checkDisk(t, b.dirOf(s), 2)
	s.Cancel("")
	<-turn.Done()
	checkDisk(t, b.dirOf(s), 1)
}

// What is answered to a client has no more secrets than what it is told.
func TestAnswersHaveNoSecrets(t *testing.T) {
	b := newBench(t, func(o *Options) {
		commands(shelltest.Step{Survivors: []string{"curl -u " + secret}})(o)
		o.Redact = hide
	})
	b.model.then(callTools("a", "exec_command", fmt.Sprintf(`{"cmd":%q}`, "login "+secret)))
	s := b.start(t)
	prompt(t, s, "go")
	list := s.Terminals()
	if len(list) != 1 || list[0].Title != "login [redacted]" || list[0].Status.Survivors[0].Name != "curl -u [redacted]" {
		t.Errorf("%+v", list)
	}
	if list[0].Process == nil {
		t.Error("the process is lost")
	}
	info, err := s.Configure(Settings{Title: "my " + secret})
	if err != nil || info.Title != "my [redacted]" || s.Info().Title != info.Title {
		t.Errorf("%+v, %v", info, err)
	}
	other, err := b.New(Settings{Title: "my " + secret})
	if err != nil || other.Info().Title != "my [redacted]" {
		t.Errorf("%+v, %v", other.Info(), err)
	}
}
