package shell

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const testLimit = 20 * time.Second // only bounds a failing test

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

// nameless leaves its session, its parent and its environment, so that nothing
// connects it with its command any more. It prints its pid.
const nameless = `(env -i /usr/bin/setsid /bin/sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 300; done' &); `

func TestNamelessOrphanDiesWithTheOnlyCommand(t *testing.T) {
	p := start(t, newLocal(t, Options{Grace: time.Millisecond}), nameless+"sleep 0.1")
	orphan := line(t, p, 1)
	<-p.Done()
	if p.Exit().Survivors == 0 {
		t.Error("the orphan was not counted")
	}
	wantGone(t, orphan)
}

func TestNamelessOrphanDiesWithTheLastOfSeveralCommands(t *testing.T) {
	l := newLocal(t, Options{Grace: time.Millisecond})
	p := start(t, l, nameless+"sleep 0.1")
	orphan := line(t, p, 1)
	q := start(t, l, "read -r x")
	<-p.Done()
	if p.Exit().Survivors != 0 {
		t.Error("an orphan that may be another command's was taken")
	}
	q.Write("\n")
	<-q.Done()
	wantGone(t, orphan)
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

func TestOrphansAreReapedWhileTheCommandRuns(t *testing.T) {
	p := start(t, newLocal(t, Options{}), `(setsid sh -c 'echo $$' &); read -r x`)
	wantGone(t, line(t, p, 1))
	select {
	case <-p.Done():
		t.Error("the command is over")
	default:
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
	<-start(t, l, "sleep 300 & sleep 0.01").Done()
	reapOrphans()
	if err := other.Wait(); err == nil || other.ProcessState.ExitCode() != 5 {
		t.Errorf("a child's status was taken: %v", err)
	}
	if err := alive.Process.Kill(); err != nil {
		t.Errorf("a child was ended: %v", err)
	}
	alive.Wait()
}

// The kernel's lists of children are optional; without them /proc is scanned.
func TestBothTablesSeeTheSameTree(t *testing.T) {
	p := start(t, newLocal(t, Options{}), `sh -c 'sh -c "echo up; sleep 300; :"; :' & wait`).(*command)
	line(t, p, 1)
	leader, ok := statProc(p.leader.Pid)
	if !ok || leader.identity != p.claim.leader || leader.sid != leader.pid || leader.ppid != os.Getpid() {
		t.Fatalf("leader %+v", leader)
	}
	// The last sleep may not have been started when "up" is seen.
	wantSoon(t, "both see four processes", func() bool {
		listed, scanned := table{}.subtree(nil, leader), scanTable().subtree(nil, leader)
		return len(scanned) == 4 && (len(listed) == 4 || !kernelLists)
	})
}

func TestParseStatOfAHostileName(t *testing.T) {
	line := "12 (a) Z 1 (b) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0\n"
	p, ok := parseStat(12, line)
	if want := (proc{identity{12, 777}, 3, 4, 5, 'S'}); !ok || p != want {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "12 (a", "12 (a) S 1 2", "x"} {
		if _, ok := parseStat(12, bad); ok {
			t.Errorf("%q was understood", bad)
		}
	}
}

func TestSignalSparesAReusedPid(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	now, _ := statProc(cmd.Process.Pid)
	earlier := now
	earlier.start--
	earlier.signal(syscall.SIGKILL)
	now.signal(syscall.SIGTERM)
	cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); s != syscall.SIGTERM {
		t.Errorf("a process that began later got %v", s)
	}
}

// The kernel kills a child with SIGKILL-on-parent's-death when the thread that
// forked it ends. Ordinary threads end all the time.
func TestCommandsOutliveTheThreadsOfTheirCallers(t *testing.T) {
	l := newLocal(t, Options{})
	started := make(chan Process)
	ended := make(chan int, 1)
	go offTheFirstThread(func() {
		started <- start(t, l, "read -r x; echo alive")
		ended <- syscall.Gettid()
	})
	p, thread := <-started, <-ended
	wantSoon(t, "the caller's thread has ended", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread))
		return err != nil
	})
	p.Write("\n")
	<-p.Done()
	if got := string(p.Output().Read(0, 10).Data); got != "alive\n" {
		t.Errorf("got %q, exit %+v", got, p.Exit())
	}
}

// offTheFirstThread runs f on a thread that then ends, which the first one of a
// process would not.
func offTheFirstThread(f func()) {
	runtime.LockOSThread() // never unlocked
	if syscall.Gettid() != os.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		offTheFirstThread(f)
	}()
	<-done // keeps the first thread busy
}

func TestKilledBridgeLeavesNothing(t *testing.T) {
	home := t.TempDir()
	for name, script := range map[string]string{
		"foreground":      "echo $$; while :; do sleep 300; done",
		"ignores all":     `trap "" HUP TERM INT; echo $$; while :; do sleep 300; done`,
		"background":      `(trap "" HUP TERM; while :; do sleep 300; done) & echo $!; wait`,
		"own session":     `setsid sh -c 'trap "" HUP TERM; echo $$; while :; do sleep 300; done' & wait`,
		"double fork":     `(setsid sh -c 'trap "" HUP TERM; echo $$; exec >/dev/null 2>&1 </dev/null; while :; do sleep 300; done' &); wait; sleep 300`,
		"in a terminal":   `tty:trap "" HUP TERM; echo $$; while :; do sleep 300; done`,
		"without a guard": "bare:echo $$; while :; do sleep 300; done",
		"terminal, left":  `tty:setsid sh -c 'trap "" HUP TERM; echo $$; while :; do sleep 300; done' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			bridge := exec.Command(os.Args[0])
			bridge.Env = append(os.Environ(), bridgeEnv+"="+script, "HOME="+home)
			out, err := bridge.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := bridge.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			if _, err := fmt.Fscan(bufio.NewReader(out), &pid); err != nil {
				t.Fatal(err)
			}
			bridge.Process.Kill()
			bridge.Wait()
			// Its orphans may come to this process, where no runner reaps them.
			wantSoon(t, "the command is dead", func() bool {
				p, ok := statProc(pid)
				return !ok || p.state == 'Z'
			})
		})
	}
}

func TestRungs(t *testing.T) {
	if r := CleanupRung(); r != GuardRung || r.String() != "process tree and guard" {
		t.Errorf("%v", r)
	}
	guardLinked.Store(false)
	defer guardLinked.Store(true)
	if r := CleanupRung(); r != TreeRung {
		t.Errorf("%v", r)
	}
	<-start(t, newLocal(t, Options{}), "true").Done()
	if pid := findGuard(0); pid != 0 {
		t.Errorf("a program that cannot be a guard was started again as %d", pid)
	}
}

func TestGuardIsReplacedWhenItWasKilled(t *testing.T) {
	l := newLocal(t, Options{})
	start(t, l, "read -r x")
	first := guardPid(t, 0)
	syscall.Kill(first, syscall.SIGKILL)
	wantSoon(t, "the guard's death is known", func() bool {
		l.watch.mu.Lock()
		defer l.watch.mu.Unlock()
		return l.watch.pipe == nil
	})
	start(t, l, "read -r x")
	guardPid(t, first)
}

func guardPid(t *testing.T, not int) (pid int) {
	t.Helper()
	wantSoon(t, "a guard runs", func() bool {
		pid = findGuard(not)
		return pid != 0
	})
	return pid
}

// findGuard finds a watcher that this process waits for, another one than not.
// Those of killed bridges are its children, too, for a while.
func findGuard(not int) int {
	for _, p := range newTable().ownChildren() {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if string(name) == guardName+"\x00" && p.pid != not && !kin.adopted(p) {
			return p.pid
		}
	}
	return 0
}

func TestGuardEndsWithTheRunner(t *testing.T) {
	l := NewRunner(Options{})
	<-start(t, l, "true").Done()
	pid := guardPid(t, 0)
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := statProc(pid); ok {
		t.Error("the guard is still there")
	}
}

func TestWardsUnderstandWhatTheGuardIsTold(t *testing.T) {
	c := &claim{leader: identity{12, 345}, mark: markName + "=proc-1.f"}
	w := wards{}
	w.note(strings.TrimSpace(wardLine(c)))
	if w[12] != (ward{c.leader, c.mark}) {
		t.Errorf("%+v", w)
	}
	w.note("nonsense")
	w.note("- 12")
	if len(w) != 0 {
		t.Errorf("%+v", w)
	}
}

func TestMarkIsAWholeVariable(t *testing.T) {
	env := []byte("A=1\x00" + markName + "=proc-1.f\x00B=" + markName + "=proc-2.f\x00")
	if !hasMark(env, markName+"=proc-1.f") || hasMark(env, markName+"=proc-1") || hasMark(env, markName+"=proc-2.f") {
		t.Error("marks are confused")
	}
}

func TestUnreadableTableFallsBackToTheGroup(t *testing.T) {
	p := start(t, newLocal(t, Options{}), "echo up; read -r x").(*command)
	line(t, p, 1)
	if n := len(p.claim.groupMembers()); n != 1 {
		t.Errorf("%d members", n)
	}
	p.Write("\n")
	<-p.Done()
	if n := len(p.claim.groupMembers()); n != 0 {
		t.Errorf("%d members after the exit", n)
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

func TestOneWatcherForAllRunners(t *testing.T) {
	guardLinked.Store(true)
	watchers := func() (n int) {
		for _, p := range newTable().ownChildren() {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
			if string(name) == guardName+"\x00" && !kin.adopted(p) {
				n++
			}
		}
		return n
	}
	var runners []*Local
	for range 5 {
		l := NewRunner(Options{})
		runners = append(runners, l)
		if _, err := l.Start(Spec{Script: "sleep 60", Dir: "/", Env: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}}); err != nil {
			t.Fatal(err)
		}
	}
	wantSoon(t, "a watcher runs", func() bool { return watchers() > 0 })
	if n := watchers(); n != 1 {
		t.Errorf("%d watchers", n)
	}
	for i, l := range runners {
		l.Close(context.Background())
		if n := watchers(); i < len(runners)-1 && n != 1 {
			t.Errorf("%d watchers after %d runners were closed", n, i+1)
		}
	}
	if n := watchers(); n != 0 {
		t.Errorf("%d watchers after all were closed", n)
	}
}

// TestWatcherCountsEachProcessOnce looks at a deep chain, in which every
// process is found by its group and below each of its ancestors.
func TestWatcherCountsEachProcessOnce(t *testing.T) {
	const depth = 40
	cmd := exec.Command("/bin/sh", "-c", `n=$1; if [ "$n" -gt 0 ]; then sh -c "$0" "$0" $((n-1)); else sleep 60; fi; :`)
	cmd.Args = append(cmd.Args, cmd.Args[2], strconv.Itoa(depth))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Wait() }()
	leader, ok := statProc(cmd.Process.Pid)
	if !ok {
		t.Fatal("the chain's first process is gone")
	}
	w := wards{leader.pid: {leader: leader.identity, mark: "none"}}
	wantSoon(t, "the chain is whole", func() bool { return len(w.living(map[identity]bool{})) >= depth })
	all := w.living(map[identity]bool{})
	once := map[identity]bool{}
	for _, p := range all {
		once[p.identity] = true
	}
	if len(all) != len(once) {
		t.Errorf("%d entries for %d processes", len(all), len(once))
	}
}
