package procfs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStatOfAHostileName(t *testing.T) {
	line := "12 (a) Z 1 (b) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0\n"
	p, ok := parseStat(12, line)
	if want := (Proc{Identity{12, 777}, 3, 4, 5, 'S'}); !ok || p != want {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "12 (a", "12 (a) S 1 2", "x"} {
		if _, ok := parseStat(12, bad); ok {
			t.Errorf("%q was understood", bad)
		}
	}
}

func TestASignalSparesAReusedPid(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	now, _ := Stat(cmd.Process.Pid)
	earlier := now
	earlier.Start--
	earlier.Signal(syscall.SIGKILL)
	now.Signal(syscall.SIGTERM)
	cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); s != syscall.SIGTERM {
		t.Errorf("a process that began later got %v", s)
	}
}

// The kernel's lists of children are optional; without them /proc is scanned.
func TestBothTablesSeeTheSameTree(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `sh -c 'sh -c "sleep 300; :"; :' & wait`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Wait() }()
	top, ok := Stat(cmd.Process.Pid)
	if !ok || top.PID != cmd.Process.Pid || top.PPID != os.Getpid() || top.PGrp != top.PID || !top.Current() {
		t.Fatalf("%+v", top)
	}
	var listed, scanned []Proc
	for end := time.Now().Add(30 * time.Second); len(scanned) != 4 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		scanned = ScanTable().Subtree(nil, top)
	}
	if !HasLists() {
		t.Log("this kernel has no lists of children")
		return
	}
	if listed = (Table{}).Subtree(nil, top); len(listed) != 4 {
		t.Errorf("%d listed, %d scanned, want 4", len(listed), len(scanned))
	}
	levels := ScanTable().Below(top.PPID)
	if !slices.ContainsFunc(levels[0], func(p Proc) bool { return p.PID == top.PID }) || len(levels) != 4 {
		t.Errorf("levels %+v", levels)
	}
}

func TestNamesAreOneLine(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "# first\nsleep 300 #\x1b[31m", "\u202ebidi\u2066\u009b\u2028", strings.Repeat("x", 300))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Wait() }()
	for end := time.Now().Add(30 * time.Second); Args(cmd.Process.Pid) == nil && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // the kernel tells of an exec before it has the arguments
	}
	if args := Args(cmd.Process.Pid); len(args) != 5 || args[4] != strings.Repeat("x", 300) {
		t.Errorf("arguments %q", args)
	}
	name := Name(cmd.Process.Pid)
	if !strings.HasPrefix(name, "/bin/sh -c # first sleep 300 # [31m bidi xxx") || len(name) > maxName {
		t.Errorf("%q", name)
	}
	if got := Name(2); got == "" || Name(1<<30) != "[]" {
		t.Errorf("a process without a command line is called %q", got)
	}
}

func TestVariableIsAWholeOne(t *testing.T) {
	env := []byte("A=1\x00MARK=proc-1.f\x00B=MARK=proc-2.f\x00")
	if Variable(env, "MARK") != "proc-1.f" || Variable(env, "ARK") != "" || Variable(env, "B") != "MARK=proc-2.f" {
		t.Error("variables are confused")
	}
}
