package main

import (
	"io"
	"os"
	"os/exec"
)

// heldEditor is the name under which the test binary stands between a test and
// a bridge that it has spawned, as an editor does: to be killed.
const heldEditor = "held-editor"

// holdBridge spawns a bridge and passes bytes both ways. It has no way to end
// the bridge but to end itself.
func holdBridge() {
	cmd := exec.Command("drawbridge", os.Args[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	go func() { // ends with the process
		io.Copy(in, os.Stdin)
		in.Close()
	}()
	io.Copy(os.Stdout, out)
	cmd.Wait()
	os.Exit(cmd.ProcessState.ExitCode())
}
