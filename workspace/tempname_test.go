package workspace

import (
	"strings"
	"testing"
)

func TestATemporaryFileIsKnownByItsName(t *testing.T) {
	for _, base := range []string{"a.txt", "x", ".hidden", "a.b.tmp", strings.Repeat("ä", 120)} {
		if name := tempName(base); !IsTemp(Path{Abs: "/w/" + name}) {
			t.Errorf("%s is not known", name)
		}
	}
	for _, name := range []string{"a.txt", ".tmp", "x.tmp", ".abcdefghij.tmp", "a.txt.abcdefghij.tmp", ".a.txt.ABCDEFGHIJ.tmp", ".a.txt.abc.tmp"} {
		if IsTemp(Path{Abs: "/w/" + name}) {
			t.Errorf("%s is taken for one", name)
		}
	}
}
