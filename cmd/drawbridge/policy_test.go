package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drawbridge/approval"
	"drawbridge/config"
)

// choose answers a question with an option, and the rule as a person rewrote it.
func (e *editor) choose(m message, option, rule string) {
	e.t.Helper()
	answer := object{"outcome": "selected", "optionId": option}
	if rule != "" {
		answer["rule"] = rule
	}
	e.send(object{"jsonrpc": "2.0", "id": m.ID, "result": answer})
}

// ruleOffered is the rule that an option of a question would leave behind.
func ruleOffered(t *testing.T, m message, option string) string {
	t.Helper()
	var q struct {
		Options []struct{ OptionID, Rule string }
	}
	if err := json.Unmarshal(m.Params, &q); err != nil {
		t.Fatal(err)
	}
	for _, o := range q.Options {
		if o.OptionID == option {
			return o.Rule
		}
	}
	t.Fatalf("no option %q in %s", option, m.Params)
	return ""
}

// rules are those of a session that have a source, as SOURCE VERDICT RULE.
func (e *editor) rules(session string, sources ...string) string {
	e.t.Helper()
	var r struct {
		Rules []struct{ Verdict, Rule, Source, Where, Problem string }
	}
	e.call("rules/list", object{"sessionId": session}, &r)
	var lines []string
	for _, rule := range r.Rules {
		if slices.Contains(sources, rule.Source) {
			lines = append(lines, rule.Source+" "+rule.Verdict+" "+rule.Rule)
		}
	}
	return strings.Join(lines, "\n")
}

const runsLint = `call c1 exec_command {"cmd":"make lint"}
----
want c1 "lint"
text "done"`

// B16, B17: a yes for the workspace, as the person rewrote it, is kept outside
// of it, answers in the person's stead from then on, also in another bridge that
// runs already, and can be taken back there.
func TestAYesIsRememberedForTheWorkspace(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "Makefile"), []byte("lint:\n\t@echo lint\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := startIn(t, home, work, "drawbridge", []string{"serve"})
	two := startIn(t, home, work, "drawbridge", []string{"serve"})
	one.handshake(os.Getpid())
	two.handshake(os.Getpid())
	there := two.open("always-ask", runsLint)

	here := one.open("always-ask", runsLint)
	p := one.prompt(here, "go")
	q := one.event("approval/request", "make lint")
	if got := ruleOffered(t, q, "allow-workspace"); !strings.Contains(got, "make lint") {
		t.Errorf("the rule that would be kept is %q", got)
	}
	one.choose(q, "allow-workspace", "make <any>")
	if got := one.stopReason(p); got != "endTurn" {
		t.Fatal(got)
	}

	if got := two.stopReason(two.prompt(there, "go")); got != "endTurn" { // without a question
		t.Fatal(got)
	}
	if got, want := two.rules(there, "grantWorkspace", "grantUser", "grantSession"), "grantWorkspace allow make <any>"; got != want {
		t.Errorf("rules are %q, want %q", got, want)
	}
	err := filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "Makefile" {
			t.Errorf("the workspace holds %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, want := range []bool{true, false} {
		var r struct{ Forgotten bool }
		two.call("rules/forget", object{"sessionId": there, "rule": "make <any>", "source": "grantWorkspace"}, &r)
		if r.Forgotten != want {
			t.Errorf("forgotten: %v, want %v", r.Forgotten, want)
		}
	}
	again := one.open("always-ask", runsLint)
	p = one.prompt(again, "go")
	one.choose(one.event("approval/request", "make lint"), "allow", "")
	if got := one.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	refused := two.answer(two.request("rules/forget", object{"sessionId": there, "rule": "ls", "source": "user"}))
	if refused.Error == nil || !strings.Contains(refused.Error.Message, "only a remembered yes") {
		t.Errorf("forgetting what people wrote: %+v", refused)
	}
	one.shutDown()
	two.shutDown()
}

// B14: what is kept of a yes holds no secret, though the command did.
func TestWhatIsRememberedHoldsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "ghx-4711-of-the-environment"
	home, work := t.TempDir(), t.TempDir()
	e := startIn(t, home, work, "drawbridge", []string{"serve", "--trace"}, "GITHUB_TOKEN="+secret)
	e.handshake(os.Getpid())
	s := e.open("always-ask", `call c1 exec_command {"cmd":"printf %s `+secret+`"}
call c2 exec_command {"cmd":"API_TOKEN=`+secret+` printf %s x"}
----
text "done"`)
	p := e.prompt(s, "go")
	for range 2 {
		q := e.event("approval/request", "printf")
		for _, option := range []string{"allow-session", "allow-workspace", "allow-user"} {
			if strings.Contains(string(q.Params), `"`+option+`"`) && strings.Contains(ruleOffered(t, q, option), secret) {
				t.Errorf("%s offers a rule with the secret", option)
			}
		}
		e.choose(q, "deny", "")
	}
	e.stopReason(p)
	s = e.open("always-ask", `call c1 exec_command {"cmd":"printf %s x"}
----
text "done"`)
	p = e.prompt(s, "go")
	e.choose(e.event("approval/request", "printf"), "allow-user", "printf %s "+secret)
	e.choose(e.event("approval/request", "printf"), "deny", "") // it was no answer, and is asked again
	e.stopReason(p)
	e.shutDown()
	checkFiles(t, home, map[string]string{"GITHUB_TOKEN": secret})
	if kept, _ := os.ReadDir(filepath.Join(home, "state", "drawbridge", "grants")); len(kept) > 0 {
		t.Errorf("something is kept: %v", kept)
	}
}

// F1, F2: what a workspace brings counts from the answer on, in the turn that
// runs and for the question that waits, and no longer once a byte has changed; the answer stands
// in the record of the session.
func TestTrustCountsFromTheNextDecision(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	file := filepath.Join(work, ".drawbridge", "config.yaml")
	const rules = "approval: {rules: [{allow: make lint}]}\n"
	for path, text := range map[string]string{file: rules, filepath.Join(work, "Makefile"): "lint:\n\t@echo lint\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := startIn(t, home, work, "drawbridge", []string{"serve"})
	e.handshakeAs(os.Getpid(), "trust")
	s := e.open("always-ask", `call c1 exec_command {"cmd":"make lint"}
----
want c1 "lint"
call c2 exec_command {"cmd":"make lint"}
----
want c2 "lint"
text "done"
----
call c3 exec_command {"cmd":"make lint"}
----
want c3 "Tool call denied by user."
text "done"`)
	var brought struct{ Workspace, Digest string }
	if err := json.Unmarshal(e.event("trust/required", "make lint").Params, &brought); err != nil {
		t.Fatal(err)
	}
	p := e.prompt(s, "go")
	q := e.event("approval/request", "make lint")
	e.call("trust/answer", object{"workspace": brought.Workspace, "digest": brought.Digest, "trust": "yes"}, nil)
	e.event("$/cancelRequest", string(q.ID))      // what is trusted answers in the person's stead
	if got := e.stopReason(p); got != "endTurn" { // and the second command does not ask
		t.Fatal(got)
	}
	if got := e.rules(s, "repository"); got != "repository allow make lint" {
		t.Errorf("rules: %q", got)
	}
	if err := os.WriteFile(file, []byte(rules+"#"), 0o644); err != nil {
		t.Fatal(err)
	}
	p = e.prompt(s, "again")
	e.event("trust/required", `"changed":true`)
	e.choose(e.event("approval/request", "make lint"), "deny", "")
	if got := e.stopReason(p); got != "endTurn" {
		t.Fatal(got)
	}
	e.shutDown()
	logs, _ := filepath.Glob(filepath.Join(home, "state", "drawbridge", "sessions", "*", "log.jsonl"))
	if len(logs) != 1 || !strings.Contains(string(readOr(t, logs[0])), `"type":"trust"`) {
		t.Errorf("the answer is not in the record (%v)", logs)
	}
}

// Of two policies of a tool, and of two modes and presets, the stricter counts,
// whoever set it.
func TestAWorkspaceOnlyMakesStricter(t *testing.T) {
	t.Parallel()
	brought := []config.Brought{
		{Repository: config.Repository{Approval: config.Approval{Tools: []config.ToolText{{Name: "a", Policy: "always_allow"}, {Name: "b", Policy: "always_deny"}}}}},
		{Repository: config.Repository{Approval: config.Approval{Tools: []config.ToolText{{Name: "b", Policy: "always_ask"}, {Name: "c", Policy: "always_allow"}}}}},
	}
	got := toolPolicies([]config.ToolText{{Name: "a", Policy: "always_ask"}}, brought)
	want := map[string]approval.ToolPolicy{"a": approval.ToolAsk, "b": approval.ToolDeny, "c": approval.ToolAllow}
	if !maps.Equal(got, want) {
		t.Errorf("policies %v, want %v", got, want)
	}
	for _, c := range []struct{ own, other, want approval.Mode }{
		{approval.AllowAll, approval.AutoEdit, approval.AutoEdit},
		{approval.AlwaysAsk, approval.AllowAll, approval.AlwaysAsk},
		{approval.Plan, approval.ReadOnly, approval.Plan},
		{approval.AlwaysAsk, "", approval.AlwaysAsk},
		{"unheard-of", approval.AllowAll, "unheard-of"},
	} {
		if got := stricter(modeOrder, c.own, c.other); got != c.want {
			t.Errorf("%s with %s is %s, want %s", c.own, c.other, got, c.want)
		}
	}
	if got := stricter(presetOrder, approval.PresetReadOnly, approval.PresetFullAccess); got != approval.PresetReadOnly {
		t.Errorf("preset %s", got)
	}
}
