package shell

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell/guard"
	"drawbridge/shell/procfs"
)

// guardsOfThis are the pids of this process's living guards but those of not.
func guardsOfThis(not ...int) (pids []int) {
	for _, p := range procfs.NewTable().Children(os.Getpid()) {
		spared := false
		for _, pid := range not {
			spared = spared || pid == p.PID
		}
		if !spared && !p.Dead() && !kin.adopted(p) && strings.HasPrefix(procfs.Name(p.PID), guard.Name+" ") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func wantGuards(t *testing.T, n int) []int {
	t.Helper()
	var pids []int
	wantSoon(t, fmt.Sprintf("%d guards", n), func() bool {
		pids = guardsOfThis()
		return len(pids) == n
	})
	return pids
}

func TestOneGuardACommandAndOneThatIsReady(t *testing.T) {
	l, other := newLocal(t, Options{}), newLocal(t, Options{})
	wantGuards(t, 0)
	l.Ready()
	wantGuards(t, 1)
	p := start(t, l, "read -r x")
	wantGuards(t, 2)
	q := start(t, other, "read -r x")
	wantGuards(t, 3)
	p.Write("\n")
	q.Write("\n")
	<-p.Gone()
	<-q.Gone()
	wantGuards(t, 1)
	l.Close(t.Context())
	wantGuards(t, 1)
	other.Close(t.Context())
	if left := guardsOfThis(); len(left) > 0 {
		t.Errorf("after the last runner %d guards are left", len(left))
	}
	l.Ready()
	if _, err := l.Start(Spec{Script: "true", Dir: "/"}); err == nil || len(guardsOfThis()) > 0 {
		t.Errorf("a closed runner has a guard, or starts: %v", err)
	}
}

func TestAGuardThatWasKilledWhileItWaitedIsReplaced(t *testing.T) {
	l := newLocal(t, Options{})
	l.Ready()
	killed := wantGuards(t, 1)[0]
	syscall.Kill(killed, syscall.SIGKILL)
	// It has no name any more before it is dead.
	for now, ok := procfs.Stat(killed); ok && !now.Dead(); now, ok = procfs.Stat(killed) {
		time.Sleep(time.Millisecond)
	}
	if p := start(t, l, "exit 3"); !doneWith(p, Exit{Code: 3}) {
		t.Errorf("exit %+v", p.Exit())
	}
}

func doneWith(p Process, want Exit) bool {
	<-p.Done()
	return p.Exit() == want
}

// A guard has its socket, and the editor if it follows one; nothing of the
// bridge or of other commands, and nothing of its own command either.
func TestAGuardHoldsNoDescriptor(t *testing.T) {
	loose, err := syscall.Open(t.TempDir(), syscall.O_RDONLY, 0) // inheritable
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(loose)
	l := newLocal(t, Options{})
	p := startWay(t, l, "tty:", "echo up; read -r x")
	line(t, p, 1)
	for _, pid := range wantGuards(t, 2) {
		// A guard opens files of /proc too, each for as long as it reads.
		var wrong []string
		for until := time.Now().Add(testLimit); ; time.Sleep(time.Millisecond) {
			if wrong = strangeDescriptors(t, pid); len(wrong) == 0 || time.Now().After(until) {
				break
			}
		}
		if len(wrong) > 0 {
			t.Errorf("a guard holds %q", wrong)
		}
	}
}

// strangeDescriptors are those of a process that a guard has no use for, and all of
// them where there are more than three, the socket, and what the runtime polls with.
func strangeDescriptors(t *testing.T, pid int) (strange []string) {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("the descriptors of a guard are not to be seen by an ordinary user:", err)
	}
	for _, e := range entries {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, e.Name()))
		known := to == "/dev/null" || strings.HasPrefix(to, "socket:") || strings.HasPrefix(to, "anon_inode:")
		if !known || len(entries) > 8 {
			strange = append(strange, e.Name()+" is "+to)
		}
	}
	return strange
}

func TestRungs(t *testing.T) {
	want := GuardRung
	if _, err := leafBase(); err == nil {
		want = CgroupRung
	}
	if r := CleanupRung(); r != want {
		t.Errorf("the rung is %v, want %v", r, want)
	}
	unguarded(t)
	if r := CleanupRung(); r != TreeRung || r.String() != "process tree" {
		t.Errorf("without a guard the rung is %v", r)
	}
	<-start(t, newLocal(t, Options{}), "true").Done()
	if pids := guardsOfThis(); len(pids) > 0 {
		t.Error("a program that cannot be a guard was started again")
	}
	if _, err := GuardInit(Launch{}, "/"+GuardName); err == nil {
		t.Error("a program that cannot be a guard becomes process 1")
	}
}

// The small program is what a release has beside it; it needs no one to be
// linked.
func TestTheGuardBesideTheProgramIsTaken(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "bridge")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(dir, GuardName)
	if out, err := exec.Command("go", "build", "-o", beside, "drawbridge/cmd/drawbridge-guard").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mark := freshMark()
	bridge := exec.Command(program)
	bridge.Env = append(os.Environ(), bridgeEnv+"=trap '' TERM HUP; sleep 9999."+mark+"; sleep 9999."+mark, "HOME=/")
	if err := bridge.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bridge.Process.Kill(); bridge.Wait() })
	wantSoon(t, "the command runs", func() bool { return len(marked(mark)) > 0 })
	for _, pid := range (troupe{bridge: bridge.Process.Pid}).guards() {
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); exe != beside {
			t.Errorf("a guard is %s", exe)
		}
	}
	bridge.Process.Kill()
	wantNone(t, mark)
}

func TestEachCommandHasALeafOfItsOwn(t *testing.T) {
	base, err := leafBase()
	if err != nil {
		t.Skip("no cgroup can be made here:", err)
	}
	l := newLocal(t, Options{})
	script := "setsid sh -c 'grep ^0:: /proc/self/cgroup; exec sleep 300' & wait"
	p, q := start(t, l, script), start(t, l, script)
	mine, theirs := line(t, p, 1), line(t, q, 1)
	if !strings.Contains(mine, "/"+leafPrefix) || mine == theirs {
		t.Errorf("cgroups %q and %q", mine, theirs)
	}
	checkGuardIsOutside(t, base)
	for _, p := range []Process{p, q} {
		if err := p.Kill(t.Context(), time.Second); err != nil {
			t.Error(err)
		}
	}
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
	checkNoLeaves(t)
}

// A guard that were in its own leaf would kill itself.
func checkGuardIsOutside(t *testing.T, base string) {
	t.Helper()
	for _, pid := range guardsOfThis() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
		if strings.Contains(string(text), leafPrefix) {
			t.Errorf("a guard is in a leaf of %s: %s", base, text)
		}
	}
}

func TestALeafOfADeadOwnerIsEmptiedAndRemoved(t *testing.T) {
	base, err := leafBase()
	if err != nil {
		t.Skip("no cgroup can be made here:", err)
	}
	dead := thisOwner()
	dead.id.Start--
	dir := filepath.Join(base, leafPrefix+dead.String()+".1")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/cgroup.procs", []byte(fmt.Sprint(cmd.Process.Pid)), 0); err != nil {
		t.Fatal(err)
	}
	l := newLocal(t, Options{})
	l.Ready()
	if err := cmd.Wait(); err == nil {
		t.Error("what was in it was not killed")
	}
	wantSoon(t, "it is removed", func() bool {
		_, err := os.Stat(dir)
		return err != nil
	})
}

// What a command says before it kills its guard is not lost.
func TestOutputBeforeAGuardsDeathIsKept(t *testing.T) {
	p := start(t, newLocal(t, Options{}), "echo said; kill -KILL $PPID; sleep 300")
	if !doneWith(p, Exit{Code: 137, Signal: "SIGKILL"}) {
		t.Errorf("exit %+v", p.Exit())
	}
	if got := string(p.Output().Read(0, 10).Data); got != "said\n" {
		t.Errorf("output %q", got)
	}
}

func TestASecondKillMayComeSooner(t *testing.T) {
	p := start(t, newLocal(t, Options{}), "trap 'echo asked' TERM; echo up; while :; do sleep .05; done")
	line(t, p, 1)
	patient, cancel := context.WithCancel(t.Context())
	cancel()
	p.Kill(patient, time.Hour)
	line(t, p, 2)
	if err := p.Kill(t.Context(), 10*time.Millisecond); err != nil || p.Exit().Signal != "SIGKILL" {
		t.Errorf("%v, exit %+v", err, p.Exit())
	}
	if !p.(*command).held.(*guarded).clean {
		t.Error("the guard did not hear of it, and was killed")
	}
}

// BenchmarkSpawn is from the start to the exit of a shell that does nothing, and
// of the same without us.
func BenchmarkSpawn(b *testing.B) {
	b.Run("bare fork", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/bash", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, linked := range map[string]bool{"no guard": false, "guard": true} {
		b.Run(name, func(b *testing.B) {
			guardLinked.Store(linked)
			defer guardLinked.Store(true)
			l := NewRunner(Options{Shell: "/bin/bash"})
			defer l.Close(context.Background())
			l.Ready()
			for b.Loop() {
				p, err := l.Start(Spec{Script: "true", Dir: "/"})
				if err != nil {
					b.Fatal(err)
				}
				<-p.Done()
				l.Forget(p.ID())
				b.StopTimer() // a person, or a model, is not that fast
				time.Sleep(60 * time.Millisecond)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkCancel is from the order to a dead tree of three: a shell, a child in
// the background and one in a session of its own.
func BenchmarkCancel(b *testing.B) {
	l := NewRunner(Options{Shell: "/bin/bash"})
	defer l.Close(context.Background())
	for b.Loop() {
		b.StopTimer()
		p, err := l.Start(Spec{
			Script: "sleep 300 & setsid sleep 300 & echo up; wait", Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")},
		})
		if err != nil {
			b.Fatal(err)
		}
		p.Output().Wait(context.Background(), 0)
		time.Sleep(20 * time.Millisecond)
		b.StartTimer()
		if err := p.Kill(context.Background(), 150*time.Millisecond); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		l.Forget(p.ID())
		b.StartTimer()
	}
}
