package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"drawbridge/workspace"
)

func TestDecode(t *testing.T) {
	spec := Spec{Name: "exec_command"}
	for _, c := range []struct {
		name, raw string
		want      string   // the object, or
		failure   []string // parts of the failure
	}{
		{"an object", ` {"cmd":"ls"} `, `{"cmd":"ls"}`, nil},
		{"P-ENV-21 no JSON", `{not valid json`, "", []string{"not valid JSON", "Re-issue", "exec_command"}},
		{"P-ENV-21 single quotes", `{'a':1}`, "", []string{"not valid JSON", "at byte 2 of 7"}},
		{"P-ENV-21 no colon", `{"a" "b"}`, "", []string{"not valid JSON"}},
		{"P-ENV-21 cut off", `{"cmd": "echo hi`, "", []string{"not valid JSON", "too early, after 16 bytes"}},
		{"P-ENV-21 nothing", ``, "", []string{"is empty", "Re-issue"}},
		{"white space is nothing", " \n", "", []string{"is empty"}},
		{"something after the object", `{} {}`, "", []string{"not valid JSON"}},
		{"a list is an object without properties", `[1]`, `{}`, nil},
		{"so is null", `null`, `{}`, nil},
		{"and a string", `"ls"`, `{}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Decode(spec, c.raw)
			if string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			var f *Failure
			if errors.As(err, &f) != (c.failure != nil) {
				t.Fatalf("error is %v", err)
			}
			for _, part := range c.failure {
				if !strings.Contains(f.Text, part) {
					t.Errorf("failure lacks %q: %s", part, f.Text)
				}
			}
		})
	}
}

func TestArgumentsAreReadLeniently(t *testing.T) {
	a, err := parse(json.RawMessage(`{"s":"x","s":"y","n":"12","huge":1e300,"extra":[1],"gone":null,"t":true}`))
	if err != nil {
		t.Fatal(err)
	}
	if s, err := a.text("s"); s != "y" || err != nil {
		t.Errorf("of two equal names the last counts: %q, %v", s, err)
	}
	if n, err := a.number("n", 0); n != 12 || err != nil {
		t.Errorf("a numeric string is a number: %d, %v", n, err)
	}
	if n, err := a.number("huge", 0); n <= 0 || err != nil {
		t.Errorf("a huge number stays huge: %d, %v", n, err)
	}
	if n, err := a.number("gone", 7); n != 7 || err != nil {
		t.Errorf("null is absent: %d, %v", n, err)
	}
	if _, err := a.number("t", 0); err == nil {
		t.Error("true is not a number")
	}
	if yes, err := a.flag("t"); !yes || err != nil {
		t.Errorf("true is true: %v, %v", yes, err)
	}
}

// Whatever a model sends: an object or a failure, and planning never panics.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"file_path":"a","offset":"3","limit":2.5}`, `{"file_path":"a","old_string":"x","new_string":"y","replace_all":"true"}`,
		`{"file_path":"b","content":"\ud800"}`, `{"cmd":"ls\u0000","workdir":"..","yield_time_ms":1e99}`, `{"cmd":"ls","yield_time_ms":1e999}`, `{"cmd": "echo hi`, `{'a':1}`, `[[[[`, `null`, `{} x`, "\xff", `{"a":1,"a":null}`,
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw string) {
		r := &room{dir: dir}
		r.open(t, workspace.Options{})
		for _, tool := range Default() {
			object, err := Decode(tool.Spec(), raw)
			var failure *Failure
			if err != nil && !errors.As(err, &failure) {
				t.Fatalf("%s: %v", raw, err)
			}
			if err != nil {
				continue
			}
			var m map[string]json.RawMessage // a number may be larger than any of ours
			if err := json.Unmarshal(object, &m); err != nil || m == nil {
				t.Fatalf("%q became %q: %v", raw, object, err)
			}
			if _, err := tool.Plan(t.Context(), r.env, object); err != nil && !errors.As(err, &failure) {
				t.Fatalf("%s %s: %v", tool.Spec().Name, raw, err)
			}
		}
	})
}
