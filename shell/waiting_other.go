//go:build !linux

package shell

// waitsForInput cannot be told here: no call says what another process waits
// for without its debugging. Status.Waiting stays false.
func (c *command) waitsForInput() bool { return false }
