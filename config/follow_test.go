package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChangedSettingsAreSeenOnce(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	file := filepath.Join(d.Config, "config.yaml")
	f := Follow(d)
	look := func(wantChanged bool, wantErr, wantMode string) {
		t.Helper()
		c, changed, err := f.Look()
		if changed != wantChanged || c.Mode != wantMode || (err != nil) != (wantErr != "") ||
			err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("changed %v, mode %q, %v", changed, c.Mode, err)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look(false, "", "")
	write("mode: plan\n")
	look(true, "", "plan")
	look(false, "", "")
	write("mode: plan\n") // the same again
	look(false, "", "")
	write("mode: paln\npresett: x\n")
	look(true, "did you mean", "")
	look(false, "", "")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	look(true, "", "")
}

func TestTheFolderIsWatched(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	f := Follow(d)
	ctx, stop := context.WithCancel(t.Context())
	looked, ended := make(chan struct{}, 16), make(chan error, 1)
	go func() { ended <- f.Watch(ctx, func() { looked <- struct{}{} }) }()
	<-looked // at the beginning: what changed before it was watched
	// As editors do it: a new file in the place of the old one.
	if err := os.WriteFile(filepath.Join(d.Config, "new"), []byte("mode: plan\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(d.Config, "new"), filepath.Join(d.Config, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	for changed := false; !changed; {
		<-looked
		var c Config
		c, changed, _ = f.Look()
		if changed && c.Mode != "plan" {
			t.Errorf("mode %q", c.Mode)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := Follow(Dirs{Config: filepath.Join(d.Config, "missing")}).Watch(t.Context(), nil); err == nil {
		t.Error("a folder that is not there is watched")
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
