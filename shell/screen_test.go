package shell

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// shown is what a terminal of 20 columns and 5 rows makes of output.
func shown(output string) string {
	s := NewScreen(true, 20)
	s.Resize(20, 5)
	return s.Write([]byte(output)) + s.Flush()
}

func TestScreenOfATerminal(t *testing.T) {
	for _, row := range []struct{ why, output, want string }{
		{"a progress bar is its last state", "10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"},
		{"a longer state before", "downloading\rdone\x1b[K\r\n", "done\n"},
		{"blanks that erase are no text", "downloading\rdone       \r\n", "done\n"},
		{"blanks that a program wrote are text", "a  \r\n> ", "a  \n> "},
		{"blanks that nobody wrote are none", "a\x1b[5C\r\n", "a\n"},
		{"backspaces", "abc\b\b\bx\r\n", "xbc\n"},
		{"a TAB is kept", "all:\tmake\r\n\tcc\r\n", "all:\tmake\n\tcc\n"},
		{"but not what was written into it", "a\tb\r\x1b[3Cx\r\n", "a  x    b\n"},
		{"a TAB that moves is blanks", "a\tb\r\x1b[@x\r\n", "xa       b\n"},
		{"rows broken at the edge are one line", "0123456789012345678901234567890\r\n", "0123456789012345678901234567890\n"},
		{"also with a wide character at the edge", "0123456789012345678企x\r\n", "0123456789012345678企x\n"},
		{"a full row is not broken", "01234567890123456789\r\nx\r\n", "01234567890123456789\nx\n"},
		{"a line does not go on in a row that was cleared", "01234567890123456789x\r\x1b[Knew\r\n", "01234567890123456789\nnew\n"},
		{"nor when its head has left", strings.Repeat("x", 101) + "\x1b[4A\r\x1b[Knew\r\n", strings.Repeat("x", 20) + "\nnew\n" + strings.Repeat("x", 61)},
		{"nor then in one that stays clear", strings.Repeat("x", 101) + "\x1b[4A\r\x1b[K", strings.Repeat("x", 20) + "\n\n" + strings.Repeat("x", 61)},
		{"the last row does not go on in itself", "\x1b[1;2r\x1b[5;1H01234567890123456789x\x1b[r\x1b[5;1H\r\nnew", "\n\n\n\nx1234567890123456789\nnew"},
		{"several bars", "a 1\r\nb 1\r\n\x1b[2Aa 2\r\nb 2\r\n", "a 2\nb 2\n"},
		{"rows that are cleared below", "a\r\nb\r\nc\x1b[2A\x1b[J", "a"},
		{"a line put in", "a\r\nc\r\n\x1b[A\x1b[Lb\r\n", "a\nb\nc"},
		{"a line taken out", "a\r\nx\r\nb\r\n\x1b[2A\x1b[M", "a\nb"},
		{"characters put in and taken out", "abcd\x1b[4D\x1b[2@\x1b[3C\x1b[P", "  acd"},
		{"rows above a region that scrolls leave the screen", "\x1b[1;2ra\r\nb\r\nc\r\nd", "a\nb\nc\nd"},
		{"a bar below a region that scrolls", "\x1b[1;4r\x1b7\x1b[5;1Hbar\x1b8a\r\nb\r\nc\r\nd\r\ne", "a\nb\nc\nd\ne\nbar"},
		{"a screen that is cleared has been seen", "a\r\nb\r\n\x1b[H\x1b[2J\x1b[3Jc", "a\nb\nc"},
		{"and one that is reset", "a\r\nb\x1bcc", "a\nb\nc"},
		{"full-screen programs leave what was before", "$ vi\r\n\x1b[?1049h\x1b[H~\r\n~\x1b[?1049l$ ", "$ vi\n$ "},
		{"one that dies leaves what it shows", "$ vi\r\n\x1b[?1049h\x1b[H~\r\npanic: no", "$ vi\n~\npanic: no"},
		{"on a line of its own", "$ vi\x1b[?1049h\x1b[H~", "$ vi\n~"},
		{"but not what it showed before", "\x1b[?1049h\x1b[Hold\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[2J\x1b[Hnew\r\n\r\n\r\n\r\n\r\nend", "\n\n\n\nend"},
		{"and one that resets the terminal", "a\x1b[?1049hgone\x1bcb", "a\nb"},
		{"a mode of both screens", "\x1b[?1049h\x1b[?7l\x1b[?1049l01234567890123456789abc\r\n", "0123456789012345678c\n"},
		{"a place from before", "a\x1b7\r\nb\x1b8c", "ac\nb"},
		{"no room for more", "\x1b[?7l01234567890123456789abc\r\n", "0123456789012345678c\n"},
		{"one character again", "=\x1b[9b>\r\n", "==========>\n"},
		{"a raw line feed", "a\nb\r\n", "a\n b\n"},
		{"marks", "e\u0301e\u0301\r\n", "e\u0301e\u0301\n"},
		{"marks without end", "e" + strings.Repeat("\u0301", 1000), "e" + strings.Repeat("\u0301", 16)},
		{"a title with a check mark", "\x1b]0;✔ done\x07text", "text"},
		{"half of a wide character", "企\rx", "x"},
		{"controls of one character", "a\u009bb\u0085c\x7f\x07", "abc"},
	} {
		if got := shown(row.output); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}

func TestScreenOfPipes(t *testing.T) {
	for _, row := range []struct{ why, output, want string }{
		{"line ends stay", "a\r\nb\nc", "a\r\nb\nc"},
		{"a progress bar is its last state", "  0%\r 50%\r100%\ndone\n", "100%\ndone\n"},
		{"also with a line end of two", "50%\r100%\r\n", "100%\r\n"},
		{"and without one", "50%\r100%\r", "100%"},
		{"a longer state before", "downloading\rdone       \n", "done\n"},
		{"a line that is cleared", "downloading\r\x1b[Kdone\n", "done\n"},
		{"sequences are no text", "\x1b[1mbold\x1b[0m\x1b]0;t\x07\x1b[5;5Hx\n", "boldx\n"},
		{"blanks and TABs stay", "\ta \t \n", "\ta \t \n"},
		{"no line is broken", strings.Repeat("x", 3*maxLine) + "\n", strings.Repeat("x", 3*maxLine) + "\n"},
		{"characters written twice", "N\bNA\bA\n", "NA\n"},
		{"bells", "a\x07b\u009bc\n", "abc\n"},
		{"a page", "a\fb\n", "a\fb\n"},
	} {
		if got := Text([]byte(row.output), false); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}

// Each piece of output is followed by what Write and then Take return.
func TestScreenReturnsTextOnce(t *testing.T) {
	for _, row := range []struct {
		why   string
		tty   bool
		steps []string
	}{
		{"a line that grows", true, []string{"one", "", "one", " two", "", " two", "\r\nthree", "", "\nthree"}},
		{"a line that changes", true, []string{"10%", "", "10%", "\r20%", "", "\n20%", "\r\n", "", "\n"}},
		{"a line above that changes", true, []string{"a 1\r\nb 1", "", "a 1\nb 1", "\x1b[A\ra 2\r\n", "", "\na 2\n"}},
		{"nothing new", true, []string{"a\r\n", "", "a\n", "\x1b[0m", "", ""}},
		{"a line that is cleared", true, []string{"10%", "", "10%", "\r\x1b[K", "", "\n", "done", "", "done"}},
		{"lines that leave", true, []string{"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n", "1\n2\n", "3\n4\n5\n6\n", "7\r\n8\r\n9", "", "7\n8\n9"}},
		{"a long line of which the head has left", true, []string{
			strings.Repeat("x", 110), strings.Repeat("x", 20), strings.Repeat("x", 90), strings.Repeat("y", 30), "", strings.Repeat("y", 30), "\r\n", "", "\n",
		}},
		{"a full-screen program that asks", true, []string{
			"$ vi", "", "$ vi", "\x1b[?1049h\x1b[HSave?\r\n[y/N] ", "", "\nSave?\n[y/N] ", "y", "", "y",
			"\x1b[HSure?", "", "\nSure?\n", "\x1b[?1049l", "", "", " done", "", "$ vi done",
		}},
		{"one that leaves from an open line", true, []string{"\x1b[?1049h\x1b[HSave? ", "", "Save? ", "\x1b[?1049l$ ", "", "\n$ "}},
		{"a line over pipes", false, []string{"one\ntwo", "one\n", "two", " three\n", " three\n", ""}},
		{"a display over pipes", false, []string{"10%", "", "10%", "\r20%", "", "\n20%", "\r30%\n", "\n30%\n", ""}},
	} {
		s := NewScreen(row.tty, 20)
		s.Resize(20, 5)
		for i := 0; i < len(row.steps); i += 3 {
			if got, want := s.Write([]byte(row.steps[i])), row.steps[i+1]; got != want {
				t.Errorf("%s: write of %q returned %q, want %q", row.why, row.steps[i], got, want)
			}
			if got, want := s.Take(), row.steps[i+2]; got != want {
				t.Errorf("%s: take after %q returned %q, want %q", row.why, row.steps[i], got, want)
			}
		}
	}
}

// What only adds to its output is told whole and once, whenever it is taken.
func TestTakingLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tty := rapid.Bool().Draw(t, "tty")
		s := NewScreen(tty, 12)
		s.Resize(12, rapid.IntRange(2, 6).Draw(t, "rows"))
		part := rapid.SampledFrom([]string{"word ", "a longer word than a row ", "\r\n", "企", "x"})
		var want, got strings.Builder
		for range rapid.IntRange(0, 60).Draw(t, "length") {
			p := part.Draw(t, "part")
			want.WriteString(p)
			got.WriteString(s.Write([]byte(p + "\x1b[31m")))
			if rapid.Bool().Draw(t, "take") {
				got.WriteString(s.Take())
			}
		}
		got.WriteString(s.Flush())
		w := want.String()
		if tty {
			w = strings.ReplaceAll(w, "\r\n", "\n")
		}
		if got.String() != w {
			t.Fatalf("got %q, want %q", got.String(), w)
		}
	})
}

func TestScreenFollowsTheSizeOfItsTerminal(t *testing.T) {
	s := NewScreen(true, 10)
	s.Resize(10, 5)
	got := s.Write([]byte("1\r\n2\r\n3\r\n4\r\n"))
	s.Resize(30, 3)
	got += s.Write([]byte("wider than before\rWider\r\n"))
	if want := "1\n2\n3\n"; got != want {
		t.Errorf("settled %q, want %q", got, want)
	}
	got += s.Flush()
	if want := "1\n2\n3\n4\nWider than before\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScreenKeepsLittle(t *testing.T) {
	for _, part := range []string{"x", "x\r", "\t", "e\u0301\r", "\x1b]0;", "\x1b[1", "\x1b[9999@x", "\x1b[9999L", "\x1b[9999Tx\r\n", "\x1b[9999b", "企"} {
		for _, tty := range []bool{true, false} {
			s := NewScreen(tty, 0)
			p := []byte(strings.Repeat(part, 1<<10))
			for range 200 {
				s.Write(p)
			}
			if n := kept(s); n > 2_000_000 {
				t.Errorf("%q in a terminal (%v): %d columns are kept", part, tty, n)
			}
		}
	}
}

// kept is how much of its output a screen holds.
func kept(s *Screen) (n int) {
	n = len(s.held)
	switch v := s.view.(type) {
	case *flow:
		n += cap(v.row.cells) + len(v.row.marks) + cap(v.out)
	case *page:
		n += cap(v.out)
		for _, r := range v.rows {
			n += cap(r.cells) + len(r.marks)
		}
	}
	return n
}

func FuzzScreen(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\x1b[2A\x1b[K\x1b[3Lx", "\x1b[1;3r\x1b[9S", "企\x1b[D\x1b[P", "\x1b7\x1b[9;9H\t\x1b8\xff\xc3"} {
		f.Add([]byte(s), uint8(10), uint8(4), uint8(3), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, cols, rows, cut uint8, tty bool) {
		s := NewScreen(tty, int(cols))
		s.Resize(int(cols), int(rows))
		n := min(int(cut), len(b))
		got := s.Write(b[:n]) + s.Write(b[n:]) + s.Flush()
		whole := NewScreen(tty, int(cols))
		whole.Resize(int(cols), int(rows))
		if want := whole.Write(b) + whole.Flush(); got != want {
			t.Errorf("cut at %d: %q, whole %q", n, got, want)
		}
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b\b\a") {
			t.Errorf("not plain: %q", got)
		}
		taken := NewScreen(tty, int(cols))
		taken.Resize(int(cols), int(rows))
		if text := taken.Write(b[:n]) + taken.Take() + taken.Write(b[n:]) + taken.Take() + taken.Flush(); !utf8.ValidString(text) {
			t.Errorf("not plain: %q", text)
		}
	})
}

func BenchmarkScreen(b *testing.B) {
	cargo, err := os.ReadFile("testdata/terminal/cargo.raw")
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range []struct{ name, output string }{
		{"plain", strings.Repeat("plain text of a command, as a compiler writes it, one line of many\r\n", 4000)},
		{"short", strings.Repeat("y\r\n", 50_000)},
		{"colours", strings.Repeat("plain text of a command \x1b[32mok\x1b[0m\r\n", 6000)},
		{"wide", strings.Repeat("企鹅企鹅企鹅企鹅企鹅 text\r\n", 6000)},
		{"recorded", strings.Repeat(string(cargo), 60)},
	} {
		for mode, tty := range map[string]bool{"terminal": true, "pipes": false} {
			b.Run(fmt.Sprint(row.name, "/", mode), func(b *testing.B) {
				s := NewScreen(tty, 80)
				s.Resize(80, 24)
				p := []byte(row.output)
				b.SetBytes(int64(len(p)))
				for b.Loop() {
					s.Write(p)
				}
			})
		}
	}
}
