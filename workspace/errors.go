package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Kind says why a file cannot be used.
type Kind string

// The kinds of a FileError.
const (
	NotFound    Kind = "notFound"
	IsDir       Kind = "isDir"
	NotDir      Kind = "notDir" // a parent is a file
	NotRegular  Kind = "notRegular"
	TooLarge    Kind = "tooLarge"
	Permission  Kind = "permission"
	ReadOnly    Kind = "readOnly"
	NoSpace     Kind = "noSpace"
	Loop        Kind = "loop"
	BadName     Kind = "badName"
	Protected   Kind = "protected"
	NotKept     Kind = "notKept"   // what it held could not be kept for a rewind
	Unspellable Kind = "encoding"  // its encoding cannot hold the text
	OutOfStep   Kind = "outOfStep" // the editor has it open, with a text that is not known
	Other       Kind = "other"
)

// FileError is a fault of a file or a name that a model can act on.
type FileError struct {
	Op   string // what was attempted: "read", "write"…
	Path string
	Kind Kind
	// Detail adds to the kind's own words: a size, a reason. May be empty.
	Detail string
	Err    error
}

var kindWords = map[Kind]string{
	NotFound:    "no such file or directory",
	IsDir:       "is a directory",
	NotDir:      "a parent of it is a file, not a directory",
	NotRegular:  "not a regular file",
	TooLarge:    "too large",
	Permission:  "permission denied",
	ReadOnly:    "read-only",
	NoSpace:     "no space left on the device",
	Loop:        "too many levels of symbolic links",
	BadName:     "not a usable file name",
	Protected:   "protected",
	NotKept:     "what it holds now could not be kept, so nothing was written",
	Unspellable: "the file's encoding has no such character",
	OutOfStep:   "is open in the editor with a text that is not known here",
}

// Error names what was attempted, on what, and why it is not possible.
func (e *FileError) Error() string {
	words := kindWords[e.Kind]
	if words == "" && e.Err != nil {
		words = e.Err.Error()
	}
	if e.Detail != "" {
		words += ": " + e.Detail
	}
	return fmt.Sprintf("%s %s: %s", e.Op, e.Path, words)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// fileError sorts what the system said into a FileError. One that is one
// already gets the name that the caller knows the file by.
func fileError(op, path string, err error) error {
	var known *FileError
	if errors.As(err, &known) {
		named := *known
		named.Op, named.Path = op, path
		return &named
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	cause := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		cause = pe.Err // the path is named once, by us
	}
	return &FileError{Op: op, Path: path, Kind: kindOf(err), Err: cause}
}

func kindOf(err error) Kind {
	var known *FileError
	switch {
	case errors.As(err, &known):
		return known.Kind
	case errors.Is(err, syscall.ENOTDIR):
		return NotDir
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, fs.ErrPermission):
		return Permission
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return NoSpace
	case errors.Is(err, syscall.ELOOP):
		return Loop
	case errors.Is(err, syscall.ENAMETOOLONG):
		return BadName
	case errors.Is(err, syscall.EISDIR):
		return IsDir
	}
	return Other
}
