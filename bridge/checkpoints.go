package bridge

import (
	"context"
	"errors"

	"drawbridge/rpc/protocol"
)

func (s *Server) listCheckpoints(_ context.Context, p *protocol.CheckpointListParams) (*protocol.CheckpointListResult, error) {
	return nil, errors.ErrUnsupported
}

func (s *Server) previewCheckpoint(_ context.Context, p *protocol.CheckpointPreviewParams) (*protocol.CheckpointPreviewResult, error) {
	return nil, errors.ErrUnsupported
}

func (s *Server) restoreCheckpoint(_ context.Context, p *protocol.CheckpointRestoreParams) (*protocol.CheckpointRestoreResult, error) {
	return nil, errors.ErrUnsupported
}
