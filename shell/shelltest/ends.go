package shelltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/shell"
)

// child sleeps, and has the mark in its command line.
const child = `sh -c ': '$MARK'; sleep 300; :'`

func checkBackground(b *bench) {
	p := b.start(child + " & echo hi; exit 4")
	b.wantText(p, "hi\n")
	b.wantExit(p, shell.Exit{Code: 4})
	b.wantSurvivor(p)
	b.kill(p, 50*time.Millisecond)
	b.wantGone(p)
}

func checkRedirected(b *bench) {
	p := b.start("nohup " + child + " >out 2>&1 </dev/null & echo hi")
	b.wantText(p, "hi\n")
	b.wantSurvivor(p)
	b.kill(p, 50*time.Millisecond)
	b.wantGone(p)
}

func checkBackgroundWriter(b *bench) {
	p := b.start("sh -c ': '$MARK'; while :; do echo x; done' & sleep .05; echo done")
	b.finish(p)
	b.wantSurvivor(p)
	for range 3 { // it writes what nobody could have buffered
		if err := p.Output().Wait(b.Context(), p.Output().End()+shell.RingSize/8); err != nil {
			b.Fatal(err)
		}
	}
	b.kill(p, time.Second)
	b.wantGone(p)
	end := p.Output().End()
	if time.Sleep(10 * time.Millisecond); p.Output().End() != end {
		b.Error("output after the end")
	}
}

// deserter is a grandchild in a session of its own that ignores what it can.
const deserter = `sh -c 'setsid sh -c "trap \"\" HUP INT TERM QUIT; : $MARK; echo ready; while :; do sleep 300; done" & sleep .2'; `

func checkStubbornSurvivor(b *bench) {
	p := b.start(deserter + "echo leader ends")
	b.finish(p)
	b.wantSurvivor(p)
	b.kill(p, 50*time.Millisecond)
	b.wantGone(p)
}

func checkSurvivorsLeave(b *bench) {
	p := b.start(`sh -c ': first; sleep .3; :' >out & ` + child + " & sleep .1")
	b.finish(p)
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	for {
		s, changed := p.Status()
		if !strings.Contains(fmt.Sprint(s.Survivors), "first") {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			b.Fatalf("survivors %+v, of which the first is gone", s.Survivors)
		}
	}
	b.wantSurvivor(p)
	b.kill(p, 0)
	b.wantGone(p)
}

func checkSurvivorsEnd(b *bench) {
	p := b.start("(sleep .4; echo last words) & exit 3")
	b.wantExit(p, shell.Exit{Code: 3})
	if _, ok := b.runner.Get(p.ID()); !ok {
		b.Error("a command with survivors is not known")
	}
	b.wantGone(p)
	if got := b.text(p); got != "last words\n" {
		b.Errorf("output %q", got)
	}
}

func checkPipeline(b *bench) {
	p := b.start("yes $MARK | head -n 1000 >out; echo ok")
	b.wantText(p, "ok\n")
	if s, _ := p.Status(); len(s.Survivors) > 0 {
		b.Errorf("survivors %+v", s.Survivors)
	}
	b.wantGone(p)
}

func checkHangUp(b *bench) {
	p := b.start(`sh -c 'sleep .3; echo not hung up' & exit 0`)
	b.finish(p)
	b.wantGone(p)
	if got := b.text(p); got != "not hung up\n" {
		b.Errorf("output %q", got)
	}
}

func checkKillAsks(b *bench) {
	p := b.start("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done")
	b.until(p, "ready\n")
	b.kill(p, limit)
	b.until(p, "bye\n")
	b.wantExit(p, shell.Exit{Code: 9})
}

func checkKillInsists(b *bench) {
	// The loop has no child that could be left over at the kill.
	p := b.start("trap '' TERM HUP INT; echo ready; while :; do :; done")
	b.until(p, "ready\n")
	b.kill(p, 50*time.Millisecond)
	b.wantExit(p, shell.Exit{Code: 137, Signal: "SIGKILL"})
}

func checkKillTree(b *bench) {
	p := b.start(child + " & " + deserter + "wait")
	b.until(p, "ready\n")
	b.kill(p, 50*time.Millisecond)
	b.wantGone(p)
}

// checkKillChain kills what forks and exits again and again, for at most as long
// as a test waits.
func checkKillChain(b *bench) {
	hop := filepath.Join(b.dir, "hop")
	script := "trap '' HUP INT TERM QUIT\n[ $(date +%s) -lt $2 ] && sh $0 $1 $2 &\n"
	if err := os.WriteFile(hop, []byte(script), 0o600); err != nil {
		b.Fatal(err)
	}
	p := b.start("sh ./hop $MARK $(( $(date +%s) + 15 )); sh ./hop $MARK $(( $(date +%s) + 15 )); echo ready; sleep 300")
	b.until(p, "ready\n")
	b.kill(p, 50*time.Millisecond)
	b.wantGone(p)
}

func checkKillAfterExit(b *bench) {
	p := b.start("(trap '' TERM HUP; " + child + "; sleep 300) & exit 0")
	b.finish(p)
	b.wantSurvivor(p)
	b.kill(p, 0)
	b.wantGone(p)
}

func checkKillStopped(b *bench) {
	p := b.start("trap 'exit 9' TERM; (sleep 0.3; echo stopped) & kill -STOP $$; while :; do sleep 0.05; done")
	b.until(p, "stopped\n")
	b.kill(p, limit)
	b.wantExit(p, shell.Exit{Code: 9})
}

func checkKillContext(b *bench) {
	p := b.start("trap '' TERM; echo ready; while :; do sleep 0.05; done")
	b.until(p, "ready\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Kill(ctx, limit); !errors.Is(err, context.Canceled) {
		b.Errorf("kill: %v, want it cancelled", err)
	}
	b.kill(p, 0)
}

func checkClose(b *bench) {
	p := b.start("trap '' TERM HUP; " + deserter + "while :; do sleep 300; done")
	q := b.start(child + " & exit 0")
	b.until(p, "ready\n")
	b.finish(q)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := b.runner.Close(ctx); err != nil {
		b.Fatal(err)
	}
	b.wantGone(p)
	b.wantGone(q)
	marker := filepath.Join(b.dir, "ran")
	if _, err := b.runner.Start(b.spec("touch " + marker)); !errors.Is(err, shell.ErrClosed) {
		b.Errorf("start after close: %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		b.Error("a command ran after close")
	}
}
