package shell

import "time"

// SetPatience shortens the wait for a command that reads no input.
func SetPatience(p Process, d time.Duration) { p.(*command).keys.patience = d }
