package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const aURI = "file:///w/a.txt"

func opened(t *testing.T, text string) *Documents {
	t.Helper()
	d := NewDocuments(UTF16)
	d.Open(aURI, "/w/a.txt", 1, text)
	return d
}

func checkText(t *testing.T, d *Documents, path, want string) {
	t.Helper()
	doc, ok := d.ByPath(path)
	if !ok || doc.Text != want {
		t.Errorf("%s: %q, open %v; want %q", path, doc.Text, ok, want)
	}
}

func checkUnknown(t *testing.T, d *Documents, path string) {
	t.Helper()
	if doc, ok := d.ByPath(path); ok {
		t.Errorf("%s is known as %q, want unknown", path, doc.Text)
	}
}

func at(line, from, to uint32) *Range { return &Range{Position{line, from}, Position{line, to}} }

func TestChangesOfOneMessageFollowOneAnother(t *testing.T) {
	d := opened(t, "one\ntwo\n")
	err := d.Change(aURI, 2, []Change{{at(0, 0, 3), "1\n1.5"}, {at(2, 0, 3), "2"}})
	if err != nil {
		t.Fatal(err)
	}
	checkText(t, d, "/w/a.txt", "1\n1.5\n2\n")
	if doc, _ := d.ByPath("/w/a.txt"); doc.Version != 2 || !doc.Dirty {
		t.Errorf("version %d, dirty %v", doc.Version, doc.Dirty)
	}
}

// After an impossible range the copy is not trusted until the whole text comes.
func TestImpossibleEditMakesADocumentUnknown(t *testing.T) {
	heal := map[string]func(d *Documents){
		"a full change": func(d *Documents) { _ = d.Change(aURI, 4, []Change{{nil, "all new"}}) },
		"opening again": func(d *Documents) { d.Open(aURI, "/w/a.txt", 1, "all new") },
		"a saved text": func(d *Documents) {
			text := "all new"
			if !d.Save(aURI, &text) {
				t.Error("a document that was unknown is reported as wrong")
			}
		},
	}
	for name, f := range heal {
		t.Run(name, func(t *testing.T) {
			d := opened(t, "one\n")
			if err := d.Change(aURI, 2, []Change{{at(0, 0, 1), "O"}, {at(7, 0, 1), "x"}}); err == nil {
				t.Fatal("no error")
			}
			checkUnknown(t, d, "/w/a.txt")
			if err := d.Change(aURI, 3, []Change{{at(0, 0, 0), "x"}}); err == nil {
				t.Error("an edit of an unknown text was taken")
			}
			f(d)
			checkText(t, d, "/w/a.txt", "all new")
		})
	}
}

func TestSavedTextCorrectsTheCopy(t *testing.T) {
	d := opened(t, "mine")
	theirs := "theirs"
	if d.Save(aURI, &theirs) {
		t.Error("the difference went unnoticed")
	}
	checkText(t, d, "/w/a.txt", "theirs")
	if !d.Save(aURI, &theirs) {
		t.Error("a difference is reported where there is none")
	}
}

func TestSaveMakesClean(t *testing.T) {
	d := opened(t, "a")
	_ = d.Change(aURI, 2, []Change{{nil, "b"}})
	d.Save(aURI, nil)
	if doc, _ := d.ByPath("/w/a.txt"); doc.Dirty {
		t.Error("dirty after a save")
	}
}

// A file is one document under every path that leads to it.
func TestLinksLeadToTheDocument(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	d := NewDocuments(UTF8)
	d.Open("file:///link/new", filepath.Join(link, "sub", "new.txt"), 1, "not on disk yet")
	checkText(t, d, filepath.Join(dir, "sub", "new.txt"), "not on disk yet")
	checkText(t, d, filepath.Join(link, "sub", "new.txt"), "not on disk yet")
	d.Open("file:///direct", filepath.Join(dir, "sub", "new.txt"), 1, "direct")
	checkText(t, d, filepath.Join(dir, "sub", "new.txt"), "direct")
	d.Close("file:///direct")
	checkText(t, d, filepath.Join(dir, "sub", "new.txt"), "not on disk yet")
	d.Close("file:///link/new")
	checkUnknown(t, d, filepath.Join(link, "sub", "new.txt"))
}

func TestDocumentsWithoutAPathAreKnownByURI(t *testing.T) {
	d := NewDocuments(UTF8)
	d.Open("untitled:1", "", 1, "draft")
	if doc, ok := d.ByURI("untitled:1"); !ok || doc.Text != "draft" || doc.Path != "" {
		t.Errorf("%+v, %v", doc, ok)
	}
	checkUnknown(t, d, "")
}

func TestChangedWakesForEachKindOfChange(t *testing.T) {
	d := NewDocuments(UTF16)
	for name, f := range map[string]func(){
		"open":   func() { d.Open(aURI, "/w/a.txt", 1, "x") },
		"change": func() { _ = d.Change(aURI, 2, []Change{{nil, "y"}}) },
		"close":  func() { d.Close(aURI) },
	} {
		d.Open(aURI, "/w/a.txt", 1, "x")
		changed, other := d.Changed("/w/a.txt"), d.Changed("/w/other")
		f()
		select {
		case <-changed:
		default:
			t.Errorf("%s: not woken", name)
		}
		select {
		case <-other:
			t.Errorf("%s: another document's waiter was woken", name)
		default:
		}
	}
}

func TestTextEditsAreInTheEditorsUnits(t *testing.T) {
	d := opened(t, "é😀x\r\nsecond\r\n")
	uri, edits, err := d.TextEdits("/w/a.txt", 1, []Edit{{6, 7, "y"}, {9, 15, "2nd"}})
	if err != nil || uri != aURI {
		t.Fatal(uri, err)
	}
	want := []TextEdit{{*at(0, 3, 4), "y"}, {*at(1, 0, 6), "2nd"}}
	for i := range want {
		if edits[i] != want[i] {
			t.Errorf("edit %d: %+v, want %+v", i, edits[i], want[i])
		}
	}
}

// No position lies between \r and \n, so the pair is replaced as a whole.
func TestTextEditsNeverSplitALineEnd(t *testing.T) {
	d := opened(t, "a\r\nb")
	_, edits, err := d.TextEdits("/w/a.txt", 1, []Edit{{2, 3, ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := TextEdit{Range{Position{0, 1}, Position{1, 0}}, "\r"}
	if edits[0] != want {
		t.Errorf("%+v, want %+v", edits[0], want)
	}
}

func TestTextEditsRefuseAnotherVersion(t *testing.T) {
	d := opened(t, "abc")
	var ve *VersionError
	if _, _, err := d.TextEdits("/w/a.txt", 2, nil); !errors.As(err, &ve) || ve.Have != 1 {
		t.Errorf("error %v, want a VersionError", err)
	}
	if _, _, err := d.TextEdits("/w/b.txt", 1, nil); !errors.Is(err, ErrNotOpen) {
		t.Errorf("error %v, want ErrNotOpen", err)
	}
	if _, _, err := d.TextEdits("/w/a.txt", 1, []Edit{{2, 9, ""}}); err == nil {
		t.Error("bytes beyond the end were taken")
	}
}
