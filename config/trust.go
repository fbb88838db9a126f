package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"drawbridge/internal/ownfile"
)

// Trust keeps what the user answered about settings that workspaces bring, in
// a file that all bridges of the user share. Safe for concurrent use.
type Trust struct {
	path  string
	check Check

	mu   sync.Mutex // guards below
	read map[string]Repository
}

// Standing is whether a workspace's settings count. The zero value is that
// nobody has answered: they do not.
type Standing int

const (
	Unanswered Standing = iota
	Declined            // they do not count, and nobody is asked again
	Trusted             // they count
)

// Brought is what a workspace brings, and how it stands.
type Brought struct {
	Repository
	Standing Standing
	// Changed says that other content of it was trusted before.
	Changed bool
}

// Counts says that the settings hold.
func (b Brought) Counts() bool { return b.Standing == Trusted && b.Fault == nil }

// Asks says that the user is to be asked about them.
func (b Brought) Asks() bool { return b.Standing == Unanswered && b.Fault == nil }

// ErrChanged says that an answer is about other content than there is.
var ErrChanged = errors.New("the settings of the workspace are not those that the answer is about")

// answersKept bounds the answers about one workspace; the oldest goes first.
const answersKept = 20

// maxTrust bounds the file of answers.
const maxTrust = 8 << 20

// answers is the file. A workspace is named by its path with links followed.
type answers struct {
	Version    int                 `json:"version"`
	Workspaces map[string][]answer `json:"workspaces"`
}

type answer struct {
	Digest  string    `json:"digest"`
	Trusted bool      `json:"trusted"`
	Time    time.Time `json:"time"`
}

// OpenTrust touches nothing before the first question. A nil check finds nothing.
func OpenTrust(d Dirs, check Check) *Trust {
	return &Trust{path: filepath.Join(d.State, "trust.json"), check: check, read: map[string]Repository{}}
}

// Look reads what the workspace at root brings at this moment, and whether it
// counts. ok is false when it brings nothing.
func (t *Trust) Look(root string) (b Brought, ok bool) {
	b.Repository, ok = t.repository(root)
	if !ok {
		return b, false
	}
	said, err := t.load()
	if err != nil {
		return b, true // an answer that cannot be read is none
	}
	for _, a := range said.Workspaces[b.Root] {
		switch {
		case a.Digest != b.Digest:
			b.Changed = b.Changed || a.Trusted
		case a.Trusted:
			b.Standing = Trusted
		default:
			b.Standing = Declined
		}
	}
	return b, true
}

// repository reads the file each time, and makes sense of it once for each
// content.
func (t *Trust) repository(root string) (Repository, bool) {
	real := resolved(root)
	text, ok, err := readRepository(real)
	if !ok || err != nil {
		return Repository{Root: real, File: fileOf(real), Fault: err}, ok
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.read[real]; ok && r.Digest == digest(text) {
		return r, true
	}
	t.read[real] = repositoryOf(real, text, t.check)
	return t.read[real], true
}

// Answer keeps what the user said about the content that digest names. It is
// ErrChanged when that is not what is there.
func (t *Trust) Answer(root, digest string, say Standing, now time.Time) error {
	if say != Trusted && say != Declined {
		return errors.New("an answer is a yes or a no")
	}
	r, ok := t.repository(root)
	if !ok || r.Digest != digest || r.Fault != nil {
		return ErrChanged
	}
	return t.change(func(said *answers) {
		list := slices.DeleteFunc(said.Workspaces[r.Root], func(a answer) bool { return a.Digest == digest })
		list = append(list, answer{Digest: digest, Trusted: say == Trusted, Time: now.UTC()})
		said.Workspaces[r.Root] = list[max(0, len(list)-answersKept):]
	})
}

// Forget takes back every answer about a workspace, and says whether there was
// one.
func (t *Trust) Forget(root string) (forgotten bool, err error) {
	err = t.change(func(said *answers) {
		_, forgotten = said.Workspaces[resolved(root)]
		delete(said.Workspaces, resolved(root))
	})
	return forgotten && err == nil, err
}

// change rewrites the file while no other bridge does.
func (t *Trust) change(f func(*answers)) error {
	if err := Make(filepath.Dir(t.path)); err != nil {
		return err
	}
	release, err := ownfile.Lock(t.path + ".lock")
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	defer release()
	said, err := t.load()
	if err != nil {
		said = answers{Workspaces: map[string][]answer{}} // nothing in it counted
	}
	f(&said)
	said.Version = 1
	text, err := json.MarshalIndent(said, "", "  ")
	if err == nil {
		err = ownfile.Replace(t.path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return nil
}

// load reads the answers, all or none: half of them could be the wrong half.
func (t *Trust) load() (answers, error) {
	said := answers{Workspaces: map[string][]answer{}}
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return said, nil
	}
	if err != nil {
		return said, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 {
		return said, fmt.Errorf("%s: others can write it", t.path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTrust+1))
	if err != nil || len(text) > maxTrust {
		return said, fmt.Errorf("%s: cannot be read whole", t.path)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var read answers
	if err := dec.Decode(&read); err != nil || read.Version != 1 || read.Workspaces == nil {
		return said, fmt.Errorf("%s: cannot be understood", t.path)
	}
	return read, nil
}
