package session

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// link is a value of a log's chain: what a record and all before it come to.
type link [sha256.Size]byte

// firstLink is where the chain of a session begins: a record of one session has
// no place in the log of another.
func firstLink(id string) link {
	return sha256.Sum256([]byte("drawbridge session log\n" + id + "\n"))
}

func (l link) String() string { return hex.EncodeToString(l[:]) }

// next is the link of the record that follows. open is the record as it is
// written, up to the brace that would end it without its link.
func (l link) next(open []byte) (next link) {
	h := sha256.New()
	h.Write(l[:])
	h.Write(open)
	h.Write([]byte{'}'})
	h.Sum(next[:0])
	return next
}

// A line ends with the record's link, as its last member.
const (
	sealKey  = `,"chain":"`
	sealTail = `"}`
	sealSize = len(sealKey) + 2*sha256.Size + len(sealTail)
)

// seal puts a record's link behind it.
func seal(open []byte, l link) []byte {
	line := append(open, sealKey...)
	line = hex.AppendEncode(line, l[:])
	return append(line, sealTail...)
}

// unseal takes a line apart that has no line end; false if it has no link.
func unseal(line []byte) (open []byte, l link, ok bool) {
	n := len(line) - sealSize
	if n < 1 {
		return nil, link{}, false
	}
	key, digits, tail := line[n:n+len(sealKey)], line[n+len(sealKey):len(line)-len(sealTail)], line[len(line)-len(sealTail):]
	if string(key) != sealKey || string(tail) != sealTail {
		return line[:n], link{}, false
	}
	l, ok = parseLink(digits)
	return line[:n], l, ok
}

// parseLink reads what String writes, and nothing else.
func parseLink[T string | []byte](digits T) (l link, ok bool) {
	if len(digits) != 2*len(l) {
		return link{}, false
	}
	for i := range len(digits) {
		var d byte
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			d = c - '0'
		case 'a' <= c && c <= 'f':
			d = c - 'a' + 10
		default:
			return link{}, false
		}
		l[i/2] = l[i/2]<<4 | d
	}
	return l, true
}

// mark is a place in a log: behind its record of the number count, which ends
// there at size bytes, its line end counted.
type mark struct {
	count, size int64
	link        link
}

// tally is what stands in a log and is no record: how much, and its hash. The
// next record declares it.
type tally struct {
	n int64
	h hash.Hash
}

// Write is add, for a tally to be copied to.
func (t *tally) Write(p []byte) (int, error) {
	t.add(p)
	return len(p), nil
}

func (t *tally) add(p []byte) {
	if len(p) == 0 {
		return
	}
	if t.h == nil {
		t.h = sha256.New()
	}
	t.n += int64(len(p))
	t.h.Write(p)
}

// with is the tally as it would be with p behind it.
func (t tally) with(p []byte) tally {
	if t.h == nil {
		t.add(p)
		return t
	}
	copied, err := t.h.(hash.Cloner).Clone()
	if err != nil {
		panic("a hash that cannot be copied: " + err.Error()) // sha256 can
	}
	t.h = copied
	t.add(p)
	return t
}

// declared is how a record speaks of it; nil if there is nothing to speak of.
func (t tally) declared() *skippedRecord {
	if t.n == 0 {
		return nil
	}
	return &skippedRecord{Bytes: t.n, SHA256: hex.EncodeToString(t.h.Sum(nil))}
}

// skippedRecord declares what stands before a record and is none: a line that
// a crash or a full disk tore, or what was written before records were chained.
type skippedRecord struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// is compares two of them, each of which may be nil.
func (s *skippedRecord) is(other *skippedRecord) bool {
	if s == nil || other == nil {
		return s == other
	}
	return *s == *other
}

// gapRecord says that a log was not what its head knew when it was opened. The
// chain goes on from the head: From is the link that it follows.
type gapRecord struct {
	Found string `json:"found"`
	From  string `json:"from"`
}
