package workspace_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
)

// seedFlag replays one case of TestBytesOutsideAcceptedHunksNeverChange.
var seedFlag = flag.Uint64("seed", 0, "the case to replay")

// TestBytesOutsideAcceptedHunksNeverChange is the promise of the edit path, on
// random files, edits, answers and users. Each case is made of its seed alone: a
// file, a plan, perhaps somebody else's edit before the commit, an answer, the
// commit, perhaps another edit, and taking back all that was done, hunk by hunk
// in any order. What must stand after each of these is worked out here by other
// means than the program's.
//
// Seeds that failed once stand in testdata/seeds and are always run.
func TestBytesOutsideAcceptedHunksNeverChange(t *testing.T) {
	if *seedFlag != 0 {
		runTrial(t, *seedFlag, map[string]int{})
		return
	}
	cases := 1500
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		cases = 10_000
	}
	seen := map[string]int{}
	for _, seed := range failedOnce(t) {
		runTrial(t, seed, seen)
	}
	first := rand.Uint64()
	for i := range cases {
		if runTrial(t, first+uint64(i), seen); t.Failed() {
			t.Fatalf("replay: go test ./workspace -run %s -seed %d", t.Name(), first+uint64(i))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d × %s", seen[what], what)
	}
	for _, what := range []string{
		"commit applied", "commit partly", "commit rejected", "commit stale", "moved past the user's edit",
		"taken back to the last byte", "taken back around the user's edit", "stuck", "the user's own text", "utf-16", "document", "a file of 1 MB or more",
	} {
		if seen[what] == 0 {
			t.Errorf("no case was: %s", what)
		}
	}
}

func failedOnce(t *testing.T) (seeds []uint64) {
	t.Helper()
	text, err := os.ReadFile("testdata/seeds")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		seed, err := strconv.ParseUint(line, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, seed)
	}
	return seeds
}

// trial is one case. Everything in it comes from r.
type trial struct {
	*testing.T
	r      *rand.Rand
	ws     *workspace.Workspace
	editor *workspacetest.Editor
	path   workspace.Path
	open   bool
	// utf16 is the byte order of the file, "" if it is none of UTF-16.
	utf16 string
	large bool
	seen  map[string]int
}

func runTrial(t *testing.T, seed uint64, seen map[string]int) {
	t.Helper()
	root, err := os.MkdirTemp("", "trial")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	f := &trial{T: t, r: rand.New(rand.NewPCG(seed, 0)), editor: workspacetest.NewEditor(), large: seed%500 == 0, seen: seen}
	if f.ws, err = workspace.Open(workspace.Options{Roots: []string{root}, Editor: f.editor}); err != nil {
		t.Fatal(err)
	}
	f.ws.SkipSync()
	if f.path, err = f.ws.Resolve(filepath.Join(root, "a.txt")); err != nil {
		t.Fatal(err)
	}
	f.begin()
	text := f.now()
	plan := f.plan(text)
	text = f.disturb(text, "the user edits before the commit")
	done, ok := f.answer(plan, text)
	if ok {
		f.takeBack(done, f.now())
	}
	if t.Failed() {
		t.Logf("seed %d, old %q", seed, clip(plan.Old))
	}
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// one in n.
func (f *trial) one(n int) bool { return f.r.IntN(n) == 0 }

// begin makes the file, in some encoding, on the disk or in the editor.
func (f *trial) begin() {
	text := f.text(f.size())
	switch {
	case f.one(6):
		f.utf16 = []string{"le", "be"}[f.r.IntN(2)]
		text = strings.TrimPrefix(f.speakable(text), bom)
		f.seen["utf-16"]++
	case f.one(4):
		f.open = true
		text = f.speakable(text)
		f.seen["document"]++
	}
	if len(text) >= 1<<20 {
		f.seen["a file of 1 MB or more"]++
	}
	f.put(text)
}

const bom = "\uFEFF"

// put is what somebody else does: they save the file, or type.
func (f *trial) put(text string) {
	f.Helper()
	if f.open {
		if _, there := f.editor.Document(f.path.Abs); !there {
			f.editor.Open(f.path.Abs, text, 1)
			return
		}
		f.editor.Type(f.path.Abs, text)
		return
	}
	if err := os.WriteFile(f.path.Abs, []byte(f.spell(text)), 0o644); err != nil {
		f.Fatal(err)
	}
}

// spell is a text as the file has it.
func (f *trial) spell(text string) string {
	if f.utf16 == "" {
		return text
	}
	out := make([]byte, 0, 2*len(text)+2)
	for _, unit := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		if f.utf16 == "le" {
			out = append(out, byte(unit), byte(unit>>8))
		} else {
			out = append(out, byte(unit>>8), byte(unit))
		}
	}
	return string(out)
}

// now is the text that stands, as the workspace reads it.
func (f *trial) now() string {
	f.Helper()
	c, err := f.ws.Read(f.Context(), f.path)
	if err != nil {
		f.Fatal(err)
	}
	return c.Text
}

// wants checks the text that stands, and the bytes.
func (f *trial) wants(text, when string) {
	f.Helper()
	if got := f.now(); got != text {
		f.Errorf("%s: the text is %s", when, apart(got, text))
	}
	if f.open {
		return
	}
	raw, err := os.ReadFile(f.path.Abs)
	if err != nil {
		f.Fatal(err)
	}
	if want := f.spell(strings.TrimPrefix(text, f.mark())); string(raw) != want {
		f.Errorf("%s: the file is %s", when, apart(string(raw), want))
	}
}

// mark is the byte order mark, where it is part of the encoding.
func (f *trial) mark() string {
	if f.utf16 != "" {
		return bom
	}
	return ""
}

// apart shows two texts from where they differ on.
func apart(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on %q, want %q", i, clip(got[i:]), clip(want[i:]))
}

// size is small as a rule, and now and then what a person would call large.
func (f *trial) size() int {
	switch {
	case f.large:
		return 1<<20 + f.r.IntN(4<<20)
	case f.one(20):
		return f.r.IntN(64 << 10)
	}
	return f.r.IntN(600)
}

var (
	words    = []string{"a", "b", "return x", "}", "{", "", "\t", "\t\tif ok {", "é", "😀", "👩‍👩‍👧", "日本語", "e\u0301", "  ", "x = 1", "end", "\u2028", "\x00"}
	dirt     = []string{"\xff", "\xc3", "\xed\xa0\x80", "\xf8"}
	lineEnds = [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\r"}, {"\n", "\n", "\r\n", "\r"}}
)

// text draws lines of few words, so that many are alike, with one sort of line
// end or several.
func (f *trial) text(size int) string {
	var b strings.Builder
	if f.one(10) {
		b.WriteString(bom)
	}
	kinds, distinct, dirty := lineEnds[f.r.IntN(len(lineEnds))], f.r.IntN(3), f.one(5)
	for n := 0; b.Len() < size; n++ {
		for range f.r.IntN(4) {
			b.WriteString(words[f.r.IntN(len(words))])
		}
		if distinct > 0 {
			fmt.Fprintf(&b, " %d", n)
		}
		if dirty && f.one(8) {
			b.WriteString(dirt[f.r.IntN(len(dirt))])
		}
		b.WriteString(kinds[f.r.IntN(len(kinds))])
	}
	if f.one(3) {
		b.WriteString("no end")
	}
	return b.String()
}

// splice is one replacement of [start,end).
type splice struct {
	start, end int
	text       string
}

// edit draws a replacement of a text that keeps it one of its encoding.
func (f *trial) edit(text string) splice {
	start := f.place(text, f.r.IntN(len(text)+1))
	if f.one(2) { // whole lines
		start = f.place(text, strings.LastIndexByte(text[:start], '\n')+1)
	}
	end := f.place(text, min(len(text), start+f.r.IntN(40)))
	if f.one(2) {
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			end += i + 1
		}
	}
	if f.one(4) {
		end = start
	}
	var with string
	if !f.one(4) {
		with = strings.TrimPrefix(f.text(f.r.IntN(60)), bom)
	}
	return splice{start, max(start, end), f.speakable(with)}
}

// speakable is text that is one of characters where the file's must be, and none
// of UTF-16 that could be taken for UTF-32.
func (f *trial) speakable(text string) string {
	if f.utf16 != "" {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if f.open || f.utf16 != "" {
		text = strings.ToValidUTF8(text, "�")
	}
	return text
}

// place is the first place from at on where a character begins, and behind the
// byte order mark.
func (f *trial) place(text string, at int) int {
	if strings.HasPrefix(text, bom) {
		at = max(at, len(bom))
	}
	for f.open || f.utf16 != "" {
		if at >= len(text) || utf8.RuneStart(text[at]) {
			break
		}
		at++
	}
	return min(at, len(text))
}

// with is the text with replacements made, in any order; false when they
// overlap, or one of two at the same place only adds: then it is not certain what
// both make of it.
func with(text string, edits []splice) (string, bool) {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b splice) int { return a.start - b.start })
	var b strings.Builder
	at := 0
	for i, e := range edits {
		if e.start < at || i > 0 && e.start == at && (e.end == at || edits[i-1].start == at) {
			return "", false
		}
		b.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	return b.String() + text[at:], true
}

// plan draws a change of the text, as one of the tools would make it.
func (f *trial) plan(text string) workspace.Change {
	f.Helper()
	c, err := f.ws.Read(f.Context(), f.path)
	if err != nil {
		f.Fatal(err)
	}
	var edits []splice
	switch kind := f.r.IntN(4); kind {
	case 0: // every place of something
		word := words[f.r.IntN(len(words))]
		spans, _ := workspace.Find(text, word)
		for _, s := range spans {
			edits = append(edits, splice{s.Start, s.End, word + "!"})
		}
	default:
		at := 0
		for range 1 + f.r.IntN(6) {
			e := f.edit(text)
			if len(edits) == 0 || e.start > at {
				edits, at = append(edits, e), e.end
			}
		}
	}
	want, ok := with(text, edits)
	if !ok {
		f.Fatalf("the edits %v touch", edits)
	}
	var plan workspace.Change
	if f.one(4) {
		plan = workspace.Rewrite(c, want)
	} else {
		var list []workspace.Edit
		for _, e := range edits {
			list = append(list, workspace.Edit{Start: e.start, End: e.end, New: e.text})
		}
		plan = workspace.Replace(c, list)
	}
	if plan.Old != text || plan.New != want {
		f.Errorf("planned %s", apart(plan.New, want))
	}
	return plan
}

// disturb is somebody else's edit, in half of the cases.
func (f *trial) disturb(text, what string) string {
	if f.one(2) {
		return text
	}
	e := f.edit(text)
	changed, _ := with(text, []splice{e})
	if changed == text {
		return text
	}
	f.put(changed)
	f.seen[what]++
	return f.now()
}

// answer draws what is accepted of a plan and has it carried out on a text that
// may have changed since. It returns what was done, if anything.
func (f *trial) answer(plan workspace.Change, text string) (workspace.Change, bool) {
	f.Helper()
	var accept workspace.Acceptance
	var edits []splice
	accept.All = f.one(3)
	for _, h := range plan.Hunks {
		if accept.All || !f.one(3) {
			accept.Hunks = append(accept.Hunks, h.ID)
			edits = append(edits, splice{h.OldStart, h.OldEnd, plan.New[h.NewStart:h.NewEnd]})
		}
	}
	own := f.one(2) && f.bare(plan)
	if own {
		rewritten, _ := with(plan.New, []splice{f.edit(plan.New)})
		rewritten = strings.ReplaceAll(rewritten, "\r", "")
		accept, edits = workspace.Acceptance{Text: &rewritten}, nil
		if difference, some := between(plan.Old, rewritten); some {
			edits = []splice{difference}
		}
		f.seen["the user's own text"]++
	}
	out, err := f.ws.Commit(f.Context(), plan, accept)
	if err != nil {
		f.Fatal(err)
	}
	f.seen["commit "+string(out.State)]++
	switch out.State {
	case workspace.Rejected, workspace.Stale:
		f.wants(text, "nothing was done, but")
		if out.State == workspace.Stale && text == plan.Old || out.State == workspace.Rejected && len(edits) > 0 && out.Why == "" {
			f.Errorf("%v is %s (%q)", accept, out.State, out.Why)
		}
		return workspace.Change{}, false
	}
	users, moved := between(plan.Old, text)
	if stands, _ := with(plan.Old, edits); moved && stands == text {
		f.wants(text, "the user has made the very change")
		f.seen["stood already"]++
		return workspace.Change{}, false
	}
	if moved {
		edits = append(edits, users)
	}
	if want, certain := with(plan.Old, edits); certain {
		f.wants(want, "after the commit")
		if moved && len(edits) > 1 {
			f.seen["moved past the user's edit"]++
		}
	}
	f.wantsOnlyItsHunks(out.Change, text)
	return out.Change, true
}

// bare says that an editor shows all of a change's texts, so that what a person
// hands back is what they want.
func (f *trial) bare(c workspace.Change) bool {
	texts := c.Old + c.New
	return !f.open && f.utf16 == "" && !strings.ContainsAny(texts, "\r"+bom) && utf8.ValidString(texts)
}

// between is the one replacement that makes one text the other.
func between(old, text string) (splice, bool) {
	if old == text {
		return splice{}, false
	}
	head := 0
	for head < min(len(old), len(text)) && old[head] == text[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(text))-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	return splice{head, len(old) - tail, text[head : len(text)-tail]}, true
}

// wantsOnlyItsHunks checks that a change from a text to what stands now says all
// that it did.
func (f *trial) wantsOnlyItsHunks(c workspace.Change, text string) {
	f.Helper()
	if c.Old != text {
		f.Errorf("the change begins with %s", apart(c.Old, text))
		return
	}
	var edits []splice
	for _, h := range c.Hunks {
		edits = append(edits, splice{h.OldStart, h.OldEnd, c.New[h.NewStart:h.NewEnd]})
	}
	want, ok := with(text, edits)
	if !ok {
		f.Error("hunks of a change touch")
	}
	f.wants(want, "what the hunks do not tell")
}

// takeBack takes all of a change back in any order, perhaps after the user has
// gone on.
func (f *trial) takeBack(done workspace.Change, left string) {
	f.Helper()
	text := f.disturb(left, "the user edits before taking back")
	users, moved := between(left, text)
	ids := make([]string, len(done.Hunks))
	back := map[string]splice{}
	for i, h := range done.Hunks {
		ids[i] = h.ID
		back[h.ID] = splice{h.NewStart, h.NewEnd, done.Old[h.OldStart:h.OldEnd]}
	}
	f.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	stuck := 0
	for len(ids) > 0 {
		n := 1 + f.r.IntN(len(ids))
		group := ids[:n]
		ids = ids[n:]
		out, left, err := f.ws.TakeBack(f.Context(), done, group, nil)
		if err != nil {
			f.Fatal(err)
		}
		stuck += len(left)
		for _, s := range left {
			delete(back, s.Hunk)
		}
		if len(left) == len(group) {
			continue
		}
		if out.State != workspace.Applied {
			f.Errorf("taking back %v is %s (%s)", group, out.State, out.Why)
			return
		}
		var rest []string
		for _, h := range done.Hunks {
			if !slices.Contains(group, h.ID) || slices.ContainsFunc(left, func(s workspace.Stuck) bool { return s.Hunk == h.ID }) {
				rest = append(rest, h.ID)
			}
		}
		if done, err = done.Narrow(rest); err != nil {
			f.Fatal(err)
		}
	}
	f.wantsTakenBack(left, slices.Collect(maps.Values(back)), users, moved, stuck)
	if !moved && stuck == 0 {
		f.wants(done.Old, "all was taken back")
		f.seen["taken back to the last byte"]++
	}
}

// wantsTakenBack checks what stands of left once hunks were taken back and the
// user made an edit of their own.
func (f *trial) wantsTakenBack(left string, back []splice, users splice, moved bool, stuck int) {
	f.Helper()
	if stuck > 0 {
		f.seen["stuck"]++
		if !moved {
			f.Errorf("%d hunks are stuck, but nobody changed anything", stuck)
		}
	}
	if moved {
		back = append(back, users)
	}
	want, certain := with(left, back)
	if !certain {
		return
	}
	f.wants(want, "taken back")
	if moved && len(back) > 1 {
		f.seen["taken back around the user's edit"]++
	}
}
