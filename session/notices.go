package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/tools"
)

// The end of a command that was started in the background is news to the model.
// It is told at the next boundary of a running turn, with the next prompt, or by
// a turn of its own.

const (
	// gatherTime is how long a turn that a notice began waits for others that
	// come at about the same time.
	gatherTime = 100 * time.Millisecond
	// maxAlone is how many turns in a row may begin by themselves: a model that
	// starts a command in each of them must not go on without anybody's word.
	maxAlone = 20
	// maxNoticeTail bounds the output in a notice, in characters.
	maxNoticeTail = 4000
)

// commandEnded takes the end of a background command. The model is not told
// before the client is.
func (s *Session) commandEnded(e tools.Ended) {
	n := Notice{Process: e.Process, Call: e.Call, Title: e.Title, OK: e.OK, Detail: e.Detail, Tail: e.Tail}
	notice := func() { s.notice(n, !e.ByUser) }
	t := s.terminals.find(func(t *terminal) bool { return t.opened.ProcessID == e.Process })
	if t == nil {
		notice()
		return
	}
	n.Terminal = t.opened.Terminal
	t.onceTold(func() {
		if !s.commands.EndTold(n.Process) { // by a call, meanwhile
			notice()
		}
	})
}

// notice queues a notice. One that is news begins a turn where that may be: what
// a person ended themselves waits for their next prompt. One that a closing
// session takes is told when it is loaded again.
func (s *Session) notice(n Notice, news bool) {
	n = redacted(n, s.host.o.Redact)
	n.Tail = lastRunes(n.Tail, maxNoticeTail)
	// First the log: one that had it behind its delivery would owe it anew.
	s.out.keep(record{Type: recEnded, Call: n.Call, Notices: []Notice{n}})
	s.mu.Lock()
	s.notices = append(s.notices, n)
	s.fresh = s.fresh || news
	s.mu.Unlock()
	s.wake()
}

// lost is the notice of a command that ended with its session.
func lost(o TerminalOpened, with, tail string) Notice {
	return Notice{
		Process: o.ProcessID, Call: o.Call, Terminal: o.Terminal, Title: o.Title,
		Detail: "ended with " + with, Tail: lastRunes(tail, maxNoticeTail), Lost: true,
	}
}

// promise keeps which commands the model was promised to be told the end of and
// that still run when the session closes. No end is reported any more.
func (s *Session) promise() {
	for _, t := range s.terminals.all() {
		select {
		case <-t.opened.Process.Done():
		default:
			t.mu.Lock()
			t.lost = t.armed && !s.commands.EndTold(t.opened.ProcessID)
			t.mu.Unlock()
		}
	}
}

// wake begins a turn when notices wait that came since the session was opened,
// and nobody is in the way of one.
func (s *Session) wake() {
	s.dropTold()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notices) == 0 || !s.fresh || !s.mayWakeLocked() {
		return
	}
	s.alone++
	s.beginLocked(record{Background: true})
}

// mayWakeLocked says that a turn may begin without a prompt. After one that was
// cancelled or cut off, a person says how to go on.
func (s *Session) mayWakeLocked() bool {
	if !s.host.live().WakeOnExit || s.isChild() || s.closed || s.rewinding || s.running != nil || s.info.Unfinished != "" || s.alone >= maxAlone {
		return false
	}
	if s.info.Mode == approval.Plan || s.info.Mode == approval.DenyAll {
		return false
	}
	_, _, _, err := s.host.o.Models(s.info.Model)
	return err == nil
}

// gather lets some time pass.
func gather(ctx context.Context) {
	timer := time.NewTimer(gatherTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// deliverNotices puts what is queued into the conversation of a turn, which goes
// on for notices. Remarks are told where it goes on anyway.
func (s *Session) deliverNotices(t *running, goesOn bool) bool {
	if t.ctx.Err() != nil {
		return false
	}
	s.dropTold()
	s.mu.Lock()
	list, remarks := s.notices, []string(nil)
	s.notices, s.fresh = nil, false
	if goesOn || len(list) > 0 {
		remarks, s.remarks = s.remarks, nil
	}
	s.asked.told = append(s.asked.told, list...)
	s.asked.heard = append(s.asked.heard, remarks...)
	s.talk.user(noticeParts(list, remarks))
	s.mu.Unlock()
	if len(list) == 0 && len(remarks) == 0 {
		return false
	}
	for _, n := range list {
		if a := s.subs.find(n.Subagent); a != nil {
			a.read(n)
		}
	}
	s.out.keep(record{Type: recNotified, Turn: t.ID, Notices: list, Remarks: remarks},
		TurnNotified{Turn: t.ID, Notices: list, Remarks: remarks})
	return true
}

// remark queues words about what a person did with the model's changes. The
// model reads them with its next request; no turn begins for them.
func (s *Session) remark(text string) {
	text = redacted(text, s.host.o.Redact)
	s.out.keep(record{Type: recRemark, Remarks: []string{text}}) // before it can be delivered, as a notice is
	s.mu.Lock()
	s.remarks = append(s.remarks, text)
	s.mu.Unlock()
}

// dropTold takes out the notices of commands whose end a call has told since.
func (s *Session) dropTold() {
	s.mu.Lock()
	var told, left []Notice
	for _, n := range s.notices {
		if !n.Lost && s.toldOf(n) {
			told = append(told, n)
		} else {
			left = append(left, n)
		}
	}
	if told != nil {
		s.notices = left
	}
	s.mu.Unlock()
	if told != nil {
		s.out.keep(record{Type: recTold, Notices: told})
	}
}

// toldOf says that a call has told the model what a notice is about.
func (s *Session) toldOf(n Notice) bool {
	if n.Subagent == "" {
		return s.commands.EndTold(n.Process)
	}
	return s.subs != nil && s.subs.knows(n)
}

// noticeParts is what the model reads of notices and remarks.
func noticeParts(list []Notice, remarks []string) []model.Part {
	var parts []model.Part
	for _, text := range remarks {
		parts = append(parts, model.Part{Kind: model.PartText, Text: "[user_action]\n" + text})
	}
	for _, n := range list {
		parts = append(parts, model.Part{Kind: model.PartText, Text: n.forModel()})
	}
	return parts
}

func (n Notice) forModel() string {
	status := "completed"
	if !n.OK {
		status = "failed"
	}
	var b strings.Builder
	kind, id := "command", n.Process
	if n.Subagent != "" {
		kind, id = "subagent", n.Subagent
	}
	fmt.Fprintf(&b, "[background_task_done]\nkind: %s\nid: %s\nstatus: %s\ndetail: %s\nlabel: %s\n", kind, id, status, n.Detail, n.Title)
	switch {
	case n.Tail == "" && n.Lost:
		b.WriteString("Nothing of its output is known.")
	case n.Tail == "":
		b.WriteString("There is no output that you have not read.")
	case n.Lost:
		b.WriteString("The end of its output:\n" + n.Tail)
	default:
		b.WriteString("The end of its output that you have not read:\n" + n.Tail)
	}
	return b.String()
}

// same says that two notices are of the same.
func (n Notice) same(other Notice) bool {
	return n.Process == other.Process && n.Call == other.Call && n.Subagent == other.Subagent && n.Answer == other.Answer
}

// lastRunes is the end of text, of at most n characters.
func lastRunes(text string, n int) string {
	r := []rune(text)
	return string(r[max(0, len(r)-n):])
}
