package shelltest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell"
)

// Run checks that a runner of real commands keeps the contract of
// shell.Runner, over pipes and in a terminal. newRunner is called for each
// check; Run closes what it returns.
func Run(t *testing.T, newRunner func(t *testing.T) shell.Runner) {
	RunConfined(t, newRunner, func(*testing.T, string) shell.Confinement { return nil })
}

// RunConfined is Run for commands in a sandbox, which confine makes for each
// check: its workspace is dir, and it may skip the check, saying why.
func RunConfined(t *testing.T, newRunner func(t *testing.T) shell.Runner, confine func(t *testing.T, dir string) shell.Confinement) {
	for mode, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(mode, func(t *testing.T) {
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) {
					c.run(newBench(t, tty, newRunner, confine))
				})
			}
		})
	}
}

// checks are named by the behaviour they demand.
var checks = []struct {
	name string
	run  func(b *bench)
}{
	{"output and exit code arrive", checkExitCode},
	{"death by signal is named", checkSignalled},
	{"environment is exactly the given one", checkEnvironment},
	{"working directory is the given one", checkDir},
	{"a missing directory is a spawn error", checkMissingDir},
	{"output is seen while the command runs", checkLiveOutput},
	{"stdout and stderr keep their order", checkOrder},
	{"input can be ended", checkCloseInput},
	{"input after the exit reaches nobody", checkLateInput},
	{"input after its end reaches nobody", checkInputAfterItsEnd},
	{"a terminal is one and has a size", checkTerminal},
	{"all of a large output passes", checkLargeOutput},
	{"the tap sees every byte first", checkTap},
	{"further pipes have their own taps", checkPipes},
	{"a shell and its arguments are the given ones", checkShell},
	{"a background child does not hold the exit", checkBackground},
	{"a redirected background child does not hold the exit", checkRedirected},
	{"a background writer does not hold the exit, and goes on", checkBackgroundWriter},
	{"a child that left the session is a survivor", checkStubbornSurvivor},
	{"the list of survivors follows them", checkSurvivorsLeave},
	{"a command is gone when its survivors are", checkSurvivorsEnd},
	{"what ends with its leader is no survivor", checkPipeline},
	{"a survivor is not hung up on", checkHangUp},
	{"interrupt reaches the foreground", checkInterrupt},
	{"kill asks first", checkKillAsks},
	{"kill insists", checkKillInsists},
	{"kill reaches a child that left the session", checkKillTree},
	{"kill catches a chain of forks", checkKillChain},
	{"kill reaches what outlived its leader", checkKillAfterExit},
	{"kill wakes the stopped", checkKillStopped},
	{"kill does not wait longer than its context", checkKillContext},
	{"close ends all and starts no more", checkClose},
	{"commands are found until forgotten", checkBook},
	{"no descriptor leaks into a command", checkDescriptors},
}

// bench is one runner under test with what each check needs.
type bench struct {
	*testing.T
	runner      shell.Runner
	tty         bool
	dir         string
	confinement shell.Confinement
	mark        string // in the command line of what a check starts and looks for
}

// limit is generous: it only bounds a failing test.
const limit = time.Minute

func newBench(
	t *testing.T, tty bool, newRunner func(t *testing.T) shell.Runner, confine func(t *testing.T, dir string) shell.Confinement,
) *bench {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, tty: tty, dir: dir, mark: newMark()}
	b.confinement = confine(t, dir) // what it cleans up comes after the close
	b.runner = newRunner(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := b.runner.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func (b *bench) spec(script string) shell.Spec {
	return shell.Spec{
		Script: script, Dir: b.dir, TTY: b.tty, Cols: 80, Rows: 24,
		Env:         []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TERM=dumb", "MARK=" + b.mark},
		Confinement: b.confinement,
	}
}

func (b *bench) start(script string) shell.Process {
	b.Helper()
	return b.startSpec(b.spec(script))
}

func (b *bench) startSpec(s shell.Spec) shell.Process {
	b.Helper()
	p, err := b.runner.Start(s)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// finish waits for the exit and returns the output with a terminal's line ends
// taken back.
func (b *bench) finish(p shell.Process) string {
	b.Helper()
	select {
	case <-p.Done():
	case <-time.After(limit):
		b.Fatalf("no exit; output so far %q", b.text(p))
	}
	return b.text(p)
}

func (b *bench) text(p shell.Process) string {
	return shell.Text(p.Output().Read(0, shell.RingSize).Data, b.tty)
}

// until waits for the output to contain want.
func (b *bench) until(p shell.Process, want string) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for !strings.Contains(b.text(p), want) {
		end := p.Output().End()
		if strings.Contains(b.text(p), want) {
			break
		}
		if err := p.Output().Wait(ctx, end); err != nil || b.closedWithout(p, want) {
			b.Fatalf("no %q in output %q (%v)", want, b.text(p), err)
		}
	}
	return b.text(p)
}

func (b *bench) closedWithout(p shell.Process, want string) bool {
	c := p.Output().Read(p.Output().End(), 0)
	return c.EOF && !strings.Contains(b.text(p), want)
}

// wantSurvivor waits until Status tells of one with the mark: it may be a fork
// that has not become its program yet.
func (b *bench) wantSurvivor(p shell.Process) {
	b.Helper()
	s, changed := p.Status()
	for timeout := time.After(limit); ; s, changed = p.Status() {
		for _, left := range s.Survivors {
			if strings.Contains(left.Name, b.mark) && left.PID > 1 {
				return
			}
		}
		select {
		case <-changed:
		case <-timeout:
			b.Fatalf("survivors %+v, want one with %q", s.Survivors, b.mark)
		}
	}
}

// wantGone waits until nothing is left of a command, and checks that this is
// known everywhere.
func (b *bench) wantGone(p shell.Process) {
	b.Helper()
	select {
	case <-p.Gone():
	case <-time.After(limit):
		b.Fatalf("not gone; processes %q", Marked(b.T, b.mark))
	}
	if found := Marked(b.T, b.mark); len(found) > 0 {
		b.Errorf("gone, but %q are left", found)
	}
	if s, _ := p.Status(); !s.Done || len(s.Survivors) > 0 || !p.Output().Read(p.Output().End(), 1).EOF {
		b.Errorf("gone, but the status is %+v", s)
	}
}

func (b *bench) wantExit(p shell.Process, want shell.Exit) {
	b.Helper()
	b.finish(p)
	if p.Exit() != want {
		b.Errorf("exit %+v, want %+v; output %q", p.Exit(), want, b.text(p))
	}
}

func (b *bench) wantText(p shell.Process, want string) {
	b.Helper()
	if got := b.finish(p); got != want {
		b.Errorf("output %q, want %q", got, want)
	}
}

func (b *bench) kill(p shell.Process, grace time.Duration) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := p.Kill(ctx, grace); err != nil {
		b.Fatal(err)
	}
}

func checkExitCode(b *bench) {
	p := b.start("echo out; exit 3")
	b.wantText(p, "out\n")
	b.wantExit(p, shell.Exit{Code: 3})
	b.wantGone(p) // its end is seen later than its leader's where the machine is busy
}

func checkSignalled(b *bench) {
	b.wantExit(b.start("kill -KILL $$"), shell.Exit{Code: 137, Signal: "SIGKILL"})
}

func checkEnvironment(b *bench) {
	b.Setenv("SHELLTEST_SECRET", "leaked")
	s := b.spec(`echo "[$SHELLTEST_SECRET][$GIVEN]"`)
	s.Env = append(s.Env, "GIVEN=yes")
	b.wantText(b.startSpec(s), "[][yes]\n")
}

func checkDir(b *bench) { b.wantText(b.start("pwd -P"), b.dir+"\n") }

func checkMissingDir(b *bench) {
	for _, dir := range []string{filepath.Join(b.dir, "missing"), "relative", ""} {
		s := b.spec("echo ran")
		s.Dir = dir
		var spawn *shell.SpawnError
		if _, err := b.runner.Start(s); !errors.As(err, &spawn) || spawn.Dir != dir {
			b.Errorf("start in %q: %v, want a spawn error", dir, err)
		}
	}
}

func checkLiveOutput(b *bench) {
	p := b.start(`echo first; read -r line; echo "second $line"`)
	b.until(p, "first\n")
	if err := p.Write("go\n"); err != nil {
		b.Fatal(err)
	}
	b.until(p, "second go\n")
	b.wantExit(p, shell.Exit{})
}

func checkOrder(b *bench) {
	p := b.start("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done")
	b.wantText(p, "out1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\nout5\nerr5\n")
}

func checkCloseInput(b *bench) {
	p := b.start("cat >/dev/null; echo ended")
	p.CloseInput()
	b.until(p, "ended\n")
	b.wantExit(p, shell.Exit{})
}

func checkLateInput(b *bench) {
	p := b.start("true")
	b.finish(p)
	<-p.Gone()
	if err := errors.Join(p.CloseInput(), p.Interrupt(), p.Resize(10, 10)); err != nil {
		b.Errorf("after the exit: %v", err)
	}
	if err := p.Write("too late\n"); !errors.Is(err, shell.ErrInputClosed) {
		b.Errorf("typing after the exit: %v", err)
	}
}

// checkInputAfterItsEnd is of pipes: in a terminal the end is a key.
func checkInputAfterItsEnd(b *bench) {
	if b.tty {
		return
	}
	p := b.start("cat; sleep 300")
	for range 2 {
		if err := p.CloseInput(); err != nil {
			b.Error(err)
		}
		if err := p.Write("more\n"); !errors.Is(err, shell.ErrInputClosed) {
			b.Errorf("typing after the end of the input: %v", err)
		}
	}
	b.kill(p, 0)
}

func checkTerminal(b *bench) {
	p := b.start(`test -t 0 && test -t 1 && test -t 2 && echo tty || echo pipe; read -r x; stty size 2>/dev/null || echo none`)
	b.until(p, map[bool]string{true: "tty\n", false: "pipe\n"}[b.tty])
	if err := p.Resize(132, 43); err != nil {
		b.Fatal(err)
	}
	if cols, rows := p.Size(); b.tty != (cols == 132 && rows == 43) || !b.tty && cols+rows > 0 {
		b.Errorf("the size is said to be %d×%d", cols, rows)
	}
	p.Write("\n")
	b.until(p, map[bool]string{true: "43 132\n", false: "none\n"}[b.tty])
	b.finish(p)
}

func checkLargeOutput(b *bench) {
	p := b.start("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end")
	text := b.finish(p)
	breaks := map[bool]int64{true: 4, false: 2}[b.tty]
	if got := p.Output().End(); got != 3000000+breaks+3 || !strings.HasSuffix(text, "x\nend\n") {
		b.Errorf("%d bytes ending in %q", got, text[max(0, len(text)-10):])
	}
}

func checkTap(b *bench) {
	var seen bytes.Buffer
	s := b.spec("head -c 200000 /dev/zero | tr '\\0' x; echo end")
	s.Tap = func(p []byte) { seen.Write(p) }
	p := b.startSpec(s)
	b.finish(p)
	if !bytes.Equal(seen.Bytes(), p.Output().Read(0, shell.RingSize).Data) {
		b.Errorf("tap saw %d bytes, the ring %d", seen.Len(), p.Output().End())
	}
}

// checkPipes has a command write to descriptors 3 and 4, of which one is shown,
// and its children inherit them.
func checkPipes(b *bench) {
	var beside, shown bytes.Buffer
	s := b.spec("echo out; sh -c 'echo beside' >&3; echo shown >&4; head -c 300000 /dev/zero >&3; exit 3")
	s.Pipes = []shell.Pipe{{Tap: func(p []byte) { beside.Write(p) }}, {Tap: func(p []byte) { shown.Write(p) }, Shown: true}}
	p := b.startSpec(s)
	words := strings.Fields(b.finish(p)) // in whatever order they arrived
	if slices.Sort(words); !slices.Equal(words, []string{"out", "shown"}) {
		b.Errorf("output %q", words)
	}
	if got := beside.String(); !strings.HasPrefix(got, "beside\n") || len(got) != len("beside\n")+300000 || shown.String() != "shown\n" {
		b.Errorf("pipes got %d bytes and %q", beside.Len(), shown.String())
	}
	b.wantExit(p, shell.Exit{Code: 3})
	b.wantGone(p)
}

func checkShell(b *bench) {
	s := b.spec("what is shown")
	s.Shell, s.Args = "/bin/sh", []string{"-c", "echo $0 $1", "name", "word"}
	p := b.startSpec(s)
	if got := b.finish(p); got != "name word\n" {
		b.Errorf("output %q", got)
	}
}

func checkInterrupt(b *bench) {
	p := b.start("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done")
	b.until(p, "ready\n")
	if err := p.Interrupt(); err != nil {
		b.Fatal(err)
	}
	b.until(p, "caught\n")
	b.wantExit(p, shell.Exit{Code: 7})
}

func checkBook(b *bench) {
	p, q := b.start("read -r x"), b.start("true")
	b.finish(q)
	b.wantGone(q)
	if !strings.HasPrefix(p.ID(), "proc-") || len(p.ID()) != len("proc-12345678") || p.ID() == q.ID() {
		b.Errorf("ids %q and %q", p.ID(), q.ID())
	}
	if list := b.runner.List(); len(list) != 2 || list[0] != p || list[1] != q {
		b.Errorf("list %v", list)
	}
	b.runner.Forget(p.ID())
	b.runner.Forget(q.ID())
	if got, ok := b.runner.Get(p.ID()); !ok || got != p {
		b.Error("a running command was forgotten")
	}
	if _, ok := b.runner.Get(q.ID()); ok || len(b.runner.List()) != 1 {
		b.Error("an exited command was not forgotten")
	}
	p.Write("\n")
	b.finish(p)
}

// checkDescriptors has a second command list its descriptors: neither the
// first one's terminal or pipe nor anything else of the bridge may be there.
func checkDescriptors(b *bench) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		b.Skipf("descriptors cannot be listed here: %v", err)
	}
	loose, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0) // inheritable, as an editor may leave one
	if err != nil {
		b.Fatal(err)
	}
	defer syscall.Close(loose)
	first := b.start("read -r x")
	p := b.start("exec ls -1 /proc/self/fd")
	b.wantText(p, "0\n1\n2\n3\n") // 3 is the listed folder itself
	first.Write("\n")
	b.finish(first)
}
