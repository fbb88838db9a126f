// Package workspace plans and commits changes of files: it resolves paths,
// reads what a document or file holds now, computes hunks, and applies
// accepted hunks to the open document or to the disk. It knows editors only
// by its own Editor interface and starts no goroutine of its own.
package workspace

import (
	"context"
	"io/fs"
)

// Path is a checked path: absolute, cleaned, with symbolic links resolved as
// far as they exist. Only Workspace.Resolve makes one.
type Path struct {
	// Abs is the resolved path: locks, policy and writes go by it.
	Abs string
	// Lexical is the absolute path as it was asked for, links unresolved.
	Lexical string
	// Rel is Abs relative to its root with forward slashes, or Abs itself when
	// it lies outside every root.
	Rel string
	// Inside says that Abs lies in a root of the workspace.
	Inside bool
	// Protected says why no tool may touch it (our own state, configuration);
	// "" for ordinary paths.
	Protected string
	// Holds says that something protected lies below it.
	Holds bool
	// Ignored says which .drawbridgeignore has it, or why that is not known; "" for
	// ordinary paths. Reading it is asked about.
	Ignored string
}

// Document is what the editor holds of an open file.
type Document struct {
	Version int32
	Text    string
	// Dirty says that Text was changed since the last save that we know of.
	Dirty bool
	// Saved is the text that the file held when the document was opened or last
	// saved, or shown anew, and Saves counts how often it was saved.
	Saved string
	Saves int
}

// Edit replaces the bytes [Start,End) of a document's text by New.
type Edit struct {
	Start, End int
	New        string
}

// Editor is the workspace's view of whoever has documents open. The zero
// editor is NoEditor. Implementations are safe for concurrent use.
type Editor interface {
	// Document returns the open document of a path (Path.Abs or Path.Lexical).
	Document(abs string) (Document, bool)
	// Apply asks the editor to change the document, which must still have
	// version, and waits (bounded) for the buffer to show it. It returns what
	// the buffer really holds then, whatever the editor answered. The error is
	// for an editor that did not answer or refused; the Document counts also
	// then.
	Apply(ctx context.Context, abs string, version int32, edits []Edit, label string) (Document, error)
	// Save asks the editor to write the document to its file. What the file
	// holds then decides, not the answer.
	Save(ctx context.Context, abs string) error
	// Changed returns a channel that is closed at the next change of the
	// document (edit, open, close).
	Changed(abs string) <-chan struct{}
}

// Content is what a path holds now: the open document, else the disk.
type Content struct {
	Path   Path
	Exists bool
	Dir    bool
	// Text is what the file holds, or the text of the open document.
	Text string
	// Open says that Text is an open document's, of Version.
	Open    bool
	Version int32
	// Behind says that the document has no unsaved changes and is older than its
	// file: Text is then the file's, as the document would show it, and Shown is
	// what it still shows.
	Behind bool
	Shown  string
	Base   Hash
	// Encoding is how the file spells Text. The zero Encoding says that Text is
	// the file's bytes as they are: UTF-8, or what nobody has named.
	Encoding Encoding
	// Raw is the file's bytes where Encoding is set. Of an open document there are
	// none: its editor writes the file.
	Raw string
}

// Encoding is a name of the WHATWG Encoding Standard, in lower case, or what an
// editor called an encoding that the standard does not have. See EncodingOf.
type Encoding string

// Hash names a content. The zero Hash is "does not exist".
type Hash [32]byte

// ChangeKind says what a change does to its file.
type ChangeKind string

const (
	Create ChangeKind = "create"
	Modify ChangeKind = "modify"
	Delete ChangeKind = "delete"
)

// Change is a planned edit of one file. Old and New are whole contents that
// share memory with what was read; Hunks say where they differ.
type Change struct {
	Path     Path
	Kind     ChangeKind
	Base     Hash
	Open     bool  // planned from an open document…
	Version  int32 // …of this version
	Old, New string
	Hunks    []Hunk
	// Mode are the permission bits of a file that is made; 0 leaves them to the
	// umask.
	Mode fs.FileMode
	// Encoding and Raw are those of the content it was planned from.
	Encoding Encoding
	Raw      string

	newRaw string // the bytes of New, where those of Old are in Raw
	fault  *FileError
	origin origin
}

// Hunk is one contiguous difference of whole lines. Offsets are bytes into
// Change.Old and Change.New; lines count from 1 (a hunk with no old lines sits
// before OldLine).
type Hunk struct {
	ID                string // "h1"…, unique in its change
	OldStart, OldEnd  int
	NewStart, NewEnd  int
	OldLine, OldLines int
	NewLine, NewLines int
}

// Acceptance is what a person or rule let through. The zero value is nothing.
type Acceptance struct {
	All   bool
	Hunks []string // ids; with All false
	// Text, when set, is the whole new content as the person rewrote it.
	Text *string
	// Keep, when set, is called with what the path holds right before anything
	// is written to it, under its lock. Its error stops the write.
	Keep func(before Content) error
	// Others, when set, says whether this program has written the path for somebody
	// else since the change was planned: what stands there then is not this change.
	Others func() bool
}

// State is what became of a change.
type State string

const (
	Applied  State = "applied"
	Partly   State = "partly"
	Rejected State = "rejected"
	Stale    State = "stale" // the file is not what the change was planned from
)

// Outcome is what Commit really did.
type Outcome struct {
	State    State
	Applied  []string // hunk ids
	Rejected []string
	// Change is what was really done, from the content found at commit to the
	// content left behind; its hunks are those of the final text.
	Change Change
	// Open says that the change went into the open document, which is unsaved.
	Open bool
	// UserText says that the person's own text was written, not the plan's.
	UserText bool
	// Why explains Stale and Rejected, for the model.
	Why string
	// Note is something to know about what was done; usually "".
	Note string
}
