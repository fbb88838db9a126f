package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder is a workspace that is watched.
type folder struct {
	t   *testing.T
	dir string
	*Watcher
}

// patient makes a watcher that waits for its events on a busy machine too.
func patient(dir string) *Watcher {
	w := New([]string{dir})
	w.patience = time.Minute
	return w
}

func watched(t *testing.T, files ...string) folder {
	t.Helper()
	f := folder{t: t, dir: t.TempDir()}
	for _, name := range files {
		f.write(name, "here before\n")
	}
	f.Watcher = patient(f.dir)
	t.Cleanup(f.Close)
	f.Start()
	<-f.Walked()
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f folder) write(name, text string) {
	f.t.Helper()
	f.check(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.check(os.WriteFile(f.path(name), []byte(text), 0o644))
}

func (f folder) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// seen is what a window says, in a line: +came -went ~written.
func (f folder) seen(win *Window) string {
	f.t.Helper()
	list, partial := win.Differences(f.t.Context())
	var words []string
	for _, d := range list {
		name, _ := filepath.Rel(f.dir, d.Path)
		switch {
		case !d.Before.Exists:
			name = "+" + name
		case !d.After.Exists:
			name = "-" + name
		default:
			name = "~" + name
		}
		words = append(words, name)
	}
	if partial {
		words = append(words, "partial")
	}
	return strings.Join(words, " ")
}

func TestAWindowSeesWhatBecameOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(f folder)
		want string
	}{
		"written":             {func(f folder) { f.write("a.txt", "new") }, "~a.txt"},
		"made":                {func(f folder) { f.write("n.txt", "new") }, "+n.txt"},
		"removed":             {func(f folder) { f.check(os.Remove(f.path("sub/b.txt"))) }, "-sub/b.txt"},
		"given another mode":  {func(f folder) { f.check(os.Chmod(f.path("a.txt"), 0o600)) }, "~a.txt"},
		"given the same mode": {func(f folder) { f.check(os.Chmod(f.path("a.txt"), 0o644)) }, ""},
		"only touched": {func(f folder) {
			f.check(os.Chtimes(f.path("a.txt"), time.Unix(1, 0), time.Unix(1, 0)))
		}, ""},
		"a new mode, then written": {func(f folder) {
			f.check(os.Chmod(f.path("a.txt"), 0o600))
			f.write("a.txt", "new")
		}, "~a.txt"},
		"given another name elsewhere": {func(f folder) { f.check(os.Link(f.path("a.txt"), f.path("b.txt"))) }, "+b.txt"},
		"a link":                       {func(f folder) { f.check(os.Symlink("a.txt", f.path("l"))) }, "+l"},
		"made and removed": {func(f folder) {
			f.write("n.txt", "new")
			f.check(os.Remove(f.path("n.txt")))
		}, ""},
		"in new folders":        {func(f folder) { f.write("x/y/z/n.txt", "new") }, "+x/y/z/n.txt"},
		"in a folder that goes": {func(f folder) { f.check(os.RemoveAll(f.path("sub"))) }, "-sub/b.txt -sub/deep/c.txt"},
		"in a folder that moves": {func(f folder) {
			f.check(os.Rename(f.path("sub"), f.path("moved")))
			f.write("moved/deep/d.txt", "after the move")
		}, "+moved/b.txt +moved/deep/c.txt +moved/deep/d.txt -sub/b.txt -sub/deep/c.txt"},
		"replaced": {func(f folder) {
			f.write("a.new", "new")
			f.check(os.Rename(f.path("a.new"), f.path("a.txt")))
		}, "~a.txt"},
		"a folder in place of a file": {func(f folder) {
			f.check(os.Remove(f.path("a.txt")))
			f.write("a.txt/in.txt", "new")
		}, "-a.txt +a.txt/in.txt"},
		"where nobody looks": {func(f folder) {
			f.write(".git/index", "x")
			f.write("node_modules/m/index.js", "x")
			f.write("sub/.git", "gitdir: elsewhere")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := watched(t, "a.txt", "sub/b.txt", "sub/deep/c.txt")
			win := f.Begin()
			defer win.Close()
			c.do(f)
			if got := f.seen(win); got != c.want {
				t.Errorf("seen %q, want %q", got, c.want)
			}
			if got := f.seen(win); got != "" {
				t.Errorf("told twice: %q", got)
			}
		})
	}
}

func TestAMovedFileIsKnownByItsNumber(t *testing.T) {
	f := watched(t, "a.txt")
	win := f.Begin()
	defer win.Close()
	f.check(os.Rename(f.path("a.txt"), f.path("b.txt")))
	list, _ := win.Differences(t.Context())
	if len(list) != 2 || !list[0].Before.SameFile(list[1].After) {
		t.Fatalf("not seen as one file: %+v", list)
	}
	// The system gives a number that is free to the next file.
	f.check(os.Remove(f.path("b.txt")))
	f.write("c.txt", "another")
	list, _ = win.Differences(t.Context())
	if len(list) != 2 || list[0].Before.SameFile(list[1].After) {
		t.Errorf("another file is taken for a moved one: %+v", list)
	}
}

func TestWindowsOverlap(t *testing.T) {
	f := watched(t, "a.txt", "b.txt")
	first := f.Begin()
	defer first.Close()
	f.write("a.txt", "one")
	f.seen(f.Begin()) // settles
	second := f.Begin()
	defer second.Close()
	f.write("b.txt", "two")
	if got := f.seen(second); got != "~b.txt" {
		t.Errorf("the second saw %q", got)
	}
	if got := f.seen(first); got != "~a.txt ~b.txt" {
		t.Errorf("the first saw %q", got)
	}
}

func TestMoreFoldersThanMayBeWatched(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint("d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f := folder{t: t, dir: dir, Watcher: patient(dir)}
	f.limit = 4
	defer f.Close()
	f.Start()
	<-f.Walked()
	win := f.Begin()
	defer win.Close()
	f.write("top.txt", "new")
	if got := f.seen(win); got != "+top.txt partial" {
		t.Errorf("seen %q", got)
	}
	if n := len(f.dirs); n != 4 {
		t.Errorf("%d folders are watched, the limit is 4", n)
	}
}

func TestAWindowBeforeTheWalkSaysThatItIsPartial(t *testing.T) {
	dir := t.TempDir()
	f := folder{t: t, dir: dir, Watcher: patient(dir)}
	defer f.Close()
	win := f.Begin()
	defer win.Close()
	if got := f.seen(win); got != "partial" {
		t.Errorf("seen %q", got)
	}
}

func TestFollowTellsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	f := folder{t: t, dir: dir, Watcher: patient(dir)}
	defer f.Close()
	f.write("a.txt", "one")
	changed, stop := f.Follow(f.path("a.txt"))
	again, stopAgain := f.Follow(f.path("a.txt"))
	defer stopAgain()
	for _, change := range []func(){
		func() { f.write("a.txt", "two") },
		func() { f.check(os.Remove(f.path("a.txt"))) },
		func() { f.write("a.txt", "three") },
	} {
		change()
		hears(t, changed)
		hears(t, again)
	}
	stop()
	f.settle(t.Context())
	drain(changed, again)
	f.write("a.txt", "four")
	hears(t, again)
	select {
	case <-changed:
		t.Error("told after stop")
	default:
	}
}

func hears(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Fatal("not told")
	}
}

func drain(all ...<-chan struct{}) {
	for _, ch := range all {
		select {
		case <-ch:
		default:
		}
	}
}

func TestAClosedWatcherAnswers(t *testing.T) {
	w := New([]string{t.TempDir()})
	w.Start()
	w.Close()
	w.Close()
	win := w.Begin()
	defer win.Close()
	if list, partial := win.Differences(context.Background()); len(list) > 0 || !partial {
		t.Errorf("%v, partial %v", list, partial)
	}
	_, stop := w.Follow("/nowhere/at/all")
	stop()
}
