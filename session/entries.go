package session

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
)

// Entry is a record of a session's log in words. Text and Details are as they
// were recorded: what a terminal would act on is still in them.
type Entry struct {
	Line       int64
	Time       time.Time
	Type       string // as in the log
	Turn, Call string
	Text       string
	Details    []string // each of them may have several lines
	// About is the call that Text is about, where that is told elsewhere.
	About []string
	// Decides says that it is about what may be done: a decision, a question, a
	// setting or a word of trust that decisions go by, or the log itself.
	Decides bool
	Raw     []byte // the record as it stands, without its link; it holds until the next
}

// Entries calls f for each record of a session's log, until it returns an error.
// Another process may have the session open. What is no record is left out.
func (st Storage) Entries(id string, f func(Entry) error) error {
	if !validID(id) {
		return unknown(id)
	}
	file, err := os.Open(st.logPath(id))
	if isMissing(err) {
		return unknown(id)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	t := teller{check: newChainCheck(id), f: f}
	if err := eachLine(file, t.check, t.line); err != nil {
		return err
	}
	return t.err
}

// teller puts the records of a log into words, one after another.
type teller struct {
	check *chainCheck
	f     func(Entry) error
	err   error
	info  Info                // as it was said last
	args  map[string]string   // of the last message's calls, by the model's ids
	calls map[string][]string // what the turn's calls are, by their ids
}

func (t *teller) line(line []byte) chainFacts {
	r, ok := readRecord(line)
	if !ok || t.err != nil {
		return chainFacts{}
	}
	e := Entry{Line: t.check.line, Time: time.UnixMilli(r.Time), Type: r.Type, Turn: r.Turn, Call: r.Call, Raw: line}
	t.tell(&e, r)
	t.err = t.f(e)
	return r.facts()
}

// tell finds the words for a record. Each case is a line of the log's grammar.
func (t *teller) tell(e *Entry, r record) {
	switch r.Type {
	case recSession, recConfigure:
		t.settings(e, r)
	case recTurn, recSteer:
		e.Text, e.Details = beginning(r), blockTexts(r.Blocks)
	case recMessage:
		t.message(e, r)
	case recStarted:
		t.started(e, r)
	case recCall:
		result(e, r)
	case recAsked:
		e.Text, e.About, e.Decides = "a person is asked: "+r.ID, t.calls[r.Call], true
	case recRetitled:
		e.Text = "the command is now: " + r.Title
	case recApproval:
		e.About = t.calls[r.Call]
		decision(e, r)
	case recResolved:
		resolution(e, r)
	case recChange:
		changeText(e, r)
	case recOpened, recUpdated, recTerminal:
		terminalText(e, r)
	case recForgot:
		forgotten(e, r)
	case recSubagent:
		subagentText(e, r)
	case recTrust:
		trusted(e, r)
	case recEnd:
		t.calls = nil
		turnEnd(e, r)
	case recGap:
		e.Text, e.Decides = "the log was not what it had been: "+foundIn(r), true
	default:
		notes(e, r)
	}
}

func foundIn(r record) string {
	if r.Gap == nil {
		return "it is not said what was found"
	}
	return r.Gap.Found
}

// settings says what a session goes by from now on, and first of all.
func (t *teller) settings(e *Entry, r record) {
	if r.Info == nil {
		return
	}
	before := t.info
	t.info = *r.Info
	if r.Type == recSession {
		e.Text, e.Decides = "the session begins in "+r.Info.Dir, true
		if of := r.Info.Origin; of != nil {
			e.Text += ", of " + of.Subagent + ", which call " + of.Call + " of session " + of.Session + " has started"
		}
	}
	var set []string
	for _, s := range []struct{ name, was, is string }{
		{"mode", string(before.Mode), string(r.Info.Mode)}, {"preset", string(before.Preset), string(r.Info.Preset)},
		{"model", before.Model, r.Info.Model}, {"thinking", before.Thinking, r.Info.Thinking}, {"title", before.Title, r.Info.Title},
	} {
		if s.was != s.is {
			set = append(set, s.name+" "+s.is)
		}
	}
	e.Decides = e.Decides || before.Mode != r.Info.Mode || before.Preset != r.Info.Preset
	e.Text = strings.Join(append(present(e.Text), set...), ", ")
}

// present is a list of what there is of texts.
func present(texts ...string) (list []string) {
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// detail is a text under a name, nothing if there is none.
func detail(name, text string) []string {
	if text == "" {
		return nil
	}
	return []string{name + ": " + text}
}

func beginning(r record) string {
	switch {
	case r.Type == recSteer:
		return "steered"
	case r.Background:
		return "a turn that the end of a command began"
	case r.Continues != "":
		return "a turn that takes up " + r.Continues
	case r.Replaces != "":
		return "a turn in the place of " + r.Replaces
	}
	return "a turn"
}

func blockTexts(blocks []Block) (texts []string) {
	for _, b := range blocks {
		texts = append(texts, present(strings.TrimSpace(cmp.Or(b.Name, b.URI)+"\n"+b.Text))...)
	}
	return texts
}

func (t *teller) message(e *Entry, r record) {
	e.Text, t.args = "the model", map[string]string{}
	if r.Cut {
		e.Text = "the model, whose answer broke off"
	}
	for _, p := range r.Parts {
		switch {
		case p.Kind == model.PartText:
			e.Details = append(e.Details, p.Text)
		case p.Kind == model.PartCall && p.Call != nil:
			t.args[p.Call.ID] = p.Call.Args
		}
	}
}

func (t *teller) started(e *Entry, r record) {
	e.Text = r.Name + ": " + r.Title
	e.Details = detail("arguments", t.args[r.ID])
	if t.calls == nil {
		t.calls = map[string][]string{}
	}
	t.calls[r.Call] = append([]string{e.Text}, e.Details...)
}

func result(e *Entry, r record) {
	if r.Done == nil || r.Result == nil {
		return
	}
	e.Text = string(r.Done.Status)
	if r.Done.Decision != "" {
		e.Text += ", " + r.Done.Decision
	}
	e.Details = present(r.Result.Text)
}

// decision says who decided what about a call, and how it came to that.
func decision(e *Entry, r record) {
	d := r.Decision
	if d == nil {
		return
	}
	e.Text, e.Decides = verdict(d.Allowed, d.By, d.Cause), true
	e.Details = append(e.Details, detail("comment", d.Comment)...)
	if d.Scope != "" && d.Scope != string(approval.Once) {
		e.Details = append(e.Details, strings.Join(append([]string{"remembered: " + d.Scope}, d.Rules...), "\n"))
	}
	e.Details = append(e.Details, detail("command", d.Command)...)
	e.Details = append(e.Details, detail("hunks", strings.Join(d.Hunks, ", "))...)
	e.Details = append(e.Details, detail("text of the person's own, sha256", d.Text)...)
	e.Details = append(e.Details, detail("request", d.Digest)...)
	if d.Mode != "" {
		e.Details = append(e.Details, "under mode "+d.Mode+", preset "+d.Preset)
	}
	for _, check := range d.Derivation {
		e.Details = append(e.Details, "- "+check)
	}
}

func verdict(allowed bool, by, cause string) string {
	word := "denied by "
	if allowed {
		word = "allowed by "
	}
	return strings.Join(present(word+by, cause), ": ")
}

func resolution(e *Entry, r record) {
	if end := r.Resolved; end != nil {
		e.Text = "question " + end.Approval + " is over, " + verdict(end.Outcome == approval.Allowed, end.By, end.Cause)
		e.Decides = true
	}
}

func forgotten(e *Entry, r record) {
	if r.Forgot != nil {
		e.Text, e.Decides = "a remembered yes was taken back ("+r.Forgot.Source+"): "+r.Forgot.Rule, true
	}
}

func trusted(e *Entry, r record) {
	if r.Trust == nil {
		return
	}
	word := "not trusted"
	if r.Trust.Trusted {
		word = "trusted"
	}
	e.Text, e.Decides = "the settings in "+r.Trust.Workspace+" are "+word, true
	e.Details = detail("what was shown", r.Trust.Digest)
}

func changeText(e *Entry, r record) {
	ch := r.Change
	if ch == nil {
		return
	}
	e.Text = fmt.Sprintf("change %s of %s (+%d −%d): %s", ch.ID, filepath.Base(ch.Summary.Path), ch.Summary.Plus, ch.Summary.Minus, ch.State)
	if ch.Edited {
		e.Text += ", as a person wrote it"
	}
	e.Details = append(detail("file", ch.Summary.Path), present(ch.Why)...)
}

func terminalText(e *Entry, r record) {
	switch {
	case r.Opened != nil:
		e.Text = "command " + r.Opened.Terminal + " starts: " + r.Opened.Title
		e.Details = append(detail("in", r.Opened.Dir), detail("held by", cmp.Or(r.Opened.Sandbox, "nothing"))...)
	case r.Updated != nil:
		e.Text = "command " + r.Updated.Terminal + ": " + r.Updated.Title
	case r.Terminal != nil:
		e.Text = "command " + r.Terminal.Terminal + " has ended: " + exitText(r.Terminal.Exit)
		e.Details = present(r.Terminal.Tail)
	}
}

func subagentText(e *Entry, r record) {
	a := r.Subagent
	if a == nil {
		return
	}
	e.Text = strings.Join(present("subagent "+a.ID+" ("+a.Title+"): "+string(a.State), a.Detail), ", ")
	e.Details = present("its session: "+a.Session, "model: "+a.Model)
}

func exitText(e shell.Exit) string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

func turnEnd(e *Entry, r record) {
	if r.End != nil {
		e.Text = "the turn has ended: " + strings.Join(present(string(r.End.Stop), r.End.Cause), ", ")
	}
}

// notes are words to the model of what happened beside the turn.
func notes(e *Entry, r record) {
	e.Text = r.Type
	for _, n := range r.Notices {
		e.Details = append(e.Details, strings.Join(present(n.Title, n.Detail), ": "))
	}
	e.Details = append(e.Details, r.Remarks...)
}
