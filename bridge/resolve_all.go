package bridge

import (
	"context"
	"errors"

	"drawbridge/rpc/protocol"
)

func (s *Server) resolveAll(_ context.Context, p *protocol.ChangeResolveAllParams) (*protocol.ChangeResolveAllResult, error) {
	return nil, errors.ErrUnsupported
}
