package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"drawbridge/internal/mirror"
	wire "drawbridge/rpc/protocol"
)

// Client is what a client said of itself. Its zero value can do nothing.
type Client struct {
	Name, Version string
	ProcessID     int
	// Knows says that the client announced our own protocol; Ours is what it
	// can do of it, with the version that counts.
	Knows    bool
	Ours     wire.ClientCapabilities
	Encoding mirror.Encoding
	// Folders of the workspace, absolute paths.
	Folders []string

	ApplyEdit       bool // announced; some do it without
	DocumentChanges bool
	Progress        bool
	ShowDocument    bool
	Diagnostics     bool // shows those that are published
	Actions         bool // asks for code actions…
	Literals        bool // …and takes more than commands
	Lenses          bool
	LensRefresh     bool
	Contents        bool // shows documents of a scheme of ours
	// Nobody says that the client has no person who answers questions.
	Nobody bool
}

func clientOf(p *protocol.InitializeParams) Client {
	c := Client{Name: p.ClientInfo.Name, Encoding: mirror.UTF16, Folders: foldersOf(p)}
	c.Version, _ = p.ClientInfo.Version.Get()
	if p.ProcessID != nil {
		c.ProcessID = int(*p.ProcessID)
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.ApplyEdit = is(w.ApplyEdit)
		c.DocumentChanges = w.WorkspaceEdit != nil && is(w.WorkspaceEdit.DocumentChanges)
		c.LensRefresh = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		c.Contents = w.TextDocumentContent != nil
	}
	if d := p.Capabilities.TextDocument; d != nil {
		c.Diagnostics, c.Lenses = d.PublishDiagnostics != nil, d.CodeLens != nil
		c.Actions = d.CodeAction != nil
		c.Literals = c.Actions && d.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
	}
	if w := p.Capabilities.Window; w != nil {
		c.Progress = is(w.WorkDoneProgress)
		c.ShowDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if g := p.Capabilities.General; g != nil {
		c.Encoding = preferred(g.PositionEncodings)
	}
	c.Ours, c.Knows = oursOf(p.Capabilities.Experimental)
	c.Nobody = deniesApprovals(p.Capabilities.Experimental)
	return c
}

// preferred takes the encoding that costs us least; without an offer the
// protocol means UTF-16.
func preferred(offered []protocol.PositionEncodingKind) mirror.Encoding {
	switch {
	case slices.Contains(offered, protocol.PositionEncodingKindUTF8):
		return mirror.UTF8
	case slices.Contains(offered, protocol.PositionEncodingKindUTF16):
		return mirror.UTF16
	case slices.Contains(offered, protocol.PositionEncodingKindUTF32):
		return mirror.UTF32
	}
	return mirror.UTF16
}

func kindOf(enc mirror.Encoding) protocol.PositionEncodingKind {
	switch enc {
	case mirror.UTF8:
		return protocol.PositionEncodingKindUTF8
	case mirror.UTF32:
		return protocol.PositionEncodingKindUTF32
	}
	return protocol.PositionEncodingKindUTF16
}

// oursOf reads experimental.drawbridge. Each part stands for itself: one that
// is missing or of another type is not there.
func oursOf(experimental []byte) (ours wire.ClientCapabilities, knows bool) {
	var outer map[string]json.RawMessage
	var parts map[string]json.RawMessage
	if json.Unmarshal(experimental, &outer) != nil || json.Unmarshal(outer["drawbridge"], &parts) != nil || parts == nil {
		return ours, false
	}
	for name, flag := range map[string]*bool{
		"approvals": &ours.Approvals, "review": &ours.Review,
		"terminals": &ours.Terminals, "events": &ours.Events,
		"saves": &ours.Saves, "refreshes": &ours.Refreshes, "diagnostics": &ours.Diagnostics, "trust": &ours.Trust,
	} {
		*flag = string(parts[name]) == "true"
	}
	if json.Unmarshal(parts["version"], &ours.Version) != nil || ours.Version < 1 {
		ours.Version = 1
	}
	ours.Version = min(ours.Version, wire.Version)
	return ours, true
}

// deniesApprovals tells a client that says in so many words that nobody answers
// from one that leaves the word out, which is asked in the plain way.
func deniesApprovals(experimental []byte) bool {
	var outer struct {
		Drawbridge struct {
			Approvals *bool `json:"approvals"`
		} `json:"drawbridge"`
	}
	if json.Unmarshal(experimental, &outer) != nil {
		return false
	}
	said := outer.Drawbridge.Approvals
	return said != nil && !*said
}

// foldersOf are the workspace's folders, from the newest of the three ways in
// which clients name them. Older clients send nothing but the deprecated ones.
func foldersOf(p *protocol.InitializeParams) []string {
	list, _ := p.WorkspaceFolders.Get()
	folders := paths(list)
	//lint:ignore SA1019 see above
	if root := p.RootURI; len(folders) == 0 && root != nil {
		folders = appendPath(nil, string(*root))
	}
	//lint:ignore SA1019 see above
	root, ok := p.RootPath.Get()
	if ok && len(folders) == 0 && root != "" {
		folders = appendPath(nil, URI(root))
	}
	return folders
}

func paths(list []protocol.WorkspaceFolder) []string {
	var out []string
	for _, folder := range list {
		out = appendPath(out, string(folder.URI))
	}
	return out
}

// appendPath adds the folder that u names, once. Folders that are not on this
// machine's disk are left out.
func appendPath(list []string, u string) []string {
	if path := Path(u); path != "" && !slices.Contains(list, path) {
		return append(list, path)
	}
	return list
}
