package bridge

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"drawbridge/bridge/lsp"
	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
)

// commands are what clients without our methods can execute.
func (s *Server) commands() map[string]lsp.Command {
	return map[string]lsp.Command{commandPrompt: s.promptCommand, commandStop: s.stopCommand}
}

// commandArgs is an argument of a command, in the long form.
type commandArgs struct {
	Text      string `json:"text"`
	SessionID string `json:"sessionId,omitempty"`
	// Cwd is the folder whose session is meant; "" is the first one's.
	Cwd string `json:"cwd,omitempty"`
	// URI and Range are a part of a document that the text is about, if any.
	URI   string          `json:"uri,omitempty"`
	Range *protocol.Range `json:"range,omitempty"`
}

// started is what a command that started something answers.
type started struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// promptCommand takes a text, or an object as commandArgs. It answers when the
// turn has begun: clients give commands little time. A question about what the
// workspace brings follows the answer.
func (s *Server) promptCommand(_ context.Context, args []json.RawMessage) (any, error) {
	a, err := readArgs(args)
	if err != nil {
		return nil, err
	}
	sess, after, err := s.commandSession(a)
	if err != nil {
		return nil, s.wireError(err)
	}
	result, err := s.promptFrom(sess, a)
	if err != nil {
		after()
		return nil, err
	}
	return rpc.AfterSend(result, after), nil
}

// promptFrom begins a turn, or adds to the one that runs.
func (s *Server) promptFrom(sess *session.Session, a commandArgs) (any, error) {
	prompt := []protocol.Block{{Type: protocol.BlockText, Text: a.Text}}
	if a.URI != "" && a.Range != nil {
		prompt = append(prompt, protocol.Block{Type: protocol.BlockSelection, URI: a.URI, Range: *a.Range})
	}
	blocks := s.fromBlocks(prompt)
	id := sess.Info().ID
	if turn := sess.Info().Turn; turn != "" {
		_, err := sess.Steer(turn, blocks)
		return started{SessionID: id, TurnID: turn}, s.wireError(err)
	}
	turn, err := sess.Prompt(blocks, "")
	if err != nil {
		return nil, s.wireError(err)
	}
	s.track(id, turn, turn.Done())
	return started{SessionID: id, TurnID: turn.ID}, nil
}

func readArgs(args []json.RawMessage) (commandArgs, error) {
	var a commandArgs
	if len(args) == 0 || json.Unmarshal(args[0], &a.Text) != nil && readExactly(args[0], &a) != nil ||
		strings.TrimSpace(a.Text) == "" {
		return a, invalid("want a text, or an object with text")
	}
	return a, nil
}

// commandSession is the named session, else the one of the folder, which is
// made when it is first needed. after is for when the command was answered.
func (s *Server) commandSession(a commandArgs) (sess *session.Session, after func(), err error) {
	nothing := func() {}
	if a.SessionID != "" {
		sess, err = s.session(a.SessionID)
		return sess, nothing, err
	}
	folder := a.Cwd
	if all := s.face.Client().Folders; folder == "" && len(all) > 0 {
		folder = all[0]
	}
	folder = filepath.Clean(folder)
	s.mu.Lock()
	id := s.folders[folder]
	s.mu.Unlock()
	if sess, err := s.session(id); err == nil {
		return sess, nothing, nil
	}
	return s.folderSession(a.Cwd, folder)
}

// folderSession makes the session of a folder.
func (s *Server) folderSession(cwd, folder string) (sess *session.Session, after func(), err error) {
	host, err := s.theHost()
	if err != nil {
		return nil, nil, err
	}
	set, err := s.newSettings(&protocol.SessionNewParams{Cwd: cwd})
	if err != nil {
		return nil, nil, err
	}
	if sess, err = host.New(set); err != nil {
		return nil, nil, err
	}
	id := sess.Info().ID
	s.hold(id)
	after = s.announceTrust(sess.Info().Roots, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders[folder] = id
	return sess, after, nil
}

// stopCommand cancels whatever runs.
func (s *Server) stopCommand(_ context.Context, _ []json.RawMessage) (any, error) {
	list, err := s.sessions("")
	if err != nil {
		return nil, err
	}
	for _, sess := range list {
		sess.Cancel("")
	}
	return nil, nil
}
