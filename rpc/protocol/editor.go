package protocol

// EditorSaveParams names an open document.
type EditorSaveParams struct {
	// The document, by the URI it was opened under.
	URI string `json:"uri"`
}

// EditorSaveResult says what became of it.
type EditorSaveResult struct {
	// The file holds the document's text now.
	Saved bool `json:"saved"`
}

// EditorRefreshParams names an open document.
type EditorRefreshParams struct {
	// The document, by the URI it was opened under.
	URI string `json:"uri"`
}

// EditorRefreshResult says what became of it.
type EditorRefreshResult struct {
	// The document holds the file's text now.
	Refreshed bool `json:"refreshed"`
}

// EditorDiagnosticsParams names an open document.
type EditorDiagnosticsParams struct {
	// The document, by the URI it was opened under.
	URI string `json:"uri"`
	// How long to wait for those who look at it, in milliseconds.
	WaitMs int64 `json:"waitMs"`
}

// EditorDiagnosticsResult is what is said of a document.
type EditorDiagnosticsResult struct {
	// In any order.
	Diagnostics List[Diagnostic] `json:"diagnostics"`
}

// Diagnostic is one thing that a program of the editor says of a document.
type Diagnostic struct {
	// Where, in the document's present text.
	Range Range `json:"range"`
	// How bad it is.
	Severity Severity `json:"severity"`
	// What is said.
	Message string `json:"message"`
	// Who says it.
	Source string `json:"source,omitempty"`
	// Its name among those of its source.
	Code string `json:"code,omitempty"`
}

// Severity is how bad a diagnostic is.
type Severity string

const (
	// SeverityError is a fault.
	SeverityError Severity = "error"
	// SeverityWarning is a likely fault.
	SeverityWarning Severity = "warning"
	// SeverityInformation is worth knowing.
	SeverityInformation Severity = "information"
	// SeverityHint is a suggestion.
	SeverityHint Severity = "hint"
)

// DocumentEncodingParams says how a document is spelled in its file.
type DocumentEncodingParams struct {
	// The document, by the URI it was opened under.
	URI string `json:"uri"`
	// A name of the WHATWG Encoding Standard, or the editor's own name for one of
	// those: utf-8, utf-16le, shift_jis, windows-1252.
	Encoding string `json:"encoding"`
}
