package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toolbench is a `drawbridge tool --batch` that is given its calls one by one.
type toolbench struct {
	t       *testing.T
	pid     int
	in      *json.Encoder
	answers *bufio.Scanner
	end     func() // ends the batch and waits for that
}

func bench(t *testing.T, home, dir string) *toolbench {
	t.Helper()
	return benchWith(t, home, dir)
}

func benchWith(t *testing.T, home, dir string, flags ...string) *toolbench {
	t.Helper()
	cmd := exec.Command("drawbridge", slices.Concat([]string{"tool", "--batch", "--approve", "allow-all", "--workspace", dir}, flags)...)
	cmd.Env = slices.Concat(hermetic(home), []string{"PATH=" + os.Getenv("PATH")})
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := &toolbench{t: t, pid: cmd.Process.Pid, in: json.NewEncoder(in), answers: bufio.NewScanner(out)}
	b.end = sync.OnceFunc(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.end)
	b.answers.Buffer(nil, 1<<24)
	return b
}

// call makes a call and returns its answer.
func (b *toolbench) call(name string, args object) toolResult {
	b.t.Helper()
	if err := b.in.Encode(object{"name": name, "args": args}); err != nil {
		b.t.Fatal(err)
	}
	var r toolResult
	if !b.answers.Scan() || json.Unmarshal(b.answers.Bytes(), &r) != nil {
		b.t.Fatalf("%s answers %q, %v", name, brief(b.answers.Text()), b.answers.Err())
	}
	return r
}

// do makes a call, which must be a success.
func (b *toolbench) do(name string, args object) string {
	b.t.Helper()
	r := b.call(name, args)
	if r.Status != "completed" {
		b.t.Fatalf("%s answers %s", name, brief(r.Text))
	}
	return r.Text
}

var archiveNote = regexp.MustCompile(`\n\[output archived[^:\]]*: (/[^\]]+)\]$`)

// archive is the path that closes an answer.
func archive(t *testing.T, text string) string {
	t.Helper()
	found := archiveNote.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no archive is named: %s", brief(text))
	}
	return found[1]
}

// P-ENV-08: what was cut can be read where the note says, by the session and,
// when that is over, by another.
func TestCutOutputCanBeRead(t *testing.T) {
	t.Parallel()
	home, dir := tempDir(t), tempDir(t)
	b := bench(t, home, dir)
	path := archive(t, b.do("exec_command", object{"cmd": "echo BEGIN; seq 1 20000; echo END"}))
	var want strings.Builder
	want.WriteString("BEGIN\n")
	for i := range 20_000 {
		fmt.Fprintln(&want, i+1)
	}
	want.WriteString("END\n")
	if got, err := os.ReadFile(path); err != nil || string(got) != want.String() {
		t.Errorf("the archive holds %s, %v", brief(string(got)), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the archive has mode %v, %v", info.Mode(), err)
	}
	for _, reader := range []*toolbench{b, bench(t, home, dir)} {
		if got := reader.do("read_file", object{"file_path": path, "limit": 1}); !strings.HasPrefix(got, "     1\tBEGIN\n") {
			t.Errorf("the head reads %s", brief(got))
		}
		if got := reader.do("read_file", object{"file_path": path, "offset": 20_002}); got != " 20002\tEND" {
			t.Errorf("the tail reads %s", brief(got))
		}
	}
}

// P-ENV-12: of a giant output head and tail are kept within 4 MiB, and the gap
// is marked; no character is torn.
func TestGiantOutputKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	b := bench(t, tempDir(t), tempDir(t))
	text := b.do("exec_command", object{"cmd": `printf 'BEGIN-企鹅'; head -c 9000000 /dev/zero | tr '\0' x; printf -- '-END-🐧'`})
	if !strings.Contains(text, "\n[output archived (4 MiB limit; head and tail kept): /") {
		t.Errorf("the note is %s", brief(text))
	}
	got, err := os.ReadFile(archive(t, text))
	if err != nil {
		t.Fatal(err)
	}
	kept := string(got)
	if len(kept) > 4<<20 || !strings.HasPrefix(kept, "BEGIN-企鹅x") || !strings.HasSuffix(kept, "x-END-🐧") ||
		strings.Count(kept, "\n[archive middle truncated]\n") != 1 || strings.Contains(kept, "\ufffd") {
		t.Errorf("the archive has %d bytes: %s", len(kept), brief(kept))
	}
}
