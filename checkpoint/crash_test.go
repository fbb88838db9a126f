package checkpoint

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// writerRole is the variable that turns the test binary into a process that
// keeps and writes a file, version after version, until it is killed.
const writerRole = "DRAWBRIDGE_TEST_KEEPS_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerRole); dir != "" {
		fmt.Fprintln(os.Stderr, keepFor(dir, os.Getenv(writerRole+"_JOURNAL")))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// version is the nth content of a file: of a size of its own, and with its
// number at both ends.
func version(n int) string {
	return fmt.Sprintf("version %d\n%sversion %d\n", n, strings.Repeat(strings.Repeat(string(rune('a'+n%26)), 79)+"\n", 20+n%30), n)
}

// keepFor does what a session does: it keeps what the file holds, then replaces
// it, and says on standard output which version stands. Every few versions it
// makes room as well.
func keepFor(dir, name string) error {
	s := Open(filepath.Join(dir, "store"))
	file := filepath.Join(dir, name+".txt")
	j, err := OpenJournal(filepath.Join(dir, name), s)
	if err != nil {
		return err
	}
	n, text := 0, ""
	if raw, err := os.ReadFile(file); err == nil {
		text = string(raw)
		fmt.Sscanf(text, "version %d\n", &n)
	}
	for {
		id, err := j.Begin(Begin{Time: time.Now()})
		if err != nil {
			return err
		}
		next := version(n + 1)
		_, err = j.Keep(Kept{
			Checkpoint: id, Path: file, Before: State{Exists: text != ""}, Text: text, After: &State{Exists: true}, Left: next,
		})
		if err != nil {
			return err
		}
		if err := os.WriteFile(file+".new", []byte(next), 0o600); err != nil {
			return err
		}
		if err := os.Rename(file+".new", file); err != nil {
			return err
		}
		n, text = n+1, next
		fmt.Println(n)
		if n%8 == 0 {
			if _, err := s.Prune(ownersIn(dir), Limits{Bytes: -1}); err != nil {
				return err
			}
		}
	}
}

func ownersIn(dir string) []Owner {
	return []Owner{{Journal: filepath.Join(dir, "one")}, {Journal: filepath.Join(dir, "two")}}
}

// TestKilledWhileItKeeps kills two processes that share a store, at random
// moments. Then each version that was ever replaced is there, whole, and the
// journals tell of no damage.
func TestKilledWhileItKeeps(t *testing.T) {
	rounds := 15
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		rounds = 500
	}
	dir := t.TempDir()
	for round := range rounds {
		told := map[string]int{}
		killed := map[string]*exec.Cmd{}
		lines := map[string]*bufio.Scanner{}
		for _, name := range []string{"one", "two"} {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), writerRole+"="+dir, writerRole+"_JOURNAL="+name)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed[name], lines[name] = cmd, bufio.NewScanner(out)
		}
		for _, cmd := range killed {
			time.AfterFunc(20*time.Millisecond+time.Duration(rand.IntN(80_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
		for name, in := range lines {
			for in.Scan() {
				told[name], _ = strconv.Atoi(in.Text())
			}
			_ = killed[name].Wait()
		}
		for name := range killed {
			checkKept(t, dir, name, told[name])
		}
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	s := Open(filepath.Join(dir, "store"))
	if _, err := s.Prune(ownersIn(dir), Limits{Bytes: -1}); err != nil {
		t.Fatal(err)
	}
	if _, scraps, err := s.walk(); err != nil || len(scraps) > 0 {
		t.Errorf("left behind: %q, %v", scraps, err)
	}
}

// checkKept checks that whatever was replaced of a file was kept before.
func checkKept(t *testing.T, dir, name string, told int) {
	t.Helper()
	s := Open(filepath.Join(dir, "store"))
	j, err := OpenJournal(filepath.Join(dir, name), s)
	if err != nil {
		t.Error(err)
		return
	}
	for _, c := range j.Checkpoints() {
		if c.Damaged {
			t.Errorf("%s: %s is damaged", name, c.ID)
		}
	}
	have := map[string]bool{}
	for _, step := range j.Steps() {
		if !step.Before.Exists {
			have[""] = true
			continue
		}
		text, err := s.Get(step.Before.Sum)
		if err != nil {
			t.Errorf("%s: %s: %v", name, step.Checkpoint, err)
		}
		have[text] = true
	}
	raw, err := os.ReadFile(filepath.Join(dir, name+".txt"))
	now := 0
	if err == nil {
		fmt.Sscanf(string(raw), "version %d\n", &now)
		if string(raw) != version(now) {
			t.Errorf("%s: the file is no version", name)
		}
	}
	if now < told {
		t.Errorf("%s: version %d stands, %d was told", name, now, told)
	}
	for n := range now {
		want := ""
		if n > 0 {
			want = version(n)
		}
		if !have[want] {
			t.Errorf("%s: version %d was replaced and is not kept", name, n)
		}
	}
}
