package config

import (
	"os"
	"testing"
	"time"
)

// A start waits for a file that is being written, and no longer than one takes to
// rest.
func TestAStartWaitsForAFileThatIsBeingWritten(t *testing.T) {
	for name, begun := range map[string]string{"empty": "", "cut in words": "mode: pl", "cut in a list": "mode: plan\nsandbox: {writable: [/a"} {
		d := home(t, begun)
		go func() {
			time.Sleep(100 * time.Millisecond)
			_ = os.WriteFile(FileOf(d), []byte("mode: plan\n"), 0o600)
		}()
		if c, err := LoadAtRest(d); err != nil || c.Mode != "plan" {
			t.Errorf("%s: mode %q, %v", name, c.Mode, err)
		}
	}
}

// What parses may lack the half of its rules while its writer has it open.
func TestAStartWaitsForAFileThatIsOpenToWrite(t *testing.T) {
	d := home(t, "mode: plan\n")
	w, err := os.OpenFile(FileOf(d), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if !beingWritten(reader(t, FileOf(d))) {
		t.Skip("the system does not say")
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		_, _ = w.WriteString("approval: {rules: [{deny: rm}]}\n")
		w.Close()
	}()
	if c, err := LoadAtRest(d); err != nil || len(c.Approval.Rules) != 1 {
		t.Errorf("rules %v, %v", c.Approval.Rules, err)
	}
}

func TestAStartDoesNotWaitForEver(t *testing.T) {
	d := home(t, "mode: pl")
	began := time.Now()
	if _, err := LoadAtRest(d); err == nil {
		t.Error("a fault is no setting")
	}
	if took := time.Since(began); took < settled/2 {
		t.Errorf("it was looked at again for %v only", took)
	}
}

// What is there and whole, what is not there, and what has been wrong for long costs
// no time: such a start does not look twice.
func TestAStartLooksOnceAtAFileThatRests(t *testing.T) {
	whole, old := home(t, "mode: plan\n"), lookAt(FileOf(home(t, "mode: pl")))
	old.changed = time.Now().Add(-settled)
	for name, file := range map[string]settingsFile{
		"new and whole": lookAt(FileOf(whole)), "wrong for long": old, "none": lookAt(FileOf(Dirs{Config: t.TempDir()})),
	} {
		if c, err := file.load(whole, nil); file.unfinished(c, err) {
			t.Errorf("%s: it is waited for: %v", name, err)
		}
	}
}
