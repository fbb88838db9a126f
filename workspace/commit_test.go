package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
	"pgregory.net/rapid"
)

const twoPlaces = "1 x\n2\n3\n4\n5\n6\n7\n8\n9 x\n"

func TestCommitWritesWhatWasAccepted(t *testing.T) {
	for _, x := range []struct {
		accept            workspace.Acceptance
		state             workspace.State
		want              string
		applied, rejected int
	}{
		{all, workspace.Applied, "1 Y\n2\n3\n4\n5\n6\n7\n8\n9 Y\n", 2, 0},
		{only("h2"), workspace.Partly, "1 x\n2\n3\n4\n5\n6\n7\n8\n9 Y\n", 1, 1},
		{only("h1", "h2"), workspace.Applied, "1 Y\n2\n3\n4\n5\n6\n7\n8\n9 Y\n", 2, 0},
		{only(), workspace.Rejected, twoPlaces, 0, 2},
		{workspace.Acceptance{}, workspace.Rejected, twoPlaces, 0, 2},
	} {
		f := newFixture(t)
		f.write("a.txt", twoPlaces)
		out := f.commit(f.plan("a.txt", "x", "Y"), x.accept)
		f.wantState(out, x.state)
		f.wantFile("a.txt", x.want)
		f.wantNames(".", "a.txt")
		if len(out.Applied) != x.applied || len(out.Rejected) != x.rejected {
			t.Errorf("%+v: applied %v, rejected %v", x.accept, out.Applied, out.Rejected)
		}
		if out.Change.Old != twoPlaces || out.Change.New != x.want || len(out.Change.Hunks) != x.applied {
			t.Errorf("%+v: says that %q became %q", x.accept, out.Change.Old, out.Change.New)
		}
	}
}

func TestCommitOfAPersonsOwnText(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", twoPlaces)
	own := strings.Replace(twoPlaces, "9 x", "9 mine", 1)
	out := f.commit(f.plan("a.txt", "x", "Y"), workspace.Acceptance{Text: &own})
	f.wantFile("a.txt", own)
	if f.wantState(out, workspace.Applied); !out.UserText || len(out.Applied) != 0 || len(out.Rejected) != 2 {
		t.Errorf("%+v", out)
	}
	same := twoPlaces
	f.write("a.txt", twoPlaces)
	f.wantState(f.commit(f.plan("a.txt", "x", "Y"), workspace.Acceptance{Text: &same}), workspace.Rejected)
}

// What stands already is a change's own doing where an editor made it of the
// question, and not where somebody else of this program did.
func TestWhatOthersMadeIsNoChangeOfOurs(t *testing.T) {
	for _, others := range []bool{false, true} {
		f := newFixture(t)
		f.write("a.txt", twoPlaces)
		planned := f.plan("a.txt", "x", "Y")
		f.write("a.txt", planned.New)
		out := f.commit(planned, workspace.Acceptance{All: true, Others: func() bool { return others }})
		want := workspace.Applied
		if others {
			want = workspace.Stale
		}
		if f.wantState(out, want); strings.Contains(out.Why, "stands already") != others || len(out.Applied) > 0 == others {
			t.Errorf("others: %v, %+v", others, out)
		}
		f.wantFile("a.txt", planned.New)
	}
}

func TestCommitOfAnUnknownHunkTouchesNothing(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", twoPlaces)
	if _, err := f.ws.Commit(t.Context(), f.plan("a.txt", "x", "Y"), only("h7")); err == nil {
		t.Error("an unknown hunk was accepted")
	}
	f.wantFile("a.txt", twoPlaces)
}

func TestCommitCreatesWithParents(t *testing.T) {
	f := newFixture(t)
	c := workspace.Rewrite(f.read("new/deep/a.txt"), "one\n")
	if _, err := os.Stat(f.abs("new")); err == nil {
		t.Error("planning made a directory")
	}
	f.wantState(f.commit(c, workspace.Acceptance{}), workspace.Rejected)
	f.wantNames(".")
	out := f.commit(c, all)
	f.wantState(out, workspace.Applied)
	f.wantFile("new/deep/a.txt", "one\n")
	f.wantNames("new/deep", "a.txt")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantNames("new/deep")
	f.wantState(f.commit(workspace.Rewrite(f.read("empty"), ""), all), workspace.Applied)
	f.wantFile("empty", "")
}

func TestNewFilesGetTheModeTheUmaskLeaves(t *testing.T) {
	f := newFixture(t)
	old := syscall.Umask(0o002)
	defer syscall.Umask(old)
	f.commit(workspace.Rewrite(f.read("a.txt"), "x"), all)
	f.wantMode("a.txt", 0o664)
}

func (f *fixture) wantMode(name string, want os.FileMode) {
	f.Helper()
	info, err := os.Stat(f.abs(name))
	if err != nil {
		f.Fatal(err)
	}
	if info.Mode() != want {
		f.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
	}
}

func TestModeIsKept(t *testing.T) {
	f := newFixture(t)
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for mode, want := range map[os.FileMode]os.FileMode{
		0o600: 0o600, 0o775: 0o775, 0o755 | os.ModeSetgid: 0o755 | os.ModeSetgid, 0o755 | os.ModeSetuid: 0o755,
	} {
		f.write("a.txt", "x\n")
		if err := os.Chmod(f.abs("a.txt"), mode); err != nil {
			t.Fatal(err)
		}
		f.commit(f.plan("a.txt", "x", "y"), all)
		f.wantFile("a.txt", "y\n")
		f.wantMode("a.txt", want)
	}
}

func TestReadOnlyFilesAreLeft(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	if err := os.Chmod(f.abs("a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := f.ws.Commit(t.Context(), f.plan("a.txt", "x", "y"), all)
	wantKind(t, err, workspace.ReadOnly)
	f.wantFile("a.txt", "x\n")
	f.wantNames(".", "a.txt")
}

func TestALinkStaysALink(t *testing.T) {
	f := newFixture(t)
	f.write("dir/real.txt", "x\n")
	f.link("dir/real.txt", "link.txt")
	f.link("dir/none.txt", "dangling.txt")
	f.commit(f.plan("link.txt", "x", "y"), all)
	f.commit(workspace.Rewrite(f.read("dangling.txt"), "new"), all)
	f.wantFile("dir/real.txt", "y\n")
	f.wantFile("dir/none.txt", "new")
	for _, name := range []string{"link.txt", "dangling.txt"} {
		if info, err := os.Lstat(f.abs(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no longer a link", name)
		}
	}
}

func TestOtherNamesOfAFileKeepItsBytes(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	if err := os.Link(f.abs("a.txt"), f.abs("b.txt")); err != nil {
		t.Fatal(err)
	}
	out := f.commit(f.plan("a.txt", "x", "y"), all)
	f.wantFile("a.txt", "y\n")
	f.wantFile("b.txt", "x\n")
	if !strings.Contains(out.Note, "hard link") {
		t.Errorf("note %q", out.Note)
	}
}

func TestAParentThatIsAFile(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	_, err := f.ws.Commit(t.Context(), workspace.Rewrite(f.read("a.txt/b"), "y"), all)
	wantKind(t, err, workspace.NotDir)
}

// Whatever happens to a file between plan and commit, the bytes of others
// survive, and what cannot be done is said.
func TestRacesWithTheDisk(t *testing.T) {
	for name, x := range map[string]struct {
		meanwhile func(f *fixture)
		state     workspace.State
		want, why string
	}{
		"elsewhere": {
			func(f *fixture) { f.write("a.txt", "0\n"+twoPlaces+"10\n") },
			workspace.Applied, "0\n1 Y\n2\n3\n4\n5\n6\n7\n8\n9 Y\n10\n", "",
		},
		"the same line": {
			func(f *fixture) { f.write("a.txt", strings.Replace(twoPlaces, "1 x", "1 user's x", 1)) },
			workspace.Stale, "1 user's x\n2\n3\n4\n5\n6\n7\n8\n9 x\n", "+1 user's x",
		},
		"same bytes, other clock": {
			func(f *fixture) { f.write("a.txt", twoPlaces) },
			workspace.Applied, "1 Y\n2\n3\n4\n5\n6\n7\n8\n9 Y\n", "",
		},
		"other line ends": {
			func(f *fixture) { f.write("a.txt", "\uFEFF"+strings.ReplaceAll(twoPlaces, "\n", "\r\n")) },
			workspace.Applied, "\uFEFF1 Y\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9 Y\r\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write("a.txt", twoPlaces)
			c := f.plan("a.txt", "x", "Y")
			x.meanwhile(f)
			out := f.commit(c, all)
			f.wantState(out, x.state)
			f.wantFile("a.txt", x.want)
			f.wantNames(".", "a.txt")
			if !strings.Contains(out.Why, x.why) {
				t.Errorf("why %q", out.Why)
			}
		})
	}
}

// Only what was accepted must still stand as it was.
func TestARefusedHunkNeedsNoUntouchedLines(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", twoPlaces)
	c := f.plan("a.txt", "x", "Y")
	f.write("a.txt", strings.Replace(twoPlaces, "1 x", "one", 1))
	f.wantState(f.commit(c, only("h2")), workspace.Partly)
	f.wantFile("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9 Y\n")
}

func TestAFileThatVanished(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	c, gone := f.plan("a.txt", "x", "y"), workspace.Remove(f.read("a.txt"))
	if err := os.Remove(f.abs("a.txt")); err != nil {
		t.Fatal(err)
	}
	f.wantState(f.commit(c, all), workspace.Stale)
	f.wantState(f.commit(gone, all), workspace.Stale)
	f.wantNames(".")
}

func TestAFileThatAppeared(t *testing.T) {
	f := newFixture(t)
	c := workspace.Rewrite(f.read("a.txt"), "ours")
	f.write("a.txt", "")
	f.wantState(f.commit(c, all), workspace.Stale)
	f.wantFile("a.txt", "")
}

// L-APR-05: a link that leads to another file by now leads no write there.
func TestARetargetedLinkIsStale(t *testing.T) {
	f := newFixture(t)
	f.write("one/a.txt", "x\n")
	f.write("two/b.txt", "x\n")
	f.write("links/beside", "")
	f.link("../one/a.txt", "links/link")
	c := f.plan("links/link", "x", "y")
	if err := os.Remove(f.abs("links/link")); err != nil {
		t.Fatal(err)
	}
	f.link("../two/b.txt", "links/link")
	out := f.commit(c, all)
	if f.wantState(out, workspace.Stale); !strings.Contains(out.Why, "b.txt") {
		t.Errorf("why %q", out.Why)
	}
	f.wantFile("one/a.txt", "x\n")
	f.wantFile("two/b.txt", "x\n")
	f.wantNames("one", "a.txt")
	f.wantNames("two", "b.txt")
	f.wantNames("links", "beside", "link")
}

// L-APR-05: no write follows a folder that was replaced by a link.
func TestAParentReplacedByALinkIsStale(t *testing.T) {
	f := newFixture(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.txt"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.write("dir/a.txt", "x\n")
	c, created := f.plan("dir/a.txt", "x", "y"), workspace.Rewrite(f.read("dir/new/b.txt"), "z")
	if err := os.Rename(f.abs("dir"), f.abs("moved")); err != nil {
		t.Fatal(err)
	}
	f.link(outside, "dir")
	f.wantState(f.commit(c, all), workspace.Stale)
	f.wantState(f.commit(created, all), workspace.Stale)
	if got, _ := os.ReadFile(filepath.Join(outside, "a.txt")); string(got) != "x\n" {
		t.Errorf("the write escaped: %q", got)
	}
	f.wantNames(".", "dir", "moved")
	f.wantNames("moved", "a.txt")
	f.wantNames("dir", "a.txt") // outside: no folder was made there, and no temporary file
}

func TestCommitStopsWithItsContext(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", "x\n")
	c := f.plan("a.txt", "x", "y")
	release, _ := f.ws.Lock(context.Background(), f.abs("a.txt"))
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := f.ws.Commit(ctx, c, all)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	f.wantFile("a.txt", "x\n")
}

func TestCommitsOfOnePathDoNotInterleave(t *testing.T) {
	f := newFixture(t)
	var lines []string
	for i := range 20 {
		lines = append(lines, "line "+itoa(i)+"\n\n\n\n\n\n\n")
	}
	f.write("a.txt", strings.Join(lines, ""))
	done := make(chan workspace.Outcome)
	for i := range lines {
		c := f.plan("a.txt", "line "+itoa(i)+"\n", "LINE "+itoa(i)+"\n")
		go func() { done <- f.commit(c, all) }()
	}
	for range lines {
		f.wantState(<-done, workspace.Applied)
	}
	f.wantFile("a.txt", strings.ToUpper(strings.Join(lines, "")))
	f.wantNames(".", "a.txt")
}

// openFixture has a.txt open, unsaved, at version 7.
func openFixture(t *testing.T) *fixture {
	f := newFixture(t)
	f.write("a.txt", "on disk\n")
	f.editor.Open(f.abs("a.txt"), "", 6)
	f.editor.Type(f.abs("a.txt"), twoPlaces)
	return f
}

func TestOpenDocumentsAreEditedInTheEditor(t *testing.T) {
	f := openFixture(t)
	out := f.commit(f.plan("a.txt", "x", "Y"), only("h2"))
	if f.wantState(out, workspace.Partly); !out.Open {
		t.Error("the outcome does not say that the document is open")
	}
	f.wantFile("a.txt", "on disk\n")
	if got := f.editor.Text(f.abs("a.txt")); got != "1 x\n2\n3\n4\n5\n6\n7\n8\n9 Y\n" {
		t.Errorf("buffer %q", got)
	}
	steps := f.editor.Applied()
	if len(steps) != 1 || steps[0].Version != 7 || len(steps[0].Edits) != 1 || steps[0].Edits[0] != (workspace.Edit{Start: 20, End: 21, New: "Y"}) {
		t.Errorf("undo steps %+v", steps)
	}
}

func TestUnsavedWorkAndTheEditCoexist(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "9 x", "nine")
	f.editor.Type(f.abs("a.txt"), "typed\n"+twoPlaces)
	f.wantState(f.commit(c, all), workspace.Applied)
	if got := f.editor.Text(f.abs("a.txt")); got != "typed\n1 x\n2\n3\n4\n5\n6\n7\n8\nnine\n" {
		t.Errorf("buffer %q", got)
	}
	if doc, _ := f.ws.Document(f.resolve("a.txt")); !doc.Dirty {
		t.Error("the document is clean")
	}
}

func TestTypingDuringTheEditIsTriedAgain(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "9 x", "nine")
	n := 0
	f.editor.Before(func(abs string) {
		if n++; n < 3 {
			f.editor.Type(abs, "typed\n"+f.editor.Text(abs))
		}
	})
	f.wantState(f.commit(c, all), workspace.Applied)
	if got := f.editor.Text(f.abs("a.txt")); got != "typed\ntyped\n1 x\n2\n3\n4\n5\n6\n7\n8\nnine\n" {
		t.Errorf("buffer %q", got)
	}
	n = -10
	out := f.commit(f.plan("a.txt", "nine", "9"), all)
	if f.wantState(out, workspace.Stale); out.Why == "" {
		t.Error("no reason given")
	}
}

// What the buffer shows decides, whatever the editor answers.
func TestTheBufferDecides(t *testing.T) {
	for mode, want := range map[workspacetest.Mode]struct {
		state   workspace.State
		applied []string
	}{
		workspacetest.Obey:    {workspace.Applied, []string{"h1", "h2"}},
		workspacetest.Silent:  {workspace.Applied, []string{"h1", "h2"}},
		workspacetest.Ignore:  {workspace.Rejected, nil},
		workspacetest.Refuse:  {workspace.Rejected, nil},
		workspacetest.Partial: {workspace.Partly, []string{"h1"}},
	} {
		f := openFixture(t)
		c := f.plan("a.txt", "x", "Y")
		f.editor.SetMode(mode)
		out := f.commit(c, all)
		f.wantState(out, want.state)
		if !slices.Equal(out.Applied, want.applied) || len(out.Applied)+len(out.Rejected) != 2 {
			t.Errorf("mode %d: applied %v, rejected %v", mode, out.Applied, out.Rejected)
		}
		if (out.Why != "") != (want.state != workspace.Applied) {
			t.Errorf("mode %d: why %q", mode, out.Why)
		}
		if got := f.editor.Text(f.abs("a.txt")); out.Change.New != got && want.state != workspace.Rejected {
			t.Errorf("mode %d: says %q, the buffer shows %q", mode, out.Change.New, got)
		}
	}
}

// Somebody types right after the editor has made the change: what stands is
// what the buffer shows.
func TestTypingRightAfterTheEdit(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "x", "Y")
	f.editor.After(func(abs string) {
		f.editor.Type(abs, strings.Replace(f.editor.Text(abs), "1 Y\n", "1 Y\ntyped\n", 1))
	})
	out := f.commit(c, all)
	if want := []string{"h1", "h2"}; !slices.Equal(out.Applied, want) || out.State != workspace.Applied {
		t.Errorf("state %q, applied %v, want %v", out.State, out.Applied, want)
	}
	f.editor.After(func(abs string) { f.editor.Type(abs, f.editor.Text(abs)+"typed\n\n") })
	out = f.commit(f.plan("a.txt", "5", "five"), all)
	if f.wantState(out, workspace.Applied); !strings.HasSuffix(out.Change.New, "five\n6\n7\n8\n9 Y\ntyped\n\n") {
		t.Errorf("says that the buffer shows %q", out.Change.New)
	}
}

// A change that somebody else has made meanwhile, to the letter, is done and
// not made twice; it is told as planned, so that it can be taken back.
func TestAChangeThatStandsAlready(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "x", "Y")
	f.editor.Type(f.abs("a.txt"), c.New)
	out := f.commit(c, all)
	f.wantState(out, workspace.Applied)
	if n := len(f.editor.Applied()); n > 0 || len(out.Change.Hunks) != 2 || !out.Open {
		t.Errorf("%d edits were sent; told is %+v", n, out)
	}
	f.wantState(f.commit(out.Change.Reverse([]string{"h1", "h2"}), all), workspace.Applied)
	if got := f.editor.Text(f.abs("a.txt")); got != c.Old {
		t.Errorf("taken back it is %q", got)
	}
	// Of a part that was accepted, the whole is no fulfilment.
	f.editor.Type(f.abs("a.txt"), c.New)
	f.wantState(f.commit(c, workspace.Acceptance{Hunks: []string{"h1"}}), workspace.Stale)
}

func TestADocumentThatIsClosedMeanwhile(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "x", "Y")
	f.editor.Before(func(abs string) { f.editor.Close(abs) })
	f.wantState(f.commit(c, all), workspace.Rejected)
	f.wantFile("a.txt", "on disk\n")
}

// An editor that hides line ends and byte order mark, saves and closes: the
// change planned from its buffer still fits the file.
func TestPlannedFromABufferAppliedToTheDisk(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "x", "Y\nZ")
	f.write("a.txt", "\uFEFF"+strings.ReplaceAll(twoPlaces, "\n", "\r\n"))
	f.editor.Close(f.abs("a.txt"))
	f.wantState(f.commit(c, only("h2")), workspace.Partly)
	f.wantFile("a.txt", "\uFEFF1 x\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9 Y\r\nZ\r\n")
}

func TestAnEmptyBufferOfAFileToComeTakesACreation(t *testing.T) {
	f := newFixture(t)
	c := workspace.Rewrite(f.read("new.txt"), "hello\n")
	f.editor.Open(f.abs("new.txt"), "", 1)
	f.wantState(f.commit(c, all), workspace.Applied)
	if got := f.editor.Text(f.abs("new.txt")); got != "hello\n" {
		t.Errorf("buffer %q", got)
	}
	f.wantNames(".")
}

func TestRemovalOfAnUnsavedDocumentIsRefused(t *testing.T) {
	f := openFixture(t)
	f.wantState(f.commit(workspace.Remove(f.read("a.txt")), all), workspace.Rejected)
	f.wantFile("a.txt", "on disk\n")
}

func TestAnEditorThatHangsIsLeftByTheContext(t *testing.T) {
	f := openFixture(t)
	c := f.plan("a.txt", "x", "Y")
	synctest.Test(t, func(t *testing.T) {
		editor := workspacetest.NewEditor()
		editor.Open(f.abs("a.txt"), twoPlaces, 1)
		editor.SetMode(workspacetest.Hang)
		w, err := workspace.Open(workspace.Options{Roots: []string{f.root}, Editor: editor})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan workspace.Outcome)
		go func() {
			out, _ := w.Commit(ctx, c, all)
			done <- out
		}()
		synctest.Wait()
		cancel()
		if out := <-done; out.State != workspace.Rejected {
			t.Errorf("state %q", out.State)
		}
	})
}

// Edits sent to an editor never cut a character or a line end in two, and they
// make the text that was wanted.
func TestEditsForAnEditorAreWholeCharacters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "😀", "😁", "\r", "\r\n"}))
		old, new := strings.Join(word.Draw(rt, "old"), ""), strings.Join(word.Draw(rt, "new"), "")
		editor := workspacetest.NewEditor()
		root, _ := filepath.EvalSymlinks(t.TempDir())
		abs := filepath.Join(root, "f")
		editor.Open(abs, old, 1)
		w, err := workspace.Open(workspace.Options{Roots: []string{root}, Editor: editor})
		if err != nil {
			rt.Fatal(err)
		}
		p, _ := w.Resolve("f")
		c, _ := w.Read(context.Background(), p)
		if out, err := w.Commit(context.Background(), workspace.Rewrite(c, new), all); err != nil || out.State != workspace.Applied && old != new {
			rt.Fatalf("%+v, %v", out, err)
		}
		if got := editor.Text(abs); got != new {
			rt.Fatalf("buffer %q, want %q", got, new)
		}
		for _, step := range editor.Applied() {
			for _, e := range step.Edits {
				for _, at := range []int{e.Start, e.End} {
					if at > 0 && at < len(old) && (old[at]&0xC0 == 0x80 || old[at-1:at+1] == "\r\n") {
						rt.Fatalf("edit %v cuts %q", e, old)
					}
				}
			}
		}
	})
}

// After any subset of the hunks was applied, and lines elsewhere were changed,
// exactly that subset is found to stand.
func TestWhatStandsIsFoundAmongTheUsersChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := numbered(60, nil)
		edits := map[int]string{}
		for line := 5; line < 60; line += 10 {
			edits[line] = rapid.SampledFrom([]string{"", "new\n", "new\n\nnewer\n"}).Draw(t, "new")
		}
		c := rewrite(old, numbered(60, edits))
		ids := []string{}
		for _, h := range c.Hunks {
			if rapid.Bool().Draw(t, h.ID) {
				ids = append(ids, h.ID)
			}
		}
		buffer, _, _, _ := c.Select(only(ids...))
		if rapid.Bool().Draw(t, "typed") {
			buffer = strings.Replace(buffer, strings.Repeat("l", 10)+"\n", "user\nuser\n", 1)
		}
		standing, missing := workspace.StandsIn(c, buffer)
		if !slices.Equal(standing, ids) && len(standing)+len(ids) > 0 || len(standing)+len(missing) != len(c.Hunks) {
			t.Fatalf("%v stand, want %v, in\n%s", standing, ids, buffer)
		}
	})
}
