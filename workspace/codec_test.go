package workspace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// everyEncoding is what an editor may declare and we can read.
func everyEncoding() []Encoding {
	names := []string{
		"ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
		"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh",
		"windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
		"windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp",
		"shift_jis", "euc-kr",
	}
	var all []Encoding
	for _, n := range names {
		all = append(all, Encoding(n))
	}
	for e := range ownNames {
		all = append(all, e)
	}
	return all
}

// anyBytes draws bytes with many line ends and beginnings of characters.
func anyBytes() *rapid.Generator[string] {
	some := rapid.OneOf(
		rapid.SampledFrom([]byte("\n\r\x00ab \\~")), rapid.SampledFrom([]byte("\x81\x8e\x8f\xa1\xd8\xdc\xe9\xff\xfe\x80\x30\x84")), rapid.Byte(),
	)
	return rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(some, 0, 40).Draw(t, "bytes")) })
}

func TestLinesOfTheTextAreLinesOfTheBytes(t *testing.T) {
	for _, e := range everyEncoding() {
		if formOf(e) == nil {
			t.Fatalf("%s is not known", e)
		}
		rapid.Check(t, func(t *rapid.T) { checkLines(t, codecOf(e), anyBytes().Draw(t, "raw")) })
	}
}

// checkLines decodes line by line and as a whole.
func checkLines(t *rapid.T, k codec, raw string) {
	text := k.decode(raw)
	var lines strings.Builder
	for at := 0; at < len(raw); {
		next := k.nextLine(raw, at)
		line := k.decode(raw[at:next])
		if n := strings.Count(line, "\n"); n > 1 || n == 1 && !strings.HasSuffix(line, "\n") || n == 0 && next < len(raw) {
			t.Fatalf("%s: line %q of %q is %q", k.name, raw[at:next], raw, line)
		}
		lines.WriteString(line)
		at = next
	}
	if lines.String() != text {
		t.Fatalf("%s: %q is %q, line by line %q", k.name, raw, text, lines.String())
	}
	var units, bytes strings.Builder
	for _, u := range k.units(raw) {
		units.WriteString(u.text)
		bytes.WriteString(u.raw)
	}
	if units.String() != text || bytes.String() != raw {
		t.Fatalf("%s: %q is %q, character by character %q of %q", k.name, raw, text, units.String(), bytes.String())
	}
}

func TestEveryEncodingHoldsASCII(t *testing.T) {
	var ascii strings.Builder
	for c := range 128 {
		ascii.WriteByte(byte(c))
	}
	for _, e := range everyEncoding() {
		k := codecOf(e)
		raw, ok := k.encode(ascii.String())
		if !ok || k.unit == 1 && raw != ascii.String() {
			t.Errorf("%s has ASCII as %q", e, raw)
		}
	}
}

func TestEditorsNamesOfEncodings(t *testing.T) {
	for name, want := range map[string]Encoding{
		"utf8": "", "UTF-8": "", "utf8bom": "", "": "", "utf-16": "",
		"utf16le": "utf-16le", "utf-16be": "utf-16be", "ucs-2le": "utf-16le", "ucs-2": "utf-16be",
		"windows1252": "windows-1252", "cp1252": "windows-1252", "8bit-cp1252": "windows-1252", "latin1": "iso-8859-1",
		"iso88591": "iso-8859-1", "ISO-8859-1": "iso-8859-1", "iso885915": "iso-8859-15", "latin9": "iso-8859-15",
		"iso885911": "windows-874", "iso88599": "iso-8859-9",
		"shiftjis": "shift_jis", "cp932": "shift_jis", "sjis": "shift_jis", "Shift_JIS": "shift_jis",
		"eucjp": "euc-jp", "euc-jp": "euc-jp", "gbk": "gbk", "gb2312": "gbk", "cp936": "gbk", "gb18030": "gb18030",
		"big5hkscs": "big5", "cp950": "big5", "euckr": "euc-kr", "cp949": "euc-kr",
		"koi8r": "koi8-r", "koi8u": "koi8-u", "cp437": "cp437", "cp850": "cp850", "cp866": "ibm866", "macroman": "macintosh",
		"windows1251": "windows-1251", "windows874": "windows-874",
	} {
		if got, known := EncodingOf(name); got != want || !known {
			t.Errorf("%q is %q (known: %v), want %q", name, got, known, want)
		}
	}
	for _, name := range []string{"iso-2022-jp", "utf-7", "ucs-4", "hz-gb-2312", "cp037", "replacement", "klingon"} {
		if got, known := EncodingOf(name); known || got != Encoding(name) {
			t.Errorf("%q is taken for %q", name, got)
		}
	}
}
