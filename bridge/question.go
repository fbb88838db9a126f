package bridge

import (
	"slices"
	"strings"

	"drawbridge/approval"
	"drawbridge/approval/rule"
	"drawbridge/internal/visible"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/workspace"
)

// maxParts is how many simple commands of a script are shown one by one.
const maxParts = 200

// toQuestion shows a command and a change as they are: a person says yes to no
// other one, and may hand them back. What only tells of them has no secret.
func (s *Server) toQuestion(a session.Approval) protocol.ApprovalRequestParams {
	q := protocol.ApprovalRequestParams{
		ApprovalID: a.ID, SessionID: a.Session, TurnID: a.Turn, CallID: a.Call, Origin: toOrigin(a.Origin),
		Since: protocol.At(a.Asked),
		Title: s.redacted(a.Plan.Title), Reason: s.redacted(a.Question.Reason), Access: protocol.Access(a.Plan.Access),
		Digest: a.Question.Request.Digest,
	}
	for _, line := range a.Question.Derivation {
		q.Derivation = append(q.Derivation, s.redacted(line))
	}
	q.URL = s.redacted(a.Question.Request.URL) // one that holds a secret is not asked for at all
	labels := fileLabels
	if cmd := a.Question.Request.Command; cmd != nil {
		q.Command = s.toCommandQuestion(a, *cmd)
		labels = commandLabels(*cmd)
	}
	if ch := a.Plan.Change; ch != nil {
		q.Change = s.toChangeQuestion(a.Change, *ch)
	}
	q.Options = options(a.Question.Offers, labels)
	return q
}

func (s *Server) toCommandQuestion(a session.Approval, cmd approval.Command) *protocol.CommandQuestion {
	q := &protocol.CommandQuestion{
		Text: cmd.Text, Parts: s.toParts(a.Question.Parts), Cwd: cmd.Dir, Preset: s.presetOf(a.Session), Unconfined: cmd.Unconfined,
		Escalation: s.redacted(cmd.Escalation), TypedInto: s.redacted(cmd.TypedInto),
	}
	if planned := a.Plan.Command; planned != nil {
		q.Background = planned.Background
		if !cmd.Unconfined {
			q.Sandbox = planned.Sandbox
		}
	}
	return q
}

// toParts shows the simple commands of a script. Of more than a person would
// read none are shown, since some would be no list of what runs.
func (s *Server) toParts(parts []rule.Part) []protocol.CommandPart {
	if len(parts) > maxParts {
		return nil
	}
	list := make([]protocol.CommandPart, len(parts))
	for i, p := range parts {
		list[i] = protocol.CommandPart{
			Argv: make(protocol.List[string], len(p.Command.Argv)), Verdict: toVerdict(p.Verdict), Why: s.redacted(p.Why),
			Span: protocol.Span{Start: p.Command.Span.Start, End: p.Command.Span.End},
		}
		for j, w := range p.Command.Argv {
			list[i].Argv[j] = w.Text
		}
	}
	return list
}

// toVerdict leaves to the person what no rule covers.
func toVerdict(v rule.Verdict) protocol.Verdict {
	switch v {
	case rule.Allow:
		return protocol.VerdictAllow
	case rule.Deny:
		return protocol.VerdictDeny
	}
	return protocol.VerdictAsk
}

func (s *Server) toChangeQuestion(id string, ch workspace.Change) *protocol.ChangeQuestion {
	q := &protocol.ChangeQuestion{
		ChangeID: id, URI: s.fileURI(ch.Path.Abs), Kind: protocol.ChangeKind(ch.Kind),
		Base: base(session.Change{Planned: ch}), Hunks: s.toHunks(ch), Diff: diff(ch),
	}
	if ch.Open {
		q.Version = &ch.Version
	}
	return q
}

// Titles of the options. Clients that only know messages with buttons may hand
// back nothing but the title, so no two are alike.
const (
	titleAllow     = "Allow"
	titleSession   = "Allow for session"
	titleWorkspace = "Allow in this workspace"
	titleUser      = "Always allow"
	titleDeny      = "Deny"
	titleUnheld    = "Allow outside the sandbox"
	titleType      = "Type"
	titleTypeAll   = "Type, and whatever else into this command"
)

// labels are the titles of the yeses, by how long they hold.
type labels map[approval.Scope]string

var fileLabels = labels{
	approval.Once: titleAllow, approval.Session: titleSession, approval.Workspace: titleWorkspace, approval.User: titleUser,
}

// commandLabels say on their buttons what a yes to a command does.
func commandLabels(cmd approval.Command) labels {
	switch {
	case cmd.TypedInto != "":
		return labels{approval.Once: titleType, approval.Session: titleTypeAll}
	case cmd.Escalation != "":
		return labels{approval.Once: titleUnheld}
	}
	return fileLabels
}

// options are what a person can choose; remembering is offered where there is
// something to remember.
func options(offers []approval.Offer, l labels) protocol.List[protocol.ApprovalOption] {
	list := protocol.List[protocol.ApprovalOption]{
		{OptionID: "allow", Kind: protocol.OptionAllow, Scope: protocol.ScopeOnce, Label: l[approval.Once]},
	}
	for _, o := range offers {
		if l[o.Scope] == "" {
			continue
		}
		list = append(list, protocol.ApprovalOption{
			OptionID: "allow-" + string(o.Scope), Kind: protocol.OptionAllow, Scope: protocol.Scope(o.Scope),
			Label: l[o.Scope], Rule: o.Rule, Editable: o.Editable,
		})
	}
	return append(list, protocol.ApprovalOption{
		OptionID: "deny", Kind: protocol.OptionDeny, Scope: protocol.ScopeOnce, Label: titleDeny,
	})
}

func (s *Server) presetOf(id string) protocol.Preset {
	sess, err := s.session(id)
	if err != nil {
		return protocol.PresetReadOnly
	}
	return protocol.Preset(sess.Info().Preset)
}

// plainRule is how long the rules may be that a message with buttons names.
const plainRule = 120

// plainChoices are the options that a message with buttons has room for: those
// that hold for any workspace are left to clients that show them well, and so is
// a rule that would not be read.
func plainChoices(list protocol.List[protocol.ApprovalOption]) protocol.List[protocol.ApprovalOption] {
	return slices.DeleteFunc(slices.Clone(list), func(o protocol.ApprovalOption) bool {
		unreadable := o.Editable && (len(o.Rule) > plainRule || strings.Contains(o.Rule, "\n"))
		return o.Scope == protocol.ScopeUser || unreadable
	})
}

// plainRemembers says what the buttons would leave behind.
func plainRemembers(choices protocol.List[protocol.ApprovalOption]) string {
	text := ""
	for _, o := range choices {
		switch {
		case !o.Editable:
		case o.Scope == protocol.ScopeWorkspace:
			text = strings.Replace(text, ":", " or in this workspace:", 1)
		default:
			text = "\nFor the session: " + visible.Indented(o.Rule, "  ")
		}
	}
	return text
}
