package lsp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The client's death is seen even though its pipe stays open.
func TestTheClientsProcessIsWatched(t *testing.T) {
	client := exec.Command("sleep", "60")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	e := connect(t, Options{})
	defer e.disconnect()
	params := fmt.Sprintf(`{"processId":%d,"rootUri":null,"capabilities":{}}`, client.Process.Pid)
	if _, err := e.call("initialize", params); err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.face.Exited():
		t.Fatal("left while the client lives")
	default:
	}
	_ = client.Process.Kill()
	_ = client.Wait()
	select {
	case <-e.face.Exited():
	case <-time.After(30 * time.Second):
		t.Fatal("the client's death went unnoticed")
	}
	if code := e.face.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// A process that cannot be seen from here is no reason to leave.
func TestAnUnknownProcessIsNotWatched(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	e := connect(t, Options{})
	defer e.disconnect()
	params := fmt.Sprintf(`{"processId":%d,"rootUri":null,"capabilities":{}}`, gone.Process.Pid)
	if _, err := e.call("initialize", params); err != nil {
		t.Fatal(err)
	}
	if _, err := e.call("shutdown", `null`); err != nil {
		t.Error(err)
	}
	select {
	case <-e.face.Exited():
		t.Error("left")
	default:
	}
}

// Watching ends with the face, not with the process.
func TestWatchingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	gone, err := processGone(ctx, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-gone:
		t.Error("this process is reported as gone")
	case <-time.After(20 * time.Millisecond):
	}
}
