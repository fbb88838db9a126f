//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"drawbridge/shell"
	"drawbridge/shell/sandbox/stage"
)

// TestMain lets the test binary be all that commands are started through, and
// the probe that is confined.
func TestMain(m *testing.M) {
	shell.GuardMain()
	stage.Main()
	if filepath.Base(os.Args[0]) == probeName {
		os.Exit(runProbe(os.Args[1], os.Args[2]))
	}
	if os.Args[0] == anotherName {
		os.Exit(amAnother())
	}
	code := m.Run()
	for _, base := range worlds {
		os.RemoveAll(base)
	}
	if copied != "" {
		os.RemoveAll(filepath.Dir(copied))
	}
	os.Exit(code)
}

// TestNothingEscapes has a program try, unconfined and then confined, what a
// sandbox must refuse. A probe that does not succeed unconfined shows nothing,
// so it says why it cannot.
func TestNothingEscapes(t *testing.T) {
	for _, p := range probes() {
		t.Run(p.name, func(t *testing.T) {
			w := newWorld(t)
			w.listen(t, p)
			if code, out := w.unconfined(p); code != escaped {
				cannot(t, p, out)
			}
			for _, c := range confinements(t) {
				if p.landlock && c.name == "bubblewrap" {
					continue
				}
				for _, preset := range []string{WorkspaceWrite, ReadOnly} {
					t.Run(c.name+" "+preset, func(t *testing.T) { c.try(t, preset, p) })
				}
			}
		})
	}
}

// cannot ends a test whose probe fails unconfined: a fault where it should
// succeed, a shortcoming of the machine where it takes more than the test has.
func cannot(t *testing.T, p probe, out string) {
	t.Helper()
	if p.needs != "" && (os.Getenv("CI") != "true" || strings.HasPrefix(p.needs, "root") && os.Getuid() != 0) {
		t.Skipf("unconfined it takes %s: %s", p.needs, out)
	}
	t.Fatalf("it does not succeed unconfined: %s", out)
}

// confinement is a backend as this machine can have it.
type confinement struct {
	name string
	open func(p Policy, o Options) (backend, error)
}

// confinements are all that this machine has; what it lacks is said.
func confinements(t *testing.T) []confinement {
	t.Helper()
	var there []confinement
	for _, c := range []confinement{
		{"bubblewrap", openBubblewrap},
		{"landlock in namespaces", openLandlock},
		{"landlock alone", openAlone},
	} {
		b, err := c.open(Policy{}, Options{})
		if l, ok := b.(*landlocked); ok && !l.alone && err == nil {
			err = namespaces()
		}
		if err != nil {
			missingBackend(t, c.name, err)
			continue
		}
		there = append(there, c)
	}
	return there
}

func openAlone(p Policy, o Options) (backend, error) {
	b, err := openLandlock(p, o)
	if err == nil {
		b.(*landlocked).alone = true
	}
	return b, err
}

func missingBackend(t *testing.T, name string, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Errorf("%s was not tried: %v", name, err)
		return
	}
	t.Logf("%s was not tried: %v", name, err)
}

// try runs one probe confined in a world of its own and wants it refused.
func (c confinement) try(t *testing.T, preset string, p probe) {
	w := newWorld(t)
	w.listen(t, p)
	code, out := w.confined(t, c, preset, p)
	switch {
	case p.loose && c.name == "landlock alone":
		// It is said not to hold; if it did, the saying should go.
		if code != escaped {
			t.Errorf("exit %d, though it is said not to hold: %s", code, out)
		}
	case code == escaped:
		t.Error("it succeeds")
	case code != held:
		t.Errorf("exit %d, want it refused: %s", code, out)
	}
}

// world is what a probe finds. It goes to the probe as JSON.
type world struct {
	Base    string // everything below; not in /tmp, which may be another inside
	Root    string // the workspace, with a repository
	Outside string // beside it: target, and sockets for the probes of these
	Hidden  string // a folder that the policy hides, with a key in it
	Tmp     string
	Program string // the probe

	Victim   int    // a process that stands for the bridge
	TCP, UDP string // addresses of listeners that answer
	TCP6     string // "" without IPv6
	Abstract string // a listener's name
	Terminal string // another terminal
	Segment  int    // key of shared memory
	Shared   string // a file in /dev/shm
}

// worlds are removed when all tests are over. A socket of theirs looks like a
// service's, and hiding it is a part of each command that anybody on this machine
// confines meanwhile: one that is gone when it is to be hidden would fail that command.
var worlds []string

func newWorld(t *testing.T) world {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp(cache, "drawbridge-escape-")
	if err != nil {
		t.Fatal(err)
	}
	worlds = append(worlds, base)
	base = followed(base)
	in := func(name string) string { return filepath.Join(base, name) }
	w := world{
		Base: base, Root: in("root"), Outside: in("outside"), Hidden: in("hidden"), Tmp: in("tmp"), Program: probeProgram(t),
	}
	for name, text := range files {
		put := in(name)
		if err := os.MkdirAll(filepath.Dir(put), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(put, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"root/.git/objects", "root/.git/refs", "tmp"} {
		if err := os.MkdirAll(in(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.populate(t)
	return w
}

// files are those of a world.
var files = map[string]string{
	"outside/target":              "mine\n",
	"hidden/key":                  "secret\n",
	"root/main.go":                "package main\n",
	"root/sub/file":               "text\n",
	"root/state/log":              "ours\n",
	"root/.git/HEAD":              "ref: refs/heads/main\n",
	"root/.git/config":            "[core]\n",
	"root/.git/hooks/pre-commit":  "#!/bin/sh\n",
	"root/.vscode/settings.json":  "{}\n",
	"root/.devcontainer/any.json": "{}\n",
}

// populate starts what is to be reached: processes, listeners, terminals.
func (w *world) populate(t *testing.T) {
	t.Helper()
	victim := exec.Command("/bin/sleep", "1000")
	victim.Dir = w.Root
	victim.Env, victim.SysProcAttr = []string{"KEY=secret"}, &syscall.SysProcAttr{Setpgid: true}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { victim.Process.Kill(); victim.Wait() })
	w.Victim = victim.Process.Pid

	w.TCP = answering(t, "tcp", "127.0.0.1:0")
	w.Abstract = answering(t, "unix", "@"+filepath.Base(w.Base))
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		l.Close()
		w.TCP6 = answering(t, "tcp", "[::1]:0")
	}
	w.UDP = echoing(t, "udp", "127.0.0.1:0")

	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); tty.Close() })
	w.Terminal = tty.Name()

	w.Segment = os.Getpid()<<8 | int(time.Now().UnixNano()&0xff)
	id, err := unix.SysvShmGet(w.Segment, 64, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	w.Shared = filepath.Join("/dev/shm", filepath.Base(w.Base))
	if err := os.WriteFile(w.Shared, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(w.Shared) })
}

// listen has sockets in the folder outside if p is about them. Without, they
// would be hidden from every other command of the machine.
func (w world) listen(t *testing.T, p probe) {
	t.Helper()
	if p.sockets {
		answering(t, "unix", filepath.Join(w.Outside, "sock"))
		echoing(t, "unixgram", filepath.Join(w.Outside, "datagrams"))
		settle(t, filepath.Join(w.Outside, "sock"))
		settle(t, filepath.Join(w.Outside, "datagrams"))
	}
}

// settle makes a socket look as old as a service's: those of the last seconds
// are not hidden (see settling).
func settle(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-2 * settling)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// answering says a line to everyone who connects.
func answering(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // see worlds
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("hello\n"))
			c.Close()
		}
	}()
	return l.Addr().String()
}

// echoing sends every datagram back where that can be done.
func echoing(t *testing.T, network, address string) string {
	t.Helper()
	c, err := net.ListenPacket(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() { // ends with the socket
		for buf := make([]byte, 64); ; {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if from != nil && network == "udp" {
				c.WriteTo(buf[:n], from)
			}
		}
	}()
	return c.LocalAddr().String()
}

// copied is the test binary at a place that every confinement shows; TestMain
// removes it. It is "" until it is needed.
var copied string

func probeProgram(t *testing.T) string {
	t.Helper()
	if copied != "" {
		return copied
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(cache, "drawbridge-probe-")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(dir, probeName)
	if err := os.WriteFile(copied, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		another := filepath.Join(dir, anotherName)
		err := errors.Join(os.WriteFile(another, self, 0o755), os.Chown(another, anotherUser, 0), os.Chmod(another, 0o755|os.ModeSetuid))
		if err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

func (w world) command(path string, args, env []string) *exec.Cmd {
	cmd := exec.Command(path)
	cmd.Args, cmd.Env, cmd.Dir, cmd.WaitDelay = args, env, w.Root, 5*time.Second
	return cmd
}

func (w world) arguments(p probe) []string {
	raw, err := json.Marshal(w)
	if err != nil {
		panic(err) // it is strings and numbers
	}
	return []string{probeName, p.name, string(raw)}
}

func (w world) unconfined(p probe) (code int, out string) {
	return finish(w.command(w.Program, w.arguments(p), os.Environ()), p)
}

func (w world) policy(preset string) Policy {
	return Policy{
		Preset: preset, Roots: []string{w.Root}, Tmp: w.Tmp, Hidden: []string{w.Hidden},
		Protected: []string{filepath.Join(w.Root, "state"), filepath.Join(w.Root, "later/state")},
	}
}

func (w world) sandbox(t *testing.T, c confinement, preset string) *Sandbox {
	t.Helper()
	p, err := w.policy(preset).resolve()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.open(p, Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return &Sandbox{policy: p, backend: b}
}

func (w world) confined(t *testing.T, c confinement, preset string, p probe) (code int, out string) {
	t.Helper()
	l, err := w.sandbox(t, c, preset).Bare(shell.Launch{Path: w.Program, Args: w.arguments(p), Env: os.Environ(), Dir: w.Root})
	if err != nil {
		t.Fatal(err)
	}
	if l.Release != nil {
		defer l.Release()
	}
	cmd := w.command(l.Path, l.Args, l.Env)
	cmd.Dir, cmd.ExtraFiles = l.Dir, l.Files
	code, out = finish(cmd, p)
	for _, file := range l.Files {
		file.Close()
	}
	return code, out
}

// finish runs a command, in a terminal of its own if the probe wants one.
func finish(cmd *exec.Cmd, p probe) (code int, out string) {
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	if p.terminal {
		master, tty, err := pty.Open()
		if err != nil {
			return -1, err.Error()
		}
		defer master.Close()
		defer tty.Close()
		cmd.Stdin, cmd.SysProcAttr = tty, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -1, err.Error()
	}
	return cmd.ProcessState.ExitCode(), strings.TrimSpace(fmt.Sprintf("%s (%s)", text.String(), cmd.ProcessState))
}
