package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"drawbridge/shell"
	"drawbridge/shell/sandbox"
)

// A program that is run by `drawbridge sandbox` leaves nothing behind, however
// it ends and whoever is killed. So it takes two processes: the one that a
// person sees and may kill, which only passes on signals and the exit code, and
// its child, the keeper, which sets up the sandbox, starts the program, ends
// what is left of it, and then takes the sandbox down.

// keeperVariable tells a keeper that it is one. Its descriptor 3 ends with its
// parent.
const keeperVariable = "DRAWBRIDGE_SANDBOX_KEEPER"

// isKeeper is asked once: the variable is not for others.
func isKeeper() bool {
	_, told := os.LookupEnv(keeperVariable)
	os.Unsetenv(keeperVariable)
	return told
}

// underKeeper runs this very command line in a keeper.
func underKeeper() int {
	secludeDescriptors()
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	end, held, err := os.Pipe()
	if err != nil {
		return fail(err)
	}
	defer held.Close()
	signals := catchSignals()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), keeperVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, []*os.File{end}
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	end.Close()
	return await(cmd, signals, nil, func(sig syscall.Signal) { _ = cmd.Process.Signal(sig) })
}

// runLaunch starts l on our own input and output, hands signals on and returns
// its exit code when nothing is left of it.
func runLaunch(l shell.Launch) int {
	abandoned := make(chan struct{})
	go func() { // ends with the parent, or with this process
		_, _ = io.Copy(io.Discard, os.NewFile(3, "parent"))
		close(abandoned)
	}()
	secludeDescriptors()
	runtime.LockOSThread() // the child ends with this thread
	defer runtime.UnlockOSThread()
	if err := sandbox.Adopt(); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitNoSandbox
	}
	signals := catchSignals()
	cmd := exec.Command(l.Path, l.Args[1:]...)
	cmd.Args[0] = l.Args[0]
	cmd.Env, cmd.Dir, cmd.ExtraFiles, cmd.SysProcAttr = l.Env, l.Dir, l.Files, sandbox.Bound()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitNotRunning
	}
	for _, file := range l.Files {
		file.Close()
	}
	exit := await(cmd, signals, abandoned, func(sig syscall.Signal) { _ = syscall.Kill(sandbox.Leader(cmd.Process.Pid), sig) })
	if err := sandbox.EndBelow(); err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
	}
	return exit
}

func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	return signals
}

// await returns cmd's exit code, or 137 once nobody waits for it any more, and
// hands on the signals that come meanwhile. What a person types at a terminal
// has reached it by itself.
func await(cmd *exec.Cmd, signals <-chan os.Signal, abandoned <-chan struct{}, hand func(syscall.Signal)) int {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			if typed := sig == syscall.SIGINT || sig == syscall.SIGQUIT; !typed || !isTerminal(os.Stdin) {
				hand(sig.(syscall.Signal))
			}
		case err := <-ended:
			return exitOf(err, cmd.ProcessState)
		case <-abandoned:
			return 128 + int(syscall.SIGKILL)
		}
	}
}

// exitOf is the exit code of a program as a shell has it.
func exitOf(err error, state *os.ProcessState) int {
	if state == nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitFault
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// maxInherited is one more than the highest descriptor that is looked for.
const maxInherited = 1024

// secludeDescriptors keeps from the program what we were given besides our
// input and output.
func secludeDescriptors() {
	for fd := 3; fd < maxInherited; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// removeTmp removes the program's folder for temporary files once nothing of it
// is left. Some programs leave folders that nobody may write to.
func removeTmp(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "drawbridge: temporary files are left: "+err.Error())
	}
}
