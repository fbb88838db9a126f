package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"drawbridge/internal/mirror"
	"drawbridge/rpc"
)

// phase is how far the lifecycle has come.
type phase int

const (
	fresh phase = iota
	working
	shut
)

// Gate refuses what the lifecycle does not allow now.
func (f *Face) Gate(method string, kind rpc.Kind) *rpc.Error {
	f.mu.Lock()
	at := f.phase
	f.mu.Unlock()
	switch {
	case method == "exit" || at == fresh && method == "initialize":
		return nil
	case at == fresh:
		return &rpc.Error{
			Code: rpc.CodeNotInitialized, Kind: "notInitialized",
			Message: method + " before initialize", Hint: "send initialize first",
		}
	case at == shut:
		return &rpc.Error{
			Code: rpc.CodeInvalidRequest, Kind: "shutDown", Message: method + " after shutdown",
			Hint: "send exit and start the program again",
		}
	case method == "initialize":
		return &rpc.Error{Code: rpc.CodeInvalidRequest, Kind: "initialized", Message: "initialize was sent twice"}
	}
	return nil
}

func (f *Face) initialize(_ context.Context, params json.RawMessage) (any, error) {
	var p protocol.InitializeParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	c := clientOf(&p)
	f.mu.Lock()
	f.client, f.docs = c, mirror.NewDocuments(c.Encoding)
	f.mu.Unlock()
	if f.o.Initialized != nil {
		if err := f.o.Initialized(c); err != nil {
			return nil, fmt.Errorf("initialize: %w", err)
		}
	}
	result, err := f.announce(c)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.phase = working
	f.mu.Unlock()
	f.watch(c.ProcessID)
	if f.marksShown() {
		f.wg.Go(f.mark)
	}
	f.log.Info("initialized", "client", c.Name, "version", c.Version, "ours", c.Knows)
	return result, nil
}

func (f *Face) announce(c Client) (json.RawMessage, error) {
	var ours []byte
	if f.o.Announce != nil {
		var err error
		if ours, err = json.Marshal(map[string]any{"drawbridge": f.o.Announce(c)}); err != nil {
			return nil, fmt.Errorf("encode our capabilities: %w", err)
		}
	}
	can := protocol.ServerCapabilities{
		PositionEncoding:     kindOf(c.Encoding),
		TextDocumentSync:     syncOptions(),
		NotebookDocumentSync: notebookSync(),
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: on(), ChangeNotifications: protocol.Boolean(true),
		}},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: f.commandIDs(c)},
		Experimental:           ours,
	}
	f.announceReview(c, &can)
	return encode(protocol.InitializeResult{
		ServerInfo:   protocol.ServerInfo{Name: "drawbridge", Version: protocol.NewOptional(f.o.Version)},
		Capabilities: can,
	})
}

// syncOptions asks for saves with the text, against which the mirror is
// checked.
func syncOptions() *protocol.TextDocumentSyncOptions {
	incremental := protocol.TextDocumentSyncKindIncremental
	return &protocol.TextDocumentSyncOptions{
		OpenClose: on(), Change: &incremental,
		Save: &protocol.SaveOptions{IncludeText: on()},
	}
}

func (f *Face) shutdown(context.Context, json.RawMessage) (any, error) {
	f.mu.Lock()
	f.phase = shut
	f.mu.Unlock()
	if f.o.Shutdown != nil {
		f.o.Shutdown()
	}
	f.ClearMarks()
	return nil, nil
}

// leave says that the client is done with us, or is no more.
func (f *Face) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.isOut {
		f.isOut = true
		close(f.exited)
	}
}

// Exited is closed when the client sent exit or its process is gone.
func (f *Face) Exited() <-chan struct{} { return f.exited }

// ExitCode is 0 after shutdown, else 1.
func (f *Face) ExitCode() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase == shut {
		return 0
	}
	return 1
}

// watch leaves when the client's process ends. One that cannot be seen, for
// instance from within a container, is not watched: the end of its stream has
// to do.
func (f *Face) watch(pid int) {
	if pid <= 0 {
		return
	}
	gone, err := processGone(f.live, pid)
	if err != nil {
		f.log.Info("the client's process is not watched", "pid", pid, "error", err)
		return
	}
	f.wg.Go(func() { // ends with the process or with Close
		select {
		case <-gone:
			f.log.Info("the client's process is gone", "pid", pid)
			f.leave()
		case <-f.live.Done():
		}
	})
}

func (f *Face) commandIDs(c Client) []string {
	ids := slices.Collect(maps.Keys(f.o.Commands))
	if !c.Ours.Review {
		ids = slices.AppendSeq(ids, maps.Keys(f.o.ReviewCommands))
	}
	slices.Sort(ids)
	return ids
}

func (f *Face) command(id string) (Command, bool) {
	if run, ok := f.o.Commands[id]; ok {
		return run, true
	}
	run, ok := f.o.ReviewCommands[id]
	return run, ok
}

func (f *Face) executeCommand(ctx context.Context, params json.RawMessage) (any, error) {
	var p protocol.ExecuteCommandParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	run, ok := f.command(p.Command)
	if !ok {
		return nil, &rpc.Error{
			Code: rpc.CodeInvalidParams, Kind: "invalid",
			Message: fmt.Sprintf("unknown command %q", p.Command),
		}
	}
	args := make([]json.RawMessage, len(p.Arguments))
	for i, a := range p.Arguments {
		args[i] = slices.Clone(json.RawMessage(a))
	}
	return run(ctx, args)
}

func (f *Face) didChangeFolders(params json.RawMessage) {
	var p protocol.DidChangeWorkspaceFoldersParams
	if err := decode(params, &p); err != nil {
		f.log.Warn("didChangeWorkspaceFolders ignored", "error", err)
		return
	}
	gone := paths(p.Event.Removed)
	f.mu.Lock()
	defer f.mu.Unlock()
	folders := slices.DeleteFunc(slices.Clone(f.client.Folders),
		func(s string) bool { return slices.Contains(gone, s) })
	for _, added := range p.Event.Added {
		folders = appendPath(folders, string(added.URI))
	}
	f.client.Folders = folders
}
