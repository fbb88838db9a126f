package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drawbridge/bridge/lsp"
	"drawbridge/config"
	"drawbridge/internal/visible"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// trusting is what is known of settings that workspaces bring. The server's mu
// guards it.
type trusting struct {
	roots   []string          // that were looked at, with links followed
	told    map[string]string // by root: the content that was announced
	faults  map[string]string // by root: what was said of content that cannot count
	pending map[string]bool   // roots whose question is on a plain client's screen
}

func newTrusting() trusting {
	return trusting{told: map[string]string{}, faults: map[string]string{}, pending: map[string]bool{}}
}

// announceTrust tells the client of settings that wait for an answer. With anew
// set it does so though it was told before: whoever dismissed the question sees
// it with the next session. The returned function asks plain clients, whose
// questions come behind the answer to what made them.
func (s *Server) announceTrust(roots []string, anew bool) (after func()) {
	var plain []config.Brought
	for _, root := range roots {
		b, ok := s.look(root)
		if !ok {
			continue
		}
		if b.Fault != nil {
			s.tellFault(b)
		}
		if b.Asks() && s.toTell(b, anew) && !s.tellTrust(b) {
			plain = append(plain, b)
		}
	}
	return func() {
		for _, b := range plain {
			s.askTrustPlainly(b)
		}
	}
}

// look is what a workspace brings at this moment.
func (s *Server) look(root string) (config.Brought, bool) {
	if s.o.Trust == nil {
		return config.Brought{}, false
	}
	return s.o.Trust.Look(root)
}

// toTell notes a workspace and says whether the client is to be told of it now.
func (s *Server) toTell(b config.Brought, anew bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.trust.roots, b.Root) {
		s.trust.roots = append(s.trust.roots, b.Root)
	}
	if s.trust.pending[b.Root] || !anew && s.trust.told[b.Root] == b.Digest {
		return false
	}
	s.trust.told[b.Root] = b.Digest
	s.trust.pending[b.Root] = s.plainly()
	return true
}

// tellFault says once why what a workspace brings cannot count.
func (s *Server) tellFault(b config.Brought) {
	text := b.Fault.Error()
	s.mu.Lock()
	again := s.trust.faults[b.Root] == text
	s.trust.faults[b.Root] = text
	s.mu.Unlock()
	if !again {
		s.log.Warn("the settings that the workspace brings do not count, whether they are trusted or not", "fault", s.redacted(text))
	}
}

// plainly says that questions about trust are messages with buttons.
func (s *Server) plainly() bool {
	client := s.face.Client()
	return !client.Nobody && !(client.Knows && client.Ours.Trust)
}

// tellTrust tells clients that know trust, and where nobody is; false for those
// that have to be asked.
func (s *Server) tellTrust(b config.Brought) bool {
	client := s.face.Client()
	switch {
	case client.Knows && client.Ours.Trust:
		if err := s.conn.Notify("trust/required", s.toTrust(b)); err != nil {
			s.log.Debug("not sent", "method", "trust/required", "error", err)
		}
	case client.Nobody:
		s.log.Warn("the workspace brings settings of its own; they do not count until you trust them: drawbridge trust", "folder", b.Root)
	default:
		return false
	}
	return true
}

// toTrust says everything that the settings would do, without secrets.
func (s *Server) toTrust(b config.Brought) protocol.TrustRequired {
	r := protocol.TrustRequired{
		Workspace: b.Root, Digest: b.Digest, Files: protocol.List[string]{config.RepositoryFile}, Changed: b.Changed,
		Items: protocol.List[protocol.TrustItem]{},
	}
	for _, item := range b.Items {
		r.Items = append(r.Items, protocol.TrustItem{Kind: item.Kind, What: s.redacted(item.What), Command: s.redacted(item.Command)})
	}
	return r
}

func (s *Server) listTrust(context.Context, *protocol.TrustListParams) (*protocol.TrustListResult, error) {
	result := &protocol.TrustListResult{Required: protocol.List[protocol.TrustRequired]{}}
	s.mu.Lock()
	roots := slices.Clone(s.trust.roots)
	s.mu.Unlock()
	for _, root := range roots {
		if b, ok := s.look(root); ok && b.Asks() {
			result.Required = append(result.Required, s.toTrust(b))
		}
	}
	return result, nil
}

var trustWords = map[protocol.Trust]config.Standing{protocol.TrustYes: config.Trusted, protocol.TrustNo: config.Declined}

func (s *Server) answerTrust(_ context.Context, p *protocol.TrustAnswerParams) (*protocol.Empty, error) {
	say, known := trustWords[p.Trust]
	if !known {
		return nil, invalid(fmt.Sprintf("invalid params: unknown trust %q: choose yes, no", p.Trust))
	}
	if err := s.keepTrust(p.Workspace, p.Digest, say); err != nil {
		return nil, err
	}
	return &protocol.Empty{}, nil
}

// keepTrust takes an answer, unless it is about other content than there is:
// then that is announced.
func (s *Server) keepTrust(root, digest string, say config.Standing) error {
	if s.o.Trust == nil {
		return noSettings()
	}
	err := s.o.Trust.Answer(root, digest, say, time.Now())
	if errors.Is(err, config.ErrChanged) {
		s.announceTrust([]string{root}, true)()
		return noSettings()
	}
	if err != nil {
		return err
	}
	s.noteTrust(root, digest, say)
	return nil
}

func noSettings() error {
	return &session.Error{
		Kind: "stale", Message: "the workspace does not bring the settings that the answer is about",
		Hint: "they may have changed since; trust/list has what waits now",
	}
}

// noteTrust records the answer in every session that it is about.
func (s *Server) noteTrust(root, digest string, say config.Standing) {
	b, ok := s.o.Trust.Look(root)
	if !ok {
		return
	}
	list, _ := s.sessions("") // of which none is named, so that none is missed
	for _, sess := range list {
		for _, folder := range sess.Info().Roots {
			if other, ok := s.o.Trust.Look(folder); ok && other.Root == b.Root {
				sess.NoteTrust(session.TrustAnswer{Workspace: b.Root, Digest: digest, Trusted: say == config.Trusted})
				if say == config.Trusted {
					sess.Narrow()
				}
				sess.Recheck() // questions that wait may have their answer now
				break
			}
		}
	}
}

// Titles of the answers to a question about trust.
const (
	titleTrust    = "Trust"
	titleDistrust = "Do not trust"
)

// plainItems is how much of what the settings would do fits into a message. Who
// cannot be shown all of it is not asked to trust it there.
const plainItems = 3 << 10

// askTrustPlainly asks by a message with buttons, which nobody waits for.
// Closing it is no answer.
func (s *Server) askTrustPlainly(b config.Brought) {
	s.background.Go(func() { // ends with the answer or with the connection
		text, actions := s.plainTrust(b)
		title, err := s.face.ShowMessageRequest(context.Background(), lsp.Warning, text, actions)
		s.mu.Lock()
		delete(s.trust.pending, b.Root)
		s.mu.Unlock()
		say := map[string]config.Standing{titleTrust: config.Trusted, titleDistrust: config.Declined}[title]
		if err != nil || say == config.Unanswered || !slices.Contains(actions, title) {
			return
		}
		if err := s.keepTrust(b.Root, b.Digest, say); err != nil {
			s.face.ShowMessage(lsp.Warning, "Drawbridge: "+err.Error())
		}
	})
}

// plainTrust is the question as a text, and its answers.
func (s *Server) plainTrust(b config.Brought) (text string, actions []string) {
	r := s.toTrust(b)
	var t strings.Builder
	what := "brings settings of its own"
	if r.Changed {
		what = "brings settings that changed since you trusted them"
	}
	fmt.Fprintf(&t, "%s %s (%s). They do not count until you trust exactly them.", r.Workspace, what, strings.Join(r.Files, ", "))
	for _, item := range r.Items {
		fmt.Fprintf(&t, "\n%s: %s", visible.Line(item.Kind), visible.Line(item.What))
		if item.Command != "" {
			t.WriteString("\n  runs: " + visible.Indented(item.Command, "    "))
		}
	}
	if t.Len() <= plainItems {
		return t.String(), []string{titleTrust, titleDistrust}
	}
	return fmt.Sprintf("%s %s (%s), which would do more than can be shown here. To see and to trust it, run: drawbridge trust",
		r.Workspace, what, strings.Join(r.Files, ", ")), []string{titleDistrust}
}
