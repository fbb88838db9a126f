package tools

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
)

func TestRead(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line-%d\n", i+1)
		}
		return b.String()
	}
	long := strings.Repeat("x", 2050)
	for _, c := range []struct {
		name, content, args, want string
	}{
		{
			"P-READ-01 rows are numbered as cat -n does", "alpha\nbeta\ngamma\n", `{"file_path":"f"}`,
			"     1\talpha\n     2\tbeta\n     3\tgamma",
		},
		{
			"P-READ-02 a window names the total and what it shows", numbered(10), `{"file_path":"f","offset":3,"limit":4}`,
			"     3\tline-3\n     4\tline-4\n     5\tline-5\n     6\tline-6\n" +
				"[file has 10 lines total; showing 3-6 — call again with offset to continue]",
		},
		{"a window that ends with the file needs no note", numbered(4), `{"file_path":"f","offset":3}`, "     3\tline-3\n     4\tline-4"},
		{
			"numbers may be strings and fractions", numbered(4), `{"file_path":"f","offset":"3.9","limit":" 1 "}`,
			"     3\tline-3\n[file has 4 lines total; showing 3-3 — call again with offset to continue]",
		},
		{"an offset below 1 is 1", "a\n", `{"file_path":"f","offset":-7}`, "     1\ta"},
		{
			"P-READ-05 a long line is cut, the next is whole", long + "\nshort\n", `{"file_path":"f"}`,
			"     1\t" + strings.Repeat("x", 2000) + "… [line truncated]\n     2\tshort",
		},
		{"a line of 2000 wide characters is whole", strings.Repeat("企", 2000) + "\n", `{"file_path":"f"}`, "     1\t" + strings.Repeat("企", 2000)},
		{"P-READ-06 an empty file is said to be empty", "", `{"file_path":"f"}`, `"f" is empty (0 lines).`},
		{"a last line without its end counts", "a\nb", `{"file_path":"f","offset":2}`, "     2\tb"},
		{
			"P-READ-15 CRLF is told once and not shown", "alpha\r\nbeta\r\n", `{"file_path":"f"}`,
			"     1\talpha\n     2\tbeta\n(file uses CRLF line endings)",
		},
		{
			"mixed line ends are told", "alpha\r\nbeta\n", `{"file_path":"f"}`,
			"     1\talpha\n     2\tbeta\n(file mixes CRLF and LF line endings)",
		},
		{"a lone CR is content", "a\rb\nc\r", `{"file_path":"f"}`, "     1\ta\rb\n     2\tc\r"},
		{"a byte order mark is not shown", "\uFEFFa\nb\n", `{"file_path":"f"}`, "     1\ta\n     2\tb"},
		{
			"bytes that are not UTF-8 are told", "caf\xe9 x\n", `{"file_path":"f"}`,
			"     1\tcaf� x\n(bytes that are not UTF-8 are shown as �)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, "f", c.content)
			checkText(t, r.do(t, "read_file", c.args), Completed, c.want)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	r := newRoom(t, "agent_state/", "", "notes.txt", "n", "a.txt", "a", "bin.png", "\x89P\x00\nB", "two", "1\n2\n")
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"P-READ-08 a missing file gets a ranked hint", `{"file_path":"AGENTS.md"}`, []string{`File not found: "AGENTS.md"`, "agent_state/, a.txt, bin.png, notes.txt"}},
		{"P-READ-09 the first missing segment is named", `{"file_path":"nope/deep/file.txt"}`, []string{"File not found", `has no "nope"`}},
		{"P-READ-10 a file taken for a directory is named", `{"file_path":"a.txt/inner.txt"}`, []string{"File not found", `"a.txt" exists but is a file, not a directory`}},
		{"P-READ-12 a directory is refused", `{"file_path":"agent_state"}`, []string{"is a directory", "shell command"}},
		{"P-READ-13 binary content is refused", `{"file_path":"bin.png"}`, []string{"binary", "read_image", "exec_command"}},
		{"P-READ-14 an offset past the end tells the total", `{"file_path":"two","offset":5}`, []string{"past the end", "2 lines total"}},
		{"a limit must be positive", `{"file_path":"two","limit":0}`, []string{"Invalid argument limit", "got 0"}},
		{"a limit must be a number", `{"file_path":"two","limit":"many"}`, []string{"Invalid argument limit", `"many"`}},
		{"the path is required", `{"offset":1}`, []string{"Missing required argument: file_path"}},
		{"an empty path is none", `{"file_path":" "}`, []string{"Missing required argument: file_path"}},
		{"a path must be a string", `{"file_path":["two"]}`, []string{"Invalid argument file_path", `["two"]`}},
		{"a NUL in a path is refused", `{"file_path":"a\u0000b"}`, []string{"NUL"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := r.do(t, "read_file", c.args)
			checkSays(t, o, Failed, c.want...)
			if o.Err != nil {
				t.Errorf("a fault the model can mend was reported as ours: %v", o.Err)
			}
		})
	}
}

func TestReadLargeFiles(t *testing.T) {
	const mb8 = 8 << 20
	for _, c := range []struct {
		name, content, args string
		status              Status
		want, not           []string
	}{
		{
			"P-READ-04 2005 lines show 2000", strings.Repeat("x\n", 2005), `{"file_path":"f"}`, Completed,
			[]string{"  2000\tx\n[file has 2005 lines total; showing 1-2000 — call again"},
			[]string{"  2001\t", "output limit"},
		},
		{
			"P-READ-18 a line that does not end in 8 MB", strings.Repeat("x", mb8+1024), `{"file_path":"f"}`, Failed,
			[]string{"Stopped after scanning 8 MB", "sed -n '1,51p'"},
			nil,
		},
		{
			"P-READ-18 a line that just ends in 8 MB", strings.Repeat("x", mb8-1), `{"file_path":"f"}`, Completed,
			[]string{"xxx… [line truncated]"},
			[]string{"more than", "total"},
		},
		{
			"exactly 8 MB are scanned whole", strings.Repeat("x\n", mb8/2), `{"file_path":"f","offset":4194304}`, Completed,
			[]string{"4194304\tx"},
			[]string{"more than", "total"},
		},
		{
			"P-READ-19 beyond 8 MB the total is a lower bound", strings.Repeat("x\n", mb8/2+100), `{"file_path":"f"}`, Completed,
			[]string{"  2000\tx\n", "[file has more than 4194304 lines total; showing 1-2000 — call again"},
			nil,
		},
		{
			"a window beyond 8 MB", strings.Repeat("x\n", mb8/2+100), `{"file_path":"f","offset":4194310}`, Failed,
			[]string{"Stopped after scanning 8 MB", "sed -n '4194310,"},
			nil,
		},
		{
			"a NUL after the window still makes it binary", strings.Repeat("x\n", 3<<20) + "\x00", `{"file_path":"f","limit":1}`, Failed,
			[]string{"binary"},
			nil,
		},
		{
			"a window across two pieces of the scan", strings.Repeat("0123456789ABCDEF\n", 20_000) + "end\n", `{"file_path":"f","offset":15419,"limit":4}`, Completed,
			[]string{" 15420\t0123456789ABCDEF\n 15421\t0123456789ABCDEF\n", "[file has 20001 lines total; showing 15419-15422 "},
			nil,
		},
		{
			"a CRLF across two pieces of the scan", strings.Repeat("x", 256<<10-1) + "\r\nnext\r\n", `{"file_path":"f","offset":2}`, Completed,
			[]string{"     2\tnext\n(file uses CRLF line endings)"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, "f", c.content)
			o := r.do(t, "read_file", c.args)
			checkSays(t, o, c.status, c.want...)
			checkSilent(t, o, c.not...)
		})
	}
}

func TestReadFitsItsOutputLimit(t *testing.T) {
	lines := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	for _, c := range []struct {
		name, content string
		limit         int
		want          string
	}{
		{"P-READ-17 fewer rows and the note", lines(10, "line-n"), 300, "     1\tline-n\n     2\tline-n\n     3\tline-n\n[file has 10 lines total; showing 1-3 (output limit reached) — call again with offset to continue]"},
		{"one line longer than the limit is shown in part", lines(2, strings.Repeat("y", 500)), 300, "     1\t" + strings.Repeat("y", 19) + "… [line truncated]\n[file has 2 lines total; showing 1-1 (output limit reached) — call again with offset to continue]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, "f", c.content)
			r.env.Limits.MaxOutput = c.limit
			o := r.do(t, "read_file", `{"file_path":"f"}`)
			checkText(t, o, Completed, c.want)
			if n := utf8.RuneCountInString(o.Text); n > c.limit {
				t.Errorf("%d characters, the limit is %d", n, c.limit)
			}
		})
	}
	t.Run("the notes fit even when all are needed", func(t *testing.T) {
		r := newRoom(t, "f", "\xe9\n"+lines(4_194_000, "x\r"))
		r.env.Limits.MaxOutput = 4000
		o := r.do(t, "read_file", `{"file_path":"f"}`)
		checkSays(t, o, Completed, "more than", "output limit", "mixes", "UTF-8")
		checkSilent(t, o, "output truncated")
	})
}

func TestReadShowsTheOpenDocument(t *testing.T) {
	r := newRoom(t, "f.txt", "disk\n")
	ed := workspacetest.NewEditor()
	r.open(t, workspace.Options{Editor: ed})
	ed.Open(r.path("f.txt"), "disk\n", 1)
	checkText(t, r.do(t, "read_file", `{"file_path":"f.txt"}`), Completed, "     1\tdisk")
	ed.Type(r.path("f.txt"), "typed\n")
	checkText(t, r.do(t, "read_file", `{"file_path":"f.txt"}`), Completed, "     1\ttyped\n(text of the editor, not saved yet)")
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	r := newRoom(t)
	if err := syscall.Mkfifo(r.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(r.dir) // the name of a socket must be short
	l, err := net.Listen("unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"pipe", "sock", "/dev/null"} {
		checkSays(t, r.do(t, "read_file", args(t, "file_path", name)), Failed, "not a regular file")
	}
}

func TestProtectedPathsAreOffLimits(t *testing.T) {
	r := newRoom(t, "state/secret.yaml", "key", "state/scratch/read_file-1.log", "kept", "link", "")
	os.Remove(r.path("link"))
	if err := os.Symlink("state/secret.yaml", r.path("link")); err != nil {
		t.Fatal(err)
	}
	r.open(t, workspace.Options{Protected: []string{r.path("state")}})
	r.env.Archives = func() []string { return []string{r.path("state/gone"), r.path("state/scratch")} }
	for _, name := range []string{"state/secret.yaml", "link", "state/scratch/../secret.yaml"} {
		o := r.do(t, "read_file", args(t, "file_path", name))
		checkSays(t, o, Failed, "off limits")
		checkSilent(t, o, "key")
	}
	t.Run("but an archive of this session can be read", func(t *testing.T) {
		checkText(t, r.do(t, "read_file", `{"file_path":"state/scratch/read_file-1.log"}`), Completed, "     1\tkept")
	})
	t.Run("and not written", func(t *testing.T) {
		checkSays(t, r.do(t, "write_file", `{"file_path":"state/scratch/read_file-1.log","content":"x"}`), Failed, "off limits")
		checkSays(t, r.do(t, "edit_file", `{"file_path":"state/secret.yaml","old_string":"key","new_string":"x"}`), Failed, "off limits")
	})
}

// The target is 15 ms for a window at the end of 8 MiB.
func BenchmarkReadEndOf8MiB(b *testing.B) {
	text := strings.Repeat("package main // a line of usual length, more or less\n", 8<<20/53)
	for b.Loop() {
		w := newLineWindow(readArgs{offset: 150_000, limit: 2000}, 64_000)
		if err := w.scan(b.Context(), strings.NewReader(text)); err != nil || w.shown == 0 {
			b.Fatal(err, w.shown)
		}
	}
}
