package search

import (
	"os/exec"
	"syscall"
)

// endWithUs has the program end when the thread does that starts it, so also when
// the bridge is killed.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
