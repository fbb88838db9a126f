package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"drawbridge/shell"
	"drawbridge/shell/sandbox/stage"
)

// watcher is the name that a watcher of commands goes by.
const watcher = "drawbridge-guard"

// TestMain lets the test binary be the program under test, the watcher of its
// commands, and an editor to kill.
func TestMain(m *testing.M) {
	shell.GuardMain()
	stage.Main()
	if os.Args[0] == watcher {
		panic("a watcher must not run the tests: they would start watchers")
	}
	testscript.Main(m, map[string]func(){"drawbridge": main, heldEditor: holdBridge})
}

// TestScripts runs the files of testdata/script. Each has a home of its own and
// begins in an empty workspace, $WORK/ws; script_test.go has the commands that
// are not testscript's own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, hermetic(filepath.Join(e.WorkDir, "home"))...)
			e.Cd = filepath.Join(e.WorkDir, "ws")
			e.Values[lastAnswer{}] = new(toolResult)
			return os.MkdirAll(e.Cd, 0o755)
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"put": cmdPut, "holds": cmdHolds, "mode": cmdMode, "exits": cmdExits,
			"call": cmdCall, "text": cmdText, "says": cmdSays, "measures": cmdMeasures, "diff": cmdDiff,
			"web": cmdWeb, "picture": cmdPicture,
		},
	})
}

// hermetic is an environment that knows nothing of who runs the tests: no
// settings, no profile, no keys.
func hermetic(home string) []string {
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_RUNTIME_DIR=" + filepath.Join(home, "run"),
		"LANG=C.UTF-8", "SHELL=/bin/sh",
		"GORACE=atexit_sleep_ms=0", // else each program of a -race test takes a second to exit
	}
}
