package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// line is one line of a journal behind its checksum. Exactly one field is set.
type line struct {
	Begin  *Begin      `json:"begin,omitempty"`
	Before *beforeLine `json:"before,omitempty"`
	After  *afterLine  `json:"after,omitempty"`
	Unkept *unkeptLine `json:"unkept,omitempty"`
	// Reverted is written after a rewind.
	Reverted *revertedLine `json:"reverted,omitempty"`
}

type beforeLine struct {
	ID string `json:"id"`
	// Step is the step's number, 0 in a journal that has none.
	Step  int    `json:"step,omitempty"`
	Path  name   `json:"path"`
	State State  `json:"state"`
	Dirs  []name `json:"dirs,omitempty"`
	// Intended is what the write is going to leave, where that is known.
	Intended *State `json:"intended,omitempty"`
	Command  bool   `json:"command,omitempty"`
	While    string `json:"while,omitempty"`
}

type afterLine struct {
	ID string `json:"id"`
	// Step is the number of the step; 0 is the last one of the path.
	Step  int   `json:"step,omitempty"`
	Path  name  `json:"path"`
	State State `json:"state"`
}

type unkeptLine struct {
	ID   string `json:"id"`
	Path name   `json:"path"`
	Kind string `json:"kind"`
	Why  string `json:"why"`
	// While is as in Step.
	While string `json:"while,omitempty"`
}

type revertedLine struct {
	ID    string            `json:"id"`
	Names map[string]string `json:"names"`
}

// name is a file name, which may be of any bytes but NUL, in a text that may
// not.
type name string

// MarshalText writes a name that is no UTF-8 in hexadecimal, behind a NUL.
func (n name) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return []byte(n), nil
	}
	return []byte("\x00" + hex.EncodeToString([]byte(n))), nil
}

// UnmarshalText reads what MarshalText wrote.
func (n *name) UnmarshalText(text []byte) error {
	coded, odd := strings.CutPrefix(string(text), "\x00")
	if !odd {
		*n = name(text)
		return nil
	}
	raw, err := hex.DecodeString(coded)
	*n = name(raw)
	return err
}

func convert[To, From ~string](list []From) []To {
	var out []To
	for _, s := range list {
		out = append(out, To(s))
	}
	return out
}

// journal is what the lines of a journal come to.
type journal struct {
	checkpoints []Checkpoint
	steps       []Step // in the order of their first lines
	last        map[string]int
	newest      int // number of a step
}

func stepKey(id, path string) string { return id + "\x00" + path }

// add takes one line in. A line that cannot be read speaks for the checkpoint
// before it: nobody knows what else it would have said.
func (j *journal) add(l line) {
	switch {
	case l.Begin != nil:
		j.checkpoints = append(j.checkpoints, Checkpoint{Begin: *l.Begin})
	case l.Before != nil:
		b := l.Before
		j.known(b.ID)
		j.newest = max(j.newest, b.Step)
		j.step(Step{
			Number: b.Step, Checkpoint: b.ID, Path: string(b.Path), Before: b.State, After: b.Intended, Dirs: convert[string](b.Dirs), Command: b.Command,
			While: b.While,
		})
	case l.After != nil:
		if i := j.meant(*l.After); i >= 0 {
			j.steps[i].After = &l.After.State
		}
	case l.Unkept != nil:
		u := l.Unkept
		j.known(u.ID)
		j.step(Step{Checkpoint: u.ID, Path: string(u.Path), Unkept: u.Why, Kind: u.Kind, Command: true, While: u.While})
	case l.Reverted != nil:
		for i, c := range j.checkpoints {
			if c.ID == l.Reverted.ID {
				j.checkpoints[i].Reverted = l.Reverted.Names
			}
		}
	default:
		if n := len(j.checkpoints); n > 0 {
			j.checkpoints[n-1].Damaged = true
		}
	}
}

// meant is the index of the step that an after line is about, -1 where its own
// line cannot be read.
func (j *journal) meant(a afterLine) int {
	if a.Step != 0 {
		j.newest = max(j.newest, a.Step)
		return j.numbered(a.Step)
	}
	if i, ok := j.last[stepKey(a.ID, string(a.Path))]; ok {
		return i
	}
	return -1
}

// numbered is the index of the step of a number, -1 if there is none.
func (j *journal) numbered(step int) int {
	for i, s := range slices.Backward(j.steps) { // it is a late one
		if s.Number == step {
			return i
		}
	}
	return -1
}

// known has a checkpoint listed whose own line cannot be read.
func (j *journal) known(id string) {
	if !slices.ContainsFunc(j.checkpoints, func(c Checkpoint) bool { return c.ID == id }) {
		j.checkpoints = append(j.checkpoints, Checkpoint{Begin: Begin{ID: id}, Damaged: true})
	}
}

func (j *journal) step(s Step) {
	if j.last == nil {
		j.last = map[string]int{}
	}
	j.last[stepKey(s.Checkpoint, s.Path)] = len(j.steps)
	j.steps = append(j.steps, s)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encode(l line) ([]byte, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(raw, castagnoli), raw), nil
}

// decode reads one line; one that is damaged comes back empty.
func decode(raw []byte) (l line) {
	sum, rest, _ := bytes.Cut(bytes.TrimSuffix(raw, []byte("\n")), []byte(" "))
	if want, err := strconv.ParseUint(string(sum), 16, 32); err != nil || uint32(want) != crc32.Checksum(rest, castagnoli) {
		return line{}
	}
	if json.Unmarshal(rest, &l) != nil {
		return line{}
	}
	return l
}

// readJournal reads the whole lines of a journal and how many bytes they are.
// A last line without its end was torn by a crash: what it was to announce was
// never done.
func readJournal(r io.Reader) (j *journal, whole int64, err error) {
	j = &journal{}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return j, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		whole += int64(len(raw))
		j.add(decode(raw))
	}
}

// Journal is the checkpoints of one session. One process has it at a time. It
// is safe for concurrent use.
type Journal struct {
	store *Store
	path  string

	mu   sync.Mutex // guards below
	f    *os.File   // nil until the first line is written
	size int64
	has  *journal
}

// OpenJournal reads a journal, which need not exist yet, whose bytes store has.
func OpenJournal(path string, store *Store) (*Journal, error) {
	j := &Journal{store: store, path: path, has: &journal{}}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	defer f.Close()
	if j.has, j.size, err = readJournal(f); err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	return j, nil
}

// Checkpoints lists them, oldest first.
func (j *Journal) Checkpoints() []Checkpoint {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.has.checkpoints)
}

// Steps lists what was changed, in the order of the first writes. What was kept
// for a command that then changed nothing is not among it.
func (j *Journal) Steps() []Step {
	j.mu.Lock()
	defer j.mu.Unlock()
	var done []Step
	for _, s := range j.has.steps {
		if s.After != nil || s.Unkept != "" || !s.Command {
			done = append(done, s)
		}
	}
	return done
}

// Latest is the newest step of a file in a checkpoint, also one of which it is
// not known whether anything came of it.
func (j *Journal) Latest(id, path string) (Step, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.has.last[stepKey(id, path)]
	if !ok {
		return Step{}, false
	}
	return j.has.steps[i], true
}

// Begin begins a checkpoint and gives it the next id.
func (j *Journal) Begin(b Begin) (id string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b.ID = "k1"
	if n := len(j.has.checkpoints); n > 0 {
		newest, _ := strconv.Atoi(strings.TrimPrefix(j.has.checkpoints[n-1].ID, "k"))
		b.ID = "k" + strconv.Itoa(newest+1)
	}
	return b.ID, j.appendLocked(line{Begin: &b}, false)
}

// Kept is what Keep is told of a file.
type Kept struct {
	Checkpoint string
	Path       string
	Before     State  // its Sum and Size are filled in
	Text       string // the bytes of Before
	Sum        Sum    // of Text, where the caller has it; else it is computed
	// After and Left are what the write is going to leave, and its bytes, where
	// that is known. Its Sum and Size are filled in.
	After   *State
	Left    string
	Dirs    []string
	Command bool
	While   string // as in Step
}

// Keep keeps what a file holds before it is written. When it returns without
// an error, that is on the disk; with one, the file must not be written. Of
// the step that begins its Number, Checkpoint and Path are told.
func (j *Journal) Keep(k Kept) (step Step, err error) {
	release, err := j.store.share()
	if err != nil {
		return Step{}, err
	}
	defer release()
	b := beforeLine{ID: k.Checkpoint, Path: name(k.Path), State: k.Before, Dirs: convert[name](k.Dirs), Command: k.Command, While: k.While}
	b.State = b.State.named(k.Text, k.Sum)
	written := make(chan error, 1)
	go func() { written <- j.store.hold(b.State, k.Text, durable) }() // while the other is summed up
	if k.After != nil {
		after := k.After.after(k.Left, b.State, k.Text)
		err = j.store.hold(after, k.Left, !durable)
		*k.After, b.Intended = after, &after
	}
	if err := <-written; err != nil {
		return Step{}, fmt.Errorf("keep what it holds: %w", err)
	}
	if err != nil {
		return Step{}, fmt.Errorf("keep what is written: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b.Step = j.has.newest + 1
	return Step{Number: b.Step, Checkpoint: k.Checkpoint, Path: k.Path}, j.appendLocked(line{Before: &b}, durable)
}

// durable asks that something is on the disk before the caller goes on.
const durable = true

// named is a state with the name of its bytes, which is computed unless it is
// known.
func (s State) named(text string, sum Sum) State {
	s.Sum, s.Size, s.Splice = Sum{}, 0, nil
	if !s.Exists {
		return s
	}
	if sum == (Sum{}) {
		sum = SumOf(text)
	}
	s.Sum, s.Size = sum, int64(len(text))
	return s
}

// after is the named state of what is left of a file that was kept: where little
// changed, only that is written down.
func (s State) after(text string, before State, base string) State {
	s = s.named(text, Sum{})
	if s.Exists && before.Exists {
		s.Splice = spliced(before.Sum, base, text)
	}
	return s
}

// hold keeps the bytes of a named state.
func (s *Store) hold(state State, text string, durable bool) error {
	if !state.Exists || state.Splice != nil {
		return nil
	}
	return s.put(state.Sum, text, durable)
}

// Left says what the write of a step left of its file, whatever others have
// written since. Without text it is known by its state only, and a merge with it
// is not possible.
func (j *Journal) Left(s Step, after State, text *string) error {
	release, err := j.store.share()
	if err != nil {
		return err
	}
	defer release()
	if text != nil {
		after = after.named(*text, Sum{})
		if err := j.store.hold(after, *text, !durable); err != nil {
			return fmt.Errorf("keep what was written: %w", err)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.appendLocked(line{After: &afterLine{ID: s.Checkpoint, Path: name(s.Path), Step: s.Number, State: after}}, !durable)
}

// Unkept says that a file was changed that was not kept, and why it was not. Of
// the step its Checkpoint, Path, Kind, Unkept and While count.
func (j *Journal) Unkept(s Step) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	u := unkeptLine{ID: s.Checkpoint, Path: name(s.Path), Kind: s.Kind, Why: s.Unkept, While: s.While}
	return j.appendLocked(line{Unkept: &u}, !durable)
}

// Reverted says what a rewind took back of what the session remembers.
func (j *Journal) Reverted(id string, names map[string]string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.appendLocked(line{Reverted: &revertedLine{ID: id, Names: names}}, !durable)
}

// appendLocked writes a line, whole or not at all, and takes it in.
func (j *Journal) appendLocked(l line, durable bool) error {
	raw, err := encode(l)
	if err == nil {
		err = j.openLocked()
	}
	if err == nil {
		_, err = j.f.WriteAt(raw, j.size)
	}
	if err == nil && durable {
		err = j.f.Sync()
	}
	if err != nil {
		j.tornLocked()
		return fmt.Errorf("write the list of checkpoints: %w", err)
	}
	j.size += int64(len(raw))
	j.has.add(l)
	return nil
}

// openLocked opens the journal for writing and takes a torn last line off.
func (j *Journal) openLocked() error {
	if j.f != nil {
		return nil
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Truncate(j.size); err != nil {
		f.Close()
		return err
	}
	j.f = f
	return nil
}

// tornLocked takes back what reached the disk of a line. Where even that fails,
// the next line is written over it.
func (j *Journal) tornLocked() {
	if j.f != nil {
		_ = j.f.Truncate(j.size)
	}
}

// Close lets go of the file.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.f != nil {
		j.f.Close()
		j.f = nil
	}
}
