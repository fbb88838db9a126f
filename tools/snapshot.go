package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"drawbridge/internal/ownfile"
)

// snapshot is what one call of a shell leaves to the next. The zero snapshot is
// that of a new shell. It is never changed once it is made.
//
// Nothing in it is run when a shell begins with it: it sets variables, defines
// functions and aliases, and turns options on and off. So whoever writes one, a
// program that a command runs, say, gets nothing done by it but what a later
// command asks for; and that is judged with what the snapshot defines.
type snapshot struct {
	// Dir is the folder as the shell names it, "" the session's; Real is what that
	// led to, by which commands are judged.
	Dir       string     `json:"dir,omitempty"`
	Real      string     `json:"real,omitempty"`
	Exports   []variable `json:"exports,omitempty"`
	Unset     []string   `json:"unset,omitempty"`    // of what a new shell exports
	Readonly  []string   `json:"readonly,omitempty"` // of Exports
	Functions []function `json:"functions,omitempty"`
	Aliases   []variable `json:"aliases,omitempty"`
	// On and Off are options, those of set and of shopt, that a new shell has
	// otherwise.
	On  options `json:"on"`
	Off options `json:"off"`
}

// variable is a name and its value, which may be any bytes but NUL.
type variable struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

type function struct {
	Name     string `json:"name"`
	Text     []byte `json:"text"`
	Exported bool   `json:"exported,omitempty"`
}

type options struct {
	Set   []string `json:"set,omitempty"`
	Shopt []string `json:"shopt,omitempty"`
}

// maxSnapshot bounds a snapshot in bytes: a shell gets it in its environment, for
// which most systems have 2 MiB.
const maxSnapshot = 5 << 18

// maxStateFile bounds the file in bytes, in which values are in base64.
const maxStateFile = 4 * maxSnapshot

// entrySize is what a system counts for each entry of an environment besides its
// value: the name that it has there, and a pointer.
const entrySize = len("DRAWBRIDGE_BASH_FUNCTION_000000=") + 1 + 8

func (s snapshot) size() int {
	n := 0
	for _, v := range slices.Concat(s.Exports, s.Aliases) {
		n += entrySize + len(v.Name) + len(v.Value)
	}
	for _, f := range s.Functions {
		n += entrySize + len(f.Name) + len(f.Text)
	}
	return n
}

// snapshots keeps the snapshot of a session in a private file of its state
// folder. Values of variables are in it as they are. Safe for concurrent use in
// one process, which is the only one to have the session.
type snapshots struct{ dir string }

// snapshotLocks has for each folder a lock that is held from reading the file to
// replacing it.
var snapshotLocks sync.Map

func (s snapshots) lock() (release func()) {
	l, _ := snapshotLocks.LoadOrStore(s.dir, new(sync.Mutex))
	l.(*sync.Mutex).Lock()
	return l.(*sync.Mutex).Unlock
}

func (s snapshots) path() string { return filepath.Join(s.dir, "shell.json") }

// head is the snapshot that the next shell begins with, and its text, by which it
// is told from others.
func (s snapshots) head() (snapshot, string, error) {
	var head snapshot
	if s.dir == "" {
		return head, "", nil
	}
	text, err := readOwn(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return head, "", nil
	}
	if err == nil {
		err = json.Unmarshal(text, &head)
	}
	if err != nil {
		return snapshot{}, string(text), fmt.Errorf("read the shell's state: %w", err)
	}
	return head, string(text), nil
}

// readOwn reads a file that commands may have replaced: by a pipe without a
// writer, say, or a link to what has no end.
func readOwn(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errors.New("it is no ordinary file"))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxStateFile+1))
	if err == nil && len(text) > maxStateFile {
		return nil, errTooLarge
	}
	return text, err
}

var (
	errMoved    = errors.New("another call has changed it meanwhile")
	errTooLarge = fmt.Errorf("it has more than %d KiB", maxSnapshot>>10)
)

// commit makes next the head, if the head is still the one with the text from.
func (s snapshots) commit(next snapshot, from string) error {
	if s.dir == "" {
		return nil
	}
	if next.size() > maxSnapshot {
		return errTooLarge
	}
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	defer s.lock()()
	if err := s.still(from); err != nil {
		return err
	}
	if len(text) > maxStateFile {
		return errTooLarge
	}
	if string(text) == from {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("keep the shell's state: %w", err)
	}
	return ownfile.Replace(s.path(), text)
}

// reset makes a new shell's the head.
func (s snapshots) reset() error {
	defer s.lock()()
	if s.dir == "" {
		return nil
	}
	if err := os.Remove(s.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// still is an error when the head is not the one with this text.
func (s snapshots) still(text string) error {
	if _, now, _ := s.head(); now != text {
		return errMoved
	}
	return nil
}
