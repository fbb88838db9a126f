package workspace

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// ownNames are encodings that the WHATWG Encoding Standard does not have, or
// has under a name that it takes for another. The standard reads latin1 as
// windows-1252; editors that say so write no such thing.
var ownNames = map[Encoding]encoding.Encoding{
	"utf-16le":   unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":   unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"iso-8859-1": charmap.ISO8859_1,
	"iso-8859-9": charmap.ISO8859_9,
	"cp437":      charmap.CodePage437,
	"cp850":      charmap.CodePage850,
	"cp852":      charmap.CodePage852,
	"cp855":      charmap.CodePage855,
	"cp858":      charmap.CodePage858,
	"cp860":      charmap.CodePage860,
	"cp862":      charmap.CodePage862,
	"cp863":      charmap.CodePage863,
	"cp865":      charmap.CodePage865,
}

// aliases are what editors call encodings, without dashes and underscores.
var aliases = map[string]string{
	"utf8bom": "utf-8", "utf8": "utf-8", "unicode": "utf-8",
	"utf16le": "utf-16le", "utf16be": "utf-16be", "ucs2": "utf-16be", "ucs2be": "utf-16be", "ucs2le": "utf-16le",
	"latin1": "iso-8859-1", "iso88591": "iso-8859-1", "latin5": "iso-8859-9", "iso88599": "iso-8859-9",
	"latin2": "iso-8859-2", "latin3": "iso-8859-3", "latin4": "iso-8859-4", "latin6": "iso-8859-10", "latin9": "iso-8859-15",
	"iso885911": "windows-874", "cp874": "windows-874", "tis620": "windows-874",
	"sjis": "shift_jis", "shiftjis": "shift_jis", "cp932": "shift_jis", "windows31j": "shift_jis", "ms932": "shift_jis",
	"eucjp": "euc-jp", "euckr": "euc-kr", "cp949": "euc-kr", "euccn": "gbk", "gb2312": "gbk", "cp936": "gbk",
	"cp950": "big5", "big5hkscs": "big5", "koi8ru": "koi8-u", "koi8r": "koi8-r", "koi8u": "koi8-u",
	"cp866": "ibm866", "macroman": "macintosh", "maccyrillic": "x-mac-cyrillic",
	"ibm437": "cp437", "ibm850": "cp850", "ibm852": "cp852", "ibm855": "cp855", "ibm858": "cp858", "cp00858": "cp858",
	"ibm860": "cp860", "ibm862": "cp862", "ibm863": "cp863", "ibm865": "cp865",
}

const utf8Name Encoding = "utf-8"

// EncodingOf returns the encoding that a name of the WHATWG Encoding Standard or
// an editor's own name stands for, in any case and with or without dashes; "" is
// UTF-8. A name that says too little is UTF-8 as well: of "utf-16" only the
// file's byte order mark tells which it is. known is false for what cannot be
// read here, because nobody knows it or because a character's bytes depend on
// what stands before (iso-2022-jp); the Encoding is then the name itself.
func EncodingOf(name string) (e Encoding, known bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "8bit-"), "2byte-")
	bare := strings.NewReplacer("-", "", "_", "", ":", "").Replace(name)
	switch {
	case bare == "" || bare == "utf16" || bare == "ucsbom":
		return "", true
	case aliases[bare] != "":
		name = aliases[bare]
	case strings.HasPrefix(bare, "windows"):
		name = "windows-" + bare[len("windows"):]
	case strings.HasPrefix(bare, "cp125"):
		name = "windows-" + bare[len("cp"):]
	case strings.HasPrefix(bare, "iso8859"):
		name = "iso-8859-" + bare[len("iso8859"):]
	case ownNames[Encoding(bare)] != nil:
		name = bare
	}
	if e, known = standard(name); known {
		return e, true
	}
	return e[:min(len(e), longestName)], false
}

// longestName bounds, in bytes, a name that nobody knows.
const longestName = 24

// standard gives a name the form that the standard has for it.
func standard(name string) (e Encoding, known bool) {
	if ownNames[Encoding(name)] != nil {
		return Encoding(name), true
	}
	form, err := htmlindex.Get(name)
	if err != nil {
		return Encoding(name), false
	}
	canon, err := htmlindex.Name(form)
	e = Encoding(canon)
	switch {
	case err != nil, e == "replacement", e == "x-user-defined", e == "iso-2022-jp":
		return Encoding(name), false
	case e == utf8Name:
		return "", true
	}
	return e, true
}

// Known reports whether text of the encoding can be read and written here.
func (e Encoding) Known() bool { return e == "" || formOf(e) != nil }

// formOf is how an encoding is read and written; nil for one that EncodingOf
// did not know.
func formOf(e Encoding) encoding.Encoding {
	if form := ownNames[e]; form != nil {
		return form
	}
	if known, ok := standard(string(e)); !ok || known != e {
		return nil
	}
	form, err := htmlindex.Get(string(e))
	if err != nil {
		return nil
	}
	return form
}
