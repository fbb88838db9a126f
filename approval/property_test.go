package approval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"drawbridge/approval/rule"

	"pgregory.net/rapid"
)

var (
	anyMode   = rapid.SampledFrom(append(Modes(), "", "bogus"))
	anyPreset = rapid.SampledFrom(append(Presets(), "", "bogus"))
	anyPath   = rapid.SampledFrom([]string{"/w/a.go", "/w/.envrc", "/w/.git/config", "/x/b", ""})
)

func drawRequest(t *rapid.T) Request {
	req := Request{
		Tool:   rapid.SampledFrom([]string{"edit_file", ""}).Draw(t, "tool"),
		Access: rapid.SampledFrom([]Access{Execute, Write, Read, 9, -1}).Draw(t, "access"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "paths") {
		req.Paths = append(req.Paths, Target{
			Abs:       anyPath.Draw(t, "path"),
			Inside:    rapid.Bool().Draw(t, "inside"),
			Protected: rapid.SampledFrom([]string{"", "", "", "ours"}).Draw(t, "protected"),
		})
	}
	if rapid.Bool().Draw(t, "command") {
		req.Command = &Command{
			Text: "ls", Dir: "/w", Unconfined: rapid.Bool().Draw(t, "unconfined"),
			Escalation: rapid.SampledFrom([]string{"", "", "network"}).Draw(t, "escalation"),
			TypedInto:  rapid.SampledFrom([]string{"", "npm init"}).Draw(t, "typed into"),
			Process:    rapid.SampledFrom([]string{"", "proc-1"}).Draw(t, "process"),
		}
	}
	req.Own = rapid.Bool().Draw(t, "own")
	return req
}

func drawGate(t *rapid.T, records *int) *Gate {
	return NewGate(Options{
		Mode: anyMode.Draw(t, "mode"), Preset: anyPreset.Draw(t, "preset"), World: theWorld, Root: "/w",
		Record: func(Record) { *records++ },
	})
}

// Whatever is asked for, with nobody there an effect passes only by allow-all,
// as an ordinary edit under auto-edit, as a read, or upon what the session itself
// started; and never to leave a sandbox.
func TestNothingPassesUnasked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := 0
		g, req := drawGate(t, &records), drawRequest(t)
		d := g.Decide(context.Background(), req, nil)
		if records != 1 {
			t.Fatalf("%d records of one decision", records)
		}
		if d.Outcome != Allowed {
			return
		}
		for _, target := range req.Paths {
			if target.Protected != "" {
				t.Fatalf("a protected path passed: %+v", req)
			}
		}
		if d.By != ByRule || !mayPassUnasked(g, req) {
			t.Fatalf("%s/%s let %+v pass by %q: %s", g.Mode(), g.Preset(), req, d.By, d.Cause)
		}
	})
}

// mayPassUnasked states the promise again, apart from the code that keeps it.
func mayPassUnasked(g *Gate, req Request) bool {
	write := req.Access == Write
	held := g.Preset() != PresetReadOnly ||
		!write && (req.Access == Read || req.Command != nil && !req.Command.Unconfined)
	near := len(req.Paths) > 0
	for _, p := range req.Paths {
		near = near && p.Inside
	}
	near = near || req.Own && req.Access == Read && len(req.Paths) == 0 && req.Command == nil
	leaves := req.Access == Execute && req.Command != nil && req.Command.Escalation != ""
	if leaves && g.Preset() != PresetFullAccess {
		return false
	}
	switch g.Mode() {
	case AllowAll:
		return held && (!write || codeReason(req) == "" && (near || g.Preset() == PresetFullAccess))
	case AutoEdit:
		if write {
			return held && near && codeReason(req) == ""
		}
		return req.Access == Read && near
	case AlwaysAsk, Plan, ReadOnly:
		return req.Access == Read && near
	}
	return false
}

// An answer of a person decides only when it was given, fits and says yes; and
// nobody is asked more than twice.
func TestOnlyAYesAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records, asked, saidYes := 0, 0, false
		g, req := drawGate(t, &records), drawRequest(t)
		ask := func(context.Context, Question) (Answer, error) {
			asked++
			a := Answer{
				Outcome:  rapid.SampledFrom([]Outcome{Denied, Allowed, 5}).Draw(t, "outcome"),
				Answered: rapid.Bool().Draw(t, "answered"),
				Scope:    rapid.SampledFrom([]Scope{"", Once, Session, "bogus"}).Draw(t, "scope"),
				All:      rapid.Bool().Draw(t, "all"),
			}
			if rapid.Bool().Draw(t, "fails") {
				return a, errors.New("gone")
			}
			saidYes = a.Answered && a.Outcome == Allowed && (a.All || req.Access != Write)
			return a, nil
		}
		d := g.Decide(context.Background(), req, ask)
		if asked > 2 || records != 1 {
			t.Fatalf("asked %d times, %d records", asked, records)
		}
		if (d.By == ByPerson && d.Outcome == Allowed) != saidYes {
			t.Fatalf("said yes: %v, decision %+v", saidYes, d)
		}
		if d.Outcome == Denied && d.ModelText() == "" {
			t.Fatal("a denial says nothing to the model")
		}
	})
}

// Whatever was allowed before, leaving a sandbox takes a person's yes each time,
// and so does each word that is typed into what has left it.
func TestLeavingASandboxIsAskedEachTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records, asked := 0, 0
		g, req := drawGate(t, &records), drawRequest(t)
		if req.Access != Execute || req.Command == nil || req.Command.Escalation == "" || g.Preset() == PresetFullAccess {
			return
		}
		ask := func(context.Context, Question) (Answer, error) {
			asked++
			return Answer{Answered: true, Outcome: Allowed, Scope: Session, All: true}, nil
		}
		before := req
		command := *req.Command
		before.Command, command.Escalation = &command, "" // as it was under full access
		g.Decide(context.Background(), before, ask)
		if _, ok := g.Covered(req); ok {
			t.Fatal("an earlier yes covers it")
		}
		asked = 0
		for n := 1; n <= 2; n++ {
			if d := g.Decide(context.Background(), req, ask); d.Outcome == Allowed && (asked != n || d.By != ByPerson) {
				t.Fatalf("asked %d times for %d effects: %+v", asked, n, d)
			}
		}
	})
}

// Whatever was said and remembered, in any mode and preset, and whatever a
// person answers: what is denied does not happen, what asks does not happen
// without a person, and every decision says how it came about.
func TestNoYesLiftsADenial(t *testing.T) {
	words := rapid.SampledFrom([]string{"git", "git push", "make", "rm", "ls", "npm run x"})
	rapid.Check(t, func(t *rapid.T) {
		var rules []rule.Rule
		verdicts := map[string]rule.Verdict{}
		for range rapid.IntRange(0, 5).Draw(t, "rules") {
			v := rapid.SampledFrom([]rule.Verdict{rule.Allow, rule.Ask, rule.Deny}).Draw(t, "verdict")
			r, err := rule.Parse(v, words.Draw(t, "rule"), "/w")
			if err != nil {
				t.Fatal(err)
			}
			r.Source = rapid.SampledFrom([]rule.Source{rule.User, rule.Repository, rule.GrantUser}).Draw(t, "source")
			rules = append(rules, r)
			if strict(v) >= strict(verdicts[r.Text]) {
				verdicts[r.Text] = v
			}
		}
		policy := rapid.SampledFrom([]ToolPolicy{"", ToolAllow, ToolAsk, ToolDeny, "bogus"}).Draw(t, "tool")
		g := NewGate(Options{
			Mode: anyMode.Draw(t, "mode"), Preset: anyPreset.Draw(t, "preset"), World: theWorld, Root: "/w",
			Policy: func() Policy {
				return Policy{Rules: rule.NewSet(rules...), Tools: map[string]ToolPolicy{"exec_command": policy}}
			},
		})
		text := words.Draw(t, "first") + rapid.SampledFrom([]string{" && ", "; ", " | "}).Draw(t, "joined") + words.Draw(t, "second")
		req := run(text)
		req.Command.Unconfined = rapid.Bool().Draw(t, "unconfined")
		var ask Ask
		if rapid.Bool().Draw(t, "somebody") {
			ask = func(context.Context, Question) (Answer, error) { return yesForSession, nil }
		}
		d := g.Decide(context.Background(), req, ask)
		worst := rule.Open
		for word, v := range verdicts {
			for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("&;|", r) }) {
				if part = strings.TrimSpace(part); part == word || strings.HasPrefix(part, word+" ") {
					if strict(v) > strict(worst) {
						worst = v
					}
				}
			}
		}
		denied := worst == rule.Deny || policy == ToolDeny || policy == "bogus"
		switch {
		case d.Outcome == Allowed && denied:
			t.Fatalf("%s under %v, tool %q: %+v", text, verdicts, policy, d)
		case d.Outcome == Allowed && d.By != ByPerson && (worst == rule.Ask || policy == ToolAsk):
			t.Fatalf("%s under %v, tool %q: nobody was asked: %+v", text, verdicts, policy, d)
		case d.Outcome == Allowed && (g.Mode() == Plan || g.Mode() == DenyAll):
			t.Fatalf("allowed in mode %s", g.Mode())
		case len(d.Derivation) == 0 || d.Outcome == Denied && d.Cause == "" && d.By != ByPerson:
			t.Fatalf("no cause: %+v", d)
		}
	})
}

// B34: a subagent's question needs a person like any other: without one it is a
// no.
func TestASubagentIsDeniedWithoutAPerson(t *testing.T) {
	req := run("make")
	req.Origin = "reviewer"
	wantBy(t, open(AlwaysAsk).Decide(context.Background(), req, nil), Denied, ByNobody)
	ask, asked := script(t, no)
	open(AlwaysAsk).Decide(context.Background(), req, ask)
	if (*asked)[0].Request.Origin != "reviewer" {
		t.Errorf("asked %+v", (*asked)[0].Request)
	}
}
