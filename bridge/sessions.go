package bridge

import (
	"context"
	"path/filepath"
	"slices"

	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// replayFlush is after how many replayed events the editor is waited for, so
// that a long history does not pile up unread.
const replayFlush = 256

func (s *Server) newSession(_ context.Context, p *protocol.SessionNewParams) (any, error) {
	host, err := s.theHost()
	if err != nil {
		return nil, err
	}
	set, err := s.newSettings(p)
	if err != nil {
		return nil, err
	}
	sess, err := host.New(set)
	if err != nil {
		return nil, err
	}
	s.hold(sess.Info().ID)
	after := s.announceTrust(sess.Info().Roots, true)
	return rpc.AfterSend(&protocol.SessionResult{Session: toSession(sess.Info())}, after), nil
}

// newSettings fills what the client left out from the editor's folders.
func (s *Server) newSettings(p *protocol.SessionNewParams) (session.Settings, error) {
	folders := s.face.Client().Folders
	set := session.Settings{
		Dir: p.Cwd, Roots: p.Roots, Model: p.Model, Mode: fromMode(p.Mode), Preset: fromPreset(p.Preset),
		Profile: string(p.Profile), Title: p.Title, Thinking: string(p.Thinking), MaxSteps: p.MaxSteps,
	}
	if len(set.Roots) == 0 {
		set.Roots = folders
	}
	if set.Dir == "" && len(set.Roots) > 0 {
		set.Dir = set.Roots[0]
	}
	if set.Dir == "" && s.o.Sessions.Defaults.Dir == "" {
		return set, &session.Error{
			Kind: "invalid", Message: "no folder to work in",
			Hint: "name one as cwd, or open one in the editor",
		}
	}
	for _, dir := range append([]string{set.Dir}, set.Roots...) {
		if dir != "" && !filepath.IsAbs(dir) {
			return set, &session.Error{Kind: "invalid", Message: "not an absolute path: " + dir}
		}
	}
	return set, checkThinking(p.Thinking)
}

func (s *Server) listSessions(_ context.Context, p *protocol.SessionListParams) (*protocol.SessionListResult, error) {
	host, err := s.theHost()
	if err != nil {
		return nil, err
	}
	limit := p.Limit
	if limit <= 0 || limit > protocol.MaxPage {
		limit = protocol.MaxPage
	}
	result := &protocol.SessionListResult{NextCursor: p.Cursor}
	for {
		infos, next, err := host.List(p.Parent, result.NextCursor, limit-len(result.Sessions))
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			if p.Cwd == "" || info.Dir == filepath.Clean(p.Cwd) {
				result.Sessions = append(result.Sessions, toSession(info))
			}
		}
		if result.NextCursor = next; next == "" || len(result.Sessions) >= limit {
			return result, nil
		}
	}
}

func (s *Server) loadSession(ctx context.Context, p *protocol.SessionLoadParams) (any, error) {
	host, err := s.theHost()
	if err != nil {
		return nil, err
	}
	n := 0
	sess, last, err := host.Load(p.SessionID, p.FromSeq, func(e session.Event) {
		s.emit(e)
		if n++; n%replayFlush == 0 {
			_ = s.conn.Flush(ctx) // the answer after it fails as well then
		}
	})
	if err != nil {
		return nil, err
	}
	s.hold(p.SessionID)
	after := s.announceTrust(sess.Info().Roots, true)
	return rpc.AfterSend(&protocol.SessionLoadResult{Session: toSession(sess.Info()), LastSeq: last}, after), nil
}

// configureSession changes settings in the order of the wire: an answer that was
// sent after a change of the preset is heard after it.
func (s *Server) configureSession(p *protocol.SessionConfigureParams) (work, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := checkThinking(p.Thinking); err != nil {
		return nil, err
	}
	info, err := sess.Configure(session.Settings{
		Model: p.Model, Mode: fromMode(p.Mode), Preset: fromPreset(p.Preset),
		Title: p.Title, Thinking: string(p.Thinking),
	})
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) { return &protocol.SessionResult{Session: toSession(info)}, nil }, nil
}

// closeSession answers when nothing of the session runs any more.
func (s *Server) closeSession(ctx context.Context, p *protocol.SessionParams) (*protocol.Empty, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.closable(sess.Info()); err != nil {
		return nil, err
	}
	if err := sess.Close(ctx); err != nil {
		return nil, err
	}
	if f := s.followed(p.SessionID); f != nil {
		f.wait(ctx)
	}
	s.release(p.SessionID)
	return &protocol.Empty{}, nil
}

func (s *Server) hold(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[id] = true
}

func (s *Server) release(id string) {
	s.review.leave(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	delete(s.turns, id)
	delete(s.plain, id)
}

func (s *Server) openIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.open))
	for id := range s.open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
