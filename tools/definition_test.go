package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/tools"
)

const execSchema = `{"type":"object","properties":{"description":{"type":"string"},"cmd":{"type":"string"}},"required":["description","cmd"]}`

// definition is a whole one of exec_command.
func definition(change func(d *tools.Definition)) tools.Definition {
	d := tools.Definition{
		Name: "exec_command", Description: "Run a shell command.", Parameters: json.RawMessage(execSchema),
		Limits: tools.Limits{Timeout: time.Second, MaxOutput: 100}, CallDescription: true,
	}
	change(&d)
	return d
}

func defaultSet(t *testing.T) tools.Toolset {
	t.Helper()
	set, err := tools.Profile("")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// P-ENV-24: exactly what is listed is there, in that order, by the words and the
// limits of the list; a name without a tool is none, and is told.
func TestDefinitionsReplaceTheWholeSet(t *testing.T) {
	reads := tools.Definition{
		Name: "read_file", Description: "Read.", ReadOnly: true, ForModel: tools.ForVision, CallDescription: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{}}}`),
	}
	defs := []tools.Definition{reads, {Name: "exec_comand"}, definition(func(*tools.Definition) {})}
	set, err := defaultSet(t).With(defs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"read_file", "exec_command"}, set.Names()); diff != "" {
		t.Error(diff)
	}
	read, exec := set.Tools[0].Spec(), set.Tools[1].Spec()
	if read.ForModel != tools.ForVision || read.Limits != (tools.Limits{}) || read.Access != tools.Read {
		t.Errorf("read_file is %+v", read)
	}
	if exec.Description != "Run a shell command." || string(exec.Schema) != execSchema || exec.Limits != defs[2].Limits || exec.Access != tools.Execute {
		t.Errorf("exec_command is %+v", exec)
	}
	doubts := defaultSet(t).Doubts(defs)
	if len(doubts) != 1 || doubts[0].Index != 1 || !strings.Contains(doubts[0].Text, `there is no tool "exec_comand"`) {
		t.Errorf("doubts are %v", doubts)
	}
	if none, err := defaultSet(t).With(nil); err != nil || len(none.Tools) != 0 {
		t.Errorf("an empty list gives %v, %v", none.Names(), err)
	}
}

// P-ENV-25: without call_description the model is not told of the argument;
// what was read from the settings stays as it was.
func TestCallDescriptionIsTakenOutInMemory(t *testing.T) {
	d := definition(func(d *tools.Definition) { d.CallDescription = false })
	set, err := defaultSet(t).With([]tools.Definition{d})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}`
	if got := string(set.Tools[0].Spec().Schema); got != want {
		t.Errorf("schema is %s", got)
	}
	if string(d.Parameters) != execSchema {
		t.Errorf("the definition became %s", d.Parameters)
	}
}

// What a definition says of a tool never lets it do more: a tool that writes
// cannot be called one that reads, and one that reads asks when it is called
// more.
func TestDefinitionsNeverWiden(t *testing.T) {
	for _, tool := range defaultSet(t).Tools {
		spec := tool.Spec()
		d := tools.Definition{Name: spec.Name, Description: "x", Parameters: spec.Schema, ReadOnly: true}
		_, err := defaultSet(t).With([]tools.Definition{d})
		reader := strings.HasPrefix(spec.Name, "read_") || strings.HasPrefix(spec.Name, "describe_")
		if (err == nil) != reader {
			t.Errorf("%s as r: %v", spec.Name, err)
		}
		d.ReadOnly = false
		set, err := defaultSet(t).With([]tools.Definition{d})
		if err != nil || (set.Policies[spec.Name] == tools.PolicyAsk) != reader {
			t.Errorf("%s as rw: %v, %v", spec.Name, set.Policies, err)
		}
		if set.Tools[0].Spec().Access != spec.Access {
			t.Errorf("%s became %s", spec.Name, set.Tools[0].Spec().Access)
		}
	}
}

func TestDefinitionsThatAreNone(t *testing.T) {
	for parameters, want := range map[string]string{
		`[]`: "want a JSON Schema",
		`{"type":"string","properties":{"cmd":{}}}`:                              "want type: object",
		`{"properties":{"cmd":{}}}`:                                              "want type: object",
		`{"type":"object"}`:                                                      "properties.cmd is missing",
		`{"type":"object","properties":{"command":{}}}`:                          "properties.cmd is missing",
		`{"type":"object","properties":[]}`:                                      "want a JSON Schema",
		`{"type":"object","properties":{"cmd":"string"}}`:                        "properties.cmd is no schema",
		`{"type":"object","properties":{"cmd":{}},"required":["cmd","workdir"]}`: `required names "workdir"`,
		`{"type":"object","properties":{"cmd":{}},"required":"cmd"}`:             "want a JSON Schema",
	} {
		d := definition(func(d *tools.Definition) { d.Parameters = json.RawMessage(parameters) })
		_, err := defaultSet(t).With([]tools.Definition{{Name: "other"}, d})
		var m *tools.Misdefined
		if !errors.As(err, &m) || m.Index != 1 || !strings.Contains(m.Text, "exec_command: parameters: "+want) {
			t.Errorf("%s: %v, want %s", parameters, err, want)
		}
	}
	if _, err := defaultSet(t).With([]tools.Definition{definition(func(d *tools.Definition) { d.Description = "" })}); err == nil {
		t.Error("a tool without a description is taken")
	}
	odd := definition(func(d *tools.Definition) {
		d.Parameters = json.RawMessage(`{"type":"object","properties":{"cmd":{},"wrkdir":{}}}`)
	})
	if doubts := defaultSet(t).Doubts([]tools.Definition{odd}); len(doubts) != 1 || !strings.Contains(doubts[0].Text, `"wrkdir"`) {
		t.Errorf("doubts are %v", doubts)
	}
}
