package scenario

import "testing"

const face = "a😀b\r\nsecond\rthird\n"

func TestPositionsCountInTheAgreedUnits(t *testing.T) {
	for encoding, character := range map[string]int{"utf-8": 5, "utf-16": 3, "utf-32": 2} {
		p := at(face, 5, encoding)
		if p != (position{0, character}) {
			t.Errorf("%s: %+v", encoding, p)
		}
		if back, err := offset(face, p, encoding); back != 5 || err != nil {
			t.Errorf("%s: back at %d (%v)", encoding, back, err)
		}
	}
	if p := at(face, len(face), "utf-8"); p != (position{3, 0}) {
		t.Errorf("the end is %+v", p)
	}
}

func TestPlacesThatAreNoneAreRefused(t *testing.T) {
	for _, p := range []position{{0, 2}, {0, 9}, {4, 0}} {
		if at, err := offset(face, p, "utf-16"); err == nil {
			t.Errorf("%+v is byte %d", p, at)
		}
	}
}

func TestEditsCountInTheTextAsItWas(t *testing.T) {
	edit := func(l, from, to int, text string) textEdit {
		return textEdit{span{position{l, from}, position{l, to}}, text}
	}
	after, done, err := splice("one\ntwo\n", []textEdit{edit(0, 0, 3, "1\n1"), edit(1, 0, 1, "T")}, "utf-16")
	if err != nil || after != "1\n1\nTwo\n" || len(done) != 2 || done[0].NewText != "T" {
		t.Errorf("%q, %+v, %v", after, done, err)
	}
	if _, _, err := splice("one\n", []textEdit{edit(0, 0, 2, ""), edit(0, 1, 3, "")}, "utf-16"); err == nil {
		t.Error("overlapping edits are made")
	}
}
