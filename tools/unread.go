package tools

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"drawbridge/shell"
)

// maxUnread is how many characters of unread text are kept; of what is not text
// yet, the ring keeps as many bytes.
const maxUnread = 1 << 20

// unread is what the model has not read of a command's output. It is made when
// somebody asks: until then the command's ring holds it. What got lost is
// counted, and told at the beginning of what is read next.
type unread struct {
	ring   *shell.Ring
	next   int64 // offset of the first byte that is not in screen
	screen *view
	kept   backlog
}

func newUnread(p shell.Process) *unread {
	return &unread{ring: p.Output(), screen: viewOf(p), kept: backlog{limit: maxUnread}}
}

// pull makes text of what the ring has by now, piece by piece, and shows m the
// bytes. A writer that is faster does not keep it.
func (u *unread) pull(m *matcher, to func(text string)) {
	for end := u.ring.End(); u.next < end; {
		c := u.ring.Read(u.next, forwardPiece)
		if lost := c.Offset - u.next; lost > 0 {
			c = u.resume(c, int(lost))
		}
		u.next = c.Offset + int64(len(c.Data))
		m.see(c.Data)
		to(u.screen.Write(c.Data))
	}
}

// resume begins anew behind a gap, at a line if one begins soon, so that no half
// escape sequence is shown. What was pending before the gap is lost with it.
func (u *unread) resume(c shell.Chunk, lost int) shell.Chunk {
	const search = 4 << 10
	skip := bytes.IndexByte(c.Data[:min(search, len(c.Data))], '\n') + 1
	c.Offset, c.Data = c.Offset+int64(skip), c.Data[skip:]
	u.kept.add(u.screen.Take())
	u.kept.drop(lost + skip)
	u.screen = u.screen.fresh()
	return c
}

// pass hands over what nothing can change any more. Of a gap it tells with what
// follows, so that gaps with nothing between are one.
func (u *unread) pass(m *matcher, to func(text string)) {
	forward := func(text string) {
		if text != "" || u.kept.count > 0 {
			to(u.kept.take() + text)
		}
	}
	forward("")
	u.pull(m, forward)
}

// look shows m what is new, which stays unread.
func (u *unread) look(m *matcher) { u.pull(m, u.kept.add) }

// take takes all, as it stands now.
func (u *unread) take() string {
	u.pull(nil, u.kept.add)
	u.kept.add(u.screen.Take())
	return u.kept.take()
}

// finish takes all of an output that has ended.
func (u *unread) finish() string {
	u.pull(nil, u.kept.add)
	u.kept.add(u.screen.Flush())
	return u.kept.take()
}

// peek is what take would return, but it stays unread.
func (u *unread) peek() string {
	u.pull(nil, u.kept.add)
	u.kept.add(u.screen.Take())
	return string(u.kept.text)
}

// backlog keeps the newest text up to a limit and counts what it drops.
type backlog struct {
	limit   int // characters
	text    []byte
	count   int // characters of text
	dropped int // since the last take
}

func (b *backlog) add(text string) {
	b.text = append(b.text, text...)
	b.count += utf8.RuneCountInString(text)
	for ; b.count > b.limit; b.count-- {
		_, size := utf8.DecodeRune(b.text)
		b.text = b.text[size:]
		b.dropped++
	}
}

// drop counts all that is kept as lost, and n more.
func (b *backlog) drop(n int) {
	b.dropped += b.count + n
	b.text, b.count = nil, 0
}

// take returns what is kept behind a line that tells what was dropped.
func (b *backlog) take() string {
	if b.dropped == 0 && b.count == 0 {
		return ""
	}
	text := string(b.text)
	if b.dropped > 0 {
		text = fmt.Sprintf("[... %d chars of earlier output dropped ...]\n", b.dropped) + text
	}
	b.text, b.count, b.dropped = nil, 0, 0
	return text
}
