// Package lsp is the bridge's face towards any client of the Language Server
// Protocol: the lifecycle, the mirror of open documents, edits into them, and
// what a client can show without knowing us. It knows nothing of sessions,
// tools or approval. Types of the protocol's own library stay in here.
//
// Goroutines: one watches the client's process, one keeps marks up to date, one
// per shown progress, one per edit or refresh under way; Close waits for all.
package lsp

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"drawbridge/internal/mirror"
	"drawbridge/rpc"
	wire "drawbridge/rpc/protocol"
)

// Options of a Face. The callbacks run on the connection's dispatch goroutine
// where nothing else is said.
type Options struct {
	// Version of the program, for people.
	Version string
	// Announce completes what we tell the client about our own protocol.
	Announce func(c Client) wire.ServerCapabilities
	// Initialized is called once, before any later message is looked at.
	Initialized func(c Client) error
	// Shutdown ends all work. It must be bounded.
	Shutdown func()
	// Commands are the ids that the client may execute, with what they do, each
	// on a goroutine of its own.
	Commands map[string]Command
	// ReviewCommands are those that only clients without our review are told of.
	ReviewCommands map[string]Command
	// Review is what such clients see of changes; nil: nothing.
	Review Review
	// Closed is called when a document was closed, with its path, "" for none.
	Closed func(path string)
	Log    *slog.Logger
}

// Command serves one id of workspace/executeCommand.
type Command func(ctx context.Context, args []json.RawMessage) (any, error)

// Face is one client's view. Use it after Bind.
type Face struct {
	o    Options
	log  *slog.Logger
	conn *rpc.Conn

	exited chan struct{}   // closed by exit, or when the client's process is gone
	live   context.Context // ends with Close
	stop   context.CancelFunc
	wg     sync.WaitGroup
	marks  marker

	mu       sync.Mutex // guards below
	phase    phase
	client   Client
	docs     *mirror.Documents // nil before initialize
	progress map[string]func() // what cancels, by token
	tokens   int
	isOut    bool // exited is closed
	// notebooks are the files that the client shows as notebooks.
	notebooks map[string]bool
	// stale are the texts of files that the editor was asked to show and did not:
	// it is not asked again for the same.
	stale map[string]string
}

// New makes a face. Its Gate goes into the connection's options, then Bind.
func New(o Options) *Face {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Face{
		o: o, log: o.Log, exited: make(chan struct{}), progress: map[string]func(){},
		marks: marker{wake: make(chan struct{}, 1), sent: map[string]json.RawMessage{}},
	}
	f.live, f.stop = context.WithCancel(context.Background())
	return f
}

// Bind registers the handlers; call it before the connection starts.
func (f *Face) Bind(conn *rpc.Conn) {
	f.conn = conn
	conn.HandleRequest("initialize", f.initialize)
	conn.HandleNotification("initialized", func(json.RawMessage) {})
	conn.HandleRequest("shutdown", f.shutdown)
	conn.HandleNotification("exit", func(json.RawMessage) { f.leave() })
	conn.HandleNotification("$/setTrace", func(json.RawMessage) {})
	conn.HandleNotification("textDocument/didOpen", f.didOpen)
	conn.HandleNotification("textDocument/didChange", f.didChange)
	conn.HandleNotification("textDocument/didSave", f.didSave)
	conn.HandleNotification("textDocument/didClose", f.didClose)
	conn.HandleNotification("notebookDocument/didOpen", f.notebookOpened)
	conn.HandleNotification("notebookDocument/didChange", func(json.RawMessage) {})
	conn.HandleNotification("notebookDocument/didClose", f.notebookClosed)
	conn.HandleNotification("workspace/didChangeWorkspaceFolders", f.didChangeFolders)
	conn.HandleRequest("workspace/executeCommand", f.executeCommand)
	conn.HandleRequest("textDocument/codeAction", f.codeAction)
	conn.HandleRequest("textDocument/codeLens", f.codeLens)
	conn.HandleRequest("workspace/textDocumentContent", f.content)
	conn.HandlePreempt("window/workDoneProgress/cancel", f.cancelProgress)
}

// Close ends the face's goroutines and waits for them. The connection must be
// closed or closing.
func (f *Face) Close() {
	f.stop()
	f.wg.Wait()
}

// Client is what the client said of itself; zero before initialize.
func (f *Face) Client() Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.client
}

// Working says that initialize was answered and shutdown was not asked for.
func (f *Face) Working() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.phase == working
}

// Documents are the client's open documents; none before initialize.
func (f *Face) Documents() *mirror.Documents {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.docs == nil {
		f.docs = mirror.NewDocuments(mirror.UTF16)
	}
	return f.docs
}
