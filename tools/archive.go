package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"drawbridge/shell"
)

const (
	// archiveLimit is the most bytes of one archive. It is less than read_file
	// scans, so that an archive can be read back to its end, and little enough
	// for many commands at once.
	archiveLimit = 4<<20 - 1
	gapMarker    = "\n[archive middle truncated]\n"

	chunkSize  = 256 << 10
	headChunks = 4  // kept for ever
	tailChunks = 13 // used in turn; one is always being overwritten
	headBytes  = headChunks * chunkSize
	tailBytes  = (tailChunks - 1) * chunkSize
	// tailText is what the head and the marker leave of an archive.
	tailText = int64(archiveLimit - headBytes - len(gapMarker))
)

var errAlreadySaved = errors.New("archive already saved")

// textStream makes text of bytes that come in pieces.
type textStream interface {
	Write(p []byte) string
	Flush() string
}

// capture keeps an output of any length in bounded memory: everything up to
// archiveLimit, beyond it the first headBytes and the last tailBytes. Bytes are
// moved once and cleaned only when they are saved, which ends the keeping. Safe
// for concurrent use.
type capture struct {
	// clean makes what turns a command's raw output into text; nil when the
	// bytes are text.
	clean func() textStream
	// redact takes secrets out of what is saved; nil when there are none.
	redact func(string) string
	// noNUL takes NUL characters out of it.
	noNUL bool

	mu     sync.Mutex // guards below
	chunks [][]byte
	size   int64 // bytes ever written
	saved  bool
}

func (c *capture) write(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		n := c.fillLocked(p)
		c.size += int64(n)
		p = p[n:]
	}
}

// fillLocked copies as much of p as goes into the current chunk.
func (c *capture) fillLocked(p []byte) int {
	slot, at := slotOf(c.size), int(c.size%chunkSize)
	p = p[:min(len(p), chunkSize-at)]
	switch {
	case c.size < chunkSize:
		// The first chunk grows, so that a short output costs little.
		if slot == len(c.chunks) {
			c.chunks = append(c.chunks, nil)
		}
		c.chunks[0] = append(c.chunks[0], p...)
		return len(p)
	case slot == len(c.chunks):
		c.chunks = append(c.chunks, make([]byte, chunkSize))
	}
	return copy(c.chunks[slot][at:], p)
}

func slotOf(offset int64) int {
	n := int(offset / chunkSize)
	if n < headChunks {
		return n
	}
	return headChunks + (n-headChunks)%tailChunks
}

// read copies bytes from offset on into p. It returns where they begin, which
// is beyond offset when those are no longer held, and how many there are.
func (c *capture) read(offset int64, p []byte) (from int64, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = min(c.heldLocked(offset), c.size)
	chunk, at := c.chunkLocked(from), int(from%chunkSize)
	n = int(min(int64(chunkSize-at), c.size-from))
	if n > 0 {
		n = copy(p, chunk[at:at+n])
	}
	return from, n
}

func (c *capture) chunkLocked(offset int64) []byte {
	if slot := slotOf(offset); slot < len(c.chunks) {
		return c.chunks[slot]
	}
	return nil
}

// heldLocked is the first offset from the given one on that is still held.
func (c *capture) heldLocked(offset int64) int64 {
	current := (c.size - 1) / chunkSize
	oldest := max(current-(tailChunks-1), headChunks) * chunkSize
	if offset >= headBytes && offset < oldest {
		return oldest
	}
	return offset
}

// dropLocked forgets the bytes.
func (c *capture) dropLocked() {
	memory.owe(len(c.chunks) * chunkSize)
	c.chunks, c.size = nil, 0
}

// drop forgets what nobody will save.
func (c *capture) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = true
	c.dropLocked()
}

func (c *capture) length() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// end is the text of about the last n bytes, of as many as are held in one piece
// at most.
func (c *capture) end(n int64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	from := int64(0)
	if c.size > archiveLimit {
		n = min(n, tailBytes)
	}
	if n < c.size {
		from = c.boundaryLocked(c.size - n)
	}
	// A strings.Builder takes all.
	_ = c.textLocked(from, c.size, &excerpt{w: &b, take: math.MaxInt64})
	return b.String()
}

// save writes the archive of a call. whole says that nothing is missing.
func (c *capture) save(dir, tool, call string) (path string, whole bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved {
		return "", false, errAlreadySaved
	}
	c.saved = true
	defer c.dropLocked()
	path, err = filepath.Abs(filepath.Join(dir, archiveName(tool, call)))
	if err != nil {
		return "", false, err
	}
	if err := makeArchiveDir(filepath.Dir(path)); err != nil {
		return "", false, err
	}
	whole, err = c.createLocked(path)
	return filepath.ToSlash(path), whole, err
}

// archiveName never contains anything of a call id but its hash: ids come from
// strangers.
func archiveName(tool, call string) string {
	sum := sha256.Sum256([]byte(call))
	safe := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (isAlnum(byte(r)) || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, tool)
	return safe[:min(len(safe), 48)] + "-" + hex.EncodeToString(sum[:8]) + ".log"
}

func isAlnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func makeArchiveDir(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return err
}

func (c *capture) createLocked(path string) (whole bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	whole, err = c.writeLocked(f)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return whole, err
}

func (c *capture) writeLocked(w io.Writer) (whole bool, err error) {
	if c.size <= archiveLimit && c.lengthLocked(0) <= archiveLimit {
		return true, c.textLocked(0, c.size, &excerpt{w: w, take: archiveLimit})
	}
	middle := min(headBytes, c.size/2)
	if err := c.textLocked(0, middle, &excerpt{w: w, take: headBytes}); err != nil {
		return false, err
	}
	if _, err := io.WriteString(w, gapMarker); err != nil {
		return false, err
	}
	tail := c.boundaryLocked(max(middle, c.size-tailBytes))
	// Bad bytes grow when they are made text, so the tail is measured first.
	skip := max(0, c.lengthLocked(tail)-tailText)
	if c.redact != nil {
		skip = max(skip, heldBack) // it may begin with the end of a secret
	}
	return false, c.textLocked(tail, c.size, &excerpt{w: w, skip: skip, take: tailText})
}

// boundaryLocked moves an offset in the middle of the stream to where text can
// begin: raw output at a line, so that no half escape sequence is shown.
func (c *capture) boundaryLocked(offset int64) int64 {
	const search = 4 << 10
	piece := c.pieceLocked(offset, min(offset+search, c.size))
	if i := bytes.IndexByte(piece, '\n'); i >= 0 && c.clean != nil {
		return offset + int64(i) + 1
	}
	for i, b := range piece {
		if utf8.RuneStart(b) {
			return offset + int64(i)
		}
	}
	return offset
}

// pieceLocked is the beginning of the range, as far as it lies in one chunk.
func (c *capture) pieceLocked(from, to int64) []byte {
	at := from % chunkSize
	end := min(chunkSize, at+to-from)
	return c.chunks[slotOf(from)][at:end]
}

// textLocked writes a held range of the stream as text. A character that is cut
// by the end of the range is left out, unless the stream ends there as well, and
// so is what may be the beginning of a secret.
func (c *capture) textLocked(from, to int64, w *excerpt) error {
	var text textStream = &shell.Cutter{}
	if c.clean != nil {
		text = c.clean()
	}
	hidden := redaction{redact: c.redact}
	for from < to {
		p := c.pieceLocked(from, to)
		if err := w.write(hidden.pass(c.plain(text.Write(p)))); err != nil {
			return err
		}
		from += int64(len(p))
	}
	if to < c.size {
		return nil
	}
	return w.write(hidden.pass(c.plain(text.Flush())) + hidden.rest())
}

func (c *capture) plain(text string) string {
	if c.noNUL {
		return strings.ReplaceAll(text, "\x00", "")
	}
	return text
}

// lengthLocked is how long the text from an offset to the end is.
func (c *capture) lengthLocked(from int64) int64 {
	w := excerpt{w: io.Discard, take: math.MaxInt64}
	if err := c.textLocked(from, c.size, &w); err != nil {
		return math.MaxInt64
	}
	return math.MaxInt64 - w.take
}

// excerpt passes on at most take bytes after the first skip, cut between
// characters.
type excerpt struct {
	w          io.Writer
	skip, take int64
}

func (w *excerpt) write(s string) error {
	if n := min(w.skip, int64(len(s))); n > 0 {
		s = s[n:]
		w.skip -= n
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	if int64(len(s)) > w.take {
		end := w.take
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s, w.take = s[:end], end
	}
	w.take -= int64(len(s))
	_, err := io.WriteString(w.w, s)
	return err
}

// errorCode names a fault by one word that tells nothing of paths.
func errorCode(err error) string {
	if errors.Is(err, errAlreadySaved) {
		return "ALREADY_SAVED"
	}
	for _, known := range errorCodes {
		if errors.Is(err, known.errno) {
			return known.code
		}
	}
	return "EIO"
}

var errorCodes = []struct {
	errno syscall.Errno
	code  string
}{
	{syscall.ENOTDIR, "ENOTDIR"},
	{syscall.EEXIST, "EEXIST"},
	{syscall.EACCES, "EACCES"},
	{syscall.EPERM, "EPERM"},
	{syscall.ENOSPC, "ENOSPC"},
	{syscall.EDQUOT, "EDQUOT"},
	{syscall.EROFS, "EROFS"},
	{syscall.ENOENT, "ENOENT"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG"},
	{syscall.ELOOP, "ELOOP"},
	{syscall.EMFILE, "EMFILE"},
	{syscall.ENFILE, "ENFILE"},
}
