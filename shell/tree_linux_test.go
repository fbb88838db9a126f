package shell

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell/procfs"
)

const testLimit = time.Minute // only bounds a failing test

func newLocal(t *testing.T, o Options) *Local {
	t.Helper()
	l := NewRunner(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testLimit)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return l
}

func start(t *testing.T, l *Local, script string) Process {
	t.Helper()
	dir := t.TempDir()
	p, err := l.Start(Spec{Script: script, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line waits for the nth line of output.
func line(t *testing.T, p Process, n int) string {
	t.Helper()
	for {
		end := p.Output().End()
		c := p.Output().Read(0, RingSize)
		if lines := strings.Split(string(c.Data), "\n"); len(lines) > n {
			return lines[n-1]
		}
		ctx, cancel := context.WithTimeout(t.Context(), testLimit)
		err := p.Output().Wait(ctx, end)
		cancel()
		if err != nil || c.EOF {
			t.Fatalf("no line %d in %q", n, c.Data)
		}
	}
}

// wantGone waits until the process of a line "123" is no more, and not a zombie.
func wantGone(t *testing.T, pid string) {
	t.Helper()
	if pid == "" {
		t.Fatal("no pid")
	}
	wantSoon(t, "process "+pid+" is gone", func() bool {
		_, err := os.Stat("/proc/" + pid)
		return err != nil
	})
}

func wantSoon(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// unguarded makes the program one that cannot be a guard, for one test.
func unguarded(t *testing.T) {
	guardLinked.Store(false)
	t.Cleanup(func() { guardLinked.Store(true) })
}

// nameless leaves its session, its parent and its environment, so that nothing
// connects it with its command any more. It prints its pid.
const nameless = `(env -i /usr/bin/setsid /bin/sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 300; done' &); `

func TestWithoutAGuardANamelessOrphanIsTheOnlyCommands(t *testing.T) {
	unguarded(t)
	p := start(t, newLocal(t, Options{}), nameless+"sleep 0.1")
	orphan := line(t, p, 1)
	<-p.Done()
	if s, _ := p.Status(); len(s.Survivors) == 0 {
		t.Error("the orphan was not counted")
	}
	if err := p.Kill(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	wantGone(t, orphan)
}

func TestWithoutAGuardANamelessOrphanIsTheLastOfSeveralCommands(t *testing.T) {
	unguarded(t)
	l := newLocal(t, Options{})
	p := start(t, l, nameless+"read -r x")
	orphan := line(t, p, 1)
	q := start(t, l, "read -r x")
	p.Write("\n")
	<-p.Done()
	if s, _ := p.Status(); len(s.Survivors) != 0 {
		t.Error("an orphan that may be another command's was taken")
	}
	q.Write("\n")
	<-q.Done()
	if err := q.Kill(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	wantGone(t, orphan)
}

func TestOrphansAreReapedWhileTheCommandRuns(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T){"guard": func(*testing.T) {}, "no guard": unguarded} {
		t.Run(name, func(t *testing.T) {
			prepare(t)
			p := start(t, newLocal(t, Options{}), `(setsid sh -c 'echo $$' &); read -r x`)
			wantGone(t, line(t, p, 1))
			select {
			case <-p.Done():
				t.Error("the command is over")
			default:
			}
		})
	}
}

func TestACommandsEndSparesTheOthers(t *testing.T) {
	l := newLocal(t, Options{})
	keep := start(t, l, `setsid sh -c 'echo $$; sleep 300; :' & wait`)
	kept := line(t, keep, 1)
	p := start(t, l, "sleep 300 & echo up; wait")
	line(t, p, 1)
	if err := p.Kill(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + kept); err != nil {
		t.Error("another command's child was ended")
	}
}

func TestOtherPackagesChildrenAreLeftAlone(t *testing.T) {
	l := newLocal(t, Options{})
	other := exec.Command("/bin/sh", "-c", "exit 5")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	alive := exec.Command("/bin/sleep", "300")
	alive.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := alive.Start(); err != nil {
		t.Fatal(err)
	}
	p := start(t, l, "sleep 300 & sleep 0.01")
	if err := p.Kill(t.Context(), 0); err != nil {
		t.Error(err)
	}
	reapOrphans()
	if err := other.Wait(); err == nil || other.ProcessState.ExitCode() != 5 {
		t.Errorf("a child's status was taken: %v", err)
	}
	if err := alive.Process.Kill(); err != nil {
		t.Errorf("a child was ended: %v", err)
	}
	alive.Wait()
}

func TestUnreadableTableFallsBackToTheGroup(t *testing.T) {
	unguarded(t)
	p := start(t, newLocal(t, Options{}), "echo up; read -r x").(*command)
	line(t, p, 1)
	if n := len(p.held.(*direct).claim.groupMembers()); n != 1 {
		t.Errorf("%d members", n)
	}
	p.Write("\n")
	<-p.Done()
	if n := len(p.held.(*direct).claim.groupMembers()); n != 0 {
		t.Errorf("%d members after the exit", n)
	}
}

func TestTypingToACommandThatClosedItsInput(t *testing.T) {
	p := start(t, newLocal(t, Options{}), "exec 0<&-; echo up; sleep 300")
	line(t, p, 1)
	if err := p.Write("x"); !errors.Is(err, ErrInputClosed) {
		t.Errorf("%v", err)
	}
}

// A key that makes a signal gets past what was pasted to a program that does not
// read, as it would on an empty input.
func TestSignalKeysPassAFullInput(t *testing.T) {
	for name, row := range map[string]struct {
		key    string
		pasted int // lines of 18 bytes
		end    Exit
	}{
		"interrupt, all is full":    {"\x03", 8000, Exit{Code: 130, Signal: "SIGINT"}},
		"interrupt, the first part": {"\x03", 400, Exit{Code: 130, Signal: "SIGINT"}},
		"quit":                      {"\x1c", 400, Exit{Code: 131, Signal: "SIGQUIT"}},
		"interrupt before text":     {"\x03more", 400, Exit{Code: 130, Signal: "SIGINT"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startWay(t, newLocal(t, Options{}), "tty:", "ulimit -c 0; echo $$; exec sleep 300")
			pid, _ := strconv.Atoi(strings.TrimSpace(line(t, p, 1)))
			wantSoon(t, "the shell, which does not heed each key, has become sleep", func() bool {
				return procfs.Name(pid) == "sleep 300"
			})
			p.(*command).keys.patience = 50 * time.Millisecond
			p.Write(strings.Repeat("some line of text\r", row.pasted))
			if err := p.Write(row.key); err != nil && !errors.Is(err, ErrInputClosed) {
				t.Error(err)
			}
			select {
			case <-p.Done():
			case <-time.After(testLimit):
				t.Fatal("it does not end")
			}
			if p.Exit() != row.end {
				t.Errorf("exit %+v", p.Exit())
			}
		})
	}
}

// Where the terminal makes no signals, keys are characters.
func TestSignalKeysOfARawTerminal(t *testing.T) {
	p := startWay(t, newLocal(t, Options{}), "tty:", `stty raw -echo; echo up; sleep 1; head -c 3001 | od -An -tx1 | tail -n 1; echo end`)
	line(t, p, 1)
	p.Write(strings.Repeat("x", 3000))
	p.Write("\x03")
	<-p.Done()
	if got := string(p.Output().Read(0, RingSize).Data); !strings.Contains(got, " 03") {
		t.Errorf("output %q, exit %+v", got, p.Exit())
	}
}

// The list is cut, its length is not.
func TestSurvivorsBeyondTheListAreCounted(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T){"guard": func(*testing.T) {}, "no guard": unguarded} {
		t.Run(name, func(t *testing.T) {
			prepare(t)
			p := start(t, newLocal(t, Options{}), `i=0; while [ $i -lt 70 ]; do sleep 300 & i=$((i+1)); done`)
			<-p.Done()
			s, _ := p.Status()
			if len(s.Survivors) != maxSurvivors || s.More != 70-maxSurvivors {
				t.Errorf("%d and %d more", len(s.Survivors), s.More)
			}
		})
	}
}

func TestSpawnErrorsNameTheirCause(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	for want, try := range map[string]struct{ shell, dir string }{
		"no such directory":     {"", filepath.Join(dir, "none")},
		"not a directory":       {"", file},
		"not an absolute path":  {"", "."},
		"run /none/bash: no su": {"/none/bash", dir},
		"permission denied":     {file, dir},
	} {
		_, err := newLocal(t, Options{Shell: try.shell}).Start(Spec{Script: "true", Dir: try.dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
