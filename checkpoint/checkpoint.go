// Package checkpoint keeps what files held before they were changed, in a
// store outside the workspace whose contents are named by their hash, and one
// journal a session that says which contents are whose. It knows neither
// workspaces nor sessions and never reads or writes the files that it keeps. Keep
// has a goroutine of its own while it runs; there are no others.
//
// Several processes share a store. Whoever keeps something holds the store's
// lock for sharing until the journal names it; whoever removes contents holds
// it alone, and reads the journals under it. So nothing is removed between its
// writing and its first mention.
package checkpoint

import (
	"encoding/hex"
	"errors"
	"time"
)

// Sum names bytes by their SHA-256. The zero Sum names nothing.
type Sum [32]byte

// String is the sum in hexadecimal.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText writes the sum in hexadecimal.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Sum) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(s) {
		return errors.New("not a SHA-256")
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// ErrGone says that bytes are not there any more, or are not those that were
// kept. It stands instead of wrong bytes.
var ErrGone = errors.New("what was kept is not there any more")

// State is what a file was at some time.
type State struct {
	Exists bool  `json:"exists,omitempty"`
	Sum    Sum   `json:"sum,omitzero"`
	Size   int64 `json:"size,omitempty"`
	// Mode are the permission bits, and those for set-group-id and sticky as in
	// fs.FileMode; 0 where nobody looked.
	Mode uint32 `json:"mode,omitempty"`
	// Document says that the bytes are the text of an open document, whose line
	// ends, byte order mark and encoding are the editor's affair. Else they are the
	// file's own.
	Document bool `json:"document,omitempty"`
	// Splice is how the bytes are had of others; nil where they are an object.
	Splice *Splice `json:"splice,omitempty"`
}

// Splice makes bytes of an object that is kept: Text instead of all but its
// first Head and last Tail bytes.
type Splice struct {
	From Sum    `json:"from"`
	Head int    `json:"head,omitempty"`
	Tail int    `json:"tail,omitempty"`
	Text []byte `json:"text,omitempty"`
}

// object is what the state's bytes are made of.
func (s State) object() Sum {
	if s.Splice != nil {
		return s.Splice.From
	}
	return s.Sum
}

// Same says that two states are of the same bytes.
func (s State) Same(other State) bool { return s.Exists == other.Exists && s.Sum == other.Sum }

// Begin is the first line about a checkpoint.
type Begin struct {
	ID       string    `json:"id"` // "k1", "k2"…
	Turn     string    `json:"turn,omitempty"`
	RewindTo string    `json:"rewindTo,omitempty"`
	Time     time.Time `json:"time"`
	Title    string    `json:"title"`
}

// Step is a stretch in which nobody else changed a file: what it held before
// the first write, and after the last one.
type Step struct {
	// Number is unlike that of any other step of the journal; 0 where that was
	// written before steps had numbers, or nothing was kept.
	Number     int
	Checkpoint string
	Path       string // absolute, links resolved
	Before     State
	// After is nil until it is known.
	After *State
	// Dirs are the folders that were made for the file, outermost first.
	Dirs []string
	// Command says that a command changed it.
	Command bool
	// While is the command that ran when a change was seen which nothing else ties
	// to it: its words do not name the file, and the session had not to do with it.
	// Somebody else may have made the change. "" where it is sure who did.
	While string
	// Unkept says why there are no bytes of before; "" when there are.
	Unkept string
	// Kind is what was done to a file that was not kept: create, modify, delete.
	Kind string
}

// Checkpoint is a Begin with what came after it.
type Checkpoint struct {
	Begin
	// Reverted are what a rewind took back of what the session remembers, and how
	// it stood before, by names that only the session understands.
	Reverted map[string]string
	// Damaged says that lines about it cannot be read.
	Damaged bool
}
