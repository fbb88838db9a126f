package shell

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drawbridge/shell/procfs"

	"go.uber.org/goleak"
)

// soakScripts are what commands may be like; MARK is in the command line of all
// that they leave. Those that read wait for a line.
var soakScripts = []string{
	"exit 3", // silent
	"echo one; echo two >&2",
	"head -c 300000 /dev/zero | tr '\\0' x", // a flood that ends
	": MARK; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", // one that does not
	"for i in 1 2 3 4 5 6 7 8; do sh -c 'exit 1' & done; wait",
	"sleep 9999.MARK & sleep 9999.MARK & exit 0",
	"read -r x; echo got $x",
	"cat >/dev/null; : MARK",
	"setsid sleep 9999.MARK & echo up; wait",
	"(trap '' HUP TERM; setsid sh -c 'sleep 9999.MARK; :' >/dev/null 2>&1 &); sleep .01",
	"kill -KILL $$",
	"sleep 9999.MARK & kill -KILL $PPID; sleep 9999.MARK",
	"printf 'name? '; read -r x",
}

// TestManyCommandsLeaveNothing runs commands of all kinds, up to 64 at once, and
// ends them in all ways.
func TestManyCommandsLeaveNothing(t *testing.T) {
	total := 100
	if soaking() {
		total = 2000
	}
	mark, tmp := freshMark(), t.TempDir()
	t.Setenv("TMPDIR", tmp) // the bridge's own
	l := NewRunner(Options{})
	<-start(t, l, "true").Gone() // what a first command costs for good is no leak
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	routines, files := goleak.IgnoreCurrent(), descriptors(t)

	l = NewRunner(Options{})
	var wg sync.WaitGroup
	slots := make(chan struct{}, 64)
	for i := range total {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			soakOne(t, l, rand.New(rand.NewPCG(1, uint64(i))), mark, tmp)
		})
	}
	wg.Wait()
	if n := len(l.List()); n != 0 {
		t.Errorf("%d commands are still known", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	if err := l.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if left := marked(mark); len(left) > 0 {
		t.Errorf("processes: %s", left)
	}
	goleak.VerifyNone(t, routines, goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreAnyFunction("os/signal.loop"))
	if now := descriptors(t); len(now) > len(files) {
		t.Errorf("descriptors: %d before, %d after: %q", len(files), len(now), now)
	}
	checkNoChildren(t)
	checkNoLeaves(t)
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("files: %v", left)
	}
}

// soakOne runs a command of some kind and ends it in some way.
func soakOne(t *testing.T, l *Local, r *rand.Rand, mark, tmp string) {
	script := strings.ReplaceAll(soakScripts[r.IntN(len(soakScripts))], "MARK", mark)
	p, err := l.Start(Spec{
		Script: script, Dir: tmp, TTY: r.IntN(2) == 0, Cols: 80, Rows: 24,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp},
	})
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*testLimit)
	defer cancel()
	p.Write("a line\n")
	select {
	case <-p.Done():
	case <-time.After(time.Duration(r.IntN(300)) * time.Millisecond):
	}
	switch r.IntN(4) {
	case 0:
		p.CloseInput()
		p.Interrupt()
	case 1:
		kctx, stop := context.WithTimeout(ctx, time.Duration(r.IntN(20))*time.Millisecond)
		p.Kill(kctx, time.Second) // given up
		stop()
	case 2:
		go p.Kill(ctx, 10*time.Millisecond) // two at once
	}
	if err := p.Kill(ctx, time.Duration(r.IntN(100))*time.Millisecond); err != nil {
		t.Errorf("kill of %q: %v", script, err)
	}
	select {
	case <-p.Gone():
	case <-ctx.Done():
		t.Errorf("%q is not gone", script)
	}
	l.Forget(p.ID())
}

func descriptors(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, _ := os.Readlink("/proc/self/fd/" + e.Name())
		list = append(list, e.Name()+" "+to)
	}
	return list
}

// checkNoChildren looks for guards and orphans, dead ones too.
func checkNoChildren(t *testing.T) {
	t.Helper()
	var left []proc
	wantSoon(t, "no child is left outside this session", func() bool {
		reapOrphans()
		left = slices.DeleteFunc(procfs.NewTable().Children(os.Getpid()), func(p proc) bool { return p.Sid == ownSession })
		return len(left) == 0
	})
}

func checkNoLeaves(t *testing.T) {
	t.Helper()
	base, err := leafBase()
	if err != nil {
		t.Log("no cgroups here:", err)
		return
	}
	wantSoon(t, "no cgroup is left", func() bool {
		entries, _ := os.ReadDir(base)
		return !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			o, ok := leafOwner(e.Name())
			return ok && o == thisOwner() && !strings.HasSuffix(e.Name(), ".0")
		})
	})
}
