//go:build unix

package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// roleVar makes the test binary play a part in a child process.
const roleVar = "DRAWBRIDGE_RPC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "echo":
		serveEcho()
	case "noise":
		serveNoise()
	default:
		goleak.VerifyTestMain(m)
	}
}

var echoTable = tableOf(Method{Name: "echo"}, Method{Name: "count", Kind: Notification})

// takenStdio is the wire as cmd builds it.
func takenStdio() io.ReadWriteCloser {
	wire, err := TakeStdout(os.NewFile(1, "stdout"), os.Stderr)
	if err != nil {
		panic(err)
	}
	return Stdio(os.Stdin, wire)
}

func serveEcho() {
	c := New(takenStdio(), Options{Table: echoTable})
	c.HandleRequest("echo", echo)
	c.Start()
	<-c.Gone()
	if err := c.Close(time.Second); err != nil {
		panic(err)
	}
}

func serveNoise() {
	c := New(takenStdio(), Options{Table: testTable})
	fmt.Fprintln(os.NewFile(1, "stdout"), "a library prints")
	exec.Command("sh", "-c", "echo a child prints").Run()
	child := exec.Command("sh", "-c", "echo an heir prints")
	child.Stdout = os.NewFile(1, "stdout")
	child.Run()
	c.Start()
	c.Notify("tell", nil)
	c.Close(time.Second)
}

func role(t testing.TB, name string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+name)
	return cmd
}

func TestOnlyFramesReachStandardOutput(t *testing.T) {
	cmd := role(t, "noise")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if want := "Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"tell"}`; string(out) != want {
		t.Errorf("standard output %q, want %q", out, want)
	}
	for _, noise := range []string{"a library prints", "an heir prints"} {
		if !strings.Contains(stderr.String(), noise) {
			t.Errorf("standard error lacks %q", noise)
		}
	}
}

// The child serves over plain standard streams and ends with its input.
func TestServesOverStandardStreams(t *testing.T) {
	cmd := role(t, "echo")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := New(halves{out, in, func() { in.Close() }}, Options{Table: echoTable, Accepts: ToEditor})
	c.Start()
	var got []string
	if err := c.Call(context.Background(), "echo", []string{"😀"}, &got); err != nil || len(got) != 1 || got[0] != "😀" {
		t.Errorf("echo: %q, %v", got, err)
	}
	c.Close(0)
	if err := cmd.Wait(); err != nil {
		t.Errorf("child: %v", err)
	}
}

// blockingPipe is a pipe in the mode a process gets its standard streams in.
func blockingPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fd [2]int
	if err := unix.Pipe(fd[:]); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd[0]), "in"), os.NewFile(uintptr(fd[1]), "out")
}

func TestCloseInterruptsReadAndWriteOfAPipe(t *testing.T) {
	in, inOther := blockingPipe(t)
	outOther, out := blockingPipe(t)
	defer inOther.Close()
	defer outOther.Close()
	s := Stdio(in, out)
	ended := make(chan error, 2)
	go func() { _, err := s.Read(make([]byte, 1)); ended <- err }()
	go func() { _, err := s.Write(make([]byte, 4<<20)); ended <- err }()
	if _, err := io.ReadFull(outOther, make([]byte, 1)); err != nil { // both are under way
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			t.Errorf("interrupted with %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	for _, f := range []*os.File{in, out} {
		if _, err := f.Stat(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s is still open: the peer would see no end", f.Name())
		}
	}
}

func TestStdioGivesTheModeBack(t *testing.T) {
	in, inOther := blockingPipe(t)
	defer inOther.Close()
	sibling, err := unix.Dup(int(in.Fd())) // another holder of the same pipe end
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(sibling)
	_, out := blockingPipe(t)
	s := Stdio(in, out)
	if !nonblocking(t, sibling) {
		t.Error("the pipe is not switched to non-blocking")
	}
	s.Close()
	if nonblocking(t, sibling) {
		t.Error("the pipe stays non-blocking for its other holders")
	}
}

func nonblocking(t *testing.T, fd int) bool {
	t.Helper()
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return flags&unix.O_NONBLOCK != 0
}

func TestStdioReadsRegularFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	os.WriteFile(path, []byte("abc"), 0o600)
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, out := blockingPipe(t)
	s := Stdio(in, out)
	if b, err := io.ReadAll(s); string(b) != "abc" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// A reader that goes away is noticed at the next write, once.
func TestClosedReaderOfARealPipe(t *testing.T) {
	in, inOther := blockingPipe(t)
	defer inOther.Close()
	outOther, out := blockingPipe(t)
	c := New(Stdio(in, out), Options{Table: testTable})
	c.Start()
	outOther.Close()
	c.Notify("tell", nil)
	<-c.Gone()
	if err := c.Err(); !errors.Is(err, unix.EPIPE) {
		t.Errorf("Err = %v, want a broken pipe", err)
	}
	if err := c.Close(time.Second); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// pipes connects two Conns by two real pipes.
func pipes(b *testing.B, setup func(bridge *Conn)) (bridge, editor *Conn) {
	toBridge, fromEditor, _ := os.Pipe()
	toEditor, fromBridge, _ := os.Pipe()
	bridge = New(Stdio(toBridge, fromBridge), Options{Table: echoTable})
	editor = New(Stdio(toEditor, fromEditor), Options{Table: echoTable, Accepts: ToEditor})
	setup(bridge)
	bridge.Start()
	editor.Start()
	b.Cleanup(func() { editor.Close(time.Second); bridge.Close(time.Second) })
	return bridge, editor
}

func benchNotify(b *testing.B, size int) {
	all := make(chan bool)
	n := 0
	_, editor := pipes(b, func(bridge *Conn) {
		bridge.HandleNotification("count", func(json.RawMessage) {
			if n++; n == b.N {
				close(all)
			}
		})
	})
	params := map[string]string{"text": strings.Repeat("x", size)}
	b.ReportAllocs()
	b.SetBytes(int64(size))
	b.ResetTimer()
	for range b.N {
		if err := editor.NotifyOutput(context.Background(), "count", params); err != nil {
			b.Fatal(err)
		}
	}
	<-all
}

func BenchmarkNotifySmall(b *testing.B) { benchNotify(b, 20) }
func BenchmarkNotify8K(b *testing.B)    { benchNotify(b, 8<<10) }
func BenchmarkNotify64M(b *testing.B)   { benchNotify(b, 60<<20) }

func benchCall(b *testing.B, c *Conn) {
	params := []int{1}
	var got []int
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Call(context.Background(), "echo", params, &got); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallPipe(b *testing.B) {
	_, editor := pipes(b, func(bridge *Conn) { bridge.HandleRequest("echo", echo) })
	benchCall(b, editor)
}

func BenchmarkCallChildStdio(b *testing.B) {
	cmd := role(b, "echo")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c := New(halves{bufio.NewReader(out), in, func() { in.Close() }}, Options{Table: echoTable, Accepts: ToEditor})
	c.Start()
	benchCall(b, c)
	c.Close(0)
	cmd.Wait()
}
