package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// crash is a folder with one file in it, on which the program is killed.
type crash struct {
	t         *testing.T
	home, dir string
}

// newCrash makes dir/a.txt with mode 0640, unless before is "".
func newCrash(t *testing.T, home, before string) *crash {
	t.Helper()
	w := &crash{t: t, home: home, dir: tempDir(t)}
	if err := os.Mkdir(filepath.Join(w.dir, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	if before != "" {
		w.put("a.txt", before)
	}
	return w
}

func (w *crash) path(name string) string { return filepath.Join(w.dir, "dir", name) }

func (w *crash) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o640); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(w.path(name), 0o640); err != nil {
		w.t.Fatal(err)
	}
}

// command is the program about to make one call.
func (w *crash) command(tool string, args object) *exec.Cmd {
	w.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		w.t.Fatal(err)
	}
	given := filepath.Join(tempDir(w.t), "args")
	if err := os.WriteFile(given, raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
	in, err := os.Open(given)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { in.Close() })
	cmd := exec.Command("drawbridge", "tool", tool, "--approve", "allow-all", "--workspace", w.dir)
	cmd.Env = append(hermetic(w.home), "PATH="+os.Getenv("PATH"))
	cmd.Stdin = in
	return cmd
}

// check says which of two contents the file has. It has no third, and no other
// mode.
func (w *crash) check(before, after string) string {
	w.t.Helper()
	got, err := os.ReadFile(w.path("a.txt"))
	switch {
	case os.IsNotExist(err) && before == "":
		return "old"
	case err != nil:
		w.t.Fatal(err)
	}
	info, err := os.Stat(w.path("a.txt"))
	if err != nil {
		w.t.Fatal(err)
	}
	if before != "" && info.Mode() != 0o640 {
		w.t.Errorf("the mode is %v", info.Mode())
	}
	switch string(got) {
	case before:
		return "old"
	case after:
		return "new"
	}
	w.t.Errorf("the file is neither: %d bytes of %d or %d", len(got), len(before), len(after))
	return "torn"
}

// temporary is the name of what a kill may leave.
var temporary = regexp.MustCompile(`^\.[a-z0-9.]+\.[a-z2-7]{10}\.tmp$`)

// strays counts what was left beside the files.
func (w *crash) strays() (n int) {
	w.t.Helper()
	list, err := os.ReadDir(filepath.Join(w.dir, "dir"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range list {
		switch name := e.Name(); {
		case temporary.MatchString(name):
			n++
		case !strings.HasSuffix(name, ".txt"):
			w.t.Errorf("%s was left", name)
		}
	}
	return n
}

// goesOn makes the call again, in what a kill left, to its end. A day later the
// next one takes that away.
func (w *crash) goesOn(tool string, args object, before, after string) {
	w.t.Helper()
	if w.check(before, after) == "new" {
		if before == "" {
			if err := os.Remove(w.path("a.txt")); err != nil {
				w.t.Fatal(err)
			}
		} else {
			w.put("a.txt", before)
		}
	}
	list, err := os.ReadDir(filepath.Join(w.dir, "dir"))
	if err != nil {
		w.t.Fatal(err)
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	for _, e := range list {
		if temporary.MatchString(e.Name()) {
			if err := os.Chtimes(w.path(e.Name()), yesterday, yesterday); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	if out, err := w.command(tool, args).CombinedOutput(); err != nil || !strings.Contains(string(out), `"completed"`) {
		w.t.Errorf("after the kill: %v\n%s", err, brief(string(out)))
	}
	if w.check(before, after) != "new" || w.strays() > 0 {
		w.t.Errorf("after the kill the file is not written, or %d strays are left", w.strays())
	}
}

// TestKilledAtAnyMomentOfManyCommits kills a program that writes as fast as it
// can, at random moments. Files are of a version, whole, and never of one that
// is older than what was answered for.
func TestKilledAtAnyMomentOfManyCommits(t *testing.T) {
	t.Parallel()
	rounds := 40
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		rounds = 1000
	}
	w := newCrash(t, tempDir(t), edition(0))
	at, inBetween := 0, 0
	for round := range rounds {
		told := w.killWriting(round, at)
		now := w.version()
		if now < told {
			t.Fatalf("round %d: version %d stands, %d was answered for", round, now, told)
		}
		if now > told {
			inBetween++
		}
		at = now
		w.checkCreated(round)
	}
	t.Logf("%d rounds to version %d; %d kills came before an answer and after its effect; %d strays", rounds, at, inBetween, w.strays())
	if at < rounds {
		t.Errorf("only %d commits in %d rounds", at, rounds)
	}
}

// edition is the nth content of the file: of a size of its own, and with its
// number at both ends.
func edition(n int) string {
	return fmt.Sprintf("version %d\n%sversion %d\n", n, strings.Repeat(strings.Repeat(string(rune('a'+n%26)), 79)+"\n", 200+n%100), n)
}

// killWriting has the program write version after version from at on, and new
// files between them, and kills it. It returns the last version answered for.
func (w *crash) killWriting(round, at int) (told int) {
	w.t.Helper()
	cmd := exec.Command("drawbridge", "tool", "--batch", "--approve", "allow-all", "--workspace", w.dir)
	cmd.Env = append(hermetic(w.home), "PATH="+os.Getenv("PATH"))
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go w.ask(in, round, at)
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 1<<20)
	told = at
	for answers.Scan() {
		if strings.Contains(answers.Text(), `Overwrote`) {
			if told++; told == at+1 { // it works: from now on anything can be cut
				time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			}
		} else if !strings.Contains(answers.Text(), `Created`) {
			w.t.Errorf("answered %s", brief(answers.Text()))
		}
	}
	_ = cmd.Wait()
	return told
}

// ask sends calls until nobody takes them.
func (w *crash) ask(in io.WriteCloser, round, at int) {
	defer in.Close()
	calls := json.NewEncoder(in)
	for n := at + 1; ; n++ {
		write := object{"name": "write_file", "args": object{"file_path": "dir/a.txt", "content": edition(n)}}
		name := fmt.Sprintf("dir/new%d.%d.txt", round, n)
		create := object{"name": "write_file", "args": object{"file_path": name, "content": edition(n)}}
		if calls.Encode(write) != nil || calls.Encode(create) != nil {
			return
		}
	}
}

// version tells which one stands.
func (w *crash) version() int {
	w.t.Helper()
	text, err := os.ReadFile(w.path("a.txt"))
	if err != nil {
		w.t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscanf(string(text), "version %d\n", &n); err != nil || string(text) != edition(n) {
		w.t.Fatalf("the file is no version: %s", brief(string(text)))
	}
	return n
}

// checkCreated checks the files that a round made, and takes them away.
func (w *crash) checkCreated(round int) {
	w.t.Helper()
	made, err := filepath.Glob(w.path(fmt.Sprintf("new%d.*.txt", round)))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range slices.Sorted(slices.Values(made)) {
		var n int
		_, err := fmt.Sscanf(strings.TrimPrefix(filepath.Base(path), fmt.Sprintf("new%d.", round)), "%d.txt", &n)
		text, rerr := os.ReadFile(path)
		if err != nil || rerr != nil || string(text) != edition(n) {
			w.t.Errorf("%s is not whole: %s", path, brief(string(text)))
		}
		if err := os.Remove(path); err != nil {
			w.t.Fatal(err)
		}
	}
}
