package bridge

import (
	"cmp"
	"fmt"
	"strings"

	"drawbridge/bridge/lsp"
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
	if started, ok := e.Body.(session.TurnStarted); ok {
		s.startPlain(e.Session, started.Turn)
		return
	}
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
	case session.TurnCompleted:
		s.endPlain(e.Session, t, b)
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

func stateText(b session.StateChanged) string {
	if b.State == session.StateRetry {
		return fmt.Sprintf("retry %d of %d: %s", b.Attempt, b.Max, b.Detail)
	}
	return strings.TrimSpace(string(b.State) + " " + firstLine(b.Detail))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
