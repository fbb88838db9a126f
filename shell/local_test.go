package shell_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"

	"go.uber.org/goleak"
)

func TestLocalKeepsTheContract(t *testing.T) {
	shelltest.Run(t, func(t *testing.T) shell.Runner {
		return shell.NewRunner(shell.Options{})
	})
}

func spec(t *testing.T, script string) shell.Spec {
	dir := t.TempDir()
	return shell.Spec{Script: script, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
}

func start(t *testing.T, l *shell.Local, s shell.Spec) shell.Process {
	t.Helper()
	p, err := l.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	// The runtime's own signal goroutine stays once a signal was asked for.
	before := goleak.IgnoreCurrent()
	l := shell.NewRunner(shell.Options{})
	start(t, l, spec(t, "sleep 300 & sleep 300"))
	tty := spec(t, "read -r x")
	tty.TTY = true
	p := start(t, l, tty)
	go p.Kill(context.Background(), time.Second)
	if err := errors.Join(l.Close(t.Context()), l.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("os/signal.signal_recv"),
		goleak.IgnoreAnyFunction("os/signal.loop"))
}

func TestCloseOfAnUnusedRunner(t *testing.T) {
	if err := shell.NewRunner(shell.Options{}).Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCloseKillsAtOnceWhenItsTimeIsUp(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	p := start(t, l, spec(t, "trap '' TERM; echo up; while :; do sleep 300; done"))
	if err := p.Output().Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	<-p.Done()
	if p.Exit().Signal != "SIGKILL" {
		t.Errorf("exit %+v", p.Exit())
	}
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestStartsRaceWithClose(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	s := spec(t, "sleep 300")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p, err := l.Start(s)
			if err == nil {
				<-p.Done()
			} else if !errors.Is(err, shell.ErrClosed) {
				t.Error(err)
			}
		})
	}
	time.Sleep(3 * time.Millisecond) // some are started, some are not
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// The tap stands for a machine so busy that the reader comes late.
func TestOutputBeforeTheExitIsCompleteForALateReader(t *testing.T) {
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		t.Run(name, func(t *testing.T) {
			l := shell.NewRunner(shell.Options{})
			defer l.Close(context.Background())
			s := spec(t, "trap '' HUP; sleep 300 & printf first; sleep 0.05; head -c 3000 /dev/zero | tr '\\0' x")
			s.TTY = tty
			var once sync.Once
			s.Tap = func([]byte) { once.Do(func() { time.Sleep(300 * time.Millisecond) }) }
			p := start(t, l, s)
			<-p.Done()
			if got := p.Output().End(); got != 3005 {
				t.Errorf("%d bytes arrived, want 3005", got)
			}
		})
	}
}

func TestWriteGivesUpOnACommandThatReadsNothing(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	defer l.Close(context.Background())
	p := start(t, l, spec(t, "exec sleep 300"))
	shell.SetPatience(p, 20*time.Millisecond)
	if err := p.Write(strings.Repeat("x", 2<<20)); err == nil || !strings.Contains(err.Error(), "reads no more") {
		t.Errorf("write: %v", err)
	}
}

func TestInterruptReachesTheForegroundJobOnly(t *testing.T) {
	l := shell.NewRunner(shell.Options{})
	defer l.Close(context.Background())
	s := spec(t, `set -m; trap 'echo shell' INT; sh -c 'trap "echo job; exit 5" INT; echo up; while :; do sleep 0.05; done'; echo "code $?"`)
	s.TTY = true
	p := start(t, l, s)
	if err := p.Output().Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := p.Interrupt(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := shell.Text(p.Output().Read(0, 1000).Data, true); got != "up\njob\ncode 5\n" {
		t.Errorf("output %q", got)
	}
}

func TestIDsAreNotGivenTwice(t *testing.T) {
	ids := []string{"00000001", "00000001", "00000002"}
	l := shell.NewRunner(shell.Options{IDs: func() string {
		id := ids[0]
		ids = ids[1:]
		return id
	}})
	defer l.Close(context.Background())
	p, q := start(t, l, spec(t, "true")), start(t, l, spec(t, "true"))
	if p.ID() != "proc-00000001" || q.ID() != "proc-00000002" {
		t.Errorf("ids %q %q", p.ID(), q.ID())
	}
}

func BenchmarkCommand(b *testing.B) {
	l := shell.NewRunner(shell.Options{})
	defer l.Close(context.Background())
	for b.Loop() {
		p, err := l.Start(shell.Spec{Script: "true", Dir: "/", Env: []string{"HOME=/nonexistent"}})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
		l.Forget(p.ID())
	}
}

func Benchmark100MB(b *testing.B) {
	for name, tty := range map[string]bool{"pipes": false, "terminal": true} {
		b.Run(name, func(b *testing.B) {
			l := shell.NewRunner(shell.Options{})
			defer l.Close(context.Background())
			s := shell.Spec{
				Script: `head -c 100000000 /dev/zero | tr '\0' a | fold -w 100`, Dir: "/", TTY: tty,
				Env: []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")},
			}
			for b.Loop() {
				p, err := l.Start(s)
				if err != nil {
					b.Fatal(err)
				}
				<-p.Done()
				l.Forget(p.ID())
			}
		})
	}
}
