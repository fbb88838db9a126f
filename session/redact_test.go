package session

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
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
