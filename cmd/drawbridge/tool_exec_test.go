package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// soon is within which a thing must be seen that should be at once; a loaded
// machine is slow.
const soon = 10 * time.Second

// unheld is a bench without a sandbox, where nobody shows terminals.
func unheld(t *testing.T) *toolbench {
	t.Helper()
	return benchWith(t, tempDir(t), tempDir(t), "--preset", "full-access")
}

func (b *toolbench) exec(cmd string, more ...any) toolResult {
	b.t.Helper()
	args := object{"cmd": cmd, "description": "test"}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return b.call("exec_command", args)
}

func (b *toolbench) input(id string, more ...any) toolResult {
	b.t.Helper()
	args := object{"process_id": id}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return b.call("input_command", args)
}

// heard is what a command that runs on has said since its first result, with
// that, once a text is in it: a busy machine takes its time to begin one.
func (b *toolbench) heard(r toolResult, text string) string {
	b.t.Helper()
	all := r.Text
	for limit := time.Now().Add(patience); !strings.Contains(all, text); {
		if time.Now().After(limit) {
			b.t.Fatalf("no %q comes: %s", text, brief(all))
		}
		all += b.input(r.ProcessID, "yield_time_ms", 250).Text
	}
	return all
}

func wantResult(t *testing.T, r toolResult, status string, parts ...string) {
	t.Helper()
	if string(r.Status) != status {
		t.Errorf("status %s, want %s; text:\n%s", r.Status, status, r.Text)
	}
	for _, part := range parts {
		if !strings.Contains(r.Text, part) {
			t.Errorf("the text lacks %q:\n%s", part, brief(r.Text))
		}
	}
}

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(soon); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// number is what stands behind a word of a text.
func number(t *testing.T, text, word string) int {
	t.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(word) + `(\d+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no number behind %q: %s", word, brief(text))
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// P-EXEC-03, P-EXEC-05: a command that outlives its window is read on until it
// has ended, and is unknown then. C4.
func TestCommandIsReadOn(t *testing.T) {
	t.Parallel()
	b, dir := unheld(t), tempDir(t)
	for code, status := range map[string]string{"0": "completed", "3": "failed"} {
		goOn := filepath.Join(dir, "go"+code)
		first := b.exec("echo line 1; until [ -e "+goOn+" ]; do sleep .02; done; echo line 2; echo line 3; exit "+code, "yield_time_ms", 300)
		wantResult(t, first, "completed", "[still running after 300ms; process_id: "+first.ProcessID+"]")
		if seen := b.heard(first, "line 1\n"); strings.Count(seen, "line") != 1 {
			t.Errorf("before it went on: %s", seen)
		}
		if err := os.WriteFile(goOn, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		second := b.input(first.ProcessID, "yield_time_ms", 30_000)
		wantResult(t, second, status, "line 2\nline 3\n")
		if strings.Contains(second.Text, "line 1") || strings.Contains(second.Text, "[exit code: 3]") != (code == "3") {
			t.Errorf("read twice, or another end: %s", second.Text)
		}
		wantResult(t, b.input(first.ProcessID), "failed", first.ProcessID, "may have exited and been cleared")
	}
}

// P-EXEC-06, P-EXEC-07, P-EXEC-10
func TestCommandIsInterrupted(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	r := b.exec("test -t 0 || test -t 1 || echo no terminal; sleep 30", "yield_time_ms", 500)
	b.heard(r, "no terminal")
	id := r.ProcessID
	wantResult(t, b.input(id, "chars", "q\u0003"), "failed", "alone")
	wantResult(t, b.input(id, "yield_time_ms", 250), "completed", "[still running")
	began := time.Now()
	wantResult(t, b.input(id, "chars", "\u0003", "yield_time_ms", 20_000), "failed", "[terminated by signal SIGINT]")
	if took := time.Since(began); took > soon {
		t.Errorf("the end was seen after %s", took)
	}
}

// C6: a question is told of, and answered by the model where nobody else can.
func TestCommandIsAnswered(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	asked := b.exec(`printf 'name? '; read -r x; echo "hi $x"`, "yield_time_ms", 20_000)
	wantResult(t, asked, "completed", "name? \n[still running after", "[it waits for typing: answer with input_command]")
	wantResult(t, b.input(asked.ProcessID, "chars", "Ann\n", "yield_time_ms", 30_000), "completed", "hi Ann\n")
}

// A program that reads to the end of its input is told of that end.
func TestCommandIsToldTheEndOfItsInput(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	id := b.exec("sort", "run_in_background", true).ProcessID
	b.input(id, "chars", "b\na\n")
	wantResult(t, b.input(id, "chars", "\u0004", "yield_time_ms", 30_000), "completed", "a\nb\n")
}

func TestCommandIsWaitedForByAPattern(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	id := b.exec("echo starting; sleep 1; echo listening on 8080; sleep 60", "run_in_background", true).ProcessID
	began := time.Now()
	wantResult(t, b.input(id, "wait_for", `^listening on \d+$`, "yield_time_ms", 60_000), "completed",
		"starting\nlistening on 8080\n[wait_for matched after")
	if took := time.Since(began); took > time.Second+soon {
		t.Errorf("the pattern was seen after %s", took)
	}
	wantResult(t, b.input(id, "wait_for", "again", "yield_time_ms", 300), "completed", "[wait_for did not match within 300ms]")
}

// P-EXEC-01, C1, C2, C22: the call ends with its command, whatever holds its
// output; what is left is listed with an id, and ended by that.
func TestWhatACommandLeavesBehind(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	for _, c := range []struct{ name, cmd, process string }{
		{"it holds the output", "sleep 300 & echo child=$!; echo hello", "sleep 300"},
		{"it writes on", "(while :; do echo x; sleep .01; done) & echo child=$!; echo hello", "bash"},
		{"its output is elsewhere", "sleep 301 >file 2>&1 </dev/null & echo child=$!; echo hello", "sleep 301"},
	} {
		began := time.Now()
		r := b.exec(c.cmd)
		if took := time.Since(began); took > soon {
			t.Errorf("%s: ended after %s", c.name, took)
		}
		wantResult(t, r, "completed", "hello\n", "[the command itself has ended; ", " that it started still run", "; process_id: "+r.ProcessID+"]\n", c.process)
		child := number(t, r.Text, "child=")
		wantResult(t, b.call("kill_command", object{"process_id": r.ProcessID}), "completed", "[killed what the command had left behind: ")
		gone(t, child)
	}
}

// The end of the batch is the end of all that it started.
func TestNothingOutlivesItsBatch(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	left := b.exec("sleep 300 & echo left=$!")
	yielded := b.exec("echo yielded=$$; exec sleep 300", "yield_time_ms", 250)
	background := b.exec("echo background=$$; exec sleep 300", "run_in_background", true)
	text := left.Text + b.heard(yielded, "yielded=") + b.input(background.ProcessID, "wait_for", "background=").Text
	b.end()
	for _, word := range []string{"left=", "yielded=", "background="} {
		gone(t, number(t, text, word))
	}
}

func TestCommandIsKilled(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	r := b.exec("trap '' TERM; echo pid=$$; (setsid sleep 300 & echo child=$!); while :; do sleep .1; done", "yield_time_ms", 1000)
	text := b.heard(r, "child=")
	wantResult(t, b.call("kill_command", object{"process_id": r.ProcessID}), "completed", "[killed: terminated by signal SIGKILL]")
	gone(t, number(t, text, "pid="))
	gone(t, number(t, text, "child="))
	over := b.exec("exit 3", "run_in_background", true)
	time.Sleep(300 * time.Millisecond)
	wantResult(t, b.call("kill_command", object{"process_id": over.ProcessID}), "completed")
}

// P-EXEC-20 with real processes: the sixty-fifth costs the one that had ended.
func TestCommandsMakeRoom(t *testing.T) {
	t.Parallel()
	b := unheld(t)
	var ids []string
	for range 64 {
		ids = append(ids, b.exec("echo pid=$$; read -r x", "run_in_background", true).ProcessID)
	}
	pid := number(t, b.input(ids[1], "wait_for", "pid=").Text, "pid=")
	oldest := number(t, b.input(ids[0], "wait_for", "pid=").Text, "pid=")
	for _, id := range ids[2:] {
		b.input(id, "yield_time_ms", 250)
	}
	b.exec("read -r x", "run_in_background", true)
	gone(t, pid)
	wantResult(t, b.input(ids[1]), "failed", "It was killed to make room for newer commands.")
	if err := syscall.Kill(oldest, 0); err != nil {
		t.Errorf("one that was used later is ended: %v", err)
	}
}

// P-EXEC-13: the user's own variables reach commands, but none brings a pager
// back.
func TestCommandsHaveTheUsersVariables(t *testing.T) {
	t.Parallel()
	home := tempDir(t)
	settings := filepath.Join(home, "config", "drawbridge", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("environment:\n  set:\n    PORT: \"3000\"\n    PAGER: less\n    MINE: yes please\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := benchWith(t, home, tempDir(t), "--preset", "full-access")
	wantResult(t, b.exec(`echo "$PORT:$PAGER:$MINE"`), "completed", "3000:cat:yes please\n")
}

// A flood costs the model its window, the archive its head and tail, and the
// bridge less than 64 MiB.
func TestFloodOfOutput(t *testing.T) {
	size, limit := "200M", 64<<10
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		size = "2G"
	}
	if raced() {
		limit *= 6 // the race detector's own
	}
	b := unheld(t)
	r := b.exec("yes | head -c "+size+"; echo END", "yield_time_ms", 110_000)
	wantResult(t, r, "completed", "[output truncated: exceeded 16000 chars]", "[output archived (4 MiB limit; head and tail kept): ")
	if len(r.Text) > 17_000 {
		t.Errorf("the model gets %d bytes", len(r.Text))
	}
	kept, err := os.ReadFile(archive(t, r.Text))
	if err != nil || len(kept) > 4<<20 || !strings.HasPrefix(string(kept), "y\ny\n") || !strings.HasSuffix(string(kept), "y\nEND\n") {
		t.Errorf("the archive has %d bytes: %s, %v", len(kept), brief(string(kept)), err)
	}
	wantPeak(t, b, limit)
	// Nobody reads this one meanwhile.
	id := b.exec("yes | head -c "+size+"; echo END; sleep 60", "run_in_background", true).ProcessID
	r = b.input(id, "wait_for", "END", "yield_time_ms", 110_000)
	wantResult(t, r, "completed", "[wait_for matched after")
	wantPeak(t, b, limit)
}

// wantPeak bounds the most memory that a bench's program had so far, in KiB. The
// pages of the program itself do not count: here it has the tests in it.
func wantPeak(t *testing.T, b *toolbench, limit int) {
	t.Helper()
	file, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		t.Skipf("the memory of a process cannot be read here: %v", err)
	}
	status := strings.ReplaceAll(string(file), " ", "")
	if peak := number(t, status, "VmHWM:\t") - number(t, status, "RssFile:\t"); peak > limit {
		t.Errorf("the program had %d KiB, want at most %d", peak, limit)
	}
}

// raced says that the race detector is built in.
func raced() bool {
	info, _ := debug.ReadBuildInfo()
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
