package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// later are clocks: that of the machine, and one that is ahead.
func later(d time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(d) }
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestChangedSettingsAreSeenOnce(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	file := FileOf(d)
	f := Follow(d, Default())
	f.Now = later(time.Hour)
	look := func(wantChanged bool, wantErr, wantMode string) {
		t.Helper()
		c, changed, _, err := f.Look()
		if changed != wantChanged || c.Mode != wantMode || (err != nil) != (wantErr != "") ||
			err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("changed %v, mode %q, %v", changed, c.Mode, err)
		}
	}
	look(false, "", "")
	put(t, file, "mode: plan\n")
	look(true, "", "plan")
	look(false, "", "")
	put(t, file, "mode: plan\n") // the same again
	look(false, "", "")
	put(t, file, "mode: paln\npresett: x\n")
	look(true, "did you mean", "")
	look(false, "", "")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	look(true, "", "")
}

// What the caller has read is what is followed, not what stands there by then.
func TestAFileThatChangedAfterItWasReadHasChanged(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	put(t, FileOf(d), "mode: plan\n")
	read, err := Load(d)
	if err != nil {
		t.Fatal(err)
	}
	put(t, FileOf(d), "mode: read-only\n")
	f := Follow(d, read)
	f.Now = later(time.Hour)
	if c, changed, _, err := f.Look(); !changed || c.Mode != "read-only" || err != nil {
		t.Errorf("%v %q %v", changed, c.Mode, err)
	}
}

// A file that is being written is looked at again, and says nothing before it has
// rested; longer where less stands in it, and longer still while it is open.
func TestAHalfWrittenFileDoesNotCount(t *testing.T) {
	const whole = "mode: plan\napproval:\n  rules:\n    - deny: git push\n    - deny: curl\n"
	for name, c := range map[string]struct {
		text string
		rest time.Duration
	}{
		"empty":        {"", settledLess},
		"a comment":    {"# settings\n", settledLess},
		"cut in rules": {whole[:strings.Index(whole, "    - deny: curl")], settledLess},
		"cut in words": {"mode: pl", settled},
		"more":         {whole + "profile: compact\n", settled},
	} {
		d := Dirs{Config: t.TempDir()}
		put(t, FileOf(d), whole)
		read, err := Load(d)
		if err != nil {
			t.Fatal(err)
		}
		f := Follow(d, read)
		put(t, FileOf(d), c.text)
		if _, changed, again, _ := f.Look(); changed || again <= 0 || again > c.rest {
			t.Errorf("%s: at once: changed %v, again in %v", name, changed, again)
		}
		f.Now = later(c.rest)
		if _, changed, again, _ := f.Look(); !changed || again != 0 {
			t.Errorf("%s: rested: changed %v, again in %v", name, changed, again)
		}
	}
}

// A file whose writer pauses counts no more, wherever the system can say so.
func TestAFileThatIsOpenToWriteDoesNotCount(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	f := Follow(d, Default())
	w, err := os.Create(FileOf(d))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("mode: plan\n"); err != nil {
		t.Fatal(err)
	}
	if !beingWritten(reader(t, FileOf(d))) {
		t.Skip("the system does not say")
	}
	f.Now = later(5 * time.Second)
	if _, changed, again, _ := f.Look(); changed || again <= 0 {
		t.Errorf("changed %v, again in %v", changed, again)
	}
	w.Close()
	if c, changed, _, _ := f.Look(); !changed || c.Mode != "plan" {
		t.Errorf("closed: changed %v, mode %q", changed, c.Mode)
	}
}

func reader(t *testing.T, file string) *os.File {
	t.Helper()
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// watched follows a folder until the test ends; the channel has the modes that
// came to count.
func watched(t *testing.T, f *Follower) <-chan string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	first, modes, ended := make(chan struct{}), make(chan string, 16), make(chan error, 1)
	once := sync.OnceFunc(func() { close(first) })
	go func() {
		ended <- f.Watch(ctx, func() time.Duration {
			defer once()
			c, changed, again, _ := f.Look()
			if changed {
				modes <- c.Mode
			}
			return again
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-first
	return modes
}

func want(t *testing.T, modes <-chan string, mode string) {
	t.Helper()
	select {
	case got := <-modes:
		if got != mode {
			t.Errorf("mode %q, not %q", got, mode)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("mode %q is not seen", mode)
	}
}

func TestTheFolderIsWatched(t *testing.T) {
	d := Dirs{Config: filepath.Join(t.TempDir(), "x", "drawbridge")}
	f := Follow(d, Default())
	f.Now = later(time.Hour)
	modes := watched(t, f)
	// As editors do it: a new file in the place of the old one.
	for _, mode := range []string{"plan", "auto-edit"} {
		if err := os.MkdirAll(d.Config, 0o700); err != nil { // which was not there, or is another
			t.Fatal(err)
		}
		put(t, filepath.Join(d.Config, "new"), "mode: "+mode+"\n")
		if err := os.Rename(filepath.Join(d.Config, "new"), FileOf(d)); err != nil {
			t.Fatal(err)
		}
		want(t, modes, mode)
		if err := os.RemoveAll(d.Config); err != nil {
			t.Fatal(err)
		}
		want(t, modes, "")
	}
}

func TestWhatALinkLeadsToIsWatched(t *testing.T) {
	d, real := Dirs{Config: t.TempDir()}, filepath.Join(t.TempDir(), "mine.yaml")
	put(t, real, "mode: plan\n")
	if err := os.Symlink(real, FileOf(d)); err != nil {
		t.Fatal(err)
	}
	f := Follow(d, Default())
	f.Now = later(time.Hour)
	modes := watched(t, f)
	want(t, modes, "plan")
	put(t, real, "mode: read-only # and more\n")
	select {
	case got := <-modes:
		if got == "" { // it was looked at between its two steps
			got = <-modes
		}
		if got != "read-only" {
			t.Errorf("mode %q", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is seen")
	}
}

func TestProblemsAreTakenApart(t *testing.T) {
	_, err := Parse("c.yaml", []byte("mode: paln\nlog:\n  levle: info\n"))
	all := ProblemsOf(err)
	if len(all) != 2 || all[0].Line != 1 || all[1].Line != 3 || all[1].Column != 3 || all[1].File != "c.yaml" {
		t.Errorf("%+v", all)
	}
	if all := ProblemsOf(os.ErrPermission); len(all) != 1 || all[0].Text != os.ErrPermission.Error() {
		t.Errorf("%+v", all)
	}
}
