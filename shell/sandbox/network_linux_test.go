package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drawbridge/shell"
)

// A server that one command left in the background is reached by the next one
// of its session, by no other session, and not from outside.
func TestCommandsOfASessionShareANetwork(t *testing.T) {
	b := newBoxed(t)
	runner := shell.NewRunner(shell.Options{})
	defer runner.Close(context.Background())
	server := shell.Spec{Script: "python3 -m http.server 8123 --bind 127.0.0.1", Dir: b.root, Env: os.Environ(), Confinement: b.box}
	if _, err := runner.Start(server); err != nil {
		t.Fatal(err)
	}
	b.does("for i in $(seq 100); do curl -s -o /dev/null 127.0.0.1:8123 && break; sleep 0.1; done; echo up", "up")
	b.does("curl -s 127.0.0.1:8123 | head -c 9", "<!DOCTYPE")
	newBoxed(t).doesNot("curl -s -m 2 127.0.0.1:8123")
	b.doesNot("curl -s -m 2 1.1.1.1")
}

// Nothing is left of a network when the program lets go, and another is made
// where the keeper of one was killed.
func TestANetworkEndsAndIsMadeAnew(t *testing.T) {
	b := newBoxed(t)
	b.does("echo hi", "hi")
	keeper := keeperOfTests(t)
	p, err := os.FindProcess(keeper)
	if err != nil || p.Kill() != nil {
		t.Fatal("the keeper cannot be killed")
	}
	for start := time.Now(); time.Since(start) < 30*time.Second && alive(keeper); time.Sleep(10 * time.Millisecond) {
	}
	b.does("echo again", "again")
	keeper = keeperOfTests(t)
	LetGo()
	if alive(keeper) {
		t.Error("the keeper of a network is left")
	}
}

// keeperOfTests is the one keeper of this process.
func keeperOfTests(t *testing.T) int {
	t.Helper()
	networkMu.Lock()
	defer networkMu.Unlock()
	for _, n := range networks {
		if !isClosed(n.ended) {
			return n.keeper
		}
	}
	t.Fatal("there is no network")
	return 0
}

func alive(pid int) bool {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(line), ") Z ")
}
