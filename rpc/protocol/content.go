package protocol

// BlockType is the tag of a Block.
type BlockType string

const (
	// BlockText is plain text.
	BlockText BlockType = "text"
	// BlockImage is a picture.
	BlockImage BlockType = "image"
	// BlockResource is a document with its text.
	BlockResource BlockType = "resource"
	// BlockResourceLink names a document that the model may read.
	BlockResourceLink BlockType = "resourceLink"
	// BlockSelection is a part of a document that the person marked.
	BlockSelection BlockType = "selection"
	// BlockDiagnostics names a document whose diagnostics are meant.
	BlockDiagnostics BlockType = "diagnostics"
)

// Block is one piece of a prompt: a union tagged by type. The of tag of a
// field lists the types it belongs to, with ? where it may be absent.
type Block struct {
	// Says which other fields there are.
	Type BlockType `json:"type"`
	// The text itself; for a selection the marked text, else it is taken from
	// the document.
	Text string `json:"text" of:"text,resource,selection?"`
	// For example image/png.
	MimeType string `json:"mimeType" of:"image"`
	// The picture's bytes in base64: a PNG, JPEG, GIF or WebP of at most 5 MB and
	// 8000 pixels on a side. They say which it is, whatever mimeType says; another is
	// refused with the kind invalid, and nothing is begun.
	Data string `json:"data" of:"image"`
	// The document's uri.
	URI string `json:"uri" of:"resource,resourceLink,selection,diagnostics"`
	// The document's name for people.
	Name string `json:"name" of:"resourceLink"`
	// The marked part.
	Range Range `json:"range" of:"selection"`
}

// Range is a part of a document, in the position encoding that initialize
// agreed on. The end is exclusive.
type Range struct {
	// First position of the range.
	Start Position `json:"start"`
	// Position after the range.
	End Position `json:"end"`
}

// Position is a place in a document.
type Position struct {
	// Counts from 0.
	Line uint32 `json:"line"`
	// Counts from 0, in units of the agreed position encoding.
	Character uint32 `json:"character"`
}

// TextBlock is the plain text s.
func TextBlock(s string) Block { return Block{Type: BlockText, Text: s} }
