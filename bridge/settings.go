package bridge

import (
	"context"
	"strings"

	"drawbridge/bridge/lsp"
	"drawbridge/config"
	"drawbridge/rpc/protocol"
)

// SettingsChange is what became of the user's settings file when it was changed
// while the bridge runs.
type SettingsChange struct {
	// Applied: what it says counts from the next turn on. Else there are Problems, and
	// what was read last goes on to count.
	Applied bool
	// Changed are the settings that changed, Later those of them that count for new
	// sessions or after a restart only, a line each.
	Changed, Later []string
	Problems       []config.Problem
	// Warnings are a line each.
	Warnings []string
}

// followSettings tells the client of changed settings until the connection ends.
func (s *Server) followSettings(ctx context.Context) {
	if s.o.Follow != nil {
		s.background.Go(func() { s.o.Follow(ctx, s.tellSettings) })
	}
}

func (s *Server) tellSettings(c SettingsChange) {
	if s.face.Client().Ours.Events {
		s.send("", "settings/changed", s.toSettingsChanged(c))
		return
	}
	for _, p := range c.Problems {
		s.face.ShowMessage(lsp.Error, "Drawbridge: the settings as they were go on to count: "+s.redacted(p.Error()))
	}
	if c.Applied && len(c.Changed) > 0 {
		s.face.ShowMessage(lsp.Info, "Drawbridge: settings changed: "+strings.Join(c.Changed, ", "))
	}
}

func (s *Server) toSettingsChanged(c SettingsChange) protocol.SettingsChanged {
	out := protocol.SettingsChanged{Applied: c.Applied, Changed: c.Changed, Later: c.Later}
	for _, p := range c.Problems {
		out.Problems = append(out.Problems, protocol.SettingsProblem{
			File: p.File, Line: p.Line, Column: p.Column, Message: s.redacted(p.Text),
		})
	}
	for _, w := range c.Warnings {
		out.Problems = append(out.Problems, protocol.SettingsProblem{Message: s.redacted(w), Warning: true})
	}
	return out
}
