package bridge

import (
	"context"

	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

func (s *Server) listCheckpoints(_ context.Context, p *protocol.CheckpointListParams) (*protocol.CheckpointListResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	kept, err := sess.Checkpoints()
	if err != nil {
		return nil, err
	}
	result := &protocol.CheckpointListResult{}
	for _, c := range kept {
		shown := protocol.Checkpoint{
			CheckpointID: c.ID, TurnID: c.Turn, RewindTo: c.RewindTo, CreatedAt: c.Time.UnixMilli(), Title: c.Title, Gone: c.Gone,
		}
		for _, path := range c.Files {
			shown.Files = append(shown.Files, s.fileURI(path))
		}
		result.Checkpoints = append(result.Checkpoints, shown)
	}
	return result, nil
}

func (s *Server) previewCheckpoint(ctx context.Context, p *protocol.CheckpointPreviewParams) (*protocol.CheckpointPreviewResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	rewind, err := sess.PreviewRewind(ctx, rewindChoice(p))
	if err != nil {
		return nil, err
	}
	return &protocol.CheckpointPreviewResult{Files: s.toRewindFiles(rewind.Files), Digest: rewind.Digest}, nil
}

func rewindChoice(p *protocol.CheckpointPreviewParams) session.RewindChoice {
	return session.RewindChoice{To: p.CheckpointID, Only: p.Only, Doubtful: p.Doubtful}
}

func (s *Server) restoreCheckpoint(ctx context.Context, p *protocol.CheckpointRestoreParams) (*protocol.CheckpointRestoreResult, error) {
	sess, err := s.session(p.SessionID)
	if err != nil {
		return nil, err
	}
	id, files, err := sess.Rewind(ctx, rewindChoice(&p.CheckpointPreviewParams), p.Digest)
	if err != nil {
		return nil, err
	}
	return &protocol.CheckpointRestoreResult{CheckpointID: id, Files: s.toRewindFiles(files)}, nil
}

func (s *Server) toRewindFiles(files []session.RewindFile) protocol.List[protocol.RewindFile] {
	var list protocol.List[protocol.RewindFile]
	for _, f := range files {
		shown := protocol.RewindFile{
			URI: s.fileURI(f.Path), Kind: protocol.ChangeKind(f.Change.Kind), State: protocol.RewindState(f.State), Why: f.Why,
			Doubtful: f.Doubtful,
		}
		if f.Effective() {
			shown.Diff = diff(f.Change)
			shown.Plus, shown.Minus = f.Change.Stat()
		}
		list = append(list, shown)
	}
	return list
}
