package lsp

// Lost reports whether the editor has the file open and what it shows is not
// known here, because it sent an edit that does not fit what it sent before.
func (f *Face) Lost(abs string) bool { return f.Documents().Lost(abs) }
