package config

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(t *testing.T, text string) Config {
	t.Helper()
	c, err := parse(Dirs{Home: "/home/ada"}, "f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A difference is named with when it counts; that something moved, or is written
// though it was so before, is none. A changed key is one though it never shows.
func TestDiffNamesWhatChanged(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "", "[]"},
		{"", "profile: default\nlog: {level: info}\nimages:\n", "[]"},
		{"approval: {rules: [{allow: ls}]}", "\n\napproval: {rules: [{allow: ls}]}", "[]"},
		{"approval: {rules: [{allow: ls}]}", "approval: {rules: [{deny: ls}]}", "[{approval.rules at once}]"},
		{"approval: {tools: {a: always_ask}}", "", "[{approval.tools at once}]"},
		{"", "approval: {denials: {enabled: false}}", "[{approval.denials.enabled at once}]"},
		{"", "approval: {denials: {rules: []}}", "[{approval.denials.rules at once}]"},
		{"", "tools: {builtin: []}", "[{tools.builtin in new sessions}]"},
		{"", "tools: {agent_toolset_20260401: {configs: [{name: a, enabled: false}]}}", "[{tools.agent_toolset_20260401 in new sessions}]"},
		{"providers: {openai: {key: one}}", "providers: {openai: {key: two}}", "[{providers.openai.key in new sessions}]"},
		{"environment: {set: {A: x}}", "environment: {set: {A: y}}", "[{environment.set at once}]"},
		{"models: {openai:x: {vision: true}}", "models: {openai:x: {vision: true}}", "[]"},
		{"models: {openai:x: {vision: true}}", "models: {openai:x: {vision: false}}", "[{models at once}]"},
		{"stall: 60s", "stall: 1m\nlog: {trace: true}", "[{log.trace after a restart}]"},
	} {
		got := Diff(parsed(t, c.before), parsed(t, c.after))
		if text := fmt.Sprint(got); text != c.want {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, text, c.want)
		}
	}
}

// Every setting that can be written is one that Diff sees.
func TestDiffSeesEveryRow(t *testing.T) {
	all := map[string]bool{}
	const others = "profile: compact\nproviders: {anthropic: {keyEnv: A}, openai: {key: b}, openai-chat: {key: c}}"
	for _, text := range []string{everySetting, everyShape, others} {
		for _, d := range Diff(Default(), parsed(t, text)) {
			all[d.Path] = true
		}
	}
	for _, s := range settings(Dirs{}) {
		if !all[s.path] {
			t.Errorf("%s: a change is not seen", s.path)
		}
	}
}

// What is shown has a place where it was written, and no key or value of a
// variable.
func TestShow(t *testing.T) {
	c := parsed(t, everySetting)
	got := map[string]string{}
	for _, s := range c.Show() {
		got[s.Path] = s.Text() + " @ " + s.From
	}
	for path, want := range map[string]string{
		"mode":                         "auto-edit @ f:3:7",
		"providers.anthropic.key":      "(set) @ f:7:52",
		"providers.anthropic.keyEnv":   " @ ",
		"models":                       "[openai:m2: vision true] @ f:10:9",
		"environment.set":              "[CI] @ f:18:45",
		"approval.rules":               "[allow: ls] @ f:20:45",
		"approval.tools":               "[edit_file: always_ask] @ f:20:67",
		"approval.denials.rules":       "[] @ f:20:125",
		"storage.outputs":              "30d @ ",
		"checkpoints.maxBytes":         "1GiB @ ",
		"tools.builtin":                "[] @ f:13:18",
		"tools.agent_toolset_20260401": "[] @ f:13:46",
		"sandbox.writable":             "[/var/data] @ f:19:40",
	} {
		if diff := cmp.Diff(want, got[path]); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
