package shell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, row := range []struct {
		why, in, pipe, tty string
	}{
		{"line ends", "a\r\nb\n", "a\r\nb\n", "a\nb\n"},
		{"a program's own CR LF in a terminal", "a\r\r\n", "a\r\n", "a\n"},
		{"a progress line", "1%\r2%\r", "2%", "2%"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red", "red"},
		{"a title, both ends", "\x1b]0;t\x07a\x1b]0;t\x1b\\b", "ab", "ab"},
		{"a device string", "\x1bPq#0\x1b\\x", "x", "x"},
		{"a charset", "\x1b(Bx\x1b)0y", "xy", "xy"},
		{"two-byte sequences", "\x1b7\x1b=x\x1b>", "x", "x"},
		{"an escape within an escape", "\x1b[1\x1b[0mx", "x", "x"},
		{"an unfinished title ends with its line", "\x1b]0;title\nnext", "\nnext", "\nnext"},
		{"an unfinished sequence ends with its line", "\x1b[12\nnext", "\nnext", "\nnext"},
		{"a cancelled sequence", "\x1b[1\x18x\x1b]a\x1ay", "xy", "xy"},
		{"a sequence cut off by the end", "x\x1b[3", "x", "x"},
		{"a line that is cleared", "a\r\x1b[Kb\n", "b\n", "b\n"},
		{"NUL", "a\x00b\x1b[\x001mc", "abc", "abc"},
		{"no UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD", "a\uFFFDb\uFFFD"},
		{"each bad byte counts", "\xe4\xbcz", "\uFFFD\uFFFDz", "\uFFFD\uFFFDz"},
		{"other characters", "企鹅🐧é\t", "企鹅🐧é\t", "企鹅🐧é\t"},
		{"text right after a broken sequence", "\x1b[é", "é", "é"},
	} {
		t.Run(row.why, func(t *testing.T) {
			if got := Text([]byte(row.in), false); got != row.pipe {
				t.Errorf("pipe: %q, want %q", got, row.pipe)
			}
			if got := Text([]byte(row.in), true); got != row.tty {
				t.Errorf("terminal: %q, want %q", got, row.tty)
			}
		})
	}
}

// stream draws bytes in which characters and sequences are often cut short.
func stream() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		part := rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b", "[", "]", "1", ";", "m", "\\", "\x07", "\x00", "\r", "\n", "P", "(", "\x18", "企", "🐧", "é"}),
			rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) }))
		return []byte(strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "parts"), ""))
	})
}

// pieces cuts b at drawn places.
func pieces(t *rapid.T, b []byte) (cut [][]byte) {
	for len(b) > 0 {
		n := rapid.IntRange(1, len(b)).Draw(t, "cut")
		cut, b = append(cut, b[:n]), b[n:]
	}
	return cut
}

func TestScreenTextDoesNotDependOnTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := stream().Draw(t, "stream")
		tty := rapid.Bool().Draw(t, "tty")
		c := NewScreen(tty, 0)
		var got strings.Builder
		for _, p := range pieces(t, b) {
			got.WriteString(c.Write(p))
		}
		got.WriteString(c.Flush())
		want := Text(b, tty)
		if got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
		if !utf8.ValidString(want) || strings.ContainsAny(want, "\x00\x1b") {
			t.Fatalf("not plain: %q", want)
		}
	})
}

func TestCutterLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := stream().Draw(t, "stream")
		var c Cutter
		var got strings.Builder
		written := 0
		for _, p := range pieces(t, b) {
			s := c.Write(p)
			written += len(p)
			if !utf8.ValidString(s) || c.Pending() >= utf8.UTFMax {
				t.Fatalf("piece %q, %d pending", s, c.Pending())
			}
			got.WriteString(s)
			if prefix := validText(b[:written-c.Pending()]); got.String() != prefix {
				t.Fatalf("text so far %q, of the covered bytes %q", got.String(), prefix)
			}
		}
		got.WriteString(c.Flush())
		if got.String() != validText(b) {
			t.Fatalf("got %q, want %q", got.String(), validText(b))
		}
		if utf8.Valid(b) && got.String() != string(b) {
			t.Fatalf("valid text changed: %q", got.String())
		}
	})
}

func TestCutterHoldsOnlyTheBeginningOfACharacter(t *testing.T) {
	var c Cutter
	if s := c.Write([]byte("a\xf0\x9f")); s != "a" || c.Pending() != 2 {
		t.Errorf("%q, %d pending", s, c.Pending())
	}
	if s := c.Write([]byte("\x90\xa7b")); s != "🐧b" || c.Pending() != 0 {
		t.Errorf("%q, %d pending", s, c.Pending())
	}
}

func BenchmarkText(b *testing.B) {
	p := []byte(strings.Repeat("plain text of a command \x1b[32mok\x1b[0m\r\n", 25_000))
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		Text(p, true)
	}
}
