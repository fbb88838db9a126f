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
