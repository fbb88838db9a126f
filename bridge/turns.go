package bridge

import (
	"context"
	"encoding/json"
	"slices"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// followed is the newest turn of a session as the client sees it: it is over
// when the request that started it was answered, not before.
type followed struct {
	turn     *session.Turn
	answered <-chan struct{}
}

func (f *followed) wait(ctx context.Context) {
	select {
	case <-f.answered:
	case <-ctx.Done():
	}
}

// track makes a turn the session's newest one; it is over when answered is
// closed.
func (s *Server) track(id string, turn *session.Turn, answered <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns[id] = &followed{turn: turn, answered: answered}
}

func (s *Server) prompt(p *protocol.PromptParams) (work, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	blocks := s.fromBlocks(slices.Concat(p.Content, p.Context))
	if len(p.Content) == 0 {
		blocks = nil // context alone asks for nothing; the session says so
	}
	s.announceTrust(sess.Info().Roots, false)()
	turn, err := sess.Prompt(blocks, p.Replaces)
	if err != nil {
		return nil, err
	}
	return s.follow(sess, turn), nil
}

func (s *Server) continueTurn(p *protocol.SessionParams) (work, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	s.announceTrust(sess.Info().Roots, false)()
	turn, err := sess.Continue()
	if err != nil {
		return nil, err
	}
	return s.follow(sess, turn), nil
}

// follow answers a request with the end of the turn it started. Cancelling the
// request cancels the turn, whose end is still its result.
func (s *Server) follow(sess *session.Session, turn *session.Turn) work {
	answered := make(chan struct{})
	s.track(sess.Info().ID, turn, answered)
	return func(ctx context.Context) (any, error) {
		select {
		case <-turn.Done():
		case <-ctx.Done():
			s.cancelled(sess, turn)
			<-turn.Done()
		}
		return rpc.AfterSend(toPromptResult(turn), func() { close(answered) }), nil
	}
}

// cancelled passes a person's cancellation on. The end of the connection is
// none: the turn is then interrupted, by the end of its session.
func (s *Server) cancelled(sess *session.Session, turn *session.Turn) {
	if !s.left() {
		sess.Cancel(turn.ID)
	}
}

func (s *Server) steer(p *protocol.SteerParams) (work, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	info := sess.Info()
	if info.Turn == "" {
		return nil, &session.Error{Kind: "noTurn", Message: "no turn is running", Hint: "use session/prompt"}
	}
	queued, err := sess.Steer(p.ExpectedTurnID, s.fromBlocks(p.Content))
	if err != nil {
		return nil, err
	}
	result := protocol.SteerResult{Delivered: protocol.DeliveredTurn}
	if queued || info.State != session.StateTool && info.State != session.StateApproval {
		result.Delivered = protocol.DeliveredQueued
	}
	return done(result), nil
}

// cancelEarly ends a running turn before anything that is queued is looked at.
func (s *Server) cancelEarly(params json.RawMessage) {
	var p protocol.CancelParams
	if json.Unmarshal(params, &p) != nil {
		return // it is refused when its turn comes
	}
	if sess, err := s.session(p.SessionID); err == nil {
		sess.CancelFor(p.TurnID, p.Cause)
	}
}

// cancel takes its place in line as well: a prompt that was sent before it but
// had not begun when it was read is caught here.
func (s *Server) cancel(p *protocol.CancelParams) (work, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	turn := sess.CancelFor(p.TurnID, p.Cause)
	f := s.followed(p.SessionID)
	if f == nil || p.TurnID != "" && p.TurnID != f.turn.ID {
		f = nil // nobody's request waits for that turn
	}
	return func(ctx context.Context) (any, error) {
		if turn != nil {
			awaitTurn(ctx, turn)
		}
		if f != nil {
			f.wait(ctx)
		}
		return protocol.Empty{}, nil
	}, nil
}

// awaitTurn waits for the end of a turn, which may have begun by itself.
func awaitTurn(ctx context.Context, turn *session.Turn) {
	select {
	case <-turn.Done():
	case <-ctx.Done():
	}
}

func (s *Server) followed(session string) *followed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns[session]
}
