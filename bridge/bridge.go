// Package bridge translates between an editor's messages and the domain: it
// serves our own methods, shows what happens in sessions, and asks the editor
// what sessions ask for. What a tool does, what may be done and how a document
// is kept in step it does not know; no wire type goes below it.
//
// Goroutines: those of the connection and of the language server face, one for
// each terminal that is shown, one that follows the settings, and one for each
// question about trust that waits in a plain client. Run ends them all.
package bridge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"drawbridge/approval/rule"
	"drawbridge/bridge/lsp"
	"drawbridge/config"
	"drawbridge/rpc"
	"drawbridge/rpc/protocol"
	"drawbridge/session"
	"drawbridge/shell"
	"drawbridge/workspace"
)

const (
	// closeLimit bounds the end of all sessions and their commands.
	closeLimit = 1500 * time.Millisecond
	// flushLimit bounds the last words to the editor.
	flushLimit = 200 * time.Millisecond
)

// Options of a Server.
type Options struct {
	Version string
	// Sessions is how sessions work. Editor, Terminals, Emit, Ask, Drained and
	// Log depend on the client and are filled in here.
	Sessions session.Options
	// Profiles that sessions may use; the first one is the default.
	Profiles []string
	Models   Models
	// Trust keeps what the user said about settings that workspaces bring; nil
	// looks at none.
	Trust *config.Trust
	// Follow tells of the user's settings that change, until ctx ends; nil tells of
	// none.
	Follow func(ctx context.Context, tell func(SettingsChange))
	// Forget takes back a yes that is kept on the disk, for the workspace dir or
	// for any; nil has none.
	Forget func(dir string, source rule.Source, text string) (bool, error)
	Log    *slog.Logger
	// Trace sees every frame; see rpc.Options.
	Trace   func(dir string, frame []byte)
	Framing rpc.Framing
	// MaxFrame is the longest message either way, in bytes; 0: protocol.MaxFrame.
	MaxFrame int64
}

// Server is the bridge of one editor.
type Server struct {
	o    Options
	log  *slog.Logger
	conn *rpc.Conn
	face *lsp.Face
	// life ends with Run.
	life context.Context
	end  context.CancelFunc
	// review and diffs are what clients without our review see of changes.
	review *plainReview
	diffs  *plainDiffs
	// encodings are what the editor said about files.
	encodings workspace.Encodings

	mu      sync.Mutex // guards below
	host    *session.Host
	open    map[string]bool // ids of the sessions that this process holds
	turns   map[string]*followed
	pumps   map[terminalKey]*pump
	shown   map[shell.Process]*pump  // the same pumps
	asked   map[askKey]chan struct{} // closed when the question is no longer out
	plain   map[string]*plainTurn    // by session
	folders map[string]string        // session of a folder, for executeCommand
	trust   trusting

	// background is what waits for a person beside all else, and for no longer than
	// the connection lives.
	background sync.WaitGroup
}

// New makes a server on rwc. Nothing is read before Run.
func New(rwc io.ReadWriteCloser, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Profiles) == 0 {
		o.Profiles = []string{string(protocol.ProfileDefault)}
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = protocol.MaxFrame
	}
	s := &Server{
		o: o, open: map[string]bool{}, turns: map[string]*followed{}, pumps: map[terminalKey]*pump{}, shown: map[shell.Process]*pump{},
		asked: map[askKey]chan struct{}{}, plain: map[string]*plainTurn{}, folders: map[string]string{},
		trust: newTrusting(),
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.log = slog.New(logTap{Handler: o.Log.Handler(), show: s.showLog})
	s.review, s.diffs = newPlainReview(s), newPlainDiffs(s)
	s.face = lsp.New(lsp.Options{
		Version: o.Version, Announce: s.announce, Initialized: s.initialized,
		Shutdown: s.endSessions, Commands: s.commands(), ReviewCommands: s.reviewCommands(),
		Review: s.review, Closed: s.review.documentClosed, Log: s.log,
	})
	s.conn = rpc.New(rwc, rpc.Options{
		Framing: o.Framing, Table: protocol.Table(), MaxFrame: o.MaxFrame,
		Gate: s.face.Gate, Log: s.log, Trace: o.Trace,
	})
	s.face.Bind(s.conn)
	s.register()
	return s
}

// Run serves until the editor leaves or ctx ends, closes every session and
// returns the process's exit code: 0 after shutdown, else 1. Err says more.
func (s *Server) Run(ctx context.Context) int {
	s.conn.Start()
	select {
	case <-s.conn.Gone():
	case <-s.face.Exited():
	case <-ctx.Done():
	}
	s.endSessions()
	s.face.ClearMarks() // an editor that is still there shows them on
	if err := s.conn.Close(flushLimit); err != nil {
		s.log.Warn("connection", "error", err)
	}
	s.face.Close()
	s.end()
	s.background.Wait()
	if s.Err() != nil {
		return 1
	}
	return s.face.ExitCode()
}

// Err tells why the connection broke; nil when the editor just left.
func (s *Server) Err() error { return s.conn.Err() }

// endSessions closes the host: turns are recorded as interrupted, commands end.
func (s *Server) endSessions() {
	s.mu.Lock()
	host := s.host
	s.mu.Unlock()
	if host == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := host.Close(ctx); err != nil {
		s.log.Warn("sessions did not end in order", "error", err)
	}
	s.closePumps()
	s.diffs.close()
}

// initialized makes the host once the client is known.
func (s *Server) initialized(c lsp.Client) error {
	o := s.o.Sessions
	o.Editor, o.Encodings = s.face, &s.encodings
	o.Terminals = c.Ours.Terminals
	o.Emit = s.emit
	if !c.Nobody {
		o.Ask = s.ask
	}
	if c.Ours.Diagnostics {
		o.Diagnostics = s.diagnostics
	}
	o.Drained = s.drained
	o.Log = s.log
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host = session.NewHost(o)
	s.followSettings(s.life)
	return nil
}

func (s *Server) announce(c lsp.Client) protocol.ServerCapabilities {
	version := protocol.Version
	if c.Knows {
		version = c.Ours.Version
	}
	profiles := make(protocol.List[protocol.Profile], len(s.o.Profiles))
	for i, p := range s.o.Profiles {
		profiles[i] = protocol.Profile(p)
	}
	return protocol.ServerCapabilities{
		Version: version, ServerVersion: s.o.Version,
		Profiles: profiles, Modes: modes(), Presets: presets(), Models: s.o.Models.Known,
		Limits: protocol.Limits{FrameBytes: s.o.MaxFrame, UnackedBytes: protocol.MaxUnacked},
	}
}

// theHost is there after initialize; the gate lets nothing else through before.
func (s *Server) theHost() (*session.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.host == nil {
		return nil, errors.New("no session before initialize")
	}
	return s.host, nil
}

// session finds an open session.
func (s *Server) session(id string) (*session.Session, error) {
	host, err := s.theHost()
	if err != nil {
		return nil, err
	}
	return host.Get(id)
}

// sessions are the open ones but for those of subagents, or only the named one.
func (s *Server) sessions(only string) ([]*session.Session, error) {
	if only != "" {
		one, err := s.session(only)
		return []*session.Session{one}, err
	}
	var all []*session.Session
	for _, id := range s.openIDs() {
		if one, err := s.session(id); err == nil {
			all = append(all, one)
		}
	}
	return all, nil
}
