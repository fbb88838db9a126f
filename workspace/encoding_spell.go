package workspace

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// origin says where a change's new text comes from, and so what may stand in it.
type origin byte

const (
	edited    origin = iota // somebody's words among those of the file
	rewritten               // somebody's words from the first to the last
	restored                // what the file held before
)

// Before is what the file held that the change was planned from, as bytes, or
// the text of the document.
func (c Change) Before() string {
	if c.encoded() {
		return c.Raw
	}
	return c.Old
}

// After is what the change leaves, as bytes, or the text of the document.
func (c Change) After() string {
	if c.encoded() {
		return c.newRaw
	}
	return c.New
}

// encoded says that the change is one of bytes that are not its texts.
func (c Change) encoded() bool { return c.Encoding != "" && !c.Open }

// Left is the content that the change leaves behind.
func (c Change) Left() Content {
	left := Content{
		Path: c.Path, Exists: c.Kind != Delete, Text: c.New, Open: c.Open, Version: c.Version,
		Encoding: c.Encoding, Base: Sum(c.After()),
	}
	if c.encoded() {
		left.Raw = c.newRaw
	}
	return left
}

// Restore plans bytes that the file held once as its whole new content. They
// are written as they are.
func Restore(now Content, raw string) Change {
	was := Content{Text: raw}
	if now.Encoding != "" || now.Open || !now.Exists {
		was.hold(raw, now.Encoding)
	}
	ch := planned(now)
	ch.origin = restored
	switch {
	case now.Open:
		was.Text = asShown(was.Text, now.Text)
	case !now.Exists:
		ch.Encoding = was.Encoding
	}
	ch = ch.patched(differences(ch.Old, was.Text))
	if ch.encoded() {
		ch.newRaw, ch.fault = raw, nil
	}
	return ch
}

// leaving is the change when a file already holds what it would leave.
func (c Change) leaving(now Content) Change {
	if c.encoded() && !now.Open {
		c.newRaw, c.fault = now.Raw, nil
	}
	return c
}

// asShown is a file's text without what the editor hides of it in a document
// that holds now.
func asShown(text, now string) string {
	if !strings.HasPrefix(now, bom) {
		text = strings.TrimPrefix(text, bom)
	}
	if allCRLF(text) && strings.Contains(now, "\n") && !strings.Contains(now, "\r\n") {
		text = fold(text)
	}
	return text
}

// patched returns the change with these patches, and no others, as its hunks.
func (c Change) patched(patches []patch) Change {
	c.New, c.Hunks = splice(c.Old, patches), number(c.Old, patches)
	return c.spelledOut(patches)
}

// spelledOut completes a change whose New and Hunks come of these patches.
func (c Change) spelledOut(patches []patch) Change {
	c.newRaw, c.fault = "", nil
	if c.Encoding != "" {
		c.respell(patches)
	}
	return c
}

// respell finds the bytes of c.New: the lines of the patches in the file's
// encoding, all others as they are.
func (c *Change) respell(patches []patch) {
	k := codecOf(c.Encoding)
	at := rawWalk{codec: k, text: c.Old, raw: c.Raw}
	edits := make([]Edit, 0, len(patches))
	for i, p := range patches {
		old := c.Old[p.start:p.end]
		if c.Open {
			c.note(i, k.fits(old, p.text))
			continue
		}
		e := Edit{Start: at.offset(p.start), End: at.offset(p.end), New: p.raw}
		if p.spelled != c.Encoding {
			var wrong *misfit
			e.New, wrong = k.spell(c.Raw[e.Start:e.End], old, p.text)
			c.note(i, wrong)
		}
		edits = append(edits, e)
	}
	if !c.Open {
		c.newRaw = spliceEdits(c.Raw, edits)
	}
}

// spelledFor is a patch of c as one of now. Bytes that the file held once are
// kept; others were found from bytes that may not be there any more.
func (c Change) spelledFor(now Content, p patch) patch {
	if c.origin != restored && c.Raw != now.Raw {
		p.raw, p.spelled = "", ""
	}
	return p
}

// note keeps the first fault, which lies in hunk i.
func (c *Change) note(i int, wrong *misfit) {
	if wrong == nil || c.fault != nil || c.Open && c.origin == restored {
		return
	}
	h := c.Hunks[i]
	line := h.NewLine + strings.Count(c.New[h.NewStart:h.NewStart+wrong.at], "\n")
	c.fault = &FileError{Op: "write", Path: c.Path.Rel, Kind: Unspellable, Detail: wrong.say(line, c.Encoding)}
}

// Fault says why the change must not be written: the file's encoding does not
// have a character of it, or would become a mix of two. It is a *FileError, or
// nil. Commit refuses for the same reasons; to know them before anybody is asked
// is kinder.
func (c Change) Fault() error {
	if c.fault != nil {
		return c.fault
	}
	if c.Encoding == "" && c.Kind == Modify && !c.Open && c.origin != restored {
		c.mixes()
	}
	if c.fault != nil {
		return c.fault
	}
	return nil
}

// mixes notes the first character that would be put as UTF-8 into a file that
// is not UTF-8. A text that is UTF-8 from its first word to its last mixes
// nothing.
func (c *Change) mixes() {
	var unknown codec
	for i, p := range c.patches() {
		wrong := unknown.fits(c.Old[p.start:p.end], p.text)
		if wrong == nil {
			continue
		}
		if utf8.ValidString(c.Old) || c.origin == rewritten && utf8.ValidString(c.New) {
			return
		}
		c.note(i, wrong)
		return
	}
}

// rawWalk maps offsets where lines of a text begin, asked for in rising order,
// to those in its bytes.
type rawWalk struct {
	codec     codec
	text, raw string
	at, rawAt int
}

// rawAfter walks what the change leaves, rawBefore what it was planned from.
func (c Change) rawAfter() rawWalk  { return c.walk(c.New, c.newRaw) }
func (c Change) rawBefore() rawWalk { return c.walk(c.Old, c.Raw) }

// walk knows of no bytes where the change has none.
func (c Change) walk(text, raw string) rawWalk {
	if !c.encoded() || c.fault != nil {
		return rawWalk{}
	}
	return rawWalk{codec: codecOf(c.Encoding), text: text, raw: raw}
}

// piece is the bytes of the lines from start to end, and their encoding; "" if
// they are not known.
func (r *rawWalk) piece(start, end int) (raw string, spelled Encoding) {
	if r.codec.name == "" {
		return "", ""
	}
	from := r.offset(start)
	return r.raw[from:r.offset(end)], r.codec.name
}

func (r *rawWalk) offset(at int) int {
	r.rawAt = r.codec.skipLines(r.raw, r.rawAt, strings.Count(r.text[r.at:at], "\n"))
	r.at = at
	if at == len(r.text) {
		r.rawAt = len(r.raw)
	}
	return r.rawAt
}

// misfit is a character that cannot be put into a file.
type misfit struct {
	at   int // in the new lines
	char rune
	// lost says that it stands for bytes that are no character, which are gone.
	lost bool
}

func (m *misfit) say(line int, e Encoding) string {
	char := fmt.Sprintf("line %d has %q (%U)", line, string(m.char), m.char)
	switch {
	case m.lost:
		return fmt.Sprintf("line %d would lose bytes that are not %s, which are shown as %q there; leave them out of the edit", line, e, string(m.char))
	case e == "":
		return char + ", but the file is not valid UTF-8 and its encoding is not known, so that only ASCII can be put in; " +
			"write it in ASCII, or have the user open the file in the editor with its encoding"
	case formOf(e) == nil:
		return fmt.Sprintf("%s, but the file is encoded in %s, of which only ASCII can be written; write it in ASCII", char, e)
	}
	return fmt.Sprintf("%s, which %s, the file's encoding, does not have; write it with characters of %s, or as an escape of the file's language", char, e, e)
}

// has reports whether the encoding has a character.
func (k codec) has(r rune) bool {
	if r < utf8.RuneSelf || k.form == nil {
		return r < utf8.RuneSelf
	}
	_, ok := k.encode(string(r))
	return ok
}

// fits finds a character that new lines bring to those they replace, and the
// encoding does not have. Bytes that are no character are not looked at: they
// come from the file.
func (k codec) fits(old, new string) *misfit {
	if k.form != nil {
		if _, ok := k.encode(new); ok {
			return nil
		}
	}
	for at := 0; at < len(new); {
		r, size := utf8.DecodeRuneInString(new[at:])
		bad := r == utf8.RuneError && size == 1
		if r >= utf8.RuneSelf && !bad && !k.has(r) && !strings.Contains(old, new[at:at+size]) {
			return &misfit{at: at, char: r}
		}
		at += size
	}
	return nil
}

// spell returns the bytes of new lines that take the place of others. A
// character that stays has the bytes it had, also where the encoding has others
// for it or it is none at all.
func (k codec) spell(oldRaw, old, new string) (string, *misfit) {
	if k.form == nil {
		return new, k.fits(old, new)
	}
	if again, ok := k.encode(old); ok && again == oldRaw {
		if raw, ok := k.encode(new); ok {
			return raw, nil
		}
	}
	if n := strings.Count(old, "\n"); n == strings.Count(new, "\n") && n > 0 {
		return k.spellLines(oldRaw, old, new)
	}
	return k.spellOne(oldRaw, new)
}

// spellLines pairs lines with those that take their places.
func (k codec) spellLines(oldRaw, old, new string) (string, *misfit) {
	var b strings.Builder
	for at, rawAt, newAt := 0, 0, 0; newAt < len(new) || at < len(old); {
		next, rawNext, newNext := nextLine(old, at), k.nextLine(oldRaw, rawAt), nextLine(new, newAt)
		line, wrong := k.spellOne(oldRaw[rawAt:rawNext], new[newAt:newNext])
		if wrong != nil {
			wrong.at += newAt
			return "", wrong
		}
		b.WriteString(line)
		at, rawAt, newAt = next, rawNext, newNext
	}
	return b.String(), nil
}

// spellOne keeps the bytes of what both begin and end with.
func (k codec) spellOne(oldRaw, new string) (string, *misfit) {
	units := k.units(oldRaw)
	head := 0 // bytes of new that are as they were, at its beginning
	var b strings.Builder
	for len(units) > 0 && strings.HasPrefix(new[head:], units[0].text) {
		b.WriteString(units[0].raw)
		head += len(units[0].text)
		units = units[1:]
	}
	tail, end := len(new), len(units)
	for end > 0 && strings.HasSuffix(new[head:tail], units[end-1].text) {
		end--
		tail -= len(units[end].text)
	}
	wrong := k.spellBetween(&b, units[:end], new[head:tail])
	if wrong != nil {
		wrong.at += head
		return "", wrong
	}
	for _, u := range units[end:] {
		b.WriteString(u.raw)
	}
	// Bytes that are no character may make one with what comes to stand beside them.
	if k.decode(b.String()) != new {
		return "", &misfit{at: min(head, len(new)), char: utf8.RuneError, lost: true}
	}
	return b.String(), nil
}

// spellBetween writes new in the place of units.
func (k codec) spellBetween(b *strings.Builder, units []rawUnit, new string) *misfit {
	own, lossy := map[string]string{}, false
	for _, u := range units {
		if strings.Contains(u.text, "\uFFFD") {
			lossy = true
		} else if _, twice := own[u.text]; !twice {
			own[u.text] = u.raw
		}
	}
	for at, r := range new {
		char := string(r)
		raw, ok := own[char]
		if !ok {
			raw, ok = k.encode(char)
		}
		if lost := lossy && r == utf8.RuneError; !ok || lost {
			return &misfit{at: at, char: r, lost: lost}
		}
		b.WriteString(raw)
	}
	return nil
}

// rawUnit is the bytes of one character, or of a few that cannot be told apart.
type rawUnit struct{ text, raw string }

func (k codec) units(raw string) []rawUnit {
	var units []rawUnit
	for raw != "" {
		u := k.next(raw)
		units = append(units, u)
		raw = raw[len(u.raw):]
	}
	return units
}

// longestChar is how many bytes one character takes in any encoding.
const longestChar = 4

func (k codec) next(raw string) rawUnit {
	if k.unit == 1 && raw[0] < utf8.RuneSelf {
		return rawUnit{raw[:1], raw[:1]}
	}
	var dst [longestChar * utf8.UTFMax]byte
	dec := k.form.NewDecoder()
	for size := k.unit; size <= min(longestChar, len(raw)); size++ {
		// What is no character is told from what follows only where there is no room
		// for that.
		for _, room := range []int{len("\uFFFD"), len(dst)} {
			dec.Reset()
			if n, read, _ := dec.Transform(dst[:room], []byte(raw[:size]), false); read > 0 {
				return rawUnit{string(dst[:n]), raw[:read]}
			}
		}
	}
	size := min(longestChar, len(raw)) // it breaks off
	return rawUnit{k.decode(raw[:size]), raw[:size]}
}
