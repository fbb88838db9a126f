package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// window is the person's terminal itself.
func (p *person) window() *os.File { return p.tty.(*os.File) }

// modes are those of the person's terminal, as stty writes them.
func (p *person) modes() string {
	p.t.Helper()
	cmd := exec.Command("stty", "-g")
	cmd.Stdin = p.window()
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	return string(out)
}

// settles waits until something holds of the terminal.
func (p *person) settles(what string, holds func() bool) {
	p.t.Helper()
	for limit := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatal(what)
		}
	}
}

// takesKeys waits until what is typed goes to the command key by key.
func (p *person) takesKeys(lines string) {
	p.t.Helper()
	p.settles("the terminal does not hand over keys", func() bool { return p.modes() != lines })
}

// What is typed into a command is shown as often as the command shows it: a
// line once, a password never.
func TestTypingIsShownByTheCommand(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "log in", "--model", played(t, `call c1 exec_command {"cmd":"printf 'name: '; read -r n; stty -echo; printf 'word: '; read -r w; stty echo; printf '\\ngot %s %s\\n' \"$n\" \"${#w}\"; printf 'more: '; cat; echo all read"}
----
want c1 "got Ada 7"
want c1 "all read"
text "In."`))
	p.sees("Allow? [y/")
	lines := p.modes()
	p.types("y\n")
	p.sees("name: ")
	p.takesKeys(lines)
	p.types("Ada\r")
	p.sees("word: ")
	p.types("opensez\r")
	p.sees("got Ada 7")
	p.sees("more: ")
	p.types("line\r")
	p.sees("line")
	p.types("\x04") // is for the command
	p.sees("all read")
	p.sees("In.")
	p.leaves(0)
	if screen := p.screen.String(); strings.Contains(screen, "opensez") || strings.Count(screen, "Ada") != 2 {
		t.Error("the name is not shown twice (as typed, as printed), or the password is shown")
	}
	if p.modes() != lines {
		t.Error("the terminal is not left as it was found")
	}
}

// The terminal has its modes back when a person cancels in mid-command, also
// when they insist.
func TestTheTerminalIsLeftAsItWasFound(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(p *person){
		"cancelled": func(p *person) { p.types("\x03") },
		"insisted":  func(p *person) { p.types("\x03\x03") },
		"quit":      func(p *person) { p.cmd.Process.Signal(syscall.SIGQUIT) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mark()
			p := sit(t, tempDir(t), "run", "wait", "--model", played(t, family(m)))
			p.sees("Allow? [y/")
			lines := p.modes()
			p.types("y\n")
			p.sees("I am up")
			p.takesKeys(lines)
			ask(p)
			select {
			case <-p.ended:
			case <-time.After(patience):
				t.Fatal("the program does not end")
			}
			if p.modes() != lines {
				t.Error("the terminal is not left as it was found")
			}
			checkGone(t, m, 3*time.Second)
			p.saysNothingOfInsides()
		})
	}
}

// saysNothingOfInsides checks that no log and no dump came to the screen. A
// bridge that is left behind may write for as long as it lives.
func (p *person) saysNothingOfInsides() {
	p.t.Helper()
	if screen := p.screen.String(); strings.Contains(screen, "goroutine") || strings.Contains(screen, "level=") {
		p.t.Error("a person reads what is for us")
	}
}

// Ctrl-\ is for the command that runs, as in a terminal of its own.
func TestTheQuitKeyIsForTheCommand(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "wait", "--model", played(t, `call c1 exec_command {"cmd":"trap 'echo it heard; exit 0' QUIT; echo it is up; while :; do sleep 0.05; done"}
----
want c1 "it heard"
text "Heard."`))
	p.sees("Allow? [y/")
	lines := p.modes()
	p.types("y\n")
	p.sees("it is up\r")
	p.takesKeys(lines)
	p.types("\x1c")
	p.sees("Heard.")
	p.leaves(0)
	p.saysNothingOfInsides()
}

// Ctrl-\ at a question ends the run.
func TestTheQuitKeyEndsTheRunWhenNoCommandRuns(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	p := sit(t, dir, "run", "go", "--model", played(t, `call c1 exec_command {"cmd":"touch ran"}
----
text "not reached"`))
	p.sees("Allow? [y/")
	p.types("\x1c")
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the program does not end")
	}
	if s := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %v, want as Ctrl-C ends it", p.cmd.ProcessState)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
	p.saysNothingOfInsides()
}

// Also when the bridge dies and cannot say that the command has ended.
func TestADeadBridgeLeavesTheTerminalAsItWasFound(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "wait", "--preset", "full-access", "--model", played(t, `call c1 exec_command {"cmd":"read -r x; kill -KILL $(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status); sleep 9"}
----
text "not reached"`))
	p.sees("Allow? [y/")
	lines := p.modes()
	p.types("y\n")
	p.takesKeys(lines)
	p.types("go\r")
	p.sees("interrupted")
	p.leaves(5)
	if p.modes() != lines {
		t.Error("the terminal is not left as it was found")
	}
}

// A command's terminal has the size of the person's, also when that changes.
func TestCommandsKnowTheSizeOfTheWindow(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "measure", "--model", played(t, `call c1 exec_command {"cmd":"echo up; until [ \"$(stty size)\" = '40 120' ]; do sleep 0.02; done; echo as large; until [ \"$(stty size)\" = '33 99' ]; do sleep 0.02; done; echo resized"}
----
text "Measured."`))
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("\nas large\r")
	if err := pty.Setsize(p.window(), &pty.Winsize{Rows: 33, Cols: 99}); err != nil {
		t.Fatal(err)
	}
	p.sees("\nresized\r")
	p.sees("Measured.")
	p.leaves(0)
}

// Ctrl-D leaves one question without an answer; the next is asked.
func TestTheEndOfInputLeavesOneQuestionOpen(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "go", "--model", played(t, `call c1 exec_command {"cmd":"touch one"}
----
want c1 "Tool call denied by user.\n"
call c2 exec_command {"cmd":"echo was run"}
----
want c2 "was run"
text "Heard."`))
	p.sees("touch one")
	p.sees("Allow? [y/")
	p.types("\x04")
	p.sees("(no answer)")
	p.sees("echo was run")
	p.sees("Allow? [y/")
	p.types("y\n")
	p.sees("Heard.")
	p.leaves(0)
}

// Each of several open questions is shown whole before it is answered.
func TestEachOpenQuestionIsShownWhole(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "go", "--model", played(t, `call c1 write_file {"file_path":"one.txt","content":"first text\n"}
call c2 write_file {"file_path":"two.txt","content":"second text\n"}
call c3 exec_command {"cmd":"echo third\necho fourth"}
----
text "All asked."`))
	seen := map[string]bool{}
	for range 3 {
		from := p.read
		p.sees("⟫ Allow? [y/")
		asked := p.screen.String()[from:p.read]
		for _, what := range []string{"+first text", "+second text", "$ echo third"} {
			if strings.Contains(asked, what) {
				seen[what] = true
			}
		}
		p.types("y\n")
	}
	p.sees("All asked.")
	p.leaves(0)
	if len(seen) != 3 {
		t.Errorf("shown before their answers were %v", seen)
	}
}

// Neither a model nor a command moves about on the screen or passes for a
// question.
func TestNobodyForgesAQuestion(t *testing.T) {
	t.Parallel()
	p := sit(t, tempDir(t), "run", "go", "--model", played(t, `text "\u001b[2J\u001b[1;1H? Run ls\n⟫ Allow? [y/n] "
call c1 exec_command {"cmd":"printf '\\033[2J\\033[1;1H\\033]0;t\\007\\342\\237\\253 Allow? \\033[31mred\\033[0m\\n'"}
----
text "Done."`))
	p.sees("⟨U+27EB⟩ Allow? [y/n] ")
	p.sees("? \x1b[0mneeds a yes")
	p.sees("⟫ Allow? [y/")
	p.types("y\n")
	p.sees("⟨U+27EB⟩ Allow? \x1b[31mred\x1b[0m")
	p.sees("Done.")
	p.leaves(0)
	screen := p.screen.String()
	if strings.Count(screen, "⟫") != 1 || strings.Contains(screen, "\x1b[2J") || strings.Contains(screen, "\x1b]0") ||
		strings.Contains(screen, "\x1b[1;1H") {
		t.Error("more than text and colours reached the screen")
	}
}
