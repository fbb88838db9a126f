package tools

import (
	"strings"
	"testing"

	"drawbridge/workspace"
)

// encodedRoom is a room whose editor said how it reads f.
func encodedRoom(t *testing.T, encoding, raw string) *room {
	t.Helper()
	r := newRoom(t)
	enc := new(workspace.Encodings)
	r.open(t, workspace.Options{Encodings: enc})
	enc.Declare(r.path("f"), encoding)
	r.write(t, "f", raw)
	return r
}

const sjisTest = "\x83e\x83X\x83g" // テスト

func TestReadTellsTheEncoding(t *testing.T) {
	for _, c := range []struct{ name, encoding, raw, want string }{
		{"declared", "sjis", sjisTest + "\r\n", "     1\tテスト\n(file uses CRLF line endings)\n(file is encoded in shift_jis)"},
		{"with bytes that are none of it", "sjis", sjisTest + "\xff\n", "     1\tテスト\uFFFD\n(file is encoded in shift_jis; other bytes are shown as �)"},
		{"by a mark", "utf8", "\xff\xfea\x00\n\x00", "     1\ta\n(file is encoded in utf-16le)"},
		{"not decoded", "iso-2022-jp", "\x1b$B%F\x1b(B\n", "     1\t\x1b$B%F\x1b(B\n(file is encoded in iso-2022-jp, shown as bytes)"},
		{"none", "utf8", "caf\xe9\n", "     1\tcaf\uFFFD\n(bytes that are not UTF-8 are shown as �)"},
		{"UTF-8", "utf8", "café\n", "     1\tcafé"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := encodedRoom(t, c.encoding, c.raw)
			checkText(t, r.do(t, "read_file", `{"file_path":"f"}`), Completed, c.want)
		})
	}
}

func TestReadDecodesAcrossItsPieces(t *testing.T) {
	// Two bytes a character, and an odd byte first: some pair lies across any cut.
	r := encodedRoom(t, "sjis", "x"+strings.Repeat(sjisTest, 100_000)+"\nend\n")
	checkText(t, r.do(t, "read_file", `{"file_path":"f","offset":2}`), Completed, "     2\tend\n(file is encoded in shift_jis)")
	o := r.do(t, "read_file", `{"file_path":"f","limit":1}`)
	checkSays(t, o, Completed, "     1\txテスト", lineCut)
	checkSilent(t, o, "\uFFFD", "other bytes")
}

func TestUTF16WithNULIsBinary(t *testing.T) {
	r := encodedRoom(t, "utf8", "\xff\xfea\x00\x00\x00")
	for _, call := range [][2]string{
		{"read_file", `{"file_path":"f"}`}, {"edit_file", `{"file_path":"f","old_string":"a","new_string":"b"}`},
	} {
		checkSays(t, r.do(t, call[0], call[1]), Failed, "is a binary file")
	}
}

func TestEditsInAnEncoding(t *testing.T) {
	r := encodedRoom(t, "sjis", sjisTest+"\r\nabc\r\n")
	checkText(t, r.do(t, "edit_file", `{"file_path":"f","old_string":"テスト\nabc","new_string":"テスト\nスト"}`), Completed,
		"Replaced 1 occurrence in \"f\".\n@@ -1,2 +1,2 @@\n テスト\n-abc\n+スト")
	if got := r.content(t, "f"); got != sjisTest+"\r\n\x83X\x83g\r\n" {
		t.Errorf("the file holds %q", got)
	}
	_, err := r.plan(t, "edit_file", `{"file_path":"f","old_string":"テスト\nスト","new_string":"a\n😀"}`)
	want := `Nothing was changed in "f": line 2 has "😀" (U+1F600), which shift_jis, the file's encoding, does not have`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("planned with %v, want %s", err, want)
	}
}

func TestWholeContentKeepsTheEncoding(t *testing.T) {
	r := encodedRoom(t, "sjis", "abc\n")
	checkText(t, r.do(t, "write_file", `{"file_path":"f","content":"テスト\n"}`), Completed,
		"Overwrote \"f\" (1 line, 7 bytes).\n(encoded in shift_jis, as before)\n@@ -1,1 +1,1 @@\n-abc\n+テスト")
	if got := r.content(t, "f"); got != sjisTest+"\n" {
		t.Errorf("the file holds %q", got)
	}
	checkText(t, r.do(t, "write_file", `{"file_path":"f","content":"テスト\n"}`), Completed,
		"Overwrote \"f\" (1 line, 7 bytes).\n(content unchanged)")
	checkSays(t, r.do(t, "write_file", `{"file_path":"f","content":"é\n"}`), Failed, `Nothing was changed in "f": line 1 has "é" (U+00E9), which shift_jis`)
	if _, err := r.plan(t, "write_file", `{"file_path":"f","content":"é\n"}`); err == nil {
		t.Error("what cannot be written is planned")
	}
	r = encodedRoom(t, "utf8", "caf\xe9\n")
	checkSays(t, r.do(t, "write_file", `{"file_path":"f","content":"café\n"}`), Completed,
		"(the previous content was not valid UTF-8; the file is UTF-8 now)")
}

func TestNoCharacterOfAnUnknownEncodingIsCut(t *testing.T) {
	// The second byte of 表 is a backslash in Shift-JIS.
	r := encodedRoom(t, "", "a(\"\x95\\\\n\");\n")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"f","old_string":"\\\\n\");","new_string":"\");"}`), Failed,
		"the edit begins right behind bytes that are not UTF-8")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"f","old_string":"\");","new_string":"!\");"}`), Completed, "Replaced 1")
	if got := r.content(t, "f"); got != "a(\"\x95\\\\n!\");\n" {
		t.Errorf("the file holds %q", got)
	}
	r = encodedRoom(t, "utf8", "é\\n\n\xe9 x\n")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"f","old_string":"\\n","new_string":""}`), Completed, "Replaced 1")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"f","old_string":" x","new_string":" y"}`), Completed, "Replaced 1")
	for _, new := range []string{"y", ""} { // would come to stand behind the byte, or has what does
		r = encodedRoom(t, "utf8", "\xe9 xy\n")
		checkSays(t, r.do(t, "edit_file", args(t, "file_path", "f", "old_string", " x", "new_string", new)), Failed, "begins right behind bytes")
	}
	r = encodedRoom(t, "sjis", "a(\"\x95\\\\n\");\n")
	checkSays(t, r.do(t, "edit_file", `{"file_path":"f","old_string":"\\n","new_string":""}`), Completed, "Replaced 1")
	if got := r.content(t, "f"); got != "a(\"\x95\\\");\n" {
		t.Errorf("the file holds %q", got)
	}
}

func TestTextOfAnUnknownEncodingIsNotLookedForInVain(t *testing.T) {
	find := func(r *room, old string) Outcome {
		return r.do(t, "edit_file", args(t, "file_path", "f", "old_string", old, "new_string", "x"))
	}
	r := encodedRoom(t, "", sjisTest+"\nabc\n")
	checkText(t, find(r, "テスト"), Failed, `old_string was not found in "f". Nothing was changed. The file is not valid UTF-8 and its encoding is not known, so "テ" cannot be found in it, however it is copied. Choose a text to replace and a replacement of ASCII alone, or have the user open the file in the editor with its encoding and try again.`)
	checkSays(t, find(r, "\tabc"), Failed, "Line 2 would match")
	checkSays(t, find(encodedRoom(t, "iso-2022-jp", "\xff\n"), "テ"), Failed, "The file is encoded in iso-2022-jp, which cannot be read here, so")
	checkSilent(t, find(encodedRoom(t, "", "é x\xff\n"), "é\tx"), "encoding") // é is in it
	checkSilent(t, find(encodedRoom(t, "sjis", sjisTest), "é"), "not known")
	checkSilent(t, find(encodedRoom(t, "", "abc\n"), "é"), "encoding")
}
