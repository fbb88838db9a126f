package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
)

// killGrace is how long a killed command may take to end by itself.
const killGrace = 150 * time.Millisecond

func (s *Server) listTerminals(_ context.Context, p *protocol.TerminalListParams) (*protocol.TerminalListResult, error) {
	list, err := s.sessions(p.SessionID)
	if err != nil {
		return nil, err
	}
	result := &protocol.TerminalListResult{}
	for _, sess := range s.withSubagents(list, p.SessionID) {
		for _, t := range sess.Terminals() {
			result.Terminals = append(result.Terminals, toTerminal(sess.Info().ID, t))
		}
	}
	return result, nil
}

func toTerminal(id string, t session.Terminal) protocol.Terminal {
	now := t.Process.Output().Read(0, 0)
	w := protocol.Terminal{
		TerminalID: t.Terminal, SessionID: id, CallID: t.Call, Title: t.Title, Cwd: t.Dir,
		Cols: t.Cols, Rows: t.Rows, Start: now.Offset, End: now.End,
		ProcessID: t.ProcessID, Pipes: t.Pipes, Sandbox: t.Sandbox,
		TerminalStatus: toStatus(t.Background, t.Status),
	}
	if t.Status.Done {
		exit := toExit(t.Status.Exit)
		w.Exit = &exit
	}
	return w
}

func toStatus(background bool, s shell.Status) protocol.TerminalStatus {
	w := protocol.TerminalStatus{Background: background, Waiting: s.Waiting}
	for _, p := range s.Survivors {
		w.Survivors = append(w.Survivors, protocol.Survivor{PID: p.PID, Name: p.Name})
	}
	return w
}

func toTerminalUpdated(head protocol.Event, b session.TerminalUpdated) protocol.TerminalUpdated {
	w := protocol.TerminalUpdated{Event: head, TerminalID: b.Terminal, TerminalStatus: toStatus(b.Background, b.Status)}
	if b.Status.Done {
		exit := toExit(b.Status.Exit)
		w.Exit = &exit
	}
	return w
}

func (s *Server) readTerminal(_ context.Context, p *protocol.TerminalReadParams) (*protocol.TerminalReadResult, error) {
	t, err := s.terminal(p.SessionID, p.TerminalID)
	if err != nil {
		return nil, err
	}
	limit := p.Max
	if limit <= 0 || limit > protocol.MaxRead {
		limit = protocol.MaxRead
	}
	chunk := t.Process.Output().Read(max(p.Offset, 0), limit)
	var cut shell.Cutter
	cut.Write(chunk.Data)
	r := &protocol.TerminalReadResult{Offset: chunk.Offset, EOF: chunk.EOF}
	r.End = chunk.Offset + int64(len(chunk.Data)-cut.Pending())
	if chunk.EOF || r.End == r.Offset { // or a read too short for one character
		r.End = chunk.Offset + int64(len(chunk.Data))
	}
	r.Data = legible(discreet(t.Process.Output(), r.Offset, chunk.Data[:r.End-r.Offset], s.o.Sessions.Redact))
	return r, nil
}

func (s *Server) writeTerminal(p *protocol.TerminalWriteParams) (work, error) {
	t, err := s.running(p.SessionID, p.TerminalID)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		err := t.Write(p.Text)
		if errors.Is(err, shell.ErrInputClosed) {
			err = &session.Error{Kind: "closed", Message: "the command of terminal " + p.TerminalID + " reads nothing more: its input is closed"}
		}
		return protocol.Empty{}, err
	}, nil
}

func (s *Server) resizeTerminal(p *protocol.TerminalResizeParams) (work, error) {
	t, err := s.running(p.SessionID, p.TerminalID)
	if err != nil {
		return nil, err
	}
	if p.Cols == 0 || p.Rows == 0 {
		return nil, invalid("a terminal has at least one column and one row")
	}
	return done(protocol.Empty{}), t.Resize(p.Cols, p.Rows)
}

func (s *Server) killTerminal(ctx context.Context, p *protocol.TerminalParams) (*protocol.Empty, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	return &protocol.Empty{}, sess.EndTerminal(ctx, p.TerminalID, killGrace)
}

func (s *Server) ackTerminal(params json.RawMessage) {
	var p protocol.TerminalAckParams
	if json.Unmarshal(params, &p) != nil {
		return // a notification has nobody to tell
	}
	s.mu.Lock()
	pump := s.pumps[terminalKey{p.SessionID, p.TerminalID}]
	s.mu.Unlock()
	if pump != nil {
		pump.ack(p.Offset)
	}
}

func (s *Server) terminal(id, terminal string) (session.TerminalOpened, error) {
	sess, err := s.session(id)
	if err != nil {
		return session.TerminalOpened{}, err
	}
	return sess.Terminal(terminal)
}

// running is a terminal's process while something of it can take input.
func (s *Server) running(id, terminal string) (shell.Process, error) {
	t, err := s.terminal(id, terminal)
	if err != nil {
		return nil, err
	}
	if isClosed(t.Process.Gone()) {
		return nil, &session.Error{Kind: "closed", Message: "the command of terminal " + terminal + " has ended"}
	}
	return t.Process, nil
}
