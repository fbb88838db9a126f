package bridge

import (
	"cmp"

	"drawbridge/approval"
	"drawbridge/model"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// emit shows an event. It runs in the order of the session's events and does
// not block.
func (s *Server) emit(e session.Event) {
	ours := s.face.Client().Ours
	if !ours.Events {
		s.emitPlainly(e)
	}
	stream := s.before(e)
	if method, params, shown := s.toEvent(e, ours); shown {
		s.send(stream, method, params)
	}
	s.after(e, ours)
	s.review.see(e)
	if told, ok := e.Body.(session.SubagentUpdated); ok && told.Subagent.State == session.SubagentEnded && !e.Replayed {
		s.review.leave(told.Subagent.Session)
	}
}

// before does what the client must have seen the end of first. It returns the
// stream of output that the event closes, if any.
func (s *Server) before(e session.Event) (stream string) {
	switch b := e.Body.(type) {
	case session.ApprovalResolved:
		s.unasked(askKey{e.Session, b.Approval})
	case session.TerminalClosed:
		return s.stopPump(terminalKey{e.Session, b.Terminal})
	}
	return ""
}

// after does what may only begin once the client was told. History begins
// nothing.
func (s *Server) after(e session.Event, c protocol.ClientCapabilities) {
	if e.Replayed {
		return
	}
	if opened, ok := e.Body.(session.TerminalOpened); ok && c.Terminals {
		s.startPump(e, opened)
	}
}

// send queues a message, behind what is queued of a stream of output if one is
// named.
func (s *Server) send(behind, method string, params any) {
	if err := s.conn.NotifyBehind(behind, method, params); err != nil {
		s.log.Debug("event not sent", "method", method, "error", err)
	}
}

// toEvent gives an event its name and shape. shown is false for clients that
// do not implement that part.
func (s *Server) toEvent(e session.Event, c protocol.ClientCapabilities) (method string, params any, shown bool) {
	head := protocol.Event{SessionID: e.Session, Seq: e.Seq, Replayed: e.Replayed, Origin: toOrigin(e.Origin)}
	switch b := e.Body.(type) {
	case session.ChangeUpdated:
		if !c.Review { // its hunks are not worth computing for nobody
			return "", nil, false
		}
		return "change/updated", s.toChangeUpdated(head, b.Change), true
	case session.ApprovalResolved:
		return "approval/resolved", toResolved(head, b), c.Approvals || c.Events
	case session.ApprovalReminder:
		return "approval/reminder", protocol.ApprovalReminder{
			Event: head, ApprovalID: b.Approval, CallID: b.Call, Title: b.Title, Since: protocol.At(b.Asked), Count: b.Count,
		}, c.Approvals || c.Events
	case session.TerminalOpened:
		return "terminal/opened", protocol.TerminalOpened{
			Event: head, TerminalID: b.Terminal, CallID: b.Call,
			Title: b.Title, Cwd: b.Dir, Cols: b.Cols, Rows: b.Rows,
			ProcessID: b.ProcessID, Pipes: b.Pipes, Sandbox: b.Sandbox,
		}, c.Terminals
	case session.TerminalUpdated:
		return "terminal/updated", toTerminalUpdated(head, b), c.Terminals
	case session.TerminalClosed:
		return "terminal/closed", protocol.TerminalClosed{
			Event: head, TerminalID: b.Terminal, Exit: toExit(b.Exit),
			Tail: b.Tail,
		}, c.Terminals
	}
	method, params = toTurnEvent(head, e.Body)
	return method, params, c.Events && method != ""
}

func toTurnEvent(head protocol.Event, body any) (method string, params any) {
	switch b := body.(type) {
	case session.TurnStarted:
		return "turn/started", protocol.TurnStarted{
			Event: head, TurnID: b.Turn, Prompt: toBlocks(b.Prompt), Background: b.Background,
			Continues: b.Continues, Replaces: b.Replaces,
		}
	case session.TurnSteered:
		return "turn/steered", protocol.TurnSteered{Event: head, TurnID: b.Turn, Content: toBlocks(b.Content)}
	case session.TurnNotified:
		return "turn/notified", protocol.TurnNotified{Event: head, TurnID: b.Turn, Notices: toNotices(b.Notices), Remarks: b.Remarks}
	case session.StateChanged:
		return "state/changed", protocol.StateChanged{
			Event: head, State: protocol.State(b.State),
			Since: protocol.At(b.Since), Detail: b.Detail, CallID: b.Call, Attempt: b.Attempt, Max: b.Max,
		}
	case session.MessageChunk:
		return "message/chunk", protocol.MessageChunk{Event: head, Text: b.Text}
	case session.ThoughtChunk:
		return "thought/chunk", protocol.ThoughtChunk{Event: head, Text: b.Text}
	case session.UsageUpdated:
		return "usage/updated", protocol.UsageUpdated{
			Event: head, TurnID: b.Turn, Usage: toUsage(b.TurnUsage),
			Total: toUsage(b.TotalUsage), ContextTokens: int64(b.ContextUsed), ContextLimit: int64(b.ContextLimit),
		}
	case session.TurnCompleted:
		return "turn/completed", protocol.TurnCompleted{
			Event: head, TurnID: b.Turn,
			StopReason: protocol.StopReason(b.Stop), Cause: b.Cause, Hint: b.Hint, Usage: toUsage(b.Usage),
			Returned: toBlocks(b.Returned),
		}
	case session.SubagentUpdated:
		return "subagent/updated", protocol.SubagentUpdated{Event: head, Subagent: toSubagent(b.Subagent)}
	case session.SessionUpdated:
		return "session/updated", protocol.SessionUpdated{Event: head, Session: toSession(b.Info)}
	}
	return toCallEvent(head, body)
}

func toCallEvent(head protocol.Event, body any) (method string, params any) {
	switch b := body.(type) {
	case session.CallStarted:
		return "toolCall/started", protocol.ToolCallStarted{
			Event: head, CallID: b.Call, Name: b.Name, Title: b.Title,
			Access: protocol.Access(b.Access), Args: toArgs(b.Args),
		}
	case session.CallUpdated:
		return "toolCall/updated", protocol.ToolCallUpdated{Event: head, CallID: b.Call, Title: b.Title, Text: b.Text}
	case session.CallCompleted:
		return "toolCall/completed", protocol.ToolCallCompleted{
			Event: head, CallID: b.Call,
			Status: protocol.CallStatus(b.Status), Text: b.Text, ChangeID: b.Change, TerminalID: b.Terminal,
			ProcessID: b.Process, DurationMs: b.Duration.Milliseconds(), WaitedMs: b.Waited.Milliseconds(), Decision: b.Decision,
			Images: toPictures(b.Images),
		}
	}
	return "", nil
}

func toPictures(images []model.Image) []protocol.Picture {
	var list []protocol.Picture
	for _, im := range images {
		list = append(list, protocol.Picture{MimeType: im.MimeType, Data: im.Data})
	}
	return list
}

func toNotices(list []session.Notice) protocol.List[protocol.Notice] {
	out := make(protocol.List[protocol.Notice], len(list))
	for i, n := range list {
		out[i] = protocol.Notice{
			ProcessID: n.Process, SubagentID: n.Subagent, CallID: n.Call, TerminalID: n.Terminal, Title: n.Title,
			OK: n.OK, Detail: n.Detail, Tail: n.Tail,
		}
	}
	return out
}

func (s *Server) toChangeUpdated(head protocol.Event, ch session.Change) protocol.ChangeUpdated {
	shown := s.toChange(ch)
	hunks, why := s.shownHunks(ch, shown.Why)
	shown.Why = cmp.Or(why, shown.Why)
	return protocol.ChangeUpdated{Event: head, Change: shown, Hunks: hunks}
}

func toResolved(head protocol.Event, b session.ApprovalResolved) protocol.ApprovalResolved {
	r := protocol.ApprovalResolved{
		Event: head, ApprovalID: b.Approval, CallID: b.Call, By: protocol.ResolvedBy(b.By),
		Cause: b.Cause, Outcome: protocol.ResolvedDenied,
	}
	switch {
	case b.By == "cancel" || b.By == "superseded" || b.By == "closed":
		r.Outcome = protocol.ResolvedWithdrawn
	case b.Outcome == approval.Allowed:
		r.Outcome = protocol.ResolvedAllowed
	}
	return r
}
