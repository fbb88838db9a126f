package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be a guard, and a bridge and an editor for tests
// to kill.
func TestMain(m *testing.M) {
	GuardMain()
	if os.Getenv(editorEnv) != "" {
		runEditor()
	}
	if scripts := os.Getenv(bridgeEnv); scripts != "" {
		runBridge(strings.Split(scripts, "\x1e"))
	}
	os.Exit(m.Run())
}

// bridgeEnv holds the scripts that a bridge under test runs, all over pipes but
// those that begin with "tty:".
const bridgeEnv = "SHELL_TEST_BRIDGE"

// runBridge starts commands, passes their output on and waits to be killed.
func runBridge(scripts []string) {
	if err := FollowParent(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	l := NewRunner(Options{})
	for _, script := range scripts {
		script, tty := strings.CutPrefix(script, "tty:")
		_, err := l.Start(Spec{
			Script: script, TTY: tty, Dir: "/",
			Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")},
			Tap: func(p []byte) { os.Stderr.Write(p) },
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Fprintf(os.Stderr, "bridge=%d\n", os.Getpid())
	time.Sleep(time.Hour) // it is killed before
	os.Exit(1)
}

// editorEnv makes the test binary an editor, which starts a bridge with the
// scripts of bridgeEnv and waits to be killed.
const editorEnv = "SHELL_TEST_EDITOR"

func runEditor() {
	bridge := exec.Command(os.Args[0])
	bridge.Env = append(os.Environ(), editorEnv+"=")
	bridge.Stderr = os.Stderr
	if err := bridge.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bridge.Wait()
	time.Sleep(time.Hour) // it is killed before
}
