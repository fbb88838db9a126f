package bridge

import (
	"cmp"
	"fmt"
	"strings"

	"drawbridge/bridge/lsp"
	"drawbridge/internal/visible"
	"drawbridge/session"
)

// maxAnswer is how much of an answer is kept to be shown at a turn's end.
const maxAnswer = 64 << 10

// plainTurn is a turn as a client without our events sees it: a progress that
// can be cancelled, and the answer at the end.
type plainTurn struct {
	progress *lsp.Progress
	answer   strings.Builder // since the last tool call
}

// emitPlainly shows the little that any client can show. Events of a session
// come one at a time.
func (s *Server) emitPlainly(e session.Event) {
	if e.Replayed {
		return
	}
	if e.Origin != nil { // its answer is for the model that it works for
		s.emitBeside(e)
		return
	}
	if started, ok := e.Body.(session.TurnStarted); ok {
		s.startPlain(e.Session, started.Turn)
		return
	}
	s.emitBeside(e)
	s.mu.Lock()
	t := s.plain[e.Session]
	s.mu.Unlock()
	if t == nil {
		return
	}
	switch b := e.Body.(type) {
	case session.StateChanged:
		t.progress.Report(stateText(b))
	case session.MessageChunk:
		t.answer.WriteString(b.Text[:min(len(b.Text), maxAnswer-t.answer.Len())])
	case session.CallStarted:
		t.answer.Reset()
		t.progress.Report(b.Title)
	case session.TurnNotified:
		for _, n := range b.Notices {
			t.progress.Report(n.Title + ": " + n.Detail)
		}
	case session.TurnCompleted:
		s.endPlain(e.Session, t, b)
	}
}

// emitBeside shows what is no matter of a turn's progress.
func (s *Server) emitBeside(e session.Event) {
	if line := backgroundLine(e.Body); line != "" {
		s.face.LogMessage(lsp.Info, line)
	}
	if waits, ok := e.Body.(session.ApprovalReminder); ok && !s.face.Client().Ours.Approvals {
		s.face.ShowMessage(lsp.Info, "Drawbridge still waits for your answer: "+visible.Line(s.redacted(waits.Title)))
	}
}

func (s *Server) startPlain(id, turn string) {
	progress := s.face.Begin("Drawbridge", func() {
		if sess, err := s.session(id); err == nil {
			sess.Cancel(turn)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain[id] = &plainTurn{progress: progress}
}

func (s *Server) endPlain(id string, t *plainTurn, end session.TurnCompleted) {
	s.mu.Lock()
	delete(s.plain, id)
	s.mu.Unlock()
	t.progress.End(cmp.Or(end.Cause, string(end.Stop)))
	answer := strings.ToValidUTF8(strings.TrimSpace(t.answer.String()), "")
	if answer != "" {
		s.face.LogMessage(lsp.Info, answer)
	}
	switch end.Stop {
	case session.StopEndTurn:
		s.face.ShowMessage(lsp.Info, "Drawbridge: "+cmp.Or(firstLine(answer), "done"))
	case session.StopError:
		s.face.ShowMessage(lsp.Error, "Drawbridge: "+strings.TrimSpace(end.Cause+"\n"+end.Hint))
	default:
		s.face.ShowMessage(lsp.Warning, "Drawbridge stopped: "+cmp.Or(end.Cause, string(end.Stop)))
	}
}

// backgroundLine says what runs on after its call, "" for all other news.
func backgroundLine(body any) string {
	switch b := body.(type) {
	case session.TerminalUpdated:
		title := firstLine(b.Title)
		switch {
		case b.Yielded && b.Status.Done:
			return fmt.Sprintf("%s: ended, and left processes running: %d", title, len(b.Status.Survivors))
		case b.Background && b.Status.Waiting:
			return title + ": runs in the background and waits for typing"
		case b.Yielded:
			return title + ": runs on in the background"
		}
	case session.TurnNotified:
		lines := make([]string, len(b.Notices))
		for i, n := range b.Notices {
			lines[i] = noticeKind(n) + firstLine(n.Title) + ": " + n.Detail
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

func noticeKind(n session.Notice) string {
	if n.Subagent != "" {
		return "subagent: "
	}
	return "background command ended: "
}

func stateText(b session.StateChanged) string {
	switch b.State {
	case session.StateRetry:
		return fmt.Sprintf("retry %d of %d: %s", b.Attempt, b.Max, b.Detail)
	case session.StateInput:
		return "waits for typing: " + firstLine(b.Detail)
	}
	return strings.TrimSpace(string(b.State) + " " + firstLine(b.Detail))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
