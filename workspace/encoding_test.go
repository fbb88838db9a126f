package workspace_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// encoded is a fixture whose editor said how it reads f.txt.
func encoded(t *testing.T, name, raw string) *fixture {
	t.Helper()
	f := newFixture(t)
	enc := new(workspace.Encodings)
	ws, err := workspace.Open(workspace.Options{Roots: []string{f.root}, Editor: f.editor, Encodings: enc})
	if err != nil {
		t.Fatal(err)
	}
	f.ws = ws
	enc.Declare(f.abs("f.txt"), name)
	f.write("f.txt", raw)
	return f
}

// wantFault plans an edit that must be refused, at planning and at commit.
func (f *fixture) wantFault(c workspace.Change, words ...string) {
	f.Helper()
	before, _ := os.ReadFile(f.abs("f.txt"))
	fault := c.Fault()
	if fault == nil {
		f.Fatalf("%q is planned", c.New)
	}
	out := f.commit(c, all)
	f.wantState(out, workspace.Rejected)
	f.wantFile("f.txt", string(before))
	for _, w := range words {
		if !strings.Contains(fault.Error(), w) || !strings.Contains(out.Why, w) {
			f.Errorf("fault %q, refused with %q; want %q in both", fault, out.Why, w)
		}
	}
}

const sjisTest = "\x83e\x83X\x83g" // テスト

func TestADeclaredEncodingIsReadAndWritten(t *testing.T) {
	f := encoded(t, "shiftjis", sjisTest+"\r\nabc\r\n")
	if c := f.read("f.txt"); c.Text != "テスト\r\nabc\r\n" || c.Encoding != "shift_jis" || c.Bytes() != sjisTest+"\r\nabc\r\n" {
		t.Fatalf("read %+v", c)
	}
	c := f.plan("f.txt", "abc", "スト\nx")
	out := f.commit(c, all)
	f.wantState(out, workspace.Applied)
	f.wantFile("f.txt", sjisTest+"\r\n\x83X\x83g\r\nx\r\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", sjisTest+"\r\nabc\r\n")
}

func TestWhatTheEncodingDoesNotHaveIsRefused(t *testing.T) {
	f := encoded(t, "sjis", sjisTest+"\nabc\nd\n")
	f.wantFault(f.plan("f.txt", "abc", "x\n😀"), `line 3 has "😀" (U+1F600)`, "shift_jis")
	f.wantFault(f.plan("f.txt", "abc", "¥"), "line 2", "shift_jis")
	f.wantFault(workspace.Rewrite(f.read("f.txt"), "é\n"), "line 1")
	// This one would be written as bytes that read as another.
	f = encoded(t, "gb18030", "abc\n")
	f.wantFault(f.plan("f.txt", "abc", "\ue000"), "U+E000", "gb18030")
	f = encoded(t, "latin1", "caf\xe9\nabc\n")
	f.wantFault(f.plan("f.txt", "abc", "€"), `line 2 has "€" (U+20AC)`, "iso-8859-1")
	f = encoded(t, "iso-2022-jp", "\x1b$B%F\x1b(B\nabc\n")
	f.wantFault(f.plan("f.txt", "abc", "テ"), "iso-2022-jp", "ASCII")
	f.wantState(f.commit(f.plan("f.txt", "abc", "x"), all), workspace.Applied)
	f.wantFile("f.txt", "\x1b$B%F\x1b(B\nx\n")
}

func TestAPersonsOwnTextMustFitToo(t *testing.T) {
	f := encoded(t, "latin1", "a\nb\n")
	c := f.plan("f.txt", "b", "é")
	own := "a\n€\n"
	out := f.commit(c, workspace.Acceptance{Text: &own})
	f.wantState(out, workspace.Rejected)
	f.wantFile("f.txt", "a\nb\n")
	own = "à\né\n"
	f.wantState(f.commit(c, workspace.Acceptance{Text: &own}), workspace.Applied)
	f.wantFile("f.txt", "\xe0\n\xe9\n")
}

func TestAFileOfNoKnownEncodingTakesASCIIOnly(t *testing.T) {
	f := encoded(t, "utf-8", "x\n// caf\xe9\n")
	out := f.commit(f.plan("f.txt", "x", "y"), all)
	f.wantState(out, workspace.Applied)
	f.wantFile("f.txt", "y\n// caf\xe9\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "x\n// caf\xe9\n")
	f.wantFault(f.plan("f.txt", "x", "é"), `line 1 has "é" (U+00E9)`, "not valid UTF-8", "ASCII")
	// Also where the edit takes the only such byte away.
	f.wantFault(workspace.Replace(f.read("f.txt"), []workspace.Edit{{Start: 0, End: 10, New: "é"}}), "ASCII")
	// A whole new content is UTF-8 from end to end.
	f.wantState(f.commit(workspace.Rewrite(f.read("f.txt"), "x\n// café\n"), all), workspace.Applied)
	f.wantFile("f.txt", "x\n// café\n")
}

func TestHalfOfANewContentMakesNoMix(t *testing.T) {
	f := encoded(t, "", "a\xe9\nb\nc\xe9\n")
	c := workspace.Rewrite(f.read("f.txt"), "aé\nb\ncé\n")
	if c.Fault() != nil || len(c.Hunks) != 2 {
		t.Fatalf("%v, hunks %v", c.Fault(), c.Hunks)
	}
	f.wantState(f.commit(c, only("h1")), workspace.Rejected)
	f.wantFile("f.txt", "a\xe9\nb\nc\xe9\n")
	f.wantState(f.commit(c, all), workspace.Applied)
}

func TestUTF16IsText(t *testing.T) {
	for _, test := range []struct{ mark, zero string }{{"\xff\xfe", "le"}, {"\xfe\xff", "be"}} {
		wide := func(s string) string {
			var b strings.Builder
			for _, c := range []byte(s) {
				if test.zero == "le" {
					b.WriteString(string([]byte{c, 0}))
				} else {
					b.WriteString(string([]byte{0, c}))
				}
			}
			return b.String()
		}
		f := encoded(t, "utf8", test.mark+wide("a\r\nb\r\nc")) // the mark is believed
		c := f.read("f.txt")
		if c.Text != "\uFEFFa\r\nb\r\nc" || c.Encoding != workspace.Encoding("utf-16"+test.zero) {
			t.Fatalf("read %+v", c)
		}
		out := f.commit(f.plan("f.txt", "b", "x\ny"), all)
		f.wantState(out, workspace.Applied)
		f.wantFile("f.txt", test.mark+wide("a\r\nx\r\ny\r\nc"))
		f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
		f.wantFile("f.txt", test.mark+wide("a\r\nb\r\nc"))
	}
}

func TestAMarkOfUTF8IsBelievedMore(t *testing.T) {
	f := encoded(t, "sjis", "\ufeffé\n")
	if c := f.read("f.txt"); c.Text != "\ufeffé\n" || c.Encoding != "" {
		t.Errorf("read %+v", c)
	}
	f = encoded(t, "sjis", "\xff\xfe\x00\x00a\x00\x00\x00")
	if c := f.read("f.txt"); c.Text != "\xff\xfe\x00\x00a\x00\x00\x00" || c.Encoding != "" {
		t.Errorf("UTF-32 is read as %+v", c)
	}
}

func TestBytesThatAreNoneOfUTF16AreNotRewritten(t *testing.T) {
	raw := "\xff\xfea\x00\x00\xdcb\x00\n\x00" // the second half of a pair alone
	f := encoded(t, "", raw)
	f.wantFault(f.plan("f.txt", "a\uFFFDb", "x\uFFFDy"), "line 1 would lose bytes that are not utf-16le")
	f.wantState(f.commit(f.plan("f.txt", "b", "c"), all), workspace.Applied)
	f.wantFile("f.txt", "\xff\xfea\x00\x00\xdcc\x00\n\x00")
}

func TestCharactersOfAChangedLineKeepTheirBytes(t *testing.T) {
	// 0x87 0x8A and 0xFA 0x58 are the same sign, and 0x81 0x20 is none.
	f := encoded(t, "cp932", "\xfa\x58 a \xfa\x58 b \x87\x8a\n\x81\x20 a\n")
	c := f.read("f.txt")
	if c.Text != "㈱ a ㈱ b ㈱\n\uFFFD  a\n" && c.Text != "㈱ a ㈱ b ㈱\n\uFFFD a\n" {
		t.Fatalf("read %q", c.Text)
	}
	out := f.commit(f.plan("f.txt", "a", "テ"), all)
	f.wantState(out, workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 \x83e \xfa\x58 b \x87\x8a\n\x81\x20 \x83e\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 a \xfa\x58 b \x87\x8a\n\x81\x20 a\n")
	f.wantFault(workspace.Rewrite(f.read("f.txt"), "x\ny \uFFFD z\n"), "line 2 would lose bytes")
}

func TestBytesOfTheSameTextThatOthersWrote(t *testing.T) {
	f := encoded(t, "cp932", "\xfa\x58 a\nb\n\xfa\x58 c\n")
	c := f.plan("f.txt", "a", "テ")
	f.write("f.txt", "\x87\x8a a\nb\n\x87\x8a c\n") // reads alike
	out := f.commit(c, all)
	f.wantState(out, workspace.Applied)
	f.wantFile("f.txt", "\x87\x8a \x83e\nb\n\x87\x8a c\n")
	f.write("f.txt", "\x87\x8a \x83e\nb\n\xfa\x58 c\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\x87\x8a a\nb\n\xfa\x58 c\n")
	first := f.plan("f.txt", "㈱ c", "x")
	out = f.commit(first, all)
	f.write("f.txt", "\xfa\x58 a\nb\nx\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 a\nb\n\xfa\x58 c\n")
}

func TestABufferOfAnEncodedFileTakesWhatTheFileCanHold(t *testing.T) {
	f := encoded(t, "latin1", "caf\xe9\nabc\n")
	f.editor.Open(f.abs("f.txt"), "café\nabc\n", 1)
	f.wantFault(f.plan("f.txt", "abc", "€"), "iso-8859-1")
	out := f.commit(f.plan("f.txt", "abc", "à"), all)
	f.wantState(out, workspace.Applied)
	f.wantFile("f.txt", "caf\xe9\nabc\n") // the editor writes it
	f.editor.Close(f.abs("f.txt"))
	f.write("f.txt", "caf\xe9\n\xe0\n")
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "caf\xe9\nabc\n")
}

func TestAChangePlannedFromABufferIsWrittenInTheFilesEncoding(t *testing.T) {
	f := encoded(t, "latin1", "caf\xe9\r\nabc\r\n")
	f.editor.Open(f.abs("f.txt"), "café\nabc\n", 1)
	c := f.plan("f.txt", "abc", "à")
	f.editor.Close(f.abs("f.txt"))
	f.wantState(f.commit(c, all), workspace.Applied)
	f.wantFile("f.txt", "caf\xe9\r\n\xe0\r\n")
}

func TestAnEncodingToldWhileAQuestionWaits(t *testing.T) {
	f := newFixture(t)
	enc := new(workspace.Encodings)
	f.ws, _ = workspace.Open(workspace.Options{Roots: []string{f.root}, Encodings: enc})
	f.write("f.txt", "abc\nx\n")
	c := f.plan("f.txt", "abc", "é")
	enc.Declare(f.abs("f.txt"), "latin1")
	f.wantState(f.commit(c, all), workspace.Applied)
	f.wantFile("f.txt", "\xe9\nx\n")
}

func TestADeclarationHoldsForEveryNameOfTheFile(t *testing.T) {
	f := encoded(t, "latin1", "\xe9\n")
	if err := os.Symlink("f.txt", f.abs("link")); err != nil {
		t.Fatal(err)
	}
	if c := f.read("link"); c.Text != "é\n" {
		t.Errorf("by a link it reads %q", c.Text)
	}
	enc := new(workspace.Encodings)
	f.ws, _ = workspace.Open(workspace.Options{Roots: []string{f.root}, Encodings: enc})
	enc.Declare(f.abs("link"), "latin1")
	if c := f.read("f.txt"); c.Text != "é\n" {
		t.Errorf("declared by a link it reads %q", c.Text)
	}
	enc.Declare(f.abs("link"), "utf8")
	if c := f.read("f.txt"); c.Text != "\xe9\n" {
		t.Errorf("declared to be UTF-8 it reads %q", c.Text)
	}
}

func TestAPackedChangeOfAnEncodedFileComesBack(t *testing.T) {
	f := encoded(t, "cp932", "\xfa\x58 a\nb\n")
	out := f.commit(f.plan("f.txt", "a", "テ"), all)
	again, err := workspace.Unpack(out.Change.Pack(), out.Change.Before())
	if err != nil {
		t.Fatal(err)
	}
	f.wantState(f.commit(again.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 a\nb\n")
}

func TestAChangeIsTakenBackWhereNobodyNamesTheEncoding(t *testing.T) {
	f := encoded(t, "cp932", "\xfa\x58 a\nb\n")
	out := f.commit(f.plan("f.txt", "a", "テ"), all)
	f.ws, _ = workspace.Open(workspace.Options{Roots: []string{f.root}})
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 a\nb\n")
}

func TestAnEncodingTakenBackWhileAQuestionWaits(t *testing.T) {
	f := newFixture(t)
	enc := new(workspace.Encodings)
	f.ws, _ = workspace.Open(workspace.Options{Roots: []string{f.root}, Encodings: enc})
	f.write("f.txt", "abc\né\n")
	enc.Declare(f.abs("f.txt"), "latin1")
	c := f.plan("f.txt", "abc", "ä")
	enc.Declare(f.abs("f.txt"), "utf-8") // it is: what was shown is not what the file holds
	f.wantState(f.commit(c, all), workspace.Stale)
	f.wantFile("f.txt", "abc\né\n")
}

func TestRestoredBytesAreThoseThatWere(t *testing.T) {
	for name, was := range map[string]string{
		"cp932": "\xfa\x58 a\n\x81\x20", "utf-8": "\xff\xfea\x00\n\x00", "latin1": "\xe9\n",
	} {
		f := encoded(t, name, "now\n")
		f.wantState(f.commit(workspace.Restore(f.read("f.txt"), was), all), workspace.Applied)
		f.wantFile("f.txt", was)
		f.wantState(f.commit(workspace.Remove(f.read("f.txt")), all), workspace.Applied)
		f.wantState(f.commit(workspace.Restore(f.read("f.txt"), was), all), workspace.Applied)
		f.wantFile("f.txt", was)
	}
}

func TestARemovedFileComesBackAsItWas(t *testing.T) {
	f := encoded(t, "cp932", "\xfa\x58 a\n\x81\x20")
	out := f.commit(workspace.Remove(f.read("f.txt")), all)
	f.wantState(out, workspace.Applied)
	f.wantState(f.commit(out.Change.Reverse(nil), all), workspace.Applied)
	f.wantFile("f.txt", "\xfa\x58 a\n\x81\x20")
}

func TestTextIsReadInPiecesAsItIsReadWhole(t *testing.T) {
	for _, test := range []struct{ name, raw, want string }{
		{"sjis", strings.Repeat(sjisTest+"\n", 20000), strings.Repeat("テスト\n", 20000)},
		{"utf8", "\xff\xfea\x00\n\x00", "\uFEFFa\n"},
		{"utf8", "\xef\xbb\xbfa\xff", "\uFEFFa\xff"},
		{"iso-2022-jp", "\x1b$B%F", "\x1b$B%F"},
		{"latin1", "", ""},
	} {
		f := encoded(t, test.name, test.raw)
		src, enc, err := f.ws.OpenText(f.resolve("f.txt"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(src)
		src.Close()
		if whole := f.read("f.txt"); err != nil || string(got) != test.want || whole.Text != test.want || whole.Encoding != enc {
			t.Errorf("%s: %.20q, %v, in pieces %.20q in %q", test.name, whole.Text, err, got, enc)
		}
	}
}

// declared are names of encodings with characters that they have.
var declared = map[string][]string{
	"shift_jis": {"ア", "漢", "\\", "~"}, "euc-jp": {"ア", "漢"}, "gbk": {"汉", "€"}, "gb18030": {"汉", "😀", "é"},
	"big5": {"漢"}, "euc-kr": {"한"}, "windows-1252": {"é", "€"}, "latin1": {"é"}, "koi8-r": {"ж"}, "cp437": {"é", "█"},
	"utf-16le": {"é", "😀", "ਊ"}, "utf-16be": {"é", "😀", "Ċ"},
}

// anyEncodedLine draws bytes of one line: characters, and what is none.
func anyEncodedLine(t *rapid.T, name string) string {
	wide := strings.HasPrefix(name, "utf-16")
	part := rapid.SampledFrom([]string{"ab", " ", "\t", "\r", "\x81\x20", "\xff", "\xd8\xdc", "\x82\xa0", "\xc4\xe3", "\xfa\x58", "\x88\x62"})
	var b strings.Builder
	for range rapid.IntRange(0, 6).Draw(t, "parts") {
		p := part.Draw(t, "part")
		if wide && len(p)%2 == 1 {
			p += "\x00"
		}
		if !strings.Contains(p, "\n") {
			b.WriteString(p)
		}
	}
	return b.String()
}

// anyEncoded draws a file in an encoding, as its lines.
func anyEncoded(t *rapid.T, name string) (lines []string) {
	end := "\n"
	switch name {
	case "utf-16le":
		end = "\n\x00"
	case "utf-16be":
		end = "\x00\n"
	}
	for range rapid.IntRange(1, 12).Draw(t, "lines") {
		lines = append(lines, anyEncodedLine(t, name)+end)
	}
	if rapid.Bool().Draw(t, "unfinished") {
		lines = append(lines, anyEncodedLine(t, name))
	}
	return lines
}

func TestLinesThatNoHunkTouchesKeepTheirBytes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{
			"shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr", "windows-1252", "latin1", "koi8-r", "cp437", "utf-16le", "utf-16be",
		}).Draw(t, "encoding")
		lines := anyEncoded(t, name)
		w := &encodedCase{T: t, file: filepath.Join(dir, "f.txt"), raw: strings.Join(lines, "")}
		w.open(dir, name)
		c := workspace.Replace(w.read(), w.edits(name))
		if c.Fault() != nil {
			w.want(c, all, w.raw) // refused whole
			return
		}
		var ids []string
		for _, h := range c.Hunks {
			if rapid.Bool().Draw(t, "take") {
				ids = append(ids, h.ID)
			}
		}
		part, err := c.Narrow(ids)
		if err != nil {
			t.Fatal(err)
		}
		out := w.want(c, only(ids...), part.After())
		w.untouched(lines, part)
		if len(ids) > 0 {
			w.want(out.Change.Reverse(nil), all, w.raw)
		}
	})
}

// encodedCase is one file on the disk.
type encodedCase struct {
	*rapid.T
	ws        *workspace.Workspace
	file, raw string
}

func (w *encodedCase) open(dir, name string) {
	enc := new(workspace.Encodings)
	enc.Declare(w.file, name)
	var err error
	if w.ws, err = workspace.Open(workspace.Options{Roots: []string{dir}, Encodings: enc}); err != nil {
		w.Fatal(err)
	}
	w.ws.SkipSync()
	if err := os.WriteFile(w.file, []byte(w.raw), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *encodedCase) read() workspace.Content {
	p, err := w.ws.Resolve("f.txt")
	if err != nil {
		w.Fatal(err)
	}
	c, err := w.ws.Read(context.Background(), p)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// edits are between characters of the text, and of characters that it has.
func (w *encodedCase) edits(name string) []workspace.Edit {
	text := w.read().Text
	var starts []int
	for i := range text {
		starts = append(starts, i)
	}
	starts = append(starts, len(text))
	var edits []workspace.Edit
	at := 0
	for range rapid.IntRange(1, 3).Draw(w.T, "edits") {
		from := rapid.IntRange(at, len(starts)-1).Draw(w.T, "from")
		at = rapid.IntRange(from, min(len(starts)-1, from+4)).Draw(w.T, "to")
		chars := append([]string{"", "x", "\n", "\r\n"}, declared[name]...)
		edits = append(edits, workspace.Edit{Start: starts[from], End: starts[at], New: rapid.SampledFrom(chars).Draw(w.T, "new")})
	}
	return edits
}

func (w *encodedCase) want(c workspace.Change, a workspace.Acceptance, raw string) workspace.Outcome {
	w.Helper()
	out, err := w.ws.Commit(context.Background(), c, a)
	if err != nil {
		w.Fatal(err)
	}
	if got, _ := os.ReadFile(w.file); string(got) != raw {
		w.Fatalf("%v (%s): the file holds %q, want %q", out.State, out.Why, got, raw)
	}
	return out
}

// untouched finds the bytes of all lines before, between and after the hunks.
func (w *encodedCase) untouched(lines []string, c workspace.Change) {
	rest, at := c.After(), 0
	for i, h := range c.Hunks {
		kept := strings.Join(lines[at:h.OldLine-1], "")
		j := strings.Index(rest, kept)
		if j < 0 || i == 0 && j > 0 {
			w.Fatalf("%q, the lines before hunk %d, are gone of %q", kept, i, c.After())
		}
		rest, at = rest[j+len(kept):], h.OldLine-1+h.OldLines
	}
	if tail := strings.Join(lines[min(at, len(lines)):], ""); !strings.HasSuffix(rest, tail) {
		w.Fatalf("%q is gone from the end of %q", tail, c.After())
	}
}

// replace plans the replacement of bytes, marks too.
func (f *fixture) replace(old, new string) workspace.Change {
	f.Helper()
	c := f.read("f.txt")
	at := strings.Index(c.Text, old)
	return workspace.Replace(c, []workspace.Edit{{Start: at, End: at + len(old), New: new}})
}

// What a file begins with can tell how it is read, and no edit may change that.
func TestNoEditChangesHowAFileIsRead(t *testing.T) {
	for _, test := range []struct{ name, encoding, raw, old, new, want string }{
		{"bytes of no known encoding come to be a mark", "", "x\xff\xfe\xe9\n", "x", "", "byte order mark (FF FE), and be read as utf-16le"},
		{"of the other one", "", "x\xfe\xff\xe9\n", "x", "", "byte order mark (FE FF), and be read as utf-16be"},
		{"by the spelling of a declared one", "latin1", "abc\n", "abc", "ÿþabc", "byte order mark (FF FE)"},
		{"of UTF-8", "latin1", "caf\xe9\n", "caf", "ï»¿caf", "byte order mark (EF BB BF), and be read as utf-8"},
		{"the mark of UTF-16 goes", "", "\xff\xfea\x00\n\x00", "\uFEFFa", "a", "without the byte order mark"},
		{"the mark of UTF-8 goes where another is declared", "latin1", "\uFEFFcafé\n", "\uFEFFcaf", "caf", "read as iso-8859-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := encoded(t, test.encoding, test.raw)
			c := f.replace(test.old, test.new)
			err := f.ws.Fault(c)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("fault %v, want %q", err, test.want)
			}
			f.wantState(f.commit(c, all), workspace.Rejected)
			f.wantFile("f.txt", test.raw)
		})
	}
	for _, test := range []struct{ name, encoding, raw, old, new, want string }{
		{"a mark of UTF-8 comes and nothing else was said", "", "café\n", "caf", "\uFEFFcaf", "\uFEFFcafé\n"},
		{"it goes", "", "\uFEFFcafé\n", "\uFEFFcaf", "caf", "café\n"},
		{"it goes, and what is left reads alike", "latin1", "\uFEFFabc\n", "\uFEFFabc", "abd", "abd\n"},
		{"the mark stays", "", "\xff\xfea\x00\n\x00", "a", "b", "\xff\xfeb\x00\n\x00"},
		{"nothing is left to be read", "", "\xff\xfea\x00", "\uFEFFa", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := encoded(t, test.encoding, test.raw)
			f.wantState(f.commit(f.replace(test.old, test.new), all), workspace.Applied)
			f.wantFile("f.txt", test.want)
		})
	}
}

func TestNoEditOfABufferChangesHowItsFileIsRead(t *testing.T) {
	f := encoded(t, "latin1", "abc\n")
	f.editor.Open(f.abs("f.txt"), "abc\n", 1)
	if err := f.ws.Fault(f.plan("f.txt", "abc", "ÿþabc")); err == nil || !strings.Contains(err.Error(), "FF FE") {
		t.Errorf("fault %v", err)
	}
	f.wantState(f.commit(f.plan("f.txt", "abc", "aÿþbc"), all), workspace.Applied)
}

// The same words in other bytes are not what the change would leave.
func TestSomebodyWroteTheTextInAnotherEncoding(t *testing.T) {
	f := newFixture(t)
	enc := new(workspace.Encodings)
	f.ws, _ = workspace.Open(workspace.Options{Roots: []string{f.root}, Encodings: enc})
	f.write("f.txt", "abc\n")
	enc.Declare(f.abs("f.txt"), "sjis")
	c := f.plan("f.txt", "abc", "テスト")
	f.write("f.txt", "テスト\n")
	enc.Declare(f.abs("f.txt"), "utf-8")
	out := f.commit(c, all)
	f.wantState(out, workspace.Stale)
	f.wantFile("f.txt", "テスト\n")
	enc.Declare(f.abs("f.txt"), "sjis")
	f.write("f.txt", sjisTest+"\n") // and this is
	out = f.commit(c, all)
	f.wantState(out, workspace.Applied)
	if after := out.Change.After(); after != sjisTest+"\n" {
		t.Errorf("the change leaves %q", after)
	}
}

// Decoders differ in some characters: a clean document that shows another one
// than we read is saved.
func TestADocumentReadByAnotherDecoderIsSaved(t *testing.T) {
	f := encoded(t, "cp932", "\x81\x60 a\n")
	if c := f.read("f.txt"); c.Text == "〜 a\n" {
		t.Fatal("both read it alike, so that nothing is tested")
	}
	f.editor.Open(f.abs("f.txt"), "〜 a\n", 1)
	if f.ws.Unsaved(f.resolve("f.txt")) {
		t.Error("it counts as unsaved")
	}
	f.editor.Type(f.abs("f.txt"), "〜 a\n")
	if !f.ws.Unsaved(f.resolve("f.txt")) {
		t.Error("typed in, it counts as saved")
	}
}
