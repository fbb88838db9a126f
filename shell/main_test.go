package shell

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test binary be a watcher, and a bridge for tests to kill.
func TestMain(m *testing.M) {
	GuardMain()
	if scripts := os.Getenv(bridgeEnv); scripts != "" {
		runBridge(strings.Split(scripts, "\x1e"))
	}
	os.Exit(m.Run())
}

// bridgeEnv holds the scripts that a bridge under test runs, all over pipes but
// those that begin with "tty:". "bare:" does without a guard.
const bridgeEnv = "SHELL_TEST_BRIDGE"

// runBridge starts commands, passes their output on and waits to be killed.
func runBridge(scripts []string) {
	l := NewRunner(Options{})
	for _, script := range scripts {
		script, bare := strings.CutPrefix(script, "bare:")
		script, tty := strings.CutPrefix(script, "tty:")
		guardLinked.Store(!bare)
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
	select {}
}
