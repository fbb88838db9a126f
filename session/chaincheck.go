package session

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// FindingKind is what is wrong at a place of a log.
type FindingKind string

const (
	FoundChanged    FindingKind = "changed"    // it is not what was written
	FoundLost       FindingKind = "lost"       // records are missing before it
	FoundEndLost    FindingKind = "endLost"    // records are missing at the end
	FoundMoved      FindingKind = "moved"      // a record stands out of its place
	FoundDuplicated FindingKind = "duplicated" // a record stands here again
	FoundInserted   FindingKind = "inserted"   // nothing that was written says so
	FoundGap        FindingKind = "gap"        // a later opening found the end other than it was left
	FoundNoHead     FindingKind = "noHead"     // what was kept apart of the log is missing or damaged
	FoundForeign    FindingKind = "foreign"    // what was kept apart is of another log
	FoundUnreadable FindingKind = "unreadable" // the log cannot be read
)

// Finding is something in a log that is not as it was written.
type Finding struct {
	Line int64 // from 1; 0 is the whole log
	Kind FindingKind
	Text string
}

// chainFacts are what the chain needs to know of a record.
type chainFacts struct {
	N       int64          `json:"n"`
	Time    int64          `json:"time"`
	Skipped *skippedRecord `json:"skipped"`
	Gap     *gapRecord     `json:"gap"`
	Info    *chainedInfo   `json:"info"`
}

// chainedInfo is what the chain needs to know of the record that begins a session.
type chainedInfo struct{ Chained bool }

// chained says that a record had a link when it was written.
func (f chainFacts) chained() bool { return f.N > 0 || f.Info != nil && f.Info.Chained }

// chainCheck follows a chain from line to line. It holds no more of a log than
// what it has found.
type chainCheck struct {
	end  mark // behind the last record that was followed
	real link // what that record comes to where it says another link; else zero

	line, size int64 // behind the last line; size counts a line end that is missing
	unended    bool  // the last line has no end
	stray      tally // what stands behind the last record and is none
	strayLine  int64 // where that begins
	unchained  int64 // lines before the first record of the chain
	bare       int64 // the first line that had a link and has none

	missing  []span
	leap     leap // of the last record
	found    []Finding
	findings int    // of which found holds the first
	last     string // of them, in words
}

// leap is a record whose number was not the next one: instead is that, and found
// where it is said that others are missing. It may be the number that was changed.
type leap struct {
	instead int64 // 0 is no leap
	found   int
}

// span are records that are missing, by their numbers.
type span struct{ from, to int64 }

// maxFindings are kept; of more it is known how many there are.
const maxFindings = 100

func newChainCheck(id string) *chainCheck {
	return &chainCheck{end: mark{link: firstLink(id)}}
}

func (c *chainCheck) report(line int64, kind FindingKind, format string, args ...any) {
	c.last = fmt.Sprintf(format, args...)
	if c.findings++; len(c.found) < maxFindings {
		c.found = append(c.found, Finding{Line: line, Kind: kind, Text: c.last})
	}
}

// take takes in a line, with its end if it has one, which it may write over. read
// says what the chain needs to know of it; it gets no link to read.
func (c *chainCheck) take(raw []byte, read func(line []byte) chainFacts) {
	c.line++
	line, whole := bytes.CutSuffix(raw, []byte{'\n'})
	c.unended, c.size = !whole, c.size+int64(len(line))+1
	if open, l, ok := unseal(line); ok {
		line[len(open)] = '}'
		c.record(open, l, read(line[:len(open)+1]))
		return
	}
	if facts := read(line); c.bare == 0 && facts.chained() {
		c.bare = c.line
	}
	if c.strayLine == 0 {
		c.strayLine = c.line
	}
	c.stray.add(raw)
}

// more takes in another piece of a line that is too long to be a record; the
// first piece was taken.
func (c *chainCheck) more(piece []byte) {
	c.unended = piece[len(piece)-1] != '\n'
	c.size += int64(len(piece))
	if !c.unended {
		c.size--
	}
	c.stray.add(piece)
}

// record takes in a line that has a link. A number that cannot be read is the
// next one: the rest of the record says then that it was changed.
func (c *chainCheck) record(open []byte, l link, r chainFacts) {
	next := c.end.count + 1
	if r.N == 0 {
		r.N = next
	}
	follows := c.end.link.next(open) == l || c.real != link{} && c.real.next(open) == l
	if follows && c.leap.instead != 0 && r.N == c.leap.instead+1 {
		c.takeBack()
		next = r.N
	}
	switch {
	case r.Gap != nil:
		c.gap(open, l, r)
	case r.N == next && follows:
		c.between(r)
		c.goOn(r.N, l, link{})
	case r.N == next:
		c.between(r)
		c.report(c.line, FoundChanged, "record %d is not what was written", r.N)
		c.goOn(r.N, l, c.end.link.next(open))
	case r.N > next:
		c.lost(r)
		c.goOn(r.N, l, link{})
		c.leap = leap{instead: next, found: c.findings}
	default:
		c.again(l, r)
	}
}

// goOn goes on behind a record.
func (c *chainCheck) goOn(n int64, l, real link) {
	c.end, c.real = mark{count: n, size: c.size, link: l}, real
	c.stray, c.strayLine, c.leap = tally{}, 0, leap{}
}

// between looks at what stands before a record that stands in its place.
func (c *chainCheck) between(r chainFacts) {
	have := c.stray.declared()
	switch {
	case r.Skipped.is(have):
		if c.end.count == 0 && have != nil {
			c.unchained = c.line - 1
		}
	case r.Skipped == nil:
		c.report(c.strayLine, FoundInserted, "%s that no record accounts for", lines(c.line-c.strayLine))
	case have == nil:
		c.report(c.line, FoundLost, "what stood before record %d and is none is missing: %d bytes", r.N, r.Skipped.Bytes)
	default:
		c.report(c.strayLine, FoundChanged, "what stands before record %d is not what stood there when that was written", r.N)
	}
}

// lost takes in a record before which others are missing. Where as many lines
// stand there that are no records, they were those.
func (c *chainCheck) lost(r chainFacts) {
	from, to := c.end.count+1, r.N-1
	if c.strayLine > 0 && c.line-c.strayLine == to-from+1 {
		c.report(c.strayLine, FoundChanged, "%s not what was written", recordsAre(from, to))
		return
	}
	c.between(r)
	if len(c.missing) < maxFindings {
		c.missing = append(c.missing, span{from, to})
	}
	c.report(c.line, FoundLost, "%s missing here", recordsAre(from, to))
}

// takeBack says of a leap that it was none: what follows the record, whose link
// proves it, has the number that is due.
func (c *chainCheck) takeBack() {
	n := c.leap.instead
	c.end.count, c.leap.instead = n, 0
	c.missing = slices.DeleteFunc(c.missing, func(s span) bool { return s.from == n })
	if i := c.leap.found - 1; i < len(c.found) {
		c.found[i].Kind, c.found[i].Text = FoundChanged, fmt.Sprintf("record %d is not what was written", n)
		c.last = c.found[i].Text
	}
}

// again takes in a record whose number was passed already.
func (c *chainCheck) again(l link, r chainFacts) {
	moved := slices.ContainsFunc(c.missing, func(s span) bool { return s.from <= r.N && r.N <= s.to })
	switch {
	case moved:
		c.report(c.line, FoundMoved, "record %d stands out of its place, behind record %d", r.N, c.end.count)
	case l == c.end.link:
		c.report(c.line, FoundDuplicated, "record %d stands here again", r.N)
	default:
		c.report(c.line, FoundDuplicated, "a record of the number %d stands behind record %d: it is inserted, or stands here again", r.N, c.end.count)
	}
}

// gap takes in what an opening wrote that found the end of the log other than it
// was left. It is a finding for ever; the chain goes on from it.
func (c *chainCheck) gap(open []byte, l link, r chainFacts) {
	from, ok := parseLink(r.Gap.From)
	if !ok || from.next(open) != l {
		c.report(c.line, FoundChanged, "record %d is not what was written", r.N)
	}
	c.report(c.line, FoundGap, "when the session was opened at %s, %s", when(r.Time), r.Gap.Found)
	c.goOn(r.N, l, link{})
}

// finish compares the end of the log with its head; err is why that cannot be
// read.
func (c *chainCheck) finish(h head, err error, id string) {
	if err == nil && c.leap.instead == h.at.count && c.leap.instead != 0 && c.end.link == h.at.link {
		c.takeBack()
	}
	switch {
	case err != nil && c.end.count == 0 && isMissing(err) && c.bare > 0:
		c.report(c.bare, FoundChanged, "this record was chained and is not any more, and none is; what is kept apart of where the log ends is missing")
	case err != nil && c.end.count == 0 && isMissing(err):
	case err != nil && isMissing(err):
		c.report(0, FoundNoHead, "what is kept apart of where the log ends is missing: whether it ends there is not known")
	case err != nil:
		c.report(0, FoundNoHead, "what is kept apart of where the log ends cannot be read: %v", err)
	case h.of != firstLink(id):
		c.report(0, FoundForeign, "what is kept apart of where the log ends is of another session")
	case h.writing && c.broken(h):
	case c.end.count < h.at.count:
		c.endLost(h)
	case c.end.count > h.at.count:
		c.report(c.line, FoundInserted, "%s behind record %d, which was the last one", records(c.end.count-h.at.count), h.at.count)
	case c.end.link != h.at.link && c.real != h.at.link:
		c.report(0, FoundChanged, "the chain ends otherwise than it was left: some of it was written anew")
	default:
		c.tail(h)
	}
	if c.end.count == 0 {
		c.unchained = c.line // of a time before records were chained
	}
}

// broken says that a log ends as one can whose bridge was killed when it wrote:
// with the record or without, or with a piece of it.
func (c *chainCheck) broken(h head) bool {
	if c.end == h.at {
		return c.stray.n == 0
	}
	return c.end == h.before && c.stray.n <= h.at.size-h.before.size
}

func (c *chainCheck) endLost(h head) {
	c.report(c.line, FoundEndLost, "the log should end with record %d: %s missing at the end", h.at.count, recordsAre(c.end.count+1, h.at.count))
}

// tail looks at what stands behind the last record, which is the right one.
func (c *chainCheck) tail(h head) {
	switch {
	case c.stray.n > 0:
		c.report(c.strayLine, FoundInserted, "%s at the end that no record accounts for", lines(c.line-c.strayLine+1))
	case c.unended:
		c.report(c.line, FoundEndLost, "the end of the last line is missing")
	case c.end.size != h.at.size && c.findings == 0:
		c.report(0, FoundChanged, "the log has %d bytes, and had %d", c.end.size, h.at.size)
	}
}

func lines(n int64) string {
	if n == 1 {
		return "a line"
	}
	return fmt.Sprintf("%d lines", n)
}

func records(n int64) string {
	if n == 1 {
		return "a record stands"
	}
	return fmt.Sprintf("%d records stand", n)
}

func recordsAre(from, to int64) string {
	if from == to {
		return fmt.Sprintf("record %d is", from)
	}
	return fmt.Sprintf("records %d to %d are", from, to)
}

func when(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05") }
