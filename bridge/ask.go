package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drawbridge/approval"
	"drawbridge/bridge/lsp"
	"drawbridge/internal/visible"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/workspace"
)

// ask puts a question to the person in whatever way the client has. What is
// not clearly an answer is none. The end of ctx withdraws the question.
func (s *Server) ask(ctx context.Context, a session.Approval) (approval.Answer, error) {
	defer s.asking(a)()
	s.review.ask(a)
	put := s.askPlainly
	if s.face.Client().Ours.Approvals {
		put = s.askNatively
	}
	answer, err := put(ctx, a)
	if err != nil && s.left() {
		// Nobody failed to answer: the editor left. The sessions end next, and
		// the question with them, for that reason.
		<-ctx.Done()
	}
	return answer, err
}

// left says that the editor is gone.
func (s *Server) left() bool {
	select {
	case <-s.conn.Gone():
		return true
	default:
		return false
	}
}

// asking notes that a question is out; the returned function ends that.
func (s *Server) asking(a session.Approval) (end func()) {
	key := askKey{a.Session, a.ID}
	out := make(chan struct{})
	s.mu.Lock()
	s.asked[key] = out
	s.mu.Unlock()
	return func() {
		close(out)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asked[key] == out {
			delete(s.asked, key)
		}
	}
}

// askKey names a question: ids count within a session.
type askKey struct{ session, approval string }

// unasked returns when a question is no longer out, so that its withdrawal is
// sent before its resolution. It is over at once: the session resolves only
// what was answered or what it has withdrawn.
func (s *Server) unasked(key askKey) {
	s.mu.Lock()
	out := s.asked[key]
	s.mu.Unlock()
	if out != nil {
		<-out
	}
}

func (s *Server) askNatively(ctx context.Context, a session.Approval) (approval.Answer, error) {
	question := s.toQuestion(a)
	if err := s.askable(question); err != nil {
		return approval.Answer{}, err
	}
	var raw json.RawMessage
	wait, err := s.conn.Begin(ctx, "approval/request", question)
	if err != nil {
		return approval.Answer{}, err
	}
	a.Out()
	if err := wait(&raw); err != nil {
		return approval.Answer{}, err
	}
	return readAnswer(raw, question)
}

// readAnswer takes an answer to the letter. An error says why it is none.
func readAnswer(raw json.RawMessage, q protocol.ApprovalRequestParams) (approval.Answer, error) {
	var w protocol.ApprovalAnswer
	if err := json.Unmarshal(raw, &w); err != nil {
		return approval.Answer{}, fmt.Errorf("read the answer: %w", err)
	}
	if err := exactNames(raw); err != nil {
		return approval.Answer{}, err
	}
	if w.Outcome != protocol.ApprovalSelected {
		return approval.Answer{}, nil
	}
	i := slices.IndexFunc(q.Options, func(o protocol.ApprovalOption) bool { return o.OptionID == w.OptionID })
	if i < 0 {
		return approval.Answer{}, fmt.Errorf("there is no option %q", w.OptionID)
	}
	chosen := q.Options[i]
	a := approval.Answer{Answered: true, Comment: w.Comment, Scope: approval.Scope(chosen.Scope)}
	if chosen.Kind != protocol.OptionAllow {
		return a, nil
	}
	switch {
	case chosen.Editable && emptiedRule(raw):
		return approval.Answer{}, fmt.Errorf("the rule was emptied")
	case w.Rule == chosen.Rule:
	case w.Rule != "" && !chosen.Editable:
		return approval.Answer{}, fmt.Errorf("option %q takes no rule", chosen.OptionID)
	default:
		a.Rule = w.Rule
	}
	if err := allowed(&a, w, q); err != nil {
		return approval.Answer{}, err
	}
	return a, nil
}

// emptiedRule says that an answer has a rule with nothing in it, which is not the
// same as none.
func emptiedRule(raw []byte) bool {
	var rule struct{ Rule json.RawMessage }
	if json.Unmarshal(raw, &rule) != nil || rule.Rule == nil {
		return false
	}
	var text *string
	return json.Unmarshal(rule.Rule, &text) != nil || text == nil || strings.TrimSpace(*text) == ""
}

// answerNames are the members of an answer.
var answerNames = []string{"outcome", "optionId", "rule", "hunks", "text", "command", "comment"}

// exactNames refuses an answer whose members are only nearly the right ones:
// the decoder would take them in any case of letters.
func exactNames(raw []byte) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil // null is no answer either way
	}
	for name := range members {
		for _, right := range answerNames {
			if name != right && strings.EqualFold(name, right) {
				return fmt.Errorf("an answer has %q, not %q", right, name)
			}
		}
	}
	return nil
}

// allowed adds what a yes covers.
func allowed(a *approval.Answer, w protocol.ApprovalAnswer, q protocol.ApprovalRequestParams) error {
	switch {
	case w.Hunks != nil && w.Text != nil:
		return fmt.Errorf("hunks and text exclude one another")
	case q.Change == nil && (w.Hunks != nil || w.Text != nil):
		return fmt.Errorf("hunks or text for what is no change")
	case q.Command == nil && w.Command != nil:
		return fmt.Errorf("a command for what is none")
	case w.Command != nil && (*w.Command == "" || q.Command.TypedInto == "" && strings.TrimSpace(*w.Command) == ""):
		return fmt.Errorf("an empty command")
	}
	for _, id := range w.Hunks {
		if !slices.ContainsFunc(q.Change.Hunks, func(h protocol.Hunk) bool { return h.HunkID == id }) {
			return fmt.Errorf("the change has no hunk %q", id)
		}
	}
	a.Outcome = approval.Allowed
	a.Text, a.Hunks = w.Text, w.Hunks
	a.All = w.Hunks == nil && w.Text == nil
	if w.Hunks != nil && len(w.Hunks) == 0 {
		a.Outcome = approval.Denied // a yes to nothing is a no
	}
	if w.Command != nil && *w.Command != q.Command.Text {
		a.Command = w.Command
	}
	return nil
}

// Titles of the actions for a change, for clients that only know messages with
// buttons.
const (
	titleAccept          = "Accept"
	titleAcceptSession   = "Accept for session"
	titleAcceptWorkspace = "Accept in this workspace"
	titleReject          = "Reject"
	titleDiff            = "Show diff"
)

// askPlainly asks by a message with buttons. One that is closed without a
// choice is no answer, unless the change's hunks are marked in an open document:
// then the question waits there.
func (s *Server) askPlainly(ctx context.Context, a session.Approval) (approval.Answer, error) {
	a.Out()
	choices := plainChoices(s.toQuestion(a).Options)
	a.Plan.URL = s.redacted(a.Plan.URL)
	a.Plan.Title, a.Question.Reason = s.redacted(a.Plan.Title), s.redacted(a.Question.Reason)
	actions := plainActions(a, choices)
	text := plainQuestion(a, plainRemembers(choices))
	title, err := s.face.ShowMessageRequest(ctx, lsp.Warning, text, actions)
	if title == titleDiff && a.Plan.Change != nil {
		if err := s.diffs.show(ctx, diffKey{a.Session, a.Change}); err != nil {
			s.face.ShowMessage(lsp.Warning, "Drawbridge: "+err.Error())
		}
		actions = slices.DeleteFunc(actions, func(title string) bool { return title == titleDiff })
		title, err = s.face.ShowMessageRequest(ctx, lsp.Warning, text, actions)
	}
	for i, c := range choices {
		switch {
		case err != nil || actions[i] != title:
		case c.Kind == protocol.OptionAllow:
			return s.plainYes(a, approval.Scope(c.Scope)), nil
		default:
			return approval.Answer{Answered: true}, nil
		}
	}
	gone, marked := s.review.waitsAtMarks(a)
	if !marked || ctx.Err() != nil {
		return approval.Answer{}, err
	}
	s.face.ShowMessage(lsp.Info, "Drawbridge waits: "+a.Plan.Title+". Accept or reject its marked hunks by code actions, or run "+
		commandAcceptAll+" or "+commandRejectAll+".")
	select {
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	case <-gone:
		return approval.Answer{}, nil
	}
}

// plainActions are the titles of the choices, in their order, and for a change
// the one that shows it.
func plainActions(a session.Approval, choices []protocol.ApprovalOption) []string {
	titles := make([]string, len(choices))
	for i, c := range choices {
		titles[i] = c.Label
		switch {
		case a.Plan.Change == nil:
		case c.Kind != protocol.OptionAllow:
			titles[i] = titleReject
		case c.Scope == protocol.ScopeSession:
			titles[i] = titleAcceptSession
		case c.Scope == protocol.ScopeWorkspace:
			titles[i] = titleAcceptWorkspace
		default:
			titles[i] = titleAccept
		}
	}
	if a.Plan.Change != nil {
		titles = append(titles, titleDiff)
	}
	return titles
}

// plainYes is a yes to a whole question. Hunks that were rejected by themselves
// stay rejected.
func (s *Server) plainYes(a session.Approval, scope approval.Scope) approval.Answer {
	yes := approval.Answer{Answered: true, Outcome: approval.Allowed, Scope: scope, All: true}
	if a.Plan.Change == nil {
		return yes
	}
	hunks, all := s.review.rest(a)
	if all {
		return yes
	}
	if yes.All, yes.Hunks = false, hunks; len(hunks) == 0 {
		yes.Outcome = approval.Denied
	}
	return yes
}

// plainDiff is how much of a diff fits into a message.
const plainDiff = 2 << 10

// plainQuestion is a question as a text. What it would leave behind stands near
// the top, where no diff can push it out of sight.
func plainQuestion(a session.Approval, remembers string) string {
	var b strings.Builder
	if a.Question.Again {
		b.WriteString("No answer came. Asked again: ")
	}
	if origin := a.Question.Request.Origin; origin != "" {
		b.WriteString(visible.Line(origin) + ": ")
	}
	fmt.Fprintf(&b, "%s (%s)%s", visible.Line(a.Plan.Title), visible.Line(a.Question.Reason), remembers)
	if a.Plan.URL != "" {
		b.WriteString("\n" + visible.Indented(a.Plan.URL, "  "))
	}
	if cmd := a.Question.Request.Command; cmd != nil {
		fmt.Fprintf(&b, "\n%s\nin %s", visible.Indented(cmd.Text, "  "), visible.Line(cmd.Dir))
		b.WriteString(plainHold(a, *cmd))
	}
	if ch := a.Plan.Change; ch != nil {
		plus, minus := ch.Stat()
		fmt.Fprintf(&b, "\n%s (+%d -%d)\n", visible.Line(ch.Path.Rel), plus, minus)
		b.WriteString(visible.Text(cutDiff(ch.Print(workspace.DiffOptions{MaxBytes: plainDiff, MaxLine: 200}))))
	}
	return b.String()
}

// plainHold says what would hold a command, where it is typed, and that it would
// run on by itself.
func plainHold(a session.Approval, cmd approval.Command) string {
	text := ", without a sandbox"
	if planned := a.Plan.Command; planned != nil && !cmd.Unconfined {
		text = ", held by " + planned.Sandbox
	}
	if cmd.TypedInto != "" {
		text += ", typed into " + visible.Line(cmd.TypedInto)
	}
	if a.Plan.Command != nil && a.Plan.Command.Background {
		text += ", in the background"
	}
	return text
}

func (s *Server) listApprovals(_ context.Context, p *protocol.ApprovalListParams) (*protocol.ApprovalListResult, error) {
	list, err := s.sessions(p.SessionID)
	if err != nil {
		return nil, err
	}
	var open []session.Approval
	for _, sess := range list {
		open = append(open, sess.Approvals()...)
	}
	result := &protocol.ApprovalListResult{}
	for _, a := range open {
		result.Approvals = append(result.Approvals, s.toQuestion(a))
	}
	return result, nil
}
