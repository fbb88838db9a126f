package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fillDisk goes on until nothing more can be recorded, again after there is a
// little room, and once more when there is enough.
const fillDisk = `set -e
mkdir -p "$XDG_STATE_HOME"
mount -t tmpfs -o size=400k none "$XDG_STATE_HOME"
drawbridge run first --approve allow-all --preset full-access --model script:$PWD/play.txt > began
head -c 300k /dev/zero > "$XDG_STATE_HOME/full" 2> /dev/null || true
head -c 300k /dev/zero >> "$XDG_STATE_HOME/full" 2> /dev/null || true
drawbridge run --continue second --approve allow-all --preset full-access --model script:$PWD/play.txt > full 2>&1 && { echo not full; exit 1; }
drawbridge session verify --all
for room in 299 298 297 290; do
	head -c ${room}k /dev/zero > "$XDG_STATE_HOME/full"
	drawbridge run --continue third --approve allow-all --preset full-access --model script:$PWD/play.txt >> full 2>&1 || true
	drawbridge session verify --all
done
rm "$XDG_STATE_HOME/full"
drawbridge run --continue last --approve allow-all --preset full-access --model script:$PWD/play.txt
drawbridge session verify --all
drawbridge session show --decisions s
`

func TestTheRecordOutlivesAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	play := "call c1 exec_command {\"cmd\":\"yes out | head -c 9000\"}\n----\ntext \"" + strings.Repeat("well ", 2000) + "\"\n"
	if err := os.WriteFile(filepath.Join(dir, "play.txt"), []byte(play), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := mounting(t)
	cmd.Args = append(cmd.Args, "sh", "-c", fillDisk)
	cmd.Dir = dir
	cmd.Env = append(hermetic(filepath.Join(dir, "home")), "PATH="+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	if _, began := os.Stat(filepath.Join(dir, "began")); began != nil {
		t.Skipf("skipped: this system lets nobody mount: %v %s", err, said)
	}
	if err != nil {
		full, _ := os.ReadFile(filepath.Join(dir, "full"))
		t.Fatalf("%v\n%s\n%s", err, said, full)
	}
	if strings.Contains(string(said), "it is not what was written") {
		t.Errorf("%s", said)
	}
}
