package bridge

import (
	"context"
	"time"

	"drawbridge/session"
)

// diagnostics is what the editor's programs say of an open document.
func (s *Server) diagnostics(ctx context.Context, abs string, wait time.Duration) ([]session.Diagnostic, error) {
	said, err := s.face.Diagnostics(ctx, abs, wait)
	list := make([]session.Diagnostic, len(said))
	for i, d := range said {
		list[i] = session.Diagnostic{
			Line: int(d.Range.Start.Line) + 1, Severity: session.Severity(d.Severity),
			Message: d.Message, Source: d.Source, Code: d.Code,
		}
	}
	return list, err
}
