package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"
)

// emulator is a whole terminal, whose rows are what a person sees.
type emulator struct{ *vt.Emulator }

func newEmulator(t interface{ Cleanup(func()) }, cols, rows int) emulator {
	e := vt.NewEmulator(cols, rows)
	drained := make(chan struct{})
	go func() { defer close(drained); io.Copy(io.Discard, e) }() // ends when e is closed
	t.Cleanup(func() { e.InputPipe().(io.Closer).Close(); <-drained })
	return emulator{e}
}

// shown is the scrollback and the screen, less blanks at the ends of rows and
// blank rows at the end.
func (e emulator) shown() []string {
	var rows []string
	for y := range e.ScrollbackLen() {
		row := ""
		for x := range e.Width() {
			if c := e.ScrollbackCellAt(x, y); c != nil {
				row += c.Content
			}
		}
		rows = append(rows, row)
	}
	for y := range e.Height() {
		row := ""
		for x := range e.Width() {
			row += e.CellAt(x, y).Content
		}
		rows = append(rows, row)
	}
	return trimRows(rows)
}

func trimRows(rows []string) []string {
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// broken breaks lines at the right edge, as a terminal does.
func broken(text string, cols int) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		var row strings.Builder
		x := 0
		for _, r := range line {
			if r == '\t' {
				if x >= cols {
					rows = append(rows, row.String())
					row.Reset()
					x = 0
				}
				to := min(x-x%tabStop+tabStop, cols-1)
				row.WriteString(strings.Repeat(" ", to-x))
				x = to
				continue
			}
			if w := widthOf(r); x+w > cols {
				rows = append(rows, row.String())
				row.Reset()
				x = w
			} else {
				x += w
			}
			row.WriteRune(r)
		}
		rows = append(rows, row.String())
	}
	return trimRows(rows)
}

func TestScreenShowsWhatATerminalShows(t *testing.T) {
	recorded, _ := filepath.Glob("testdata/terminal/*.raw")
	if len(recorded) < 5 {
		t.Fatalf("%d recordings", len(recorded))
	}
	for _, path := range recorded {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			e := newEmulator(t, 80, 24)
			e.Write(b)
			want := e.shown()
			for _, rows := range []int{24, 0} {
				s := NewScreen(true, 80)
				s.Resize(80, rows)
				got := s.Write(b) + s.Flush()
				checkRows(t, broken(got, 80), want)
			}
		})
	}
}

func checkRows(t interface {
	Helper()
	Fatalf(string, ...any)
}, got, want []string,
) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Fatalf("got\n%s\nwant\n%s", quoted(got), quoted(want))
	}
}

func quoted(rows []string) string {
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "%2d %q\n", i, r)
	}
	return b.String()
}

// script draws output that moves about on a screen. It leaves out where
// terminals differ or the emulator errs: what a cursor behind the last column
// does, wide characters that do not fit or overwrite, rows that leave a region
// below the top, and a few sequences.
type script struct {
	t    *rapid.T
	page *page // ours, to see where the cursor is
	wide bool
}

func (d script) part() string {
	n := rapid.IntRange(1, 6).Draw(d.t, "n")
	small := fmt.Sprint(n)
	kinds := []string{
		"plain words ", "x", strings.Repeat("long ", 5), "\r\n", "\r\n", "\n", "\r", "\t", "\a", "é",
		"\x1b[32m", "\x1b]0;title here\a", "\x1b[" + small + "A", "\x1b[" + small + "B", "\x1b[" + small + "G", "\x1b[2;" + small + "H",
		"\x1b[" + small + "d", "\x1b[?25l", "\x1b7", "\x1b[s",
		"\x1b[" + small + "C", "\x1b[" + small + "F", "\x1b[" + small + "E", "\x1b[K", "\x1b[" + small + "X",
		"\x1b[1;" + fmt.Sprint(min(n+1, d.page.height)) + "r", "\x1b[r", "\x1b[" + small + "S",
	}
	if !d.page.pending {
		kinds = append(kinds, "\b", "\x1b[?1049h\x1b[2Jfull screen\x1b[2;2Htext\x1b[H\x1b[?1049l", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b8", "\x1b["+small+"L", "\x1b["+small+"T",
			"\x1bM", "\x1bD", "\x1b[Z", "ab\x1b["+small+"b")
		if d.page.y > 0 {
			kinds = append(kinds, "\x1b["+small+"M")
		}
		if !d.wide && d.page.scrolls() {
			kinds = append(kinds, "\x1b["+small+"@", "\x1b["+small+"P")
		}
	}
	if d.wide && d.page.x < d.page.cols-2 && d.page.x >= len(d.page.row(d.page.y).cells) {
		kinds = append(kinds, "企", "🐧", "鹅", "e\u0301")
	}
	return rapid.SampledFrom(kinds).Draw(d.t, "part")
}

func TestScreenMovesAsATerminalDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols, rows := rapid.IntRange(8, 30).Draw(t, "cols"), rapid.IntRange(2, 8).Draw(t, "rows")
		e := newEmulator(t, cols, rows)
		s := NewScreen(true, cols)
		s.Resize(cols, rows)
		p := s.view.(*page)
		d := script{t, p, rapid.Bool().Draw(t, "wide")}
		var got, sent strings.Builder
		for range rapid.IntRange(1, 40).Draw(t, "length") {
			part := d.part()
			e.WriteString(part)
			sent.WriteString(part)
			got.WriteString(s.Write([]byte(part)))
		}
		if at := e.CursorPosition(); at.X != p.x || at.Y != p.y {
			t.Fatalf("%q: cursor at %d,%d, want %v", sent.String(), p.x, p.y, at)
		}
		got.WriteString(s.Flush())
		t.Logf("%d×%d %q", cols, rows, sent.String())
		checkRows(t, broken(got.String(), cols), e.shown())
	})
}
