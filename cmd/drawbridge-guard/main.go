// Command drawbridge-guard stands between the bridge and one command, so that
// nothing of the command is left behind however either of them ends. The bridge
// starts it; a person has no use for it.
package main

import (
	"os"

	"drawbridge/shell/guard"
	"drawbridge/shell/sandbox/stage"
)

func main() {
	guard.Main()
	stage.Main()
	os.Stderr.WriteString("drawbridge-guard is started by drawbridge, not by hand\n")
	os.Exit(2)
}
