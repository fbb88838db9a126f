package shelltest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

var marks atomic.Uint64

// newMark is a word that no other process of the machine has in its command
// line.
func newMark() string { return fmt.Sprintf("marked-%d-%d", os.Getpid(), marks.Add(1)) }

// Marked lists the command lines, of all living processes that can be seen, in
// which mark occurs. A pid would not do: in a sandbox it is another one.
func Marked(t *testing.T, mark string) (found []string) {
	t.Helper()
	for _, line := range commandLines(t) {
		if strings.Contains(line, mark) {
			found = append(found, line)
		}
	}
	return found
}

// commandLines has none of the dead that only nobody has waited for.
func commandLines(t *testing.T) (lines []string) {
	if runtime.GOOS != "linux" {
		text, err := exec.Command("ps", "-axww", "-o", "command").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if len(line) > 0 {
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}
