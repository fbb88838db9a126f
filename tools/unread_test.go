package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"drawbridge/shell"
)

// P-EXEC-19
func TestBacklogDropsTheOldest(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		adds  []string
		want  string
	}{
		{"what fits stays", 5, []string{"ab", "cde"}, "abcde"},
		{"the oldest is dropped and counted", 5, []string{"abcdefg"}, "[... 2 chars of earlier output dropped ...]\ncdefg"},
		{"drops add up", 5, []string{"abcdefg", "h", "ij"}, "[... 5 chars of earlier output dropped ...]\nfghij"},
		{"nothing is kept", 0, []string{"abc"}, "[... 3 chars of earlier output dropped ...]\n"},
		{"characters are counted", 2, []string{"企鹅🐧"}, "[... 1 chars of earlier output dropped ...]\n鹅🐧"},
		{"nothing came", 5, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := backlog{limit: c.limit}
			for _, text := range c.adds {
				b.add(text)
			}
			if got := b.take(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := b.take(); got != "" {
				t.Errorf("the rest is %q", got)
			}
		})
	}
}

func TestBacklogCountsEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := backlog{limit: rapid.IntRange(0, 20).Draw(t, "limit")}
		var all string
		for _, text := range rapid.SliceOf(rapid.StringN(0, 12, -1)).Draw(t, "adds") {
			b.add(text)
			all += text
		}
		if n := utf8.RuneCount(b.text); n > b.limit || n+b.dropped != utf8.RuneCountInString(all) || !strings.HasSuffix(all, string(b.text)) {
			t.Fatalf("kept %q, dropped %d of %q", b.text, b.dropped, all)
		}
	})
}

// stream is a ring that is read as unread.
func stream(tty bool, limit int) (*shell.Ring, *unread) {
	ring := &shell.Ring{}
	return ring, &unread{ring: ring, screen: newView(shell.Spec{TTY: tty, Cols: 80, Rows: 24}), kept: backlog{limit: limit}}
}

func TestUnreadIsReadOnce(t *testing.T) {
	ring, u := stream(true, maxUnread)
	ring.Append([]byte("one\r\n\x1b[3"))
	if got := u.take(); got != "one\n" {
		t.Errorf("first %q", got)
	}
	ring.Append([]byte("1mtwo"))
	if got := u.peek(); got != "two" {
		t.Errorf("a look shows %q", got)
	}
	if got := u.take(); got != "two" {
		t.Errorf("then %q", got)
	}
	if got := u.take(); got != "" {
		t.Errorf("and then %q", got)
	}
}

func TestUnreadTellsOfWhatTheRingLost(t *testing.T) {
	ring, u := stream(false, maxUnread)
	ring.Append([]byte("first\npart\x1b["))
	u.look(nil)
	line := []byte(strings.Repeat("x", 99) + "\n")
	for range 30_000 {
		ring.Append(line)
	}
	got := u.take()
	text, lost := strings.CutPrefix(got, "[... 1951510 chars of earlier output dropped ...]\n")
	if want := strings.Repeat(string(line), shell.RingSize/100); !lost || text != want {
		t.Errorf("%d bytes follow, want %d: %.60q", len(text), len(want), got)
	}
	if rest := u.take(); rest != "" {
		t.Errorf("the rest is %.40q", rest)
	}
}

// Gaps with nothing between are one.
func TestUnreadTellsOnceOfGapsInARow(t *testing.T) {
	ring, u := stream(true, maxUnread)
	var got []string
	pass := func() { u.pass(nil, func(text string) { got = append(got, text) }) }
	for range 3 {
		ring.Append([]byte(strings.Repeat("\x1b[K", shell.RingSize)))
		pass()
	}
	ring.Append([]byte("end\r\n"))
	ring.Close()
	pass()
	got = append(got, u.finish())
	if text := strings.Join(got, ""); strings.Count(text, "dropped") != 1 || !strings.HasSuffix(text, "end\n") {
		t.Errorf("got %q", text)
	}
}

func TestUnreadEndsWithItsStream(t *testing.T) {
	ring, u := stream(false, maxUnread)
	ring.Append([]byte("a\xe4"))
	ring.Close()
	if got := u.take(); got != "a" {
		t.Errorf("before the end %q", got)
	}
	if got := u.finish(); got != "\ufffd" {
		t.Errorf("at the end %q", got)
	}
}

// Somebody reads while a command writes without an end.
func TestUnreadIsNotHeldByAFastWriter(t *testing.T) {
	ring, u := stream(false, maxUnread)
	ring.Append([]byte("y\n"))
	pieces := 0
	u.pull(nil, func(string) {
		if pieces++; pieces < 10 {
			ring.Append([]byte("y\n"))
		}
	})
	if pieces != 1 {
		t.Errorf("%d pieces were read at once", pieces)
	}
}
