package shell

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell/guard"
	"drawbridge/shell/procfs"
)

// nasty is a tree that does what it can to stay: it ignores signals, leaves its
// session and its parents, breeds, and hops from fork to fork. Each process has
// the mark, which is digits, in its command line. It says "ready" at the end.
func nasty(mark string) string {
	return strings.ReplaceAll(`trap "" HUP INT TERM QUIT
setsid sh -c 'sleep 9999.MARK; :' &
(setsid sh -c 'exec >/dev/null 2>&1 </dev/null; sleep 9999.MARK; :' &)
(sh -c 'i=0; while [ $i -lt COUNT ]; do setsid sleep 9999.MARK & i=$((i+1)); sleep .002; done; wait' MARK &)
sh -c 'hop() { n=$((n+1)); [ $n -gt 30000 ] || hop & }; n=0; hop; n=0; hop' MARK
echo ready
`, "MARK", mark)
}

// The whole grid breeds as long as it may; else a test is over sooner.
func bred() string {
	if soaking() {
		return "300"
	}
	return "60"
}

func soaking() bool { return os.Getenv("DRAWBRIDGE_SOAK") == "1" }

func nastyScript(mark, rest string) string {
	return strings.ReplaceAll(nasty(mark), "COUNT", bred()) + rest
}

var marks atomic.Uint64

func freshMark() string {
	return fmt.Sprintf("%d%06d%03d", os.Getpid(), time.Now().UnixNano()%1e6, marks.Add(1))
}

// marked lists the living processes with the mark in their command line.
func marked(mark string) (found []string) {
	for _, p := range procfs.All() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if !p.Dead() && strings.Contains(string(line), mark) && !strings.Contains(string(line), os.Args[0]) {
			found = append(found, fmt.Sprintf("%d %q", p.PID, line))
		}
	}
	return found
}

// wantNone waits until nothing with the mark is left, and for a while sees that
// nothing comes back.
func wantNone(t *testing.T, mark string) {
	t.Helper()
	began := time.Now()
	var left []string
	for quiet := 0; quiet < 5; time.Sleep(5 * time.Millisecond) {
		if left = marked(mark); len(left) == 0 {
			quiet++
			continue
		}
		quiet = 0
		if time.Since(began) > testLimit {
			t.Fatalf("%d processes are left: %s …", len(left), left[0])
		}
	}
	t.Logf("nothing left after %v", time.Since(began).Round(time.Millisecond))
}

// ways are the scripts' surroundings: over pipes and in a terminal.
var ways = map[string]string{"pipes": "", "terminal": "tty:"}

// each runs a test over pipes, and in a soak in a terminal too; in the small set
// the two take turns.
func each(t *testing.T, small string, f func(t *testing.T, way string)) {
	for name, prefix := range ways {
		if name == small || soaking() {
			t.Run(name, func(t *testing.T) { f(t, prefix) })
		}
	}
}

func startWay(t *testing.T, l *Local, way, script string) Process {
	t.Helper()
	p, err := l.Start(Spec{
		Script: script, Dir: t.TempDir(), TTY: way == "tty:",
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func untilReady(t *testing.T, p Process) {
	t.Helper()
	wantSoon(t, "the tree has grown", func() bool {
		return strings.Contains(string(p.Output().Read(0, RingSize).Data), "ready")
	})
}

func TestACancelLeavesNothing(t *testing.T) {
	each(t, "terminal", func(t *testing.T, way string) {
		mark := freshMark()
		p := startWay(t, newLocal(t, Options{}), way, nastyScript(mark, "sleep 9999."+mark))
		untilReady(t, p)
		if err := p.Kill(t.Context(), 150*time.Millisecond); err != nil {
			t.Error(err)
		}
		if left := marked(mark); len(left) > 0 {
			t.Errorf("gone, but %s is left", left)
		}
	})
}

func TestACloseAfterACleanExitLeavesNothing(t *testing.T) {
	each(t, "pipes", func(t *testing.T, way string) {
		mark := freshMark()
		l := newLocal(t, Options{})
		p := startWay(t, l, way, nastyScript(mark, ""))
		<-p.Done()
		if s, _ := p.Status(); len(s.Survivors) == 0 || p.Exit() != (Exit{}) {
			t.Errorf("status %+v", s)
		}
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if left := marked(mark); len(left) > 0 {
			t.Errorf("closed, but %s is left", left)
		}
	})
}

func TestACommandThatKillsItsShellLeavesSurvivors(t *testing.T) {
	each(t, "terminal", func(t *testing.T, way string) {
		mark := freshMark()
		p := startWay(t, newLocal(t, Options{}), way, nastyScript(mark, "kill -KILL $$; sleep 9999."+mark))
		<-p.Done()
		if e := p.Exit(); e.Signal != "SIGKILL" {
			t.Errorf("exit %+v", e)
		}
		if err := p.Kill(t.Context(), time.Millisecond); err != nil {
			t.Error(err)
		}
		if left := marked(mark); len(left) > 0 {
			t.Errorf("gone, but %s is left", left)
		}
	})
}

func TestACommandThatKillsItsGuardIsKilled(t *testing.T) {
	each(t, "pipes", func(t *testing.T, way string) {
		mark := freshMark()
		p := startWay(t, newLocal(t, Options{}), way, nastyScript(mark, "kill -KILL $PPID; sleep 9999."+mark))
		<-p.Done()
		<-p.Gone()
		if e := p.Exit(); e.Signal != "SIGKILL" {
			t.Errorf("exit %+v", e)
		}
		if left := marked(mark); len(left) > 0 {
			t.Errorf("gone, but %s is left", left)
		}
	})
}

func TestANamelessOrphanOfAKilledGuardIsKilled(t *testing.T) {
	l := newLocal(t, Options{})
	keep := start(t, l, `setsid sh -c 'echo $$; sleep 300; :' & wait`)
	kept := line(t, keep, 1)
	p := start(t, l, nameless+"sleep .1; kill -KILL $PPID; sleep 300")
	orphan := line(t, p, 1)
	<-p.Gone()
	wantGone(t, orphan)
	if _, err := os.Stat("/proc/" + kept); err != nil {
		t.Error("another command's child was ended")
	}
}

func TestACommandThatStopsItsGuardIsKilledAllTheSame(t *testing.T) {
	mark := freshMark()
	p := start(t, newLocal(t, Options{}), "trap '' TERM; echo up; kill -STOP $PPID; while :; do sleep 9999."+mark+"; done")
	line(t, p, 1)
	if err := p.Kill(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	if left := marked(mark); len(left) > 0 {
		t.Errorf("gone, but %s is left", left)
	}
}

// troupe is an editor with a bridge, which runs a nasty tree.
type troupe struct {
	editor *exec.Cmd
	bridge int
	mark   string
}

// perform starts an editor and waits for the tree to have grown.
func perform(t *testing.T, way string) troupe {
	t.Helper()
	mark := freshMark()
	editor := exec.Command(os.Args[0])
	editor.Env = append(os.Environ(), editorEnv+"=1", bridgeEnv+"="+way+nastyScript(mark, "sleep 9999."+mark), "HOME=/")
	editor.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := editor.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { editor.Process.Kill(); editor.Wait() })
	r := troupe{editor: editor, mark: mark}
	defer func() {
		bridge, _ := procfs.Stat(r.bridge)
		t.Cleanup(func() { bridge.Signal(syscall.SIGKILL) }) // it waits to be killed
	}()
	ready := false
	for lines := bufio.NewScanner(out); (!ready || r.bridge == 0) && lines.Scan(); {
		ready = ready || strings.TrimSpace(lines.Text()) == "ready"
		if pid, ok := strings.CutPrefix(lines.Text(), "bridge="); ok {
			r.bridge, _ = strconv.Atoi(pid)
		}
	}
	if !ready || r.bridge == 0 {
		t.Fatal("the tree did not grow")
	}
	go io.Copy(io.Discard, out) // ends with the editor
	return r
}

// guards are the pids of the bridge's guards, the idle one too.
func (r troupe) guards() (pids []int) {
	for _, p := range procfs.NewTable().Children(r.bridge) {
		if strings.HasPrefix(procfs.Name(p.PID), guard.Name+" ") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func TestWhoeverDiesNothingIsLeft(t *testing.T) {
	for name, row := range map[string]struct {
		small string // the way of the small set
		kill  func(t *testing.T, r troupe)
	}{
		"bridge killed":         {"terminal", func(_ *testing.T, r troupe) { syscall.Kill(r.bridge, syscall.SIGKILL) }},
		"bridge asked to end":   {"pipes", func(_ *testing.T, r troupe) { syscall.Kill(r.bridge, syscall.SIGTERM) }},
		"bridge's group killed": {"pipes", func(_ *testing.T, r troupe) { syscall.Kill(-r.editor.Process.Pid, syscall.SIGKILL) }},
		"editor killed":         {"terminal", func(_ *testing.T, r troupe) { r.editor.Process.Kill() }},
		"editor killed, bridge frozen": {"pipes", func(t *testing.T, r troupe) {
			freeze(t, r.bridge)
			r.editor.Process.Kill()
		}},
		"bridge and guards killed": {"pipes", func(t *testing.T, r troupe) {
			all := append(r.guards(), r.bridge)
			for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
				for _, pid := range all {
					syscall.Kill(pid, sig)
				}
			}
			wantSoon(t, "they are dead", func() bool {
				p, ok := procfs.Stat(r.bridge)
				return !ok || p.Dead()
			})
			if len(marked(r.mark)) == 0 {
				t.Log("another bridge of this machine was first")
			}
			nextBridge(t)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, row.small, func(t *testing.T, way string) {
				r := perform(t, way)
				row.kill(t, r)
				wantNone(t, r.mark)
			})
		})
	}
}

// nextBridge starts another bridge, which lives until the test ends.
func nextBridge(t *testing.T) {
	t.Helper()
	next := exec.Command(os.Args[0])
	next.Env = append(os.Environ(), bridgeEnv+"=true", "HOME=/")
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { next.Process.Kill(); next.Wait() })
}

// A guard that was stopped learns nothing of its bridge's death.
func TestANextBridgeEndsStoppedGuards(t *testing.T) {
	r := perform(t, "")
	all := r.guards()
	bridge, _ := procfs.Stat(r.bridge)
	for _, pid := range all {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	r.editor.Process.Kill()
	syscall.Kill(r.bridge, syscall.SIGKILL)
	nextBridge(t)
	for _, pid := range all {
		wantSoon(t, fmt.Sprintf("guard %d is dead", pid), func() bool {
			p, ok := procfs.Stat(pid)
			return !ok || p.Dead()
		})
	}
	wantNone(t, r.mark)
	base, err := leafBase()
	if err != nil {
		t.Log("no leaves here:", err)
		return
	}
	wantSoon(t, "its leaves are removed", func() bool {
		left, _ := filepath.Glob(fmt.Sprintf("%s/%s%d.%d.*", base, leafPrefix, bridge.PID, bridge.Start))
		return len(left) == 0
	})
}

// freeze stops a process as nothing in it, or about it, can notice.
func freeze(t *testing.T, pid int) {
	t.Helper()
	base, err := ownCgroup()
	if err != nil {
		t.Skip("no process can be frozen here:", err)
	}
	dir := filepath.Join(base, "frozen-"+freshMark())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip("no process can be frozen here:", err)
	}
	t.Cleanup(func() {
		syscall.Kill(pid, syscall.SIGKILL)
		os.WriteFile(dir+"/cgroup.freeze", []byte("0"), 0)
		wantSoon(t, "the frozen one's cgroup is removed", func() bool { return os.Remove(dir) == nil })
	})
	for file, text := range map[string]string{"/cgroup.procs": strconv.Itoa(pid), "/cgroup.freeze": "1"} {
		if err := os.WriteFile(dir+file, []byte(text), 0); err != nil {
			t.Skip("no process can be frozen here:", err)
		}
	}
	wantSoon(t, "the bridge is frozen", func() bool {
		text, _ := os.ReadFile(dir + "/cgroup.events")
		return strings.Contains(string(text), "frozen 1")
	})
}

// A live bridge's commands are not what an earlier one left behind.
func TestANextBridgeSparesALiveOnesCommands(t *testing.T) {
	p := start(t, newLocal(t, Options{}), "echo up; read -r x")
	line(t, p, 1)
	nextBridge(t)
	other := perform(t, "")
	select {
	case <-p.Done():
		t.Errorf("it was ended: %+v", p.Exit())
	case <-time.After(100 * time.Millisecond):
	}
	other.editor.Process.Kill()
	wantNone(t, other.mark)
	p.Write("\n")
	if <-p.Done(); p.Exit() != (Exit{}) {
		t.Errorf("exit %+v", p.Exit())
	}
}

func TestAnOwnerIsDeadOnlyWhenThatIsCertain(t *testing.T) {
	self := thisOwner()
	if got, ok := parseOwner(self.String()); !ok || got != self || self.dead() {
		t.Errorf("%+v read as %+v", self, got)
	}
	reused, elsewhere := self, self
	reused.id.Start--
	elsewhere.id.PID, elsewhere.space = 1<<30, "1"
	if !reused.dead() || elsewhere.dead() || (owner{}).dead() {
		t.Error("the dead are confused with the living")
	}
	for _, bad := range []string{"", "1", "1.2", "1.2.", "a.2.3", "1.b.3", "-1.2.3", "1.2.3.4"} {
		if _, ok := parseOwner(bad); ok {
			t.Errorf("%q is an owner", bad)
		}
	}
	if got, ok := markOwner("proc-1.f00." + self.String()); !ok || got != self {
		t.Errorf("the owner of a mark is %+v", got)
	}
	if _, ok := markOwner("proc-1.f00"); ok {
		t.Error("a mark without an owner has one")
	}
}

func TestStoppedByAKeyACommandGoesOn(t *testing.T) {
	p := startWay(t, newLocal(t, Options{}), "tty:", "echo up; read -r x; echo got $x")
	line(t, p, 1)
	p.Write("\x1a")
	time.Sleep(20 * time.Millisecond)
	p.Write("it\n")
	<-p.Done()
	if got := Text(p.Output().Read(0, RingSize).Data, true); !strings.Contains(got, "got it") {
		t.Errorf("output %q", got)
	}
}

func TestKillNamesWhatItCannotKill(t *testing.T) {
	h := &guarded{stuck: make(chan struct{}), over: make(chan struct{})}
	h.hear(append([]byte{guard.StuckWord}, "12 (stubborn)"...))
	h.guard = &guardProcess{process: &os.Process{Pid: os.Getpid()}}
	h.guard.process, _ = os.FindProcess(os.Getpid())
	h.guard.control, _ = os.Open(os.DevNull)
	if err := h.end(0); err == nil || !strings.Contains(err.Error(), "12 (stubborn)") {
		t.Errorf("end: %v", err)
	}
}
