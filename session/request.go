package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"drawbridge/approval"
	"drawbridge/approval/command"
	"drawbridge/shell"
	"drawbridge/tools"
)

// request describes a call's plan to the gate.
func (s *Session) request(c *call) approval.Request {
	c.digest, c.grants = digest(c, s.gate.Preset()), s.grants.Load()
	req := approval.Request{
		Origin: s.name(), Tool: c.model.Name, Title: c.plan.Title, Digest: c.digest, Access: approval.Execute, URL: c.plan.URL,
	}
	switch c.plan.Access {
	case tools.Read:
		req.Access = approval.Read
	case tools.Write:
		req.Access = approval.Write
	}
	for _, p := range c.plan.Paths {
		req.Paths = append(req.Paths, target(p, c.plan.Change))
	}
	req.Own, req.Justification = c.plan.Own, c.plan.Justification
	if cmd := c.plan.Command; cmd != nil {
		req.Command = s.command(*cmd)
	}
	return req
}

// command describes a command, or what is typed into one. A running command is
// held by what it was started with, which may be less than the preset of now. To
// type into one that nothing holds is to leave the sandbox once more.
func (s *Session) command(cmd tools.Command) *approval.Command {
	out := &approval.Command{
		Text: cmd.Script, Dir: cmd.Dir, Escalation: cmd.Escalation,
		Unconfined: cmd.Sandbox == "" || cmd.Escalation != "", TypedInto: cmd.TypedInto, Process: cmd.Process,
	}
	if cmd.TypedInto == "" {
		out.Shell = cmp.Or(cmd.Shell, commandShell(s.ws.Roots()))
	}
	out.Inherited = (*command.Inherited)(cmd.Inherited)
	if p, ok := s.sh.Get(cmd.Process); ok && cmd.TypedInto != "" {
		held := p.Spec().Confinement
		out.Unconfined = held == nil ||
			s.gate.Preset() == approval.PresetReadOnly && held.Preset() != string(approval.PresetReadOnly)
		if held == nil {
			out.Escalation = s.unheld(cmd.Process)
		}
	}
	return out
}

// commandShell is the shell that runs commands in a workspace. One that is not
// found runs none.
func commandShell(roots []string) string {
	path, _ := shell.Find(roots...)
	return path
}

// unheld says why a running command has no sandbox though one of now would; ""
// where there is none to leave. One that was started under full access is no
// matter of a person's where nothing may be written.
func (s *Session) unheld(process string) string {
	if s.env.Confine == nil {
		return ""
	}
	if by, err := s.env.Confine(); by == nil && err == nil {
		return ""
	}
	if t := s.terminals.find(func(t *terminal) bool { return t.opened.ProcessID == process }); t != nil && t.escalation != "" {
		return t.escalation
	}
	if s.gate.Preset() == approval.PresetReadOnly {
		return ""
	}
	return "it was started without one"
}

// digest names what a question shows: the call, the preset, what would hold a
// command, and for a change the text it was planned from and what its hunks put there.
func digest(c *call, preset approval.Preset) string {
	h := sha256.New()
	h.Write([]byte(c.model.Name + "\x00" + c.model.Args + "\x00" + string(preset)))
	if cmd := c.plan.Command; cmd != nil {
		h.Write([]byte("\x00" + cmd.Sandbox + "\x00" + cmd.Dir))
		if cmd.Inherited != nil {
			fmt.Fprintf(h, "\x00%q", *cmd.Inherited)
		}
	}
	if ch := c.plan.Change; ch != nil {
		h.Write(ch.Base[:])
		for _, k := range ch.Hunks {
			h.Write([]byte(ch.New[k.NewStart:k.NewEnd]))
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// audit records a decision; there is one record per decision.
func (s *Session) audit(t *running, c *call, d approval.Decision) {
	r := &decisionRecord{
		Allowed: d.Outcome == approval.Allowed, By: string(d.By), Cause: d.Cause, Comment: d.Comment,
		Scope: string(d.Scope), Digest: c.digest, Derivation: d.Derivation, Hunks: d.Hunks,
		Rules: d.Remembered, Mode: string(d.Mode), Preset: string(d.Preset),
	}
	if d.Ruled {
		c.decision = d.Cause
	}
	if d.Command != nil {
		r.Command = *d.Command
	}
	if d.Text != nil {
		sum := sha256.Sum256([]byte(*d.Text))
		r.Text = hex.EncodeToString(sum[:])
	}
	s.out.keep(record{Type: recApproval, Turn: t.ID, Call: c.id, Name: c.model.Name, Decision: r})
}
