package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"time"

	"drawbridge/approval"
	"drawbridge/tools"
)

// broken is a tool with a fault of its own.
type broken struct{}

func (broken) Spec() tools.Spec { return tools.Spec{Name: "broken", Access: tools.Read} }

func (broken) Plan(context.Context, tools.Env, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Access: tools.Read, Run: func(context.Context, tools.Accepted, tools.Output) (tools.Result, error) {
		time.Sleep(time.Millisecond)
		return tools.Result{}, fmt.Errorf("look: %w", &fs.PathError{Op: "open", Path: "x"})
	}}, nil
}

// Every call is measured once, whatever became of it.
//
// Cases: M-MET-01
func TestEveryCallIsMeasured(t *testing.T) {
	var mu sync.Mutex
	var got []string
	took := map[string]time.Duration{}
	b := newBench(t, func(o *Options) {
		o.Policy = func(string, []string) approval.Policy {
			return approval.Policy{Tools: map[string]approval.ToolPolicy{"write_file": approval.ToolDeny}}
		}
		o.Tools = func(profile string) (tools.Toolset, error) {
			set, err := tools.Profile(profile)
			set.Tools = append(set.Tools, broken{})
			return set, err
		}
		o.Measure = func(m Measured) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, m.Tool+": "+m.Failure)
			took[m.Tool] = m.Duration
		}
	})
	b.file(t, "a.txt", "one\n")
	b.model.then(callTools(
		"1", "read_file", `{"file_path":"a.txt"}`,
		"2", "read_file", `{"file_path":"missing"}`,
		"3", "write_file", `{"file_path":"a.txt","content":"two"}`, // denied
		"4", "no_such_tool", `{}`,
		"5", "broken", `{}`,
	)).then(say("ok"))
	prompt(t, b.start(t), "go")
	slices.Sort(got)
	want := []string{
		"broken: *fs.PathError", "no_such_tool: tool_error",
		"read_file: ", "read_file: tool_error", "write_file: tool_error",
	}
	if !slices.Equal(got, want) {
		t.Errorf("measured %q", got)
	}
	if took["broken"] < time.Millisecond || took["write_file"] != 0 {
		t.Errorf("durations: %v", took)
	}
}
