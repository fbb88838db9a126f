package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// headlessly makes a run without a terminal.
func headlessly(t *testing.T, args ...string) (cmd *exec.Cmd, out *buffer) {
	t.Helper()
	cmd, out = exec.Command("drawbridge", append([]string{"run"}, args...)...), &buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = tempDir(t), out, out
	cmd.Env = slices.Concat(hermetic(tempDir(t)), []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + tempDir(t)})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("output:\n%s", out.String())
		}
	})
	return cmd, out
}

// A signal to the run cancels the turn, and nothing of its command is left when
// the run ends.
func TestASignalCancelsARun(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			m := mark()
			cmd, out := headlessly(t, "wait", "--approve", "allow-all", "--model", played(t, family(m)))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for limit := time.Now().Add(patience); !strings.Contains(out.String(), "I am up"); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatal("the command does not start")
				}
			}
			cmd.Process.Signal(sig)
			if got := exitCode(cmd.Wait()); got != 130 {
				t.Errorf("exit code is %d, want 130", got)
			}
			if !strings.Contains(out.String(), "[interrupted: tool aborted by user]") || !strings.Contains(out.String(), "\ncancelled") {
				t.Error("it is not said that the turn was cancelled")
			}
			checkGone(t, m, time.Second)
		})
	}
}

// The time limit ends a command as a person would. A busy machine may need more
// than the first until a command runs.
func TestATimeLimitEndsTheCommand(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"1s", "5s", "30s"} {
		m := mark()
		cmd, out := headlessly(t, "wait", "--max-time", limit, "--approve", "allow-all", "--model", played(t, family(m)))
		if got := exitCode(cmd.Run()); got != 3 {
			t.Errorf("exit code is %d, want 3", got)
		}
		if !strings.Contains(out.String(), "\ncancelled: the time limit of "+limit+" was reached") {
			t.Error("the limit is not named as the end")
		}
		checkGone(t, m, time.Second)
		if !strings.Contains(out.String(), "I am up") {
			continue
		}
		if !strings.Contains(out.String(), "s: the time limit of "+limit+" was reached)\n") {
			t.Error("the limit is not named to the model")
		}
		return
	}
	t.Error("the command never ran")
}

// line is one line of run --json.
type line struct {
	Method string `json:"method"`
	Params struct {
		Seq        int64  `json:"seq"`
		SessionID  string `json:"sessionId"`
		CallID     string `json:"callId"`
		Status     string `json:"status"`
		StopReason string `json:"stopReason"`
		Cause      string `json:"cause"`
		Hint       string `json:"hint"`
		Data       string `json:"data"`
	} `json:"params"`
}

// jsonLines reads what run --json wrote. Each line is one object of two members.
func jsonLines(t *testing.T, text string) []line {
	t.Helper()
	var all []line
	for raw := range strings.Lines(text) {
		var members map[string]json.RawMessage
		var l line
		if err := json.Unmarshal([]byte(raw), &members); err != nil || len(members) != 2 || !strings.HasSuffix(raw, "\n") {
			t.Fatalf("line %s: %v", brief(raw), err)
		}
		if err := json.Unmarshal([]byte(raw), &l); err != nil || l.Method == "" {
			t.Fatalf("line %s: %v", brief(raw), err)
		}
		all = append(all, l)
	}
	if len(all) == 0 || all[len(all)-1].Method != "run/ended" {
		t.Fatal("the last line is not run/ended")
	}
	return all
}

// The lines are the events of the turn, complete and in order, and nothing else.
func TestJSONLinesAreTheEventsOfTheTurn(t *testing.T) {
	t.Parallel()
	cmd, out := headlessly(t, "go", "--json", "--approve", "auto-edit", "--model", played(t, `text "first\n"
call c1 write_file {"file_path":"a.txt","content":"one\ntwo\n"}
call c2 exec_command {"cmd":"true"}
call c3 no_such_tool {}
----
text "done"`))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	lines := jsonLines(t, out.String())
	var order []string
	var seq int64
	open, ended := map[string]bool{}, 0
	for _, l := range lines {
		if l.Params.Seq != 0 && l.Params.Seq <= seq {
			t.Errorf("%s has seq %d after %d", l.Method, l.Params.Seq, seq)
		}
		seq = max(seq, l.Params.Seq)
		switch l.Method {
		case "turn/started", "turn/completed", "run/ended", "change/updated":
			order = append(order, l.Method)
		case "toolCall/started":
			open[l.Params.CallID] = true
		case "toolCall/completed":
			if !open[l.Params.CallID] {
				t.Errorf("call %s completed and was not open", l.Params.CallID)
			}
			delete(open, l.Params.CallID)
			ended++
		}
	}
	if ended != 3 || len(open) > 0 {
		t.Errorf("%d calls completed, %v are open", ended, open)
	}
	if got := strings.Join(slices.Compact(order), " "); got != "turn/started change/updated turn/completed run/ended" {
		t.Errorf("the order is %s", got)
	}
	if end := lines[len(lines)-1].Params; end.StopReason != "endTurn" || end.SessionID == "" {
		t.Errorf("the end is %+v", end)
	}
}

// A run that could not begin has a last line too, with the cause and the remedy.
func TestJSONLinesTellOfAFailure(t *testing.T) {
	t.Parallel()
	cmd, out := headlessly(t, "go", "--json")
	if got := exitCode(cmd.Run()); got != 1 {
		t.Errorf("exit code is %d, want 1", got)
	}
	lines := jsonLines(t, out.String())
	end := lines[len(lines)-1].Params
	if end.StopReason != "error" || end.Cause != "no model is set up" || !strings.Contains(end.Hint, "ANTHROPIC_API_KEY") {
		t.Errorf("the end is %+v", end)
	}
}

// The definitions that a model is given have a fixed shape: nothing but name,
// description and parameters leaves the program.
func TestToolDefinitionsHaveTheirShape(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("drawbridge", "tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	var defs []map[string]json.RawMessage
	if err := json.Unmarshal(out, &defs); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range defs {
		var name string
		var schema struct {
			Type       string
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		if json.Unmarshal(d["name"], &name) != nil || json.Unmarshal(d["parameters"], &schema) != nil || len(d) != 3 || len(d["description"]) < 100 {
			t.Errorf("definition %s", d["name"])
		}
		names = append(names, name)
		if schema.Type != "object" {
			t.Errorf("%s takes a %q", name, schema.Type)
		}
		for _, r := range schema.Required {
			if schema.Properties[r].Description == "" {
				t.Errorf("%s requires %s and does not describe it", name, r)
			}
		}
	}
	if got := strings.Join(names, " "); got != "exec_command input_command kill_command read_file edit_file write_file read_image describe_image run_subagent input_subagent kill_subagent" {
		t.Errorf("the tools are %s", got)
	}
}

// The schema of the wire is a JSON Schema that names the methods.
func TestTheProtocolIsValidJSON(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("drawbridge", "protocol").Output()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(out, &schema); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"session/prompt", "approval/request", "terminal/output"} {
		if !strings.Contains(string(out), `"`+method+`"`) {
			t.Errorf("the schema does not name %s", method)
		}
	}
}

// A command in the background ends with the run, which names it, for people and
// for programs.
func TestARunNamesWhatItStops(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"", "--json"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			m := mark()
			args := []string{"go", "--approve", "allow-all", "--preset", "full-access", "--model", played(t, `call c1 exec_command {"cmd":"sleep `+m+`","run_in_background":true}
call c2 exec_command {"cmd":"true"}
----
text "It runs."`)}
			want := "stopped  sleep " + m
			if flag != "" {
				args, want = append(args, flag), `"stopped":["sleep `+m+`"]`
			}
			cmd, out := headlessly(t, args...)
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			if text := out.String(); !strings.Contains(text, want) || strings.Contains(text, "stopped  true") {
				t.Error("what was stopped is not named")
			}
			checkGone(t, m, 3*time.Second)
		})
	}
}

// No mode lifts a preset: without a person nothing leaves the sandbox, also when
// everything else is allowed.
func TestNobodyLetsACommandLeaveTheSandbox(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system has no sandbox to leave")
	}
	t.Parallel()
	cmd, out := headlessly(t, "go", "--approve", "allow-all", "--model", played(t,
		`call c1 exec_command {"cmd":"touch ran","sandbox_permissions":"require_escalated","justification":"for fun"}
----
want c1 "Tool call denied by user."
want c1 "nobody is there to ask (asks to run outside the sandbox: for fun)"
text "It did not run."`))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "It did not run.") {
		t.Error("the model was not told")
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "ran")); err == nil {
		t.Error("it ran")
	}
}
