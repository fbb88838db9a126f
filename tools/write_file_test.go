package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"drawbridge/workspace"
)

func TestWrite(t *testing.T) {
	lines := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, before, content, text string
	}{
		{
			"P-WRITE-06 a small change is shown", "one\ntwo\nthree\n", "one\nTWO\nthree\n",
			"Overwrote \"f\" (3 lines, 14 bytes).\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three",
		},
		{"P-WRITE-07 the same content", "one\n", "one\n", "Overwrote \"f\" (1 line, 4 bytes).\n(content unchanged)"},
		{
			"P-WRITE-08 a large change is summed up", lines("a%d", 200), lines("b%d", 200),
			"Overwrote \"f\" (200 lines, 890 bytes).\n+200/−200 lines vs the previous content (diff too large to show)",
		},
		{"P-WRITE-10 a binary previous content is not compared", "a\x00b", "text\n", "Overwrote \"f\" (1 line, 5 bytes)."},
		{"P-WRITE-10 nor is one over 1 MiB", strings.Repeat("x\n", 1<<19) + "y", "text\n", "Overwrote \"f\" (1 line, 5 bytes)."},
		{"emptied", "a\n", "", "Overwrote \"f\" (0 lines, 0 bytes).\n@@ -1,1 +0,0 @@\n-a"},
		{"only the last line end", "a\n", "a", "Overwrote \"f\" (1 line, 1 byte).\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file"},
		{
			"line ends are written as given, which is told", "a\r\nb\r\n", "a\n",
			"Overwrote \"f\" (1 line, 2 bytes).\n(line ends changed: before all CRLF (2), now all LF (1))\n@@ -1,2 +1,1 @@\n-a\n-b\n+a",
		},
		{
			"a mix is told of", "a\nb\n", "a\nb\r\n",
			"Overwrote \"f\" (2 lines, 5 bytes).\n(line ends changed: before all LF (2), now 1 CRLF and 1 LF)\n@@ -1,2 +1,2 @@\n a\n-b\n+b",
		},
		{"line ends that are kept are not", "a\r\n", "b\r\n", "Overwrote \"f\" (1 line, 3 bytes).\n@@ -1,1 +1,1 @@\n-a\n+b"},
		{"nor are those of what is not compared", "a\x00\r\n", "text\n", "Overwrote \"f\" (1 line, 5 bytes)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, "f", c.before)
			checkText(t, r.do(t, "write_file", args(t, "file_path", "f", "content", c.content)), Completed, c.text)
			if got := r.content(t, "f"); got != c.content {
				t.Errorf("file is %q, want %q", got, c.content)
			}
		})
	}
}

func TestWriteCreates(t *testing.T) {
	for _, c := range []struct{ name, path, content, text string }{
		{"P-WRITE-01 and counts", "out.txt", "one\ntwo\n", `Created "out.txt" (2 lines, 8 bytes).`},
		{"P-WRITE-09 without a diff, with its directories", "deep/er/out.txt", "企鹅", `Created "deep/er/out.txt" (1 line, 6 bytes).`},
		{"an empty file", "empty", "", `Created "empty" (0 lines, 0 bytes).`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t)
			plan, err := r.plan(t, "write_file", args(t, "file_path", c.path, "content", c.content))
			if err != nil {
				t.Fatal(err)
			}
			if left, _ := os.ReadDir(r.dir); len(left) > 0 {
				t.Errorf("planning made %v", left)
			}
			if plan.Change == nil || plan.Change.Kind != workspace.Create || plan.Access != Write {
				t.Errorf("plan is %+v", plan)
			}
			checkText(t, CarryOut(t.Context(), Call{}, bind(plan, Accepted{Change: workspace.Acceptance{All: true}})), Completed, c.text)
			if got := r.content(t, c.path); got != c.content {
				t.Errorf("file is %q, want %q", got, c.content)
			}
		})
	}
}

func TestWriteKeepsTheByteOrderMark(t *testing.T) {
	r := newRoom(t, "f", "\uFEFFone\n")
	checkSays(t, r.do(t, "write_file", `{"file_path":"f","content":"two\n"}`), Completed, `Overwrote "f" (1 line, 7 bytes).`)
	if got := r.content(t, "f"); got != "\uFEFFtwo\n" {
		t.Errorf("file is %q", got)
	}
}

func TestWriteOfTheSameContentNeedsNoLeave(t *testing.T) {
	r := newRoom(t, "f", "same\n")
	plan, err := r.plan(t, "write_file", `{"file_path":"f","content":"same\n"}`)
	if err != nil || plan.Access != Read || plan.Change != nil {
		t.Errorf("plan is %+v, %v", plan, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	r := newRoom(t, "d/", "", "a.txt", "a")
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"P-WRITE-05 a directory", `{"file_path":"d","content":"x"}`, []string{"is a directory"}},
		{"P-WRITE-05 a parent that is a file", `{"file_path":"a.txt/b/c","content":"x"}`, []string{"Failed to write", "a.txt exists but is a file"}},
		{"P-WRITE-05 no content", `{"file_path":"x"}`, []string{"Missing required argument: content"}},
		{"content that is no string", `{"file_path":"x","content":{"a":1}}`, []string{"Invalid argument content", `{"a":1}`}},
		{"no path", `{"content":"x"}`, []string{"Missing required argument: file_path"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkSays(t, r.do(t, "write_file", c.args), Failed, c.want...)
		})
	}
}

func TestWriteTellsWhatStands(t *testing.T) {
	own := "one\nmine\n"
	r := newRoom(t, "f", "one\n")
	r.accept = &Accepted{Change: workspace.Acceptance{Text: &own}, Comment: "better so"}
	o := r.do(t, "write_file", `{"file_path":"f","content":"one\ntwo\n"}`)
	checkText(t, o, Completed, "Overwrote \"f\" (2 lines, 9 bytes).\n"+
		"The user changed the proposal before accepting it (- proposed, + what stands):\n"+
		"@@ -1,2 +1,2 @@\n one\n-two\n+mine\nThe user says: better so")
}

func TestWriteOverAFileThatAppearedMeanwhile(t *testing.T) {
	r := newRoom(t)
	plan, err := r.plan(t, "write_file", `{"file_path":"f","content":"mine\n"}`)
	if err != nil {
		t.Fatal(err)
	}
	r.write(t, "f", "theirs\n")
	o := CarryOut(t.Context(), Call{}, bind(plan, Accepted{Change: workspace.Acceptance{All: true}}))
	checkSays(t, o, Failed, "Nothing was changed", "exists by now")
	if got := r.content(t, "f"); got != "theirs\n" {
		t.Errorf("file is %q", got)
	}
}

// A person who is asked sees the title and the diff.
func TestTheTitleOfAWriteSaysWhatNoDiffShows(t *testing.T) {
	for _, c := range []struct{ name, before, content, title string }{
		{"text", "a\n", "b\n", "Overwrite f"},
		{"an encoding that nobody told", "\x82\xa0\n", "新しい\n", "Overwrite f (it is not valid UTF-8; all of it will be UTF-8)"},
		{"line ends", "a\r\nb\r\n", "a\nb\n", "Overwrite f (line ends: all CRLF (2), will be all LF (2))"},
		{"both", "\xe9\r\n", "é\n", "Overwrite f (it is not valid UTF-8; all of it will be UTF-8; line ends: all CRLF (1), will be all LF (1))"},
		{"a binary file", "a\x00\r\n", "b\n", "Overwrite f (it is a binary file now)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := newRoom(t, "f", c.before).plan(t, "write_file", args(t, "file_path", "f", "content", c.content))
			if err != nil || plan.Title != c.title {
				t.Errorf("%v, title %q, want %q", err, plan.Title, c.title)
			}
		})
	}
}
