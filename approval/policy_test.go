package approval

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhoAnswers is the table of modes under workspace-write: p passes, r is
// refused, a is asked and the yes may be remembered, o is asked each time.
func TestWhoAnswers(t *testing.T) {
	online := Request{Tool: "t", Access: Read, URL: "https://example.com/a"}
	both := read("/w/a")
	both.URL = online.URL
	effects := []struct {
		name string
		req  Request
	}{
		{"read inside", read("/w/a")},
		{"read outside", outside(read(""))},
		{"read of nothing named", Request{Tool: "t", Access: Read}},
		{"write inside", edit("/w/a")},
		{"write outside", outside(edit(""))},
		{"write that runs code", edit("/w/.git/hooks/pre-commit")},
		{"write of nothing named", Request{Tool: "t", Access: Write}},
		{"execute", run("ls")},
		{"execute of nothing named", Request{Tool: "t"}},
		{"execute outside the sandbox", escalated("npm ci")},
		{"typing into a command", typed("proc-1", "y\n")},
		{"typing into nothing named", typed("", "y\n")},
		{"own command", Request{Tool: "t", Access: Read, Own: true}},
		{"own command that is run", owned(run("ls"))},
		{"own command that writes", owned(edit("/w/a"))},
		{"own command that reads outside", owned(outside(read("")))},
		{"read of secrets", secret(read("/w/.env"))},
		{"write of secrets", secret(edit("/w/.env"))},
		{"write that runs the same code", plain(edit("/w/package.json"))},
		{"read over the network", online},
		{"own read over the network", owned(online)},
		{"read over the network and inside", both},
	}
	table := map[Mode]string{
		AlwaysAsk: "paoaoooaooaopaaaaaoooo",
		AutoEdit:  "paopoooaooaopapaaapooo",
		ReadOnly:  "paoaoooaooaopaaaaaoooo",
		Plan:      "poorrrrrrrrrprroorrooo",
		AllowAll:  "ppppoooppopppppppppppp",
		DenyAll:   "rrrrrrrrrrrrrrrrrrrrrr",
		"bogus":   "rrrrrrrrrrrrrrrrrrrrrr",
	}
	for mode, row := range table {
		for i, e := range effects {
			if got, why := bare(e.req, mode, PresetWorkspaceWrite); got != row[i] {
				t.Errorf("%s, %s: %c (%s), want %c", mode, e.name, got, why, row[i])
			}
		}
	}
}

func escalated(script string) Request {
	req := run(script)
	req.Command.Escalation = "the packages must be downloaded"
	return req
}

func typed(process, text string) Request {
	req := run(text)
	req.Command.TypedInto, req.Command.Process = "npm init", process
	return req
}

func owned(req Request) Request {
	req.Own = true
	return req
}

func secret(req Request) Request {
	req.Paths[0].Secret = "environment files hold keys"
	return req
}

func plain(req Request) Request {
	req.Paths[0].Plain = true
	return req
}

// bare is what is said of a request where no rules are.
func bare(req Request, mode Mode, preset Preset) (letter byte, why string) {
	g := NewGate(Options{Mode: mode, Preset: preset, World: theWorld, Root: "/w"})
	c := g.open(req)
	switch {
	case c.verdict.ruling == pass:
		letter = 'p'
	case c.verdict.ruling == refuse:
		letter = 'r'
	case len(g.offers(c)) > 0:
		letter = 'a'
	default:
		letter = 'o'
	}
	return letter, c.verdict.why
}

// flatWorld has a workspace /w without links, and every program in /bin.
type flatWorld struct{}

func theWorld() World { return flatWorld{} }

func (flatWorld) Target(dir, name string) Target {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	t := Target{Abs: filepath.Clean(name)}
	if t.Abs == "/w" || strings.HasPrefix(t.Abs, "/w/") {
		t.Inside, t.Rel = true, strings.TrimPrefix(strings.TrimPrefix(t.Abs, "/w"), "/")
	}
	return t
}

func (flatWorld) Program(name string) (Target, bool)   { return Target{Abs: "/bin/" + name}, true }
func (flatWorld) Secrets(string) ([]string, bool)      { return nil, true }
func (flatWorld) Glob(string, string) ([]string, bool) { return nil, false }
func (flatWorld) Home() string                         { return "/home/u" }

func TestPresetReadOnly(t *testing.T) {
	confined := run("ls")
	confined.Command.Unconfined = false
	for name, c := range map[string]struct {
		req  Request
		want byte
	}{
		"read":                           {read("/w/a"), 'p'},
		"write":                          {edit("/w/a"), 'r'},
		"unconfined command":             {run("ls"), 'r'},
		"confined command":               {confined, 'p'},
		"unknown command":                {Request{Tool: "t"}, 'r'},
		"asks to be unheld":              {escalated("ls"), 'o'},
		"own command":                    {Request{Tool: "t", Access: Read, Own: true}, 'p'},
		"typing into what nothing holds": {typed("proc-1", "y\n"), 'r'},
	} {
		if got, why := bare(c.req, AllowAll, PresetReadOnly); got != c.want {
			t.Errorf("%s: %c (%s), want %c", name, got, why, c.want)
		}
	}
}

func TestFullAccessObjectsToNothing(t *testing.T) {
	for _, req := range []Request{outside(read("")), outside(edit("")), run("ls"), escalated("ls")} {
		if got, why := bare(req, AllowAll, PresetFullAccess); got != 'p' {
			t.Errorf("%v: %c (%s)", req.Access, got, why)
		}
	}
}

func TestUnknownPresetDenies(t *testing.T) {
	if got, why := bare(read("/w/a"), AllowAll, "bogus"); got != 'r' {
		t.Errorf("unknown preset: %c (%s)", got, why)
	}
}

func TestProtectedIsDeniedInEveryModeAlsoForReading(t *testing.T) {
	for _, mode := range Modes() {
		for _, req := range []Request{read("/s/log"), edit("/s/log"), run("cat /s/log")} {
			req.Paths = []Target{{Abs: "/w/a", Inside: true}, {Abs: "/s/log", Protected: "session logs"}}
			g := NewGate(Options{Mode: mode, Preset: PresetFullAccess})
			ask, _ := script(t)
			d := g.Decide(t.Context(), req, ask)
			wantBy(t, d, Denied, ByRule)
			if !strings.Contains(d.Cause, "session logs") {
				t.Errorf("%s: cause %q does not say why", mode, d.Cause)
			}
		}
	}
}

func TestQuestionSaysWhatToKnow(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		req  Request
		want []string
		rule string
	}{
		{AlwaysAsk, run("make"), []string{"mode always-ask", "unconfined"}, "make"},
		{AutoEdit, edit("/w/.vscode/tasks.json"), []string{"runs code: the editor runs"}, ""},
		{AlwaysAsk, edit("/w/a.go"), []string{"mode always-ask"}, "write:a.go"},
		{AllowAll, outside(edit("")), []string{"outside the workspace: /elsewhere/x.txt"}, ""},
		{AlwaysAsk, outside(read("")), []string{"outside the workspace"}, "read:/elsewhere/x.txt"},
		{ReadOnly, run("make"), []string{"mode read-only"}, "make"},
		{Plan, outside(read("")), []string{"mode plan", "outside the workspace"}, ""},
		{AllowAll, edit("/w/.envrc"), []string{"mode allow-all; runs code: "}, ""},
		{AutoEdit, secret(edit("/w/.env")), []string{"holds secrets: environment files"}, "write:.env"},
		{AllowAll, escalated("npm ci"), []string{"asks to run outside the sandbox: the packages must be downloaded"}, ""},
		{AlwaysAsk, typed("proc-1", "y\n"), []string{"mode always-ask"}, "typing into this running command"},
	} {
		ask, asked := script(t, no)
		open(c.mode).Decide(t.Context(), c.req, ask)
		if len(*asked) != 1 {
			t.Errorf("%s %s: asked %d times", c.mode, c.req.Tool, len(*asked))
			continue
		}
		q := (*asked)[0]
		for _, w := range c.want {
			if !strings.Contains(q.Reason, w) {
				t.Errorf("reason %q does not say %q", q.Reason, w)
			}
		}
		rule := ""
		if len(q.Offers) > 0 {
			rule = q.Offers[0].Rule
		}
		if rule != c.rule {
			t.Errorf("%s: a yes would leave %q, want %q", q.Request.Title, rule, c.rule)
		}
	}
}

func TestOutsideWriteThatRunsCodeSaysBoth(t *testing.T) {
	req := Request{Tool: "edit_file", Access: Write, Paths: []Target{{Abs: "/home/u/.bashrc"}}}
	_, why := bare(req, AlwaysAsk, PresetWorkspaceWrite)
	for _, want := range []string{"outside the workspace", "runs code"} {
		if !strings.Contains(why, want) {
			t.Errorf("reason %q does not say %q", why, want)
		}
	}
}

// A link must not hide what a file is for.
func TestLexicalPathIsJudgedToo(t *testing.T) {
	req := Request{
		Tool: "edit_file", Access: Write,
		Paths: []Target{{Abs: "/w/hooks/pre-commit", Lexical: "/w/.husky/pre-commit", Inside: true}},
	}
	if got, why := bare(req, AutoEdit, PresetWorkspaceWrite); got != 'o' {
		t.Errorf("edit through a link: %c (%s), want asked each time", got, why)
	}
}

func TestParseWords(t *testing.T) {
	for _, m := range Modes() {
		if got, err := ParseMode(string(m)); got != m || err != nil {
			t.Errorf("ParseMode(%q) = %q, %v", m, got, err)
		}
	}
	for _, p := range Presets() {
		if got, err := ParsePreset(string(p)); got != p || err != nil {
			t.Errorf("ParsePreset(%q) = %q, %v", p, got, err)
		}
	}
	for in, near := range map[string]string{
		"AutoEdit": "auto-edit", "readonly": "read-only", "deny": "deny-all",
		"allow": "allow-all", "yolo": "", "": "", "ask": "",
	} {
		got, err := ParseMode(in)
		if err == nil || got != "" {
			t.Errorf("ParseMode(%q) = %q, %v", in, got, err)
			continue
		}
		hinted := strings.Contains(err.Error(), "did you mean "+near+"?")
		if near != "" && !hinted || near == "" && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("ParseMode(%q): %v, want the hint %q", in, err, near)
		}
		if !strings.Contains(err.Error(), "always-ask, auto-edit, read-only, plan, allow-all, deny-all") {
			t.Errorf("ParseMode(%q): %v does not name the choices", in, err)
		}
	}
	if _, err := ParsePreset("danger-full-access"); !strings.Contains(err.Error(), "did you mean full-access?") {
		t.Errorf("ParsePreset: %v", err)
	}
}

// What a person said yes to was to leave the sandbox that the question named.
func TestAYesToLeavingTheSandboxHoldsForThePresetThatWasShown(t *testing.T) {
	for _, next := range Presets() {
		g := open(AllowAll)
		ask := func(context.Context, Question) (Answer, error) {
			g.SetPreset(next)
			return Answer{Answered: true, Outcome: Allowed, All: true}, nil
		}
		d := g.Decide(t.Context(), escalated("npm ci"), ask)
		if got, want := d.Outcome == Allowed, next == PresetWorkspaceWrite; got != want {
			t.Errorf("%s: allowed %v (%s)", next, got, d.Cause)
		}
	}
}

func TestALineEndIsSomethingToType(t *testing.T) {
	enter, nothing := "\n", ""
	for req, want := range map[*Request]Outcome{ptr(typed("proc-1", "y\n")): Allowed, ptr(run("make")): Denied} {
		ask, _ := script(t, Answer{Answered: true, Outcome: Allowed, All: true, Command: &enter})
		if d := open(AlwaysAsk).Decide(t.Context(), *req, ask); d.Outcome != want {
			t.Errorf("%q instead of %q: %+v", enter, req.Command.Text, d)
		}
	}
	ask, _ := script(t, Answer{Answered: true, Outcome: Allowed, All: true, Command: &nothing})
	if d := open(AlwaysAsk).Decide(t.Context(), typed("proc-1", "y\n"), ask); d.Outcome != Denied {
		t.Errorf("nothing to type: %+v", d)
	}
}

func ptr(req Request) *Request { return &req }
