package bridge

import (
	"context"
	"fmt"
	"log/slog"

	"drawbridge/bridge/lsp"
)

// logTap shows warnings and errors to clients that have nothing better.
type logTap struct {
	slog.Handler
	show func(slog.Record)
}

func (t logTap) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn || t.Handler.Enabled(ctx, l)
}

func (t logTap) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		t.show(r)
	}
	if !t.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

func (t logTap) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logTap{t.Handler.WithAttrs(attrs), t.show}
}

func (t logTap) WithGroup(name string) slog.Handler { return logTap{t.Handler.WithGroup(name), t.show} }

func (s *Server) showLog(r slog.Record) {
	if !s.face.Working() || s.face.Client().Knows {
		return
	}
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	severity := lsp.Warning
	if r.Level >= slog.LevelError {
		severity = lsp.Error
	}
	s.face.LogMessage(severity, text)
}
