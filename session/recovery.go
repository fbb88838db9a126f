package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/tools"
)

// interruptedText answers a call that the end of an earlier run cut off, and
// unbegunText one that had not been allowed by then.
const (
	interruptedText = "[interrupted: the bridge ended]\nIt ended before this call had a result; what it had begun may be half done."
	unbegunText     = "[interrupted: the bridge ended]\nIt ended before this call was allowed; nothing of it was done."
)

// closeOff ends what the log leaves open because the bridge was killed: the
// answer that was arriving, commands, changes, calls, the turn. Each end is an
// event and a record that is still to be written, so that every later reading
// finds the same. What stood beside the log in dir goes into it.
func (p *past) closeOff(dir string) {
	if r, cut := p.addDraft(readDraft(dir)); cut {
		p.recovered = append(p.recovered, r)
	}
	p.endTerminals(dir)
	p.endSubagents(filepath.Dir(dir))
	p.endChanges()
	p.endCalls()
	p.flush()
	p.info.Unfinished = ""
	if p.turns > 0 && p.stop.unfinished() {
		p.info.Unfinished = turnID(p.turns, p.info.mark())
	}
	p.info.Turn, p.info.State = "", StateIdle
	if p.turn != "" {
		end := TurnCompleted{Turn: p.turn, Stop: StopInterrupted, Cause: "the bridge ended while the turn ran"}
		p.recover(record{Type: recEnd, Turn: p.turn, End: &end}, end)
		p.turn = ""
	}
}

// recover adds an event that nobody saw and its record.
func (p *past) recover(r record, body any) {
	p.seq++
	r.Seq, r.Time = p.seq, time.Now().UnixMilli()
	p.recovered = append(p.recovered, r)
	p.event(r.Seq, r.Time, body)
}

// addDraft takes in what has arrived of an answer, if the log has it not yet,
// and returns the record that would say so.
func (p *past) addDraft(left said) (r record, news bool) {
	if left.Turn == "" || left.Turn != p.turn || left.last() <= p.heard {
		return record{}, false
	}
	p.seq = max(p.seq, left.last())
	r = record{
		Type: recMessage, Turn: p.turn, Cut: true, Seq: p.seq, Time: time.Now().UnixMilli(),
		TextSeq: left.TextSeq, ThoughtSeq: left.ThoughtSeq,
	}
	if left.Thought != "" {
		r.Parts = append(r.Parts, model.Part{Kind: model.PartThinking, Text: left.Thought})
	}
	if left.Text != "" {
		r.Parts = append(r.Parts, model.Part{Kind: model.PartText, Text: left.Text})
	}
	p.addMessage(r)
	return r, true
}

// endTerminals closes the commands that ran, those of earlier turns too. They
// ended with the bridge, by its guard, as did what others had left behind. The
// model is still to be told of those that it was promised to be told of.
func (p *past) endTerminals(dir string) {
	for _, o := range p.running {
		exit, ended := p.exits[o.Terminal]
		if !ended {
			exit = shell.Exit{Code: 137, Signal: "SIGKILL"}
		}
		end := TerminalClosed{
			Turn: o.Turn, Call: o.Call, Terminal: o.Terminal, Exit: exit, Tail: readTail(dir, o.Terminal),
		}
		p.ended, p.cut = append(p.ended, end), append(p.cut, o)
		p.recover(record{Type: recTerminal, Turn: o.Turn, Call: o.Call, Terminal: &end}, end)
		if p.armed[o.Terminal] && !ended {
			p.owe(lost(o, "the bridge", end.Tail))
		}
	}
	p.running = nil
}

// endSubagents ends those that the bridge had: they ended with it. The model is
// still to be told of those whose answer it was promised, and what they said last.
// Their sessions are below dir.
func (p *past) endSubagents(dir string) {
	for _, a := range slices.SortedFunc(maps.Values(p.subagents), func(a, b Subagent) int { return number(a.Call) - number(b.Call) }) {
		if a.State == SubagentEnded {
			continue
		}
		if a.State != SubagentIdle {
			p.lostSubagent(a, lastWords(dir, a.Session))
		}
		p.cutOff = append(p.cutOff, a.Session)
		a.State, a.Detail, a.Background, a.Questions = SubagentEnded, "the bridge ended", false, 0
		p.subagents[a.ID] = a
		p.recover(record{Type: recSubagent, Call: a.Call, Subagent: &a}, SubagentUpdated{a})
	}
}

// lostSubagent takes in what one said last that was at work when it was lost. It is
// told in the notice of its end, or else by the call that waited for it.
func (p *past) lostSubagent(a Subagent, tail string) {
	if !p.promised[a.ID] {
		p.lastSaid[a.ID] = tail
		return
	}
	p.owe(Notice{Subagent: a.ID, Call: a.Call, Title: a.Title, Detail: "ended with the bridge", Tail: tail, Lost: true})
}

// heardBy is what the lost subagent said last that a call had begun or waited for.
func (p *past) heardBy(c model.Call, id string) string {
	var args struct {
		ID string `json:"subagent_id"`
	}
	_ = json.Unmarshal([]byte(c.Args), &args) // it is "" of all other calls
	for _, a := range p.subagents {
		if a.Call == id || a.ID == args.ID {
			return p.lastSaid[a.ID]
		}
	}
	return ""
}

// lastWords are the end of what the session of a subagent said in its last turn, as
// far as the disk has it.
func lastWords(dir, id string) string {
	if !validID(id) {
		return ""
	}
	dir = filepath.Join(dir, id)
	p, _, err := readPast(filepath.Join(dir, logName), id)
	if err != nil {
		return ""
	}
	p.addDraft(readDraft(dir))
	text := ""
	for _, e := range p.events {
		if m, ok := e.Body.(MessageChunk); ok && m.Turn == turnID(p.turns, p.info.mark()) {
			text = joinLines(text, m.Text)
		}
	}
	return lastRunes(text, maxNoticeTail)
}

// noteCut has a rewind say that nobody knows what commands changed that ran when
// the bridge was killed, those of subagents too.
func (s *Session) noteCut(cut []TerminalOpened, children []string) {
	for _, id := range children {
		if p, err := s.host.past(id); err == nil {
			for _, o := range p.running {
				o.Turn = s.present()
				cut = append(cut, o)
			}
		}
	}
	for _, o := range cut {
		s.noteUnlisted(o.Turn, fmt.Sprintf("the bridge was killed while `%s` ran: what that changed below it is not known, and stays", o.Title))
	}
}

// owe adds a notice that the model is still to be told.
func (p *past) owe(n Notice) {
	p.notices = append(p.notices, n)
	p.recovered = append(p.recovered, record{
		Type: recEnded, Call: n.Call, Notices: []Notice{n}, Seq: p.seq, Time: time.Now().UnixMilli(),
	})
}

// endChanges settles what was proposed: as the shelf has it, where the bridge
// was killed before the log had it too, and else as rejected.
func (p *past) endChanges() {
	for _, ch := range p.changes.all() {
		if ch.State != ChangeProposed {
			continue
		}
		ch.State, ch.Why = ChangeRejected, "the bridge ended before this was decided"
		if kept, err := p.changes.shelf.get(ch.ID); err == nil {
			ch.State, ch.Edited, ch.Why = kept.State, kept.Edited, kept.Why
			if kept.done != nil {
				ch.Summary = summary(*kept.done)
			}
		}
		p.changes.restore(ch)
		p.recover(ch.record(), ChangeUpdated{Change: ch})
	}
}

// endCalls answers the calls of the last step that have no result.
func (p *past) endCalls() {
	for _, c := range p.step {
		id := p.started[c.ID]
		if id == "" || p.results[c.ID] != nil {
			continue
		}
		done := CallCompleted{Turn: p.turn, Call: id, Status: tools.Aborted, Text: unbegunText}
		if p.decided[id] {
			done.Text = joinLines(p.heardBy(c, id), interruptedText)
		}
		for _, t := range p.ended {
			if t.Call == id {
				done.Terminal, done.Text = t.Terminal, joinLines(t.Tail, interruptedText)
			}
		}
		for _, ch := range p.changes.all() {
			if ch.Call == id {
				done.Change = ch.ID
			}
		}
		result := &model.Result{CallID: c.ID, Text: done.Text, Failed: true}
		p.results[c.ID] = result
		logged := done
		logged.Text = "" // the result has it
		p.recover(record{Type: recCall, Turn: p.turn, Call: id, Result: result, Done: &logged}, done)
	}
}

// joinLines puts a text below another, which may be empty or lack its line end.
func joinLines(above, below string) string {
	if above != "" && above[len(above)-1] != '\n' {
		above += "\n"
	}
	return above + below
}
