package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// The words of the scripts' own commands are Go strings without their quotes,
// each repeated N times if it ends in *N; several are joined.
var repeated = regexp.MustCompile(`(?s)^(.*)\*(\d+)$`)

func unquoted(ts *testscript.TestScript, words []string) string {
	var b strings.Builder
	for _, w := range words {
		n := 1
		if m := repeated.FindStringSubmatch(w); m != nil {
			w = m[1]
			n, _ = strconv.Atoi(m[2])
		}
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(w, "\n", `\n`), `"`, `\"`) + `"`)
		if err != nil {
			ts.Fatalf("%q: %v", w, err)
		}
		b.WriteString(strings.Repeat(text, n))
	}
	return b.String()
}

func affirmative(ts *testscript.TestScript, neg bool) {
	if neg {
		ts.Fatalf("this command has no negation")
	}
}

// put FILE TEXT... writes a file byte for byte.
func cmdPut(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(unquoted(ts, args[1:])), 0o644))
}

// holds FILE TEXT... compares a file byte for byte.
func cmdHolds(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	if got, want := ts.ReadFile(args[0]), unquoted(ts, args[1:]); got != want {
		ts.Fatalf("%s holds %s\nand not   %s", args[0], brief(got), brief(want))
	}
}

// mode FILE -rw-r--r-- compares what ls shows; a link is not followed.
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	info, err := os.Lstat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := info.Mode().String(); got != args[1] {
		ts.Fatalf("mode of %s is %s, not %s", args[0], got, args[1])
	}
}

// exits CODE PROGRAM ARG... is exec for one exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	err := ts.Exec(args[1], args[2:]...)
	if got := fmt.Sprint(exitCode(err)); got != args[0] {
		ts.Fatalf("exit code is %s, not %s", got, args[0])
	}
}

// exitCode of what os/exec returned; -1 when it did not exit by itself.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// lastAnswer is the key of what the last call answered.
type lastAnswer struct{}

// ownWords are the words of a program without those about what it found of others:
// beside these tests run some that kill bridges, whose commands the next one ends.
func ownWords(stderr string) string {
	return regexp.MustCompile(`(?m)^drawbridge: ended what an earlier bridge left behind .*\n`).ReplaceAllString(stderr, "")
}

// call TOOL ARGUMENTS [FLAG...] makes one tool call under allow-all. The
// arguments are handed over as they stand.
func cmdCall(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	flags := append([]string{"tool", args[0], "--approve", "allow-all"}, args[2:]...)
	cmd := exec.Command("drawbridge", flags...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	cmd.Stdin = strings.NewReader(args[1])
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	answer := ts.Value(lastAnswer{}).(*toolResult)
	*answer = toolResult{}
	if err != nil || json.Unmarshal(out, answer) != nil || ownWords(stderr.String()) != "" {
		ts.Fatalf("tool %s: %v, wrote %s%s", args[0], err, out, stderr.String())
	}
	ts.Logf("[%s] %s", answer.Status, brief(answer.Text))
}

// scriptEnv is the environment that exec uses.
func scriptEnv(ts *testscript.TestScript) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + ts.Getenv("TMPDIR"), "GOCOVERDIR=" + ts.Getenv("GOCOVERDIR")}
	for _, kv := range hermetic("") {
		name, _, _ := strings.Cut(kv, "=")
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// text STATUS TEXT... compares the whole answer.
func cmdText(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	answer := ts.Value(lastAnswer{}).(*toolResult)
	if want := unquoted(ts, args[1:]); string(answer.Status) != args[0] || answer.Text != want {
		ts.Fatalf("answer is %s %s\nand not   %s %s", answer.Status, brief(answer.Text), args[0], brief(want))
	}
}

// says STATUS PART... wants each part somewhere in the answer; ! says PART...
// wants none.
func cmdSays(ts *testscript.TestScript, neg bool, args []string) {
	answer := ts.Value(lastAnswer{}).(*toolResult)
	if !neg {
		if string(answer.Status) != args[0] {
			ts.Fatalf("answer is %s, not %s", answer.Status, args[0])
		}
		args = args[1:]
	}
	for _, a := range args {
		if part := unquoted(ts, []string{a}); strings.Contains(answer.Text, part) == neg {
			ts.Fatalf("%s in the answer %s", brief(part), brief(answer.Text))
		}
	}
}

// measures LEAST MOST bounds the bytes of the answer's text.
func cmdMeasures(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	size := len(ts.Value(lastAnswer{}).(*toolResult).Text)
	least, err := strconv.Atoi(args[0])
	ts.Check(err)
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	if size < least || size > most {
		ts.Fatalf("the answer has %d bytes, not %d to %d", size, least, most)
	}
}

// diff STATE TEXT... compares the state and the unified diff of the change,
// without its two lines of file names.
func cmdDiff(ts *testscript.TestScript, neg bool, args []string) {
	affirmative(ts, neg)
	change := ts.Value(lastAnswer{}).(*toolResult).Change
	if change == nil {
		ts.Fatalf("the answer has no change")
	}
	_, hunks, _ := strings.Cut(change.Diff, "\n+++")
	_, hunks, _ = strings.Cut(hunks, "\n")
	if want := unquoted(ts, args[1:]); change.State != args[0] || hunks != want {
		ts.Fatalf("change is %s %s\nand not   %s %s", change.State, brief(hunks), args[0], brief(want))
	}
}

// brief quotes a text, a long one in part.
func brief(s string) string {
	const most = 800
	if len(s) > most {
		return fmt.Sprintf("%q…%q (%d bytes)", s[:most/2], s[len(s)-most/2:], len(s))
	}
	return strconv.Quote(s)
}
