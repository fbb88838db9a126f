package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drawbridge/workspace"
)

// swapped is a workspace with dir/a.txt, a path to it that was judged, and a
// swap that puts a link to target in the place of dir afterwards.
func swapped(t *testing.T, target func(f *fixture, outside string) string) (f *fixture, p workspace.Path, outside string) {
	t.Helper()
	f = newFixture(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(outside, "a.txt"): "outside\n", f.abs("a.txt"): "above\n", f.abs("dir/a.txt"): "inside\n", f.abs("other/a.txt"): "other\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p = f.resolve("dir/a.txt")
	if err := os.Rename(f.abs("dir"), f.abs("moved")); err != nil {
		t.Fatal(err)
	}
	f.link(target(f, outside), "dir")
	return f, p, outside
}

// A link that takes the place of a directory after the path was judged leads
// neither a read nor a listing anywhere, out of the workspace or within.
func TestALinkPutInTheWayLeadsNoReadAstray(t *testing.T) {
	for name, target := range map[string]func(f *fixture, outside string) string{
		"outside": func(_ *fixture, outside string) string { return outside },
		"by dots": func(f *fixture, outside string) string {
			rel, _ := filepath.Rel(f.root, outside)
			return rel
		},
		"another directory": func(*fixture, string) string { return "other" },
		"the root":          func(*fixture, string) string { return "." },
	} {
		f, p, _ := swapped(t, target)
		if c, err := f.ws.Read(t.Context(), p); err == nil || c.Text != "" {
			t.Errorf("%s: read %q, %v", name, c.Text, err)
		}
		if file, err := f.ws.OpenFile(p); err == nil {
			t.Errorf("%s: %s was opened", name, file.Name())
			file.Close()
		}
		gone := p
		gone.Abs += "-gone"
		if said := f.ws.Hint(gone); strings.Contains(said, "It contains") {
			t.Errorf("%s: a hint says %s", name, said)
		}
	}
}

// The same for the file itself: nothing is read through a link that took its
// place.
func TestALinkInPlaceOfTheFileIsNotRead(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "inside\n")
	f.write("b.txt", "other\n")
	p := f.resolve("a.txt")
	for _, target := range []string{"b.txt", "/etc/hostname"} {
		if err := os.Remove(f.abs("a.txt")); err != nil {
			t.Fatal(err)
		}
		f.link(target, "a.txt")
		c, err := f.ws.Read(t.Context(), p)
		if err == nil || c.Text != "" || !strings.Contains(err.Error(), "a link took its place") {
			t.Errorf("read %q, %v", c.Text, err)
		}
	}
}

// F9: a change whose path was judged before the swap writes, makes and removes
// nothing behind the link, also when nobody asks where the path leads now.
func TestALinkPutInTheWayLeadsNoWriteAstray(t *testing.T) {
	for name, make := range map[string]func(p workspace.Path) workspace.Change{
		"modify": func(p workspace.Path) workspace.Change {
			return workspace.Rewrite(workspace.Content{Path: p, Exists: true, Text: "outside\n"}, "changed\n")
		},
		"create": func(p workspace.Path) workspace.Change {
			p.Abs = filepath.Join(filepath.Dir(p.Abs), "new", "b.txt")
			return workspace.Rewrite(workspace.Content{Path: p}, "changed\n")
		},
		"remove": func(p workspace.Path) workspace.Change {
			return workspace.Remove(workspace.Content{Path: p, Exists: true, Text: "outside\n"})
		},
	} {
		f, p, outside := swapped(t, func(_ *fixture, outside string) string { return outside })
		p.Lexical = ""
		if out, err := f.ws.Commit(t.Context(), make(p), all); err == nil && out.State != workspace.Stale {
			t.Errorf("%s: %s", name, out.State)
		}
		list, _ := os.ReadDir(outside)
		text, _ := os.ReadFile(filepath.Join(outside, "a.txt"))
		if len(list) != 1 || string(text) != "outside\n" {
			t.Errorf("%s: outside there is %v, %q", name, list, text)
		}
	}
}

// However often a directory and a link change places, nothing comes from
// outside or goes there.
func TestASwapAtAnyMomentLeadsNowhere(t *testing.T) {
	f, p, outside := swapped(t, func(_ *fixture, outside string) string { return outside })
	p.Lexical = ""
	stop := make(chan struct{})
	var swaps sync.WaitGroup
	swaps.Go(func() { // dir is the link at first; ends when the reader is done
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(f.abs("dir"), f.abs("aside"))
			_ = os.Rename(f.abs("moved"), f.abs("dir"))
			_ = os.Rename(f.abs("dir"), f.abs("moved"))
			_ = os.Rename(f.abs("aside"), f.abs("dir"))
		}
	})
	read := 0
	for i := range 3000 {
		c, err := f.ws.Read(t.Context(), p)
		if strings.HasPrefix(c.Text, "outside") {
			t.Fatal("a read came from outside")
		}
		if err != nil || !c.Exists {
			continue
		}
		read++
		if i%5 == 0 {
			_, _ = f.ws.Commit(t.Context(), workspace.Rewrite(c, c.Text+"more\n"), all)
		}
	}
	close(stop)
	swaps.Wait()
	text, _ := os.ReadFile(filepath.Join(outside, "a.txt"))
	if list, _ := os.ReadDir(outside); len(list) != 1 || string(text) != "outside\n" {
		t.Errorf("outside there is %v, %q", list, text)
	}
	t.Logf("%d of 3000 reads saw the file", read)
}

// A root that is taken away and made again is the workspace again.
func TestARootMadeAnew(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	if err := os.RemoveAll(f.root); err != nil {
		t.Fatal(err)
	}
	f.write("dir/a.txt", "new\n")
	if c := f.read("dir/a.txt"); c.Text != "new\n" {
		t.Errorf("%+v", c)
	}
	f.wantState(f.commit(f.plan("dir/a.txt", "new", "newer"), all), workspace.Applied)
	f.wantFile("dir/a.txt", "newer\n")
}

// A directory may let its files be read without letting itself be listed.
func TestAFileInADirectoryThatIsNotListed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("as root every directory can be listed: this shows nothing here")
	}
	f := newFixture(t)
	f.write("dir/a.txt", "x\n")
	if err := os.Chmod(f.abs("dir"), 0o311); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(f.abs("dir"), 0o755) })
	if c := f.read("dir/a.txt"); c.Text != "x\n" {
		t.Errorf("%+v", c)
	}
}
