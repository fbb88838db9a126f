package workspace

import (
	"encoding/binary"
	"errors"
)

// Pack writes down all of a change but its old text, so that it can be had
// again by another process. It costs what the hunks hold, not what the file
// does.
func (c Change) Pack() []byte {
	b := packText(nil, c.Path.Abs, c.Path.Lexical, c.Path.Rel, string(c.Kind), string(c.Encoding))
	b = append(b, packFlags(c))
	b = binary.AppendVarint(b, int64(c.Version))
	b = append(b, c.Base[:]...)
	b = binary.AppendUvarint(b, uint64(len(c.Hunks)))
	at := 0
	for _, p := range c.patches() {
		b = packText(b, p.id)
		b = binary.AppendUvarint(b, uint64(p.start-at))
		b = binary.AppendUvarint(b, uint64(p.end-p.start))
		b = packText(b, p.text, string(p.spelled), p.raw)
		at = p.end
	}
	return b
}

// Unpack returns the change that Pack wrote down, as one of before, which is
// what its Before returned. What Pack did not write, or wrote of another text,
// is an error.
func Unpack(packed []byte, before string) (Change, error) {
	u := unpacker{rest: packed}
	var c Change
	c.Path = Path{Abs: u.text(), Lexical: u.text(), Rel: u.text()}
	c.Kind, c.Encoding = ChangeKind(u.text()), Encoding(u.text())
	flags := u.bytes(1)
	c.Version = int32(u.signed())
	copy(c.Base[:], u.bytes(len(c.Base)))
	c.Path.Inside, c.Open = flags[0]&packedInside != 0, flags[0]&packedOpen != 0
	c.origin = origin(flags[0] >> packedOrigin)
	c.Old = before
	if c.encoded() {
		c.Raw, c.Old = before, codecOf(c.Encoding).decode(before)
	}
	patches := u.patches(len(c.Old))
	if u.broken || len(u.rest) > 0 {
		return Change{}, errors.New("this is no change of that text")
	}
	return c.patched(patches), nil
}

const (
	packedInside = 1 << iota
	packedOpen
	packedOrigin = iota // the origin is all bits from here
)

func packFlags(c Change) (flags byte) {
	if c.Path.Inside {
		flags |= packedInside
	}
	if c.Open {
		flags |= packedOpen
	}
	return flags | byte(c.origin)<<packedOrigin
}

func packText(b []byte, texts ...string) []byte {
	for _, t := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
	}
	return b
}

// unpacker takes values off the front of rest. Once broken it gives zeros.
type unpacker struct {
	rest   []byte
	broken bool
}

func (u *unpacker) unsigned() uint64 {
	v, n := binary.Uvarint(u.rest)
	u.bytes(orBroken(n))
	return v
}

func (u *unpacker) signed() int64 {
	v, n := binary.Varint(u.rest)
	u.bytes(orBroken(n))
	return v
}

// orBroken is the size of a number that was read, or one that no text has.
func orBroken(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// bytes takes n bytes; when there are none it still returns one to look at.
func (u *unpacker) bytes(n int) []byte {
	if n < 0 || n > len(u.rest) {
		u.broken, u.rest = true, nil
		return make([]byte, 1)
	}
	b := u.rest[:n]
	u.rest = u.rest[n:]
	return b
}

func (u *unpacker) text() string { return string(u.bytes(u.length(len(u.rest)))) }

// length is a number that is not more than most.
func (u *unpacker) length(most int) int {
	v := u.unsigned()
	if v > uint64(most) {
		u.broken, u.rest = true, nil
		return 0
	}
	return int(v)
}

// patches are those of a text of size bytes, in order and within it.
func (u *unpacker) patches(size int) []patch {
	n := u.length(len(u.rest))
	patches := make([]patch, 0, n)
	at := 0
	for range n {
		p := patch{id: u.text()}
		p.start = at + u.length(size-at)
		p.end = p.start + u.length(size-p.start)
		p.text, p.spelled, p.raw = u.text(), Encoding(u.text()), u.text()
		at = p.end
		patches = append(patches, p)
	}
	return patches
}
