//go:build unix

package headless

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl-C at the terminal from the bridge: it is for us, who
// cancel the turn first.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
