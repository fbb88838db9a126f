package protocol

import "drawbridge/rpc"

const beforeInitialize = "first, once"

// lspToBridge are the methods of the Language Server Protocol that the bridge
// answers. Others get -32601, unknown notifications are ignored.
var lspToBridge = []Method{
	{
		Name: "initialize", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.InOrder,
		Params: LSP("InitializeParams"), Result: LSP("InitializeResult"), When: beforeInitialize,
		Doc: "Agrees on position encoding and capabilities; experimental.drawbridge carries ours.",
	},
	{
		Name: "initialized", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("InitializedParams"), When: "after initialize, once",
		Doc: "From here on the bridge may send requests.",
	},
	{
		Name: "shutdown", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.InOrder,
		Doc: "Ends every session; requests after it get -32600.",
	},
	{
		Name: "exit", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		When: "any time",
		Doc:  "Ends the process: with code 0 after shutdown, else 1.",
	},
	{
		Name: "textDocument/didOpen", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidOpenTextDocumentParams"),
		Doc:    "From now on the document's text counts, not the file's.",
	},
	{
		Name: "textDocument/didChange", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidChangeTextDocumentParams"),
		Doc:    "Changes the mirror, incrementally or as a whole. It also shows the bridge what became of an applyEdit.",
	},
	{
		Name: "textDocument/didSave", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidSaveTextDocumentParams"),
		Doc:    "The file holds the document's text.",
	},
	{
		Name: "textDocument/didClose", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidCloseTextDocumentParams"),
		Doc:    "From now on the file's text counts again.",
	},
	{
		Name: "notebookDocument/didOpen", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidOpenNotebookDocumentParams"),
		Doc:    "The editor shows the file as a notebook: until it is closed the file is not changed, since the editor would not see that and write over it.",
	},
	{
		Name: "notebookDocument/didChange", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidChangeNotebookDocumentParams"),
		Doc:    "Passed over: the cells of an open notebook are not read.",
	},
	{
		Name: "notebookDocument/didClose", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidCloseNotebookDocumentParams"),
		Doc:    "The file may be changed again.",
	},
	{
		Name: "workspace/didChangeWorkspaceFolders", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("DidChangeWorkspaceFoldersParams"),
		Doc:    "Changes the folders that sessions made later begin with.",
	},
	{
		Name: "workspace/executeCommand", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("ExecuteCommandParams"), Result: LSP("LSPAny"),
		Doc: "Runs one of the commands announced in the answer to initialize, for clients without our methods.",
	},
	{
		Name: "textDocument/codeAction", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("CodeActionParams"), Result: LSP("(Command | CodeAction)[]"),
		When: "by clients without review",
		Doc:  "What can be done about the hunks at a range: commands that answer them.",
	},
	{
		Name: "textDocument/codeLens", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("CodeLensParams"), Result: LSP("CodeLens[]"),
		When: "by clients without review",
		Doc:  "Lines of commands above the hunks of a document.",
	},
	{
		Name: "workspace/textDocumentContent", Direction: rpc.ToBridge, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("TextDocumentContentParams"), Result: LSP("TextDocumentContentResult"),
		When: "by clients without review",
		Doc:  "The text of a document of scheme drawbridge: the diff of a change.",
	},
	{
		Name: "window/workDoneProgress/cancel", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.Preempt,
		Params: LSP("WorkDoneProgressCancelParams"),
		Doc:    "Cancels the turn whose progress is shown.",
	},
	{
		Name: "$/cancelRequest", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.Preempt,
		Params: LSP("CancelParams"), When: "any time, in both directions",
		Doc: "Cancels a request; it is answered all the same. The bridge sends it to withdraw a question.",
	},
	{
		Name: "$/setTrace", Direction: rpc.ToBridge, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("SetTraceParams"),
		Doc:    "Accepted and without effect: traces go to the bridge's own log.",
	},
}

// lspToEditor are the methods of the Language Server Protocol that the bridge
// uses, each only when the client announced it.
var lspToEditor = []Method{
	{
		Name: "workspace/applyEdit", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("ApplyWorkspaceEditParams"), Result: LSP("ApplyWorkspaceEditResult"),
		Doc: "Changes an open document, by its version. The didChange that follows counts, not the answer.",
	},
	{
		Name: "window/showMessageRequest", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("ShowMessageRequestParams"), Result: LSP("MessageActionItem | null"),
		When: "to clients without approvals",
		Doc:  "Asks whether an effect may happen.",
	},
	{
		Name: "window/showMessage", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("ShowMessageParams"),
		Doc:    "Tells a person something that must not be missed.",
	},
	{
		Name: "window/showDocument", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("ShowDocumentParams"), Result: LSP("ShowDocumentResult"),
		Doc: "Opens a file in the editor.",
	},
	{
		Name: "textDocument/publishDiagnostics", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("PublishDiagnosticsParams"), When: "to clients without review",
		Doc: "Hints where the hunks are that nobody has decided about.",
	},
	{
		Name: "workspace/codeLens/refresh", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Result: LSP("null"), When: "to clients without review",
		Doc: "The hunks that have lenses are others now.",
	},
	{
		Name: "workspace/textDocumentContent/refresh", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("TextDocumentContentRefreshParams"), Result: LSP("null"), When: "to clients without review",
		Doc: "A diff of scheme drawbridge is another one now.",
	},
	{
		Name: "window/logMessage", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("LogMessageParams"),
		Doc:    "A line for the client's log.",
	},
	{
		Name: "window/workDoneProgress/create", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("WorkDoneProgressCreateParams"), Result: LSP("null"),
		When: "to clients without events",
		Doc:  "Begins to show a turn as progress.",
	},
	{
		Name: "$/progress", Direction: rpc.ToEditor, Kind: rpc.Notification, Policy: rpc.InOrder,
		Params: LSP("ProgressParams"), When: "to clients without events",
		Doc: "Shows how a turn goes on.",
	},
	{
		Name: "client/registerCapability", Direction: rpc.ToEditor, Kind: rpc.Request, Policy: rpc.Async,
		Params: LSP("RegistrationParams"), Result: LSP("null"),
		Doc: "Asks for notifications that can only be registered after initialize.",
	},
}
