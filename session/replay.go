package session

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/shell"
)

// past is a session as its log tells it.
type past struct {
	info      Info
	created   bool
	talk      history
	changes   book
	seq       int64
	total     model.Usage
	turn      string // open at the end of the log
	turns     int
	calls     int
	terminals int
	questions int
	events    []Event
	heard     int64 // the number of the last chunk that a message holds
	// running are the commands that have not ended, ended those that closeOff
	// found among them.
	running []TerminalOpened
	ended   []TerminalClosed
	armed   map[string]bool // terminals: whether the model was promised to be told the end
	// exits are those of leaders that left something behind, by terminal.
	exits map[string]shell.Exit
	// recovered are the records that closeOff still owes to the log.
	recovered []record
	// step are the calls of the last message that wait for their results.
	step    []model.Call
	results map[string]*model.Result
	started map[string]string // of the step: wire ids by model ids
	stop    StopReason        // of the last turn; "" when it had no end
	asked   asked
	notices []Notice         // that the model was not told of
	cut     []TerminalOpened // commands that a kill ended
	// subagents are those that the session had, as they were last, by id; promised
	// are those whose answer the model was promised.
	subagents map[string]Subagent
	promised  map[string]bool
	// lastSaid is what those said last, by id, that a kill ended at work.
	lastSaid map[string]string
	cutOff   []string        // sessions of those that a kill ended
	remarks  []string        // likewise
	decided  map[string]bool // of the step: whether a call was allowed
	session  string
	unsound  int // records that cannot be ours
	broken   int // places where the log is not what was written
}

// maxSeq is beyond every number that a session comes to; JSON readers keep it.
const maxSeq = 1 << 53

// sound says that a record holds what its readers take for granted.
func sound(r record) bool {
	for _, p := range r.Parts {
		if (p.Kind == model.PartCall) != (p.Call != nil) || (p.Kind == model.PartImage) != (p.Image != nil) {
			return false
		}
	}
	return r.Seq >= 0 && r.Seq < maxSeq
}

// readPast reads a log into its state and its events. It leaves open what the
// log leaves open.
func readPast(path, id string) (*past, int, error) {
	p := &past{session: id, results: map[string]*model.Result{}, started: map[string]string{}, decided: map[string]bool{}}
	check := newChainCheck(id)
	skipped, err := readLog(path, check, p.add)
	if err != nil {
		return nil, skipped, err
	}
	p.broken = check.findings
	if !p.created {
		return nil, skipped, &Error{
			Kind: "sessionCorrupt", Message: "the log of session " + id + " has no beginning",
			Hint: "the file is " + path,
		}
	}
	return p, skipped + p.unsound, nil
}

// replay are the events in the order of their numbers.
func (p *past) replay() []Event {
	sort.SliceStable(p.events, func(i, j int) bool { return p.events[i].Seq < p.events[j].Seq })
	return p.events
}

func (p *past) event(seq int64, at int64, body any) {
	p.events = append(p.events, Event{Session: p.session, Seq: seq, Time: time.UnixMilli(at), Replayed: true, Body: body})
}

// add takes one record in. Each case is a line of the log's grammar.
func (p *past) add(r record) {
	if !sound(r) {
		p.unsound++
		return
	}
	p.seq = max(p.seq, r.Seq)
	switch r.Type {
	case recSession, recConfigure:
		p.addInfo(r)
	case recTurn:
		p.addTurn(r)
	case recSteer:
		p.addSteer(r)
	case recEnded:
		p.notices = append(p.notices, r.Notices...)
		for _, n := range r.Notices {
			delete(p.armed, n.Terminal)
		}
	case recNotified:
		p.addNotified(r)
	case recTold:
		p.forget(r.Notices)
	case recRemark:
		p.remarks = append(p.remarks, r.Remarks...)
	case recMessage:
		p.addMessage(r)
	case recStarted:
		p.addStarted(r)
	case recCall:
		p.addCall(r)
	case recAsked:
		p.questions = max(p.questions, number(r.ID))
	case recRetitled:
		p.event(r.Seq, r.Time, CallUpdated{Turn: r.Turn, Call: r.Call, Title: r.Title})
	case recApproval:
		p.decided[r.Call] = r.Decision != nil && r.Decision.Allowed
	case recResolved:
		p.addResolved(r)
	case recChange:
		p.addChange(r)
	case recOpened:
		p.addOpened(r)
	case recUpdated:
		p.addUpdated(r)
	case recTerminal:
		p.addTerminal(r)
	case recSubagent:
		p.addSubagent(r)
	case recEnd:
		p.addEnd(r)
	}
}

func (p *past) addSubagent(r record) {
	if r.Subagent == nil {
		return
	}
	if p.subagents == nil {
		p.subagents, p.promised, p.lastSaid = map[string]Subagent{}, map[string]bool{}, map[string]string{}
	}
	a := *r.Subagent
	p.subagents[a.ID], p.promised[a.ID] = a, p.promised[a.ID] || r.Background
	if r.Usage != nil {
		addUsage(&p.total, *r.Usage)
	}
	p.event(r.Seq, r.Time, SubagentUpdated{a})
}

// addInfo takes the summary over, but no word of it that the program would not
// have written: the file may be damaged.
func (p *past) addInfo(r record) {
	if r.Info == nil || r.Info.ID != p.session {
		p.unsound++
		return
	}
	p.info, p.created = *r.Info, true
	if _, err := approval.ParseMode(string(p.info.Mode)); err != nil {
		p.info.Mode = approval.AlwaysAsk
	}
	if _, err := approval.ParsePreset(string(p.info.Preset)); err != nil {
		p.info.Preset = approval.PresetReadOnly
	}
}

func (p *past) addTurn(r record) {
	p.flush()
	p.turn, p.stop = r.Turn, ""
	p.turns = max(p.turns, number(r.Turn))
	if r.Replaces != "" && r.Replaces == p.asked.turn {
		p.talk.cut(p.asked.before)
		p.notices = append(p.asked.untold(), p.notices...)
		p.remarks = slices.Concat(p.asked.heard, p.remarks)
	}
	if r.Continues == "" && !r.Background {
		p.asked = asked{turn: r.Turn, before: p.talk.here(), calls: p.calls}
	}
	p.talk.user(r.forModel())
	p.event(r.Seq, r.Time, r.turnStarted())
}

func (p *past) addSteer(r record) {
	p.flush()
	p.talk.user(partsOf(r.Blocks))
	p.event(r.Seq, r.Time, TurnSteered{Turn: r.Turn, Content: r.Blocks})
}

func (p *past) addNotified(r record) {
	p.flush()
	p.talk.user(noticeParts(r.Notices, r.Remarks))
	p.asked.told = append(p.asked.told, r.Notices...)
	p.asked.heard = append(p.asked.heard, r.Remarks...)
	p.forget(r.Notices)
	p.remarks = p.remarks[min(len(r.Remarks), len(p.remarks)):]
	p.event(r.Seq, r.Time, TurnNotified{Turn: r.Turn, Notices: r.Notices, Remarks: r.Remarks})
}

// forget takes out notices that the model is not to be told of any more.
func (p *past) forget(list []Notice) {
	p.notices = slices.DeleteFunc(p.notices, func(n Notice) bool { return slices.ContainsFunc(list, n.same) })
}

func (p *past) addMessage(r record) {
	p.flush()
	parts := r.Parts
	if r.Cut {
		parts = textOnly(parts)
	}
	_, p.step = p.talk.assistant(parts)
	p.talk.relearn(p.step)
	p.heard = max(p.heard, r.TextSeq, r.ThoughtSeq)
	var text, thought strings.Builder
	for _, part := range r.Parts {
		switch part.Kind {
		case model.PartText:
			text.WriteString(part.Text)
		case model.PartThinking:
			thought.WriteString(part.Text)
		}
	}
	if thought.Len() > 0 {
		p.event(r.ThoughtSeq, r.Time, ThoughtChunk{Turn: r.Turn, Text: thought.String()})
	}
	if text.Len() > 0 {
		p.event(r.TextSeq, r.Time, MessageChunk{Turn: r.Turn, Text: text.String()})
	}
	if r.Usage != nil {
		addUsage(&p.total, *r.Usage)
	}
}

func (p *past) addStarted(r record) {
	p.calls = max(p.calls, number(r.Call))
	p.started[r.ID] = r.Call
	p.event(r.Seq, r.Time, CallStarted{
		Turn: r.Turn, Call: r.Call, Name: r.Name, Title: r.Title,
		Access: r.Access, Args: p.args(r.ID),
	})
}

func (p *past) addCall(r record) {
	if r.Result == nil || r.Done == nil {
		return
	}
	p.results[r.Result.CallID] = r.Result
	done := *r.Done
	done.Text, done.Images = r.Result.Text, r.Result.Images
	p.event(r.Seq, r.Time, done)
}

// args finds a call's arguments in the message that made it.
func (p *past) args(id string) string {
	for _, c := range p.step {
		if c.ID == id {
			return c.Args
		}
	}
	return ""
}

func (p *past) addResolved(r record) {
	if r.Resolved != nil {
		p.event(r.Seq, r.Time, *r.Resolved)
	}
}

func (p *past) addChange(r record) {
	if r.Change == nil {
		return
	}
	ch := Change{
		ID: r.Change.ID, Turn: r.Turn, Call: r.Call, State: r.Change.State, Edited: r.Change.Edited, Why: r.Change.Why, ByCommand: r.Change.ByCommand,
		Time: time.UnixMilli(r.Time), Summary: r.Change.Summary, under: r.Change.Under, back: r.Change.Back, Kept: r.Change.Kept,
		texts: r.Change.Texts, resting: true,
	}
	p.changes.restore(ch)
	if ch.State != ChangeProposed {
		p.event(r.Seq, r.Time, ChangeUpdated{Change: ch})
	}
}

func (p *past) addOpened(r record) {
	if r.Opened == nil {
		return
	}
	p.terminals = max(p.terminals, number(r.Opened.Terminal))
	p.running = append(p.running, *r.Opened)
	if r.Background {
		if p.armed == nil {
			p.armed = map[string]bool{}
		}
		p.armed[r.Opened.Terminal] = true
	}
	p.event(r.Seq, r.Time, *r.Opened)
}

func (p *past) addUpdated(r record) {
	if r.Updated == nil {
		return
	}
	if r.Updated.Status.Done {
		if p.exits == nil {
			p.exits = map[string]shell.Exit{}
		}
		p.exits[r.Updated.Terminal] = r.Updated.Status.Exit
	}
	p.event(r.Seq, r.Time, *r.Updated)
}

func (p *past) addTerminal(r record) {
	if r.Terminal == nil {
		return
	}
	p.terminals = max(p.terminals, number(r.Terminal.Terminal))
	p.running = slices.DeleteFunc(p.running, func(o TerminalOpened) bool { return o.Terminal == r.Terminal.Terminal })
	p.event(r.Seq, r.Time, *r.Terminal)
}

func (p *past) addEnd(r record) {
	if r.End == nil {
		return
	}
	p.flush()
	if r.Turn == p.turn {
		p.turn, p.stop = "", r.End.Stop
	}
	p.event(r.Seq, r.Time, *r.End)
}

// flush adds the results of the last step to the conversation; a call that
// has none gets one, so that a strict service accepts the history.
func (p *past) flush() {
	var parts []model.Part
	for _, c := range p.step {
		res := p.results[c.ID]
		if res == nil {
			res = &model.Result{CallID: c.ID, Text: interruptedText, Failed: true}
		}
		parts = append(parts, model.Part{Kind: model.PartResult, Result: res})
	}
	p.talk.user(parts)
	p.step, p.results, p.started, p.decided = nil, map[string]*model.Result{}, map[string]string{}, map[string]bool{}
}

// number is the counter in an id such as "t12"; 0 if it has none.
func number(id string) int {
	id, _, _ = strings.Cut(strings.TrimLeft(id, "tcgxa"), "-") // a subagent's have a mark
	n, _ := strconv.Atoi(id)
	return n
}
