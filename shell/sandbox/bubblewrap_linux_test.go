package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/procfs"
)

// boxed is a workspace whose commands bubblewrap holds.
type boxed struct {
	place
	box *Sandbox
}

// newBoxed skips the test, or fails it where CI=true, on a machine without.
func newBoxed(t *testing.T, change ...func(*Policy)) boxed {
	t.Helper()
	p := newPlace(t)
	p.policy.Caches = filepath.Join(p.all, "caches")
	for _, c := range change {
		c(&p.policy)
	}
	box, err := New(p.policy, Options{Backend: Bubblewrap, Environ: os.Environ()})
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return boxed{p, box}
}

// run runs a script as a session would, to the end of all that it started.
func (b boxed) run(script string) (output string, code int) {
	b.t.Helper()
	runner := shell.NewRunner(shell.Options{})
	defer runner.Close(context.Background())
	p, err := runner.Start(shell.Spec{Script: script, Dir: b.root, Env: os.Environ(), Confinement: b.box})
	if err != nil {
		b.t.Fatal(err)
	}
	p.CloseInput()
	select {
	case <-p.Gone():
	case <-time.After(2 * time.Minute):
		b.t.Fatalf("%q does not end: %s", script, p.Output().Read(0, 1<<16).Data)
	}
	return string(p.Output().Read(0, 1<<20).Data), p.Exit().Code
}

// does wants a script to succeed, saying want.
func (b boxed) does(script, want string) {
	b.t.Helper()
	if out, code := b.run(script); code != 0 || !strings.Contains(out, want) {
		b.t.Errorf("%s\nexit %d, want %q in\n%s", script, code, want, out)
	}
}

// doesNot wants a script to fail.
func (b boxed) doesNot(script string) {
	b.t.Helper()
	if out, code := b.run(script); code == 0 {
		b.t.Errorf("%s\nsucceeds: %s", script, out)
	}
}

// left lists what lies in the workspace once no stand-in is needed.
func (b boxed) left() []string {
	b.t.Helper()
	LetGo()
	entries, err := os.ReadDir(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestACommandLeavesNoStandInBehind(t *testing.T) {
	b := newBoxed(t)
	b.doesNot("mkdir .vscode")
	b.doesNot("echo x >.helix")
	b.doesNot("git init")
	if got := b.left(); len(got) > 0 {
		t.Errorf("left in the workspace: %v", got)
	}
}

func TestStandInsLastAsLongAsWhatACommandLeftBehind(t *testing.T) {
	b := newBoxed(t)
	b.does("(sleep 0.5; mkdir .vscode/x; echo late >late) & echo hi", "Read-only file system")
	if got := strings.Join(b.left(), " "); got != "late" {
		t.Errorf("left in the workspace: %s", got)
	}
}

// A stand-in that an earlier command let go of is still needed by the next one.
func TestAStandInIsNobodysToRemoveWhileACommandNeedsIt(t *testing.T) {
	b := newBoxed(t)
	b.does("echo first", "first") // its stand-ins linger
	b.t.Cleanup(LetGo)
	runner := shell.NewRunner(shell.Options{})
	defer runner.Close(context.Background())
	p, err := runner.Start(shell.Spec{Script: "read x; mkdir .vscode && echo made", Dir: b.root, Env: os.Environ(), Confinement: b.box})
	if err != nil {
		t.Fatal(err)
	}
	LetGo() // as after ten seconds
	p.Write("go\n")
	<-p.Gone()
	if p.Exit().Code == 0 {
		t.Errorf("a command made what is protected: %s", p.Output().Read(0, 1<<10).Data)
	}
}

// What git removes, sets aside or lists as untracked has no stand-in in it, and
// what the user ignores everywhere stays ignored.
func TestGitCleansAndStashesBesideStandIns(t *testing.T) {
	b := newBoxed(t)
	b.git("init", "-q")
	b.file("home/.config/git/ignore", "*.own\n")
	b.file("home/ws/a", "1")
	b.git("add", "a")
	b.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x")
	b.file("home/ws/a", "2")
	b.file("home/ws/new", "x")
	b.file("home/ws/mine.own", "x")
	b.does("git -c user.name=a -c user.email=a@b stash -q -u && cat a && ls new 2>&1; git stash pop -q && cat a new", "2x")
	b.does("git clean -fdq && ls", "mine.own")
}

func TestGitDoesNotSeeStandIns(t *testing.T) {
	b := newBoxed(t)
	b.git("init", "-q")
	b.does("echo a >a && git add -A && git -c user.name=a -c user.email=a@b commit -q -m x && git show --stat --format=%s && git status --short --ignored", "1 file changed")
	b.doesNot("test -n \"$(git status --short)\" ")
	b.doesNot("git config core.fsmonitor 'touch owned'")
	b.doesNot("mv .git aside")
	b.doesNot("rm -rf .git/hooks .git/config && mkdir .git/hooks")
}

func TestACommitInAWorktreeReachesItsRepository(t *testing.T) {
	b := newBoxed(t, func(p *Policy) {
		repo := p.Roots[0]
		tree := filepath.Join(filepath.Dir(repo), "tree")
		for _, args := range [][]string{
			{"init", "-q"},
			{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"},
			{"worktree", "add", "-q", tree},
		} {
			if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		p.Roots = []string{tree}
	})
	repo := b.root
	b.root = filepath.Join(filepath.Dir(repo), "tree")
	b.does("echo a >a && git add a && git -c user.name=a -c user.email=a@b commit -q -m committed && git log --format=%s", "committed")
	b.doesNot("echo x >" + repo + "/.git/hooks/pre-commit")
	b.doesNot("echo x >" + repo + "/main.go")
}

// A place that is protected is mounted read-only behind every mount of what it
// lies in, where the last one counts; the command has processes and a network of
// its own.
//
// Cases: L-BASH-11
func TestProtectedPlacesAreMountedLast(t *testing.T) {
	b := newBoxed(t, func(p *Policy) {
		p.Protected = []string{filepath.Join(p.Roots[0], "own")}
		p.Network = NoNetwork
	})
	own := b.dir("home/ws/own")
	l, err := b.box.Wrap(shell.Launch{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", "exit 0"}, Dir: b.root, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	line := " " + strings.Join(l.Args, " ") + " "
	opened, closed := strings.LastIndex(line, " --bind "+b.root+" "), strings.LastIndex(line, " --ro-bind "+own+" "+own+" ")
	if opened < 0 || closed < opened {
		t.Errorf("the workspace is opened at %d, its protected place closed at %d of %s", opened, closed, line)
	}
	if strings.Contains(line[closed:], " --bind "+b.root) {
		t.Errorf("something of the workspace is opened later: %s", line[closed:])
	}
	if !strings.Contains(line, " --unshare-pid ") || !strings.Contains(line, " --unshare-net ") && !strings.Contains(line, " --net=") {
		t.Errorf("processes and network are not its own: %s", line)
	}
	b.doesNot("echo x >own/x")
	b.does("echo x >x && cat x", "x")
}

func TestAReplacedLinkComesBack(t *testing.T) {
	var shared string
	b := newBoxed(t, func(p *Policy) {
		shared = filepath.Join(p.Home, "shared")
		if err := errors.Join(os.Mkdir(shared, 0o755), os.Symlink(shared, filepath.Join(p.Roots[0], ".vscode"))); err != nil {
			t.Fatal(err)
		}
	})
	b.doesNot("echo x >.vscode/tasks.json")
	b.does("rm .vscode && mkdir .vscode && echo x >.vscode/tasks.json; echo done", "done")
	if target, _ := os.Readlink(filepath.Join(b.root, ".vscode")); target != shared {
		t.Errorf(".vscode is %q", target)
	}
}

func TestHiddenPlacesAreEmpty(t *testing.T) {
	b := newBoxed(t, func(p *Policy) {
		for name, text := range map[string]string{".ssh/id_ed25519": "key", ".netrc": "password"} {
			path := filepath.Join(p.Home, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	})
	b.doesNot("cat " + b.policy.Home + "/.ssh/id_ed25519")
	b.doesNot("grep password " + b.policy.Home + "/.netrc")
	b.does("ls -A /run | grep -v drawbridge; ls -A "+b.policy.Home+"/.ssh; echo none", "none")
}

// Work of more than one tool, beyond what the set of works tries.
func TestToolsWithCachesWork(t *testing.T) {
	b := newBoxed(t)
	b.file("home/ws/package.json", `{"name":"x","version":"1.0.0","scripts":{"test":"node -e 'console.log(40+2)'"}}`)
	for program, try := range map[string][2]string{
		"npm":     {"npm test && test -d \"$npm_config_cache\"", "42"},
		"python3": {"python3 -m venv --without-pip venv && venv/bin/python -c 'print(6*7)'", "42"},
		"go":      {"printf 'module m\\n' >go.mod && printf 'package main\\nfunc main() { println(42) }\\n' >m.go && go run . && ls \"$GOCACHE\"", "42"},
	} {
		t.Run(program, func(t *testing.T) {
			lacking(t, program)
			b := b
			b.t = t
			b.does(try[0], try[1])
		})
	}
}

func TestAProfileThatDoesNotHoldIsNoProfile(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]string{"No permissions to create new namespace": broken, "there is no bwrap": "/nowhere/bwrap"} {
		places := bubblewrapPlaces
		bubblewrapPlaces = []string{place}
		p := newPlace(t)
		_, err := New(p.policy, Options{Backend: Bubblewrap})
		bubblewrapPlaces = places
		var missing *Unavailable
		if name != "there is no bwrap" && !strings.Contains(err.Error(), "unprivileged_userns_clone") {
			t.Errorf("it is not said how to allow namespaces: %v", err)
		}
		if !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), "SANDBOX_UNAVAILABLE") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProbeThatHangsIsEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes the limit of a probe")
	}
	hanging := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(hanging, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := &bubblewrap{policy: newPlace(t).policy, program: hanging}
	if err := probed(b, b.policy); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Error(err)
	}
}

func TestNoneConfinesNothing(t *testing.T) {
	if box, err := New(Policy{}, Options{Backend: None}); box != nil || err != nil {
		t.Error(box, err)
	}
	_, err := New(newPlace(t).policy, Options{Backend: SandboxExec})
	if err == nil || !strings.HasPrefix(err.Error(), "SANDBOX_UNAVAILABLE: sandbox-exec") {
		t.Error(err)
	}
}

// BenchmarkStart is the time from a start to the end of a command that does
// nothing, by what holds it.
func BenchmarkStart(b *testing.B) {
	root, tmp := b.TempDir(), b.TempDir()
	for _, backend := range []string{None, Bubblewrap, LandlockLSM} {
		b.Run(backend, func(b *testing.B) {
			spec := shell.Spec{Script: ":", Dir: root, Env: os.Environ()}
			policy := Policy{Preset: WorkspaceWrite, Roots: []string{root}, Tmp: tmp}
			box, err := New(policy, Options{Backend: backend, Environ: os.Environ()})
			if err != nil {
				b.Skip(err)
			}
			if box != nil {
				spec.Confinement = box
			}
			runner := shell.NewRunner(shell.Options{})
			defer runner.Close(context.Background())
			for b.Loop() {
				p, err := runner.Start(spec)
				if err != nil {
					b.Fatal(err)
				}
				<-p.Done()
			}
		})
	}
}

// What bubblewrap itself runs with is not the command's to choose.
func TestTheLoadersVariablesReachTheCommandAlone(t *testing.T) {
	b := newBoxed(t, func(p *Policy) { p.Pass = []string{"LD_PRELOAD"} })
	l, err := b.box.Bare(shell.Launch{Path: "/bin/sh", Args: []string{"sh"}, Env: []string{"LD_PRELOAD=/x.so", "PATH=/bin"}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if got := lookup(l.Env, "LD_PRELOAD"); got != "" {
		t.Errorf("bubblewrap loads %s", got)
	}
	if !strings.Contains(strings.Join(l.Args, " "), "--setenv LD_PRELOAD /x.so") {
		t.Errorf("the command does not: %q", l.Args)
	}
}

// A probe's box leaves a process behind that comes to the bridge.
func TestProbesLeaveNoZombies(t *testing.T) {
	for range 3 {
		newBoxed(t).does("echo up", "up")
	}
	runner := shell.NewRunner(shell.Options{})
	defer runner.Close(context.Background())
	runner.Ready()
	newBoxed(t)
	dead := func() (names []string) {
		for _, p := range procfs.NewTable().Children(os.Getpid()) {
			if p.Dead() {
				names = append(names, procfs.Label(p.PID))
			}
		}
		return names
	}
	for end := time.Now().Add(10 * time.Second); len(dead()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not waited for: %q", dead())
		}
	}
}
