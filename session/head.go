package session

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// head is where a log ends, kept apart from it: what is lost at the end of a log
// leaves the rest of its chain whole. It is written before each record and after
// it, so that a kill between the two is told from a loss.
type head struct {
	of      link // the first link of the session
	writing bool // the record that ends at "at" may be there or not
	at      mark
	before  mark // while writing: the end before that
}

// headLayout has fields of fixed width, so that a head is replaced in place by
// one write.
const headLayout = "drawbridge head 1\nof     %s\nstate  %-7s\nat     %019d %019d %s\nbefore %019d %019d %s\n"

// text is the head as it stands in its file, with a sum that tells a whole one
// from one that is half another.
func (h head) text() []byte {
	state := "done"
	if h.writing {
		state = "writing"
	}
	text := fmt.Appendf(make([]byte, 0, 512), headLayout, h.of, state,
		h.at.count, h.at.size, h.at.link, h.before.count, h.before.size, h.before.link)
	return fmt.Appendf(text, "sum    %08x\n", crc32.ChecksumIEEE(text))
}

// parseHead reads what text writes, and nothing else.
func parseHead(text []byte) (h head, ok bool) {
	var of, state, at, before string
	n, err := fmt.Sscanf(string(text), "drawbridge head 1\nof %s\nstate %s\nat %d %d %s\nbefore %d %d %s\n", &of, &state,
		&h.at.count, &h.at.size, &at, &h.before.count, &h.before.size, &before)
	if err != nil || n != 8 {
		return head{}, false
	}
	ok = true
	for _, l := range []struct {
		to   *link
		from string
	}{{&h.of, of}, {&h.at.link, at}, {&h.before.link, before}} {
		var read bool
		*l.to, read = parseLink(l.from)
		ok = ok && read
	}
	h.writing = state == "writing"
	return h, ok && string(h.text()) == string(text)
}

// errNoHead is what readHead says of a file that is no head.
var errNoHead = errors.New("it is damaged")

// readHead reads a head; fs.ErrNotExist if there is none.
func readHead(path string) (head, error) {
	f, err := os.Open(path)
	if err != nil {
		return head{}, err
	}
	defer f.Close()
	text := make([]byte, 1024) // more than a head has
	n, err := f.ReadAt(text, 0)
	if err == nil {
		return head{}, errNoHead
	}
	h, ok := parseHead(text[:n])
	if !ok {
		return head{}, errNoHead
	}
	return h, nil
}

// headFile is the file of a head that is written again and again. The zero
// headFile has no path and keeps nothing.
type headFile struct {
	path string
	f    *os.File
}

func (hf *headFile) write(h head) error {
	if hf.path == "" {
		return nil
	}
	if hf.f == nil {
		if err := hf.open(); err != nil {
			return fmt.Errorf("open head of the session log: %w", err)
		}
	}
	if _, err := hf.f.WriteAt(h.text(), 0); err != nil {
		return fmt.Errorf("write head of the session log: %w", err)
	}
	return nil
}

// open makes the file if it is not there. What stood in it and is no head goes.
func (hf *headFile) open() error {
	if err := os.MkdirAll(filepath.Dir(hf.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(hf.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if _, err := readHead(hf.path); errors.Is(err, errNoHead) {
		_ = f.Truncate(0)
	}
	hf.f = f
	return nil
}

func (hf *headFile) close() {
	if hf.f != nil {
		hf.f.Close()
		hf.f = nil
	}
}

// headsDir is the folder of the heads, away from the sessions' own.
func headsDir(state string) string { return filepath.Join(state, "heads") }

func headPath(state, id string) string { return filepath.Join(headsDir(state), id) }

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
