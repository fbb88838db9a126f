package checkpoint

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"unsafe"
)

// maxObject bounds what is read of an object, in bytes: nothing larger is kept.
const maxObject = 256 << 20

// Store has the kept bytes. It is safe for concurrent use, also by several
// processes.
type Store struct {
	dir   string
	added atomic.Int64 // bytes, since the last Prune of this process
}

// Open makes the Store of a folder. Nothing is touched on the disk before the
// first use.
func Open(dir string) *Store { return &Store{dir: dir} }

// Added is how many bytes this process has added since its last Prune.
func (s *Store) Added() int64 { return s.added.Load() }

func (s *Store) objects() string { return filepath.Join(s.dir, "objects") }

func (s *Store) path(sum Sum) string {
	name := sum.String()
	return filepath.Join(s.objects(), name[:2], name[2:])
}

// SumOf names bytes.
func SumOf(text string) Sum { return sha256.Sum256(unsafe.Slice(unsafe.StringData(text), len(text))) }

// put keeps bytes under their name, which the caller has computed. The caller
// holds the store. With durable they are on the disk when put returns.
func (s *Store) put(sum Sum, text string, durable bool) error {
	path := s.path(sum)
	if held(path, text, durable) {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "*"+unfinished) // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(text)
	if err == nil && durable {
		err = tmp.Sync()
	}
	if err = cmp.Or(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return err
	}
	s.added.Add(int64(len(text)))
	return nil
}

// unfinished ends the name of an object that is being written.
const unfinished = ".tmp"

// held reports whether an object is there and whole.
func held(path, text string, durable bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(text)) || !equal(f, text) {
		return false
	}
	return !durable || f.Sync() == nil
}

// equal reports whether r holds text and no more.
func equal(r io.Reader, text string) bool {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > len(text) || string(buf[:n]) != text[:n] {
			return false
		}
		text = text[n:]
		if err != nil {
			return err == io.EOF && text == ""
		}
	}
}

// Get returns kept bytes. What is not there, or is damaged, is ErrGone.
func (s *Store) Get(sum Sum) (string, error) {
	f, err := os.Open(s.path(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrGone
	}
	if err != nil {
		return "", fmt.Errorf("read what was kept: %w", err)
	}
	defer f.Close()
	var b strings.Builder
	if info, err := f.Stat(); err == nil {
		b.Grow(int(min(info.Size(), maxObject)))
	}
	if _, err := io.Copy(&b, io.LimitReader(f, maxObject)); err != nil {
		return "", fmt.Errorf("read what was kept: %w", err)
	}
	if SumOf(b.String()) != sum {
		return "", ErrGone
	}
	return b.String(), nil
}

// Has reports whether there is an object of that name. Whether it is whole,
// only Get can tell.
func (s *Store) Has(sum Sum) bool {
	_, err := os.Lstat(s.path(sum))
	return err == nil
}
