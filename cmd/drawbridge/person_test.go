package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// person sits at a terminal in which the program runs, reads and types.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    io.Writer
	screen buffer
	read   int // how much of the screen was looked at
	ended  chan struct{}
}

func sit(t *testing.T, dir string, args ...string) *person {
	t.Helper()
	return sitAtHome(t, tempDir(t), dir, args...)
}

func sitAtHome(t *testing.T, home, dir string, args ...string) *person {
	t.Helper()
	p := &person{t: t, cmd: exec.Command("drawbridge", args...), ended: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = slices.Concat(hermetic(home), []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tempDir(t), "TERM=xterm"})
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	p.tty = tty
	go func() { // ends with the program, the last that has the terminal open
		io.Copy(&p.screen, tty)
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		tty.Close()
		if t.Failed() {
			t.Logf("on the screen:\n%s", p.screen.String())
		}
	})
	return p
}

// sees waits until a text has come to the screen after what was seen before.
func (p *person) sees(text string) {
	p.t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if at := strings.Index(p.screen.String()[p.read:], text); at >= 0 {
			p.read += at + len(text)
			return
		}
		select {
		case <-p.ended:
			if !strings.Contains(p.screen.String()[p.read:], text) {
				p.t.Fatalf("the program ended before it showed %q", text)
			}
		default:
		}
		if time.Now().After(limit) {
			p.t.Fatalf("%q does not come to the screen", text)
		}
	}
}

func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.tty, keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) leaves(code int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatal("the program does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code is %d, want %d", got, code)
	}
}

// played writes a model's part.
func played(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(tempDir(t), "script")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "script:" + path
}

// The demo asks about each hunk; a person leaves the first out, and what they
// took works.
func TestAPersonTakesTwoOfThreeHunks(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	p := sit(t, dir, "demo", "--workspace", dir)
	p.sees("sh ./test.sh")
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("Take hunk 1 of 3? [y/n/a/s/d/q] ")
	p.types("what?\n")
	p.sees("leave this hunk out")
	p.sees("Take hunk 1 of 3? ")
	p.types("n\n")
	p.sees("Take hunk 2 of 3? ")
	p.types("y\n")
	p.sees("Take hunk 3 of 3? ")
	p.types("y\n")
	p.sees("sh ./test.sh")
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("changed")
	p.sees("docs/editors/neovim.md")
	p.leaves(0)
	got, err := os.ReadFile(filepath.Join(dir, "stats.sh"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := demoFiles.ReadFile("demo/project/stats.sh")
	if err != nil {
		t.Fatal(err)
	}
	line := func(text []byte, n int) string { return strings.Split(string(text), "\n")[n] }
	if line(got, 1) != line(before, 1) {
		t.Errorf("the refused hunk is there: %s", line(got, 1))
	}
	if !strings.Contains(string(got), "    total=0\n") || !strings.Contains(string(got), `"$n" -gt "$best"`) {
		t.Errorf("an accepted hunk is missing:\n%s", got)
	}
}

// A denial may carry words, which the model reads; "s" answers for the rest of
// the session.
func TestAPersonDeniesWithAWord(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	p := sit(t, dir, "run", "clean up", "--model", played(t, `call c1 exec_command {"description":"Clean up.","cmd":"rm -r build"}
----
want c1 "Tool call denied by user.\n"
want c1 "use make clean"
call c2 write_file {"file_path":"a.txt","content":"one\n"}
----
want c2 "Created"
call c3 edit_file {"file_path":"a.txt","old_string":"one","new_string":"two"}
----
want c3 "Replaced 1 occurrence"
text "All heard."`))
	p.sees("rm -r build\r\n")
	p.sees("the model says: Clean up.\r\n")
	p.sees("Allow? [y/")
	if n := strings.Count(p.screen.String(), "rm -r build\r\n"); n != 1 {
		t.Errorf("the command is shown %d times", n)
	}
	p.types("n use make clean\n")
	p.sees("Tool call denied by user.")
	p.sees("+one")
	p.sees("Allow? [y/s/")
	p.types("s\n")
	p.sees("All heard.")
	p.leaves(0)
	if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "two\n" {
		t.Errorf("the file is %q", got)
	}
}

// What is typed while a command runs goes to the command.
func TestAPersonTypesIntoACommand(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "greet", "--model", played(t, `call c1 exec_command {"cmd":"printf 'who %s? ' goes; read -r x; printf 'hello %s\\n' \"$x\""}
----
want c1 "hello Ada"
text "Greeted."`))
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("who goes? ")
	p.types("Ada\n")
	p.sees("hello Ada")
	p.sees("Greeted.")
	p.leaves(0)
}

// Who talks to a command is not told after each line that it waits.
func TestAConversationIsNotInterrupted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells that a command waits")
	}
	t.Parallel()
	p := sit(t, tempDir(t), "run", "talk", "--model", played(t, `call c1 exec_command {"cmd":"printf '1> '; while read -r x; do printf 'heard %s\\n> ' \"$x\"; [ \"$x\" = bye ] && break; done; echo"}
----
want c1 "heard bye"
text "Talked."`))
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("1> ")
	p.sees("waits for typing; what you type goes to it")
	for _, word := range []string{"one", "two", "bye"} {
		time.Sleep(700 * time.Millisecond) // longer than it takes to notice that it waits
		p.types(word + "\r")
		p.sees("heard " + word)
	}
	p.sees("Talked.")
	p.leaves(0)
	if n := strings.Count(p.screen.String(), "waits for typing"); n != 1 {
		t.Errorf("it is said %d times that the command waits", n)
	}
}

// Ctrl-C cancels the turn and ends its command with all that it started.
func TestAPersonCancels(t *testing.T) {
	t.Parallel()
	m := mark()
	p := sit(t, tempDir(t), "run", "wait", "--model", played(t, family(m)))
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("I am up")
	p.types("\x03")
	p.sees("cancelled")
	p.leaves(130)
	checkGone(t, m, time.Second)
}

// The end of input at a question is no yes.
func TestAPersonWhoLeavesHasSaidNo(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	p := sit(t, dir, "run", "go", "--model", played(t, `call c1 exec_command {"cmd":"touch ran"}
----
want c1 "Tool call denied by user.\n"
text "Then not."`))
	p.sees("Allow? [y/")
	p.types("\x04")
	p.sees("Then not.")
	p.leaves(0)
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}
