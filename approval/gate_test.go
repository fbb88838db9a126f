package approval

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// yes is the plain answer of a person who accepts what was shown.
var yes = Answer{Outcome: Allowed, Answered: true, Scope: Once, All: true}

// no is the plain answer of a person who declines.
var no = Answer{Answered: true}

// script answers with the given answers in turn; a question too many fails
// the test.
func script(t *testing.T, answers ...Answer) (Ask, *[]Question) {
	t.Helper()
	var asked []Question
	return func(_ context.Context, q Question) (Answer, error) {
		asked = append(asked, q)
		if len(asked) > len(answers) {
			t.Errorf("question %d was not expected: %+v", len(asked), q)
			return Answer{}, nil
		}
		return answers[len(asked)-1], nil
	}, &asked
}

func edit(path string) Request {
	return Request{
		Tool: "edit_file", Title: "Edit " + path, Access: Write,
		Paths: []Target{{Abs: path, Rel: strings.TrimPrefix(path, "/w/"), Inside: true}},
	}
}

func read(path string) Request {
	return Request{Tool: "read_file", Access: Read, Paths: []Target{{Abs: path, Rel: strings.TrimPrefix(path, "/w/"), Inside: true}}}
}

func run(text string) Request {
	return Request{
		Tool: "exec_command", Access: Execute,
		Command: &Command{Text: text, Dir: "/w", Unconfined: true},
	}
}

func outside(r Request) Request {
	r.Paths = []Target{{Abs: "/elsewhere/x.txt"}}
	return r
}

func open(m Mode) *Gate {
	return NewGate(Options{Mode: m, Preset: PresetWorkspaceWrite, World: theWorld, Root: "/w"})
}

func wantBy(t *testing.T, d Decision, o Outcome, by By) {
	t.Helper()
	if d.Outcome != o || d.By != by {
		t.Errorf("decision = %v by %q (%s), want %v by %q", d.Outcome, d.By, d.Cause, o, by)
	}
}

func TestZeroGateDenies(t *testing.T) {
	ask, _ := script(t)
	for _, req := range []Request{{}, read("/w/a"), edit("/w/a"), run("ls")} {
		wantBy(t, NewGate(Options{}).Decide(t.Context(), req, ask), Denied, ByRule)
	}
}

func TestRequestWithoutContentIsDenied(t *testing.T) {
	g := NewGate(Options{Mode: AllowAll, Preset: PresetFullAccess})
	wantBy(t, g.Decide(t.Context(), Request{}, nil), Denied, ByRule)
}

// P-APR-01, L-APR-02: with nobody to ask the answer is no, and the text says so.
func TestNobodyToAskDenies(t *testing.T) {
	d := open(AlwaysAsk).Decide(t.Context(), edit("/w/a"), nil)
	wantBy(t, d, Denied, ByNobody)
	if want := "Tool call denied by user.\nnobody is there to ask (mode always-ask); " + leftOut; d.ModelText() != want {
		t.Errorf("model reads %q, want %q", d.ModelText(), want)
	}
}

func TestPersonDecides(t *testing.T) {
	ask, asked := script(t, yes, no)
	g := open(AlwaysAsk)
	d := g.Decide(t.Context(), edit("/w/a"), ask)
	wantBy(t, d, Allowed, ByPerson)
	if !d.All || d.Scope != Once {
		t.Errorf("a plain yes gave All=%v Scope=%q", d.All, d.Scope)
	}
	wantBy(t, g.Decide(t.Context(), edit("/w/a"), ask), Denied, ByPerson)
	if (*asked)[0].Again || (*asked)[0].Request.Tool != "edit_file" {
		t.Errorf("question was %+v", (*asked)[0])
	}
}

func TestPartOfAChangeIsHandedThrough(t *testing.T) {
	text := "mine"
	for name, a := range map[string]Answer{
		"hunks": {Outcome: Allowed, Answered: true, Hunks: []string{"h1"}},
		"text":  {Outcome: Allowed, Answered: true, Text: &text},
	} {
		ask, _ := script(t, a)
		d := open(AlwaysAsk).Decide(t.Context(), edit("/w/a"), ask)
		wantBy(t, d, Allowed, ByPerson)
		if d.All || len(d.Hunks) != len(a.Hunks) || d.Text != a.Text {
			t.Errorf("%s: decision %+v does not carry the part", name, d)
		}
	}
}

func TestNoHunksAcceptedIsADenial(t *testing.T) {
	ask, _ := script(t, Answer{Outcome: Allowed, Answered: true, Hunks: []string{}, Comment: "wrong\nfile"})
	d := open(AlwaysAsk).Decide(t.Context(), edit("/w/a"), ask)
	wantBy(t, d, Denied, ByPerson)
	want := "Tool call denied by user.\ndeclined by the user: none of the hunks accepted: \"wrong file\""
	if d.ModelText() != want {
		t.Errorf("model reads %q, want %q", d.ModelText(), want)
	}
}

func TestEmptyHunkListDeniesACommandToo(t *testing.T) {
	ask, _ := script(t, Answer{Outcome: Allowed, Answered: true, Hunks: []string{}})
	wantBy(t, open(AlwaysAsk).Decide(t.Context(), run("ls"), ask), Denied, ByPerson)
}

func TestPersonRewritesTheCommand(t *testing.T) {
	text, blank := "make -n", " "
	a := Answer{Outcome: Allowed, Answered: true, Scope: Session, Command: &text}
	ask, _ := script(t, a, Answer{Outcome: Allowed, Answered: true, Command: &blank})
	g := open(AlwaysAsk)
	d := g.Decide(t.Context(), run("make"), ask)
	wantBy(t, d, Allowed, ByPerson)
	if d.Command == nil || *d.Command != text || d.Scope != Once {
		t.Errorf("decision %+v, want the rewritten command, once", d)
	}
	wantBy(t, g.Decide(t.Context(), run("make"), ask), Denied, ByPerson)
}

// A yes that cannot be meant counts as no answer, and so does silence.
func TestNoAnswerIsAskedOnceMoreThenDenied(t *testing.T) {
	text := "x"
	for name, a := range map[string]Answer{
		"zero":               {},
		"yes, unanswered":    {Outcome: Allowed, All: true},
		"unknown outcome":    {Outcome: 7, Answered: true, All: true},
		"hunks and text":     {Outcome: Allowed, Answered: true, Hunks: []string{"h1"}, Text: &text},
		"all and hunks":      {Outcome: Allowed, Answered: true, All: true, Hunks: []string{"h1"}},
		"command for a file": {Outcome: Allowed, Answered: true, All: true, Command: &text},
	} {
		ask, asked := script(t, a, a)
		d := open(AlwaysAsk).Decide(t.Context(), edit("/w/a"), ask)
		wantBy(t, d, Denied, ByNobody)
		if len(*asked) != 2 || (*asked)[0].Again || !(*asked)[1].Again {
			t.Errorf("%s: asked %d times, want twice, the second marked", name, len(*asked))
		}
	}
}

// L-APR-01: what an asker does to the question that it was handed changes neither
// what is decided nor what is remembered.
func TestAQuestionIsACopy(t *testing.T) {
	var kept []Record
	g := NewGate(Options{
		Mode: AlwaysAsk, Preset: PresetWorkspaceWrite, World: theWorld, Root: "/w",
		Record: func(r Record) { kept = append(kept, r) },
	})
	for _, req := range []Request{run("go vet"), edit("/w/a")} {
		g.Decide(t.Context(), req, func(_ context.Context, q Question) (Answer, error) {
			if q.Request.Command != nil {
				q.Request.Command.Text = "make"
			}
			for i := range q.Request.Paths {
				q.Request.Paths[i] = Target{Abs: "/w/b", Rel: "b", Inside: true}
			}
			for i := range q.Derivation {
				q.Derivation[i] = "nothing was looked at"
			}
			for i := range q.Offers {
				q.Offers[i].Rule = "make"
			}
			return yesForSession, nil
		})
		if _, ok := g.Covered(req); !ok {
			t.Errorf("%s is not what was remembered", req.Title)
		}
	}
	for _, req := range []Request{run("make"), edit("/w/b")} {
		if _, ok := g.Covered(req); ok {
			t.Errorf("%s was remembered instead", req.Title)
		}
	}
	if len(kept) != 2 || strings.Contains(strings.Join(kept[0].Derivation, " "), "nothing was looked at") {
		t.Errorf("recorded %+v", kept)
	}
}

func TestSecondQuestionCanBeAnswered(t *testing.T) {
	ask, _ := script(t, Answer{}, yes)
	wantBy(t, open(AlwaysAsk).Decide(t.Context(), run("ls"), ask), Allowed, ByPerson)
}

func TestAskErrorIsNoAnswer(t *testing.T) {
	calls := 0
	ask := func(context.Context, Question) (Answer, error) {
		calls++
		return yes, errors.New("connection lost") // the yes beside an error does not count
	}
	wantBy(t, open(AlwaysAsk).Decide(t.Context(), run("ls"), ask), Denied, ByNobody)
	if calls != 2 {
		t.Errorf("asked %d times, want 2", calls)
	}
}

// P-APR-03, L-APR-02: an asker that crashes is not asked again, and allows nothing.
func TestAskPanicDenies(t *testing.T) {
	calls := 0
	ask := func(context.Context, Question) (Answer, error) { calls++; panic("boom") }
	d := open(AlwaysAsk).Decide(t.Context(), run("ls"), ask)
	wantBy(t, d, Denied, ByNobody)
	if calls != 1 || !strings.Contains(d.ModelText(), "boom") {
		t.Errorf("asked %d times, model reads %q", calls, d.ModelText())
	}
}

// L-APR-04: a yes that comes with the end of the turn is none.
func TestCancelBeforeAnAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ask := func(context.Context, Question) (Answer, error) { cancel(); return yes, nil }
	d := open(AlwaysAsk).Decide(ctx, run("ls"), ask)
	wantBy(t, d, Denied, ByCancel) // also an allow that comes too late
	if want := "Tool call denied by user.\ncancelled: the turn ended before an answer came"; d.ModelText() != want {
		t.Errorf("model reads %q, want %q", d.ModelText(), want)
	}
}

// L-APR-04: who asks once more while the turn is being cancelled gets no answer
// either, and nobody is asked.
func TestAQuestionAfterTheCancelIsClosedToo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g, asked := open(AlwaysAsk), 0
	var inner Decision
	d := g.Decide(ctx, run("ls"), func(context.Context, Question) (Answer, error) {
		cancel()
		inner = g.Decide(ctx, edit("/w/a"), func(context.Context, Question) (Answer, error) { asked++; return yes, nil })
		return yes, nil
	})
	wantBy(t, inner, Denied, ByCancel)
	wantBy(t, d, Denied, ByCancel)
	if asked != 0 {
		t.Errorf("asked %d times after the cancel", asked)
	}
}

func TestCancelledTurnStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantBy(t, open(AllowAll).Decide(ctx, run("ls"), nil), Denied, ByCancel)
}

func TestTimeLimitCoversBothQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Options{Mode: AlwaysAsk, Preset: PresetWorkspaceWrite, Timeout: 2 * time.Minute})
		begin := time.Now()
		d := g.Decide(t.Context(), run("ls"), func(ctx context.Context, q Question) (Answer, error) {
			if !q.Again {
				time.Sleep(90 * time.Second)
				return Answer{}, nil
			}
			<-ctx.Done()
			return Answer{}, ctx.Err()
		})
		wantBy(t, d, Denied, ByTimeout)
		if waited := time.Since(begin); waited != 2*time.Minute {
			t.Errorf("waited %v, want 2m", waited)
		}
		if want := "Tool call denied by user.\ntimed out: no answer came within 2m0s; " + notSaid; d.ModelText() != want {
			t.Errorf("model reads %q, want %q", d.ModelText(), want)
		}
	})
}

func TestNoTimeLimitWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(AlwaysAsk).Decide(t.Context(), run("ls"), func(context.Context, Question) (Answer, error) {
			time.Sleep(48 * time.Hour)
			return yes, nil
		})
		wantBy(t, d, Allowed, ByPerson)
	})
}

func TestModeIsReadAtEveryDecision(t *testing.T) {
	g := open(AllowAll)
	wantBy(t, g.Decide(t.Context(), run("ls"), nil), Allowed, ByRule)
	g.SetMode(DenyAll)
	wantBy(t, g.Decide(t.Context(), run("ls"), nil), Denied, ByRule)
}

func TestModeChangeLeavesAWaitingQuestionToThePerson(t *testing.T) {
	g := open(AlwaysAsk)
	d := g.Decide(t.Context(), run("ls"), func(context.Context, Question) (Answer, error) {
		g.SetMode(DenyAll)
		return yes, nil
	})
	wantBy(t, d, Allowed, ByPerson)
	wantBy(t, g.Decide(t.Context(), run("ls"), nil), Denied, ByRule)
}

// L-APR-06: a yes is void under another preset, and leaves nothing behind.
func TestPresetTightenedWhileAskedHoldsTheYesBack(t *testing.T) {
	g := open(AlwaysAsk)
	d := g.Decide(t.Context(), edit("/w/a"), func(context.Context, Question) (Answer, error) {
		g.SetPreset(PresetReadOnly)
		return Answer{Outcome: Allowed, Answered: true, All: true, Scope: Session}, nil
	})
	wantBy(t, d, Denied, BySuperseded)
	g.SetPreset(PresetWorkspaceWrite)
	if _, ok := g.Covered(edit("/w/a")); ok {
		t.Error("a yes that was held back is remembered")
	}
}

func TestEveryDecisionIsRecordedOnce(t *testing.T) {
	var kept []Record
	g := NewGate(Options{
		Mode: AlwaysAsk, Preset: PresetWorkspaceWrite,
		Record: func(r Record) { kept = append(kept, r) },
	})
	req := run("make test")
	req.Digest, req.Title = "d1", "make test"
	ask, _ := script(t, Answer{}, Answer{Answered: true, Comment: "not now"})
	d := g.Decide(t.Context(), req, ask)
	if len(kept) != 1 {
		t.Fatalf("%d records of one decision", len(kept))
	}
	r := kept[0]
	if r.Digest != "d1" || r.Mode != AlwaysAsk || r.Preset != PresetWorkspaceWrite ||
		r.By != ByPerson || r.Comment != "not now" || r.Asked != 2 || r.Time.IsZero() {
		t.Errorf("record %+v", r)
	}
	if len(r.Derivation) < 4 || len(d.Derivation) != len(r.Derivation) {
		t.Errorf("derivation %q, decision's %q", r.Derivation, d.Derivation)
	}
	if _, ok := g.Covered(req); ok || len(kept) != 1 {
		t.Error("looking for a grant left a record")
	}
}

func TestModelTextNamesTheTrueCause(t *testing.T) {
	for want, d := range map[string]Decision{
		"declined by the user":             {By: ByPerson},
		`declined by the user: "use tabs"`: {By: ByPerson, Comment: "use\ntabs "},
		"denied: it says so":               {By: ByRule, Cause: "it says so"},
		"no decision was made":             {},
		"not decided: the preset changed; send it again if it is still wanted": {By: BySuperseded, Cause: "the preset changed"},
		"asked twice, no answer came; " + leftOut:                              {By: ByNobody, Cause: "asked twice, no answer came"},
		"cancelled: the turn ended":                                            {By: ByCancel, Cause: "the turn ended"},
		"timed out: no answer came within 5s; " + notSaid:                      {By: ByTimeout, Cause: "no answer came within 5s"},
	} {
		if got := d.ModelText(); got != "Tool call denied by user.\n"+want {
			t.Errorf("model reads %q, want second line %q", got, want)
		}
	}
	if got := (Decision{Outcome: Allowed}).ModelText(); got != "" {
		t.Errorf("an allowed effect reads %q", got)
	}
}

const (
	leftOut = "go on without it, and tell the user what was left out"
	notSaid = "the user has not said no: ask them in words before you send it again"
	tell    = "; if the task needs it, tell the user"
	detour  = "; do not work around it" + tell
)

// What is refused before anybody is asked says by what: by no rule where there is
// none, and never how people would lift it.
func TestARefusalNamesWhatRefused(t *testing.T) {
	protected := edit("/w/a")
	protected.Paths[0].Protected = "it belongs to the program's own state and settings"
	policies := map[string]ToolPolicy{"edit_file": ToolDeny, "read_file": "perhaps"}
	for _, c := range []struct {
		mode   Mode
		preset Preset
		req    Request
		want   string
	}{
		{AllowAll, PresetReadOnly, run("ls"), "denied by the preset read-only: the command is unconfined, so it cannot be held to reading; no answer lifts a preset" + tell},
		{AllowAll, PresetReadOnly, plain(edit("/w/b")), "denied by the preset read-only: nothing may be written; no answer lifts a preset" + tell},
		{AllowAll, "wide", plain(edit("/w/b")), `denied by the preset: unknown preset "wide"; no answer lifts a preset` + tell},
		{Plan, PresetWorkspaceWrite, run("ls"), "denied by the mode plan: nothing is changed or run; propose it instead"},
		{DenyAll, PresetWorkspaceWrite, run("ls"), "denied by the mode deny-all: every effect is denied" + tell},
		{"sometimes", PresetWorkspaceWrite, run("ls"), `denied by the mode: unknown mode "sometimes"` + tell},
		{AllowAll, PresetWorkspaceWrite, protected, "denied to everybody: /w/a is protected: it belongs to the program's own state and settings; no answer and no setting lifts this"},
		{AllowAll, PresetWorkspaceWrite, Request{}, "denied to everybody: the request does not say what would be done; no answer and no setting lifts this"},
		{AllowAll, PresetWorkspaceWrite, run("git push"), "denied by rule `git push` (settings)" + detour},
		{AllowAll, PresetWorkspaceWrite, run("cat /w/secret"), "denied by a rule: `/w/secret`: denied by rule `read:secret` (settings)" + detour},
		{AllowAll, PresetWorkspaceWrite, run("rm -rf /"), "denied for safety: rm -rf (use rm -r; a person may change approval.denials in the settings)"},
		{AllowAll, PresetWorkspaceWrite, edit("/w/b"), "denied by the settings: edit_file is always_deny" + detour},
		{AllowAll, PresetWorkspaceWrite, read("/w/b"), "denied by the settings: unknown policy \"perhaps\" of read_file" + detour},
	} {
		g := under(t, c.mode, policies, "deny git push", "deny read:secret")
		g.preset = c.preset
		d := g.Decide(t.Context(), c.req, nil)
		wantBy(t, d, Denied, ByRule)
		if got := d.ModelText(); got != "Tool call denied by user.\n"+c.want {
			t.Errorf("%s, %s, %s: the model reads %q, want second line %q", c.mode, c.preset, c.req.Title, got, c.want)
		}
	}
}

// A person's own command may run into what no person lifts: it is not they who
// said no.
func TestACommandAsRewrittenIsDeniedByItsRule(t *testing.T) {
	other := "git push"
	ask, _ := script(t, Answer{Outcome: Allowed, Answered: true, Command: &other})
	d := under(t, AlwaysAsk, nil, "deny git push").Decide(t.Context(), run("git status -sb"), ask)
	wantBy(t, d, Denied, ByRule)
	want := "Tool call denied by user.\ndenied: the command as the user rewrote it: denied by rule `git push` (settings)"
	if got := d.ModelText(); got != want {
		t.Errorf("the model reads %q, want %q", got, want)
	}
}
