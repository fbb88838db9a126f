package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drawbridge/workspace"
)

// shelf keeps the texts of a session's changes in its folder, a file each, so
// that another process can show them and take them back. A file is written
// once, before the log says how its change was settled; what is kept or taken
// back later stands in the log alone. Beyond limit bytes the oldest files go. The nil
// shelf keeps nothing.
type shelf struct {
	dir   string
	limit int64

	mu    sync.Mutex // guards below
	files []shelved  // oldest first
	bytes int64
}

type shelved struct {
	name string
	size int64
}

// shelved is the name of the file that holds the change's texts. A person's own
// text gets another file, so that each record in the log keeps the texts that it
// is of.
func (ch *Change) shelved() string {
	if ch.texts == 0 {
		return ch.ID
	}
	return ch.ID + "." + strconv.Itoa(ch.texts)
}

// shelvedAs is the reverse; texts is below zero for a name of another kind.
func shelvedAs(name string) (id string, texts int) {
	id, number, again := strings.Cut(name, ".")
	if !again {
		return id, 0
	}
	n, err := strconv.Atoi(number)
	if err != nil || n == 0 {
		return id, -1
	}
	return id, n
}

func idOf(name string) string {
	id, _ := shelvedAs(name)
	return id
}

// texts are what a shelf has of a change, as it was settled first.
type texts struct {
	State   ChangeState
	Edited  bool
	Why     string
	planned workspace.Change
	done    *workspace.Change
}

// openShelf finds what an earlier run left in dir of the changes that the log
// knows, by the names of their files. Anything else would be taken for a later change of that name.
func openShelf(dir string, known func(name string) bool) *shelf {
	sh := &shelf{dir: dir, limit: keptText}
	entries, _ := os.ReadDir(dir) // none: a session without changes
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !known(e.Name()) {
			os.Remove(sh.path(e.Name()))
			continue
		}
		sh.files = append(sh.files, shelved{e.Name(), info.Size()})
		sh.bytes += info.Size()
	}
	slices.SortFunc(sh.files, func(a, b shelved) int { return number(idOf(a.name)) - number(idOf(b.name)) })
	return sh
}

func (sh *shelf) path(id string) string { return filepath.Join(sh.dir, id) }

// put keeps a settled change.
func (sh *shelf) put(ch Change) error {
	if sh == nil {
		return nil
	}
	size, err := sh.write(ch)
	if err != nil {
		os.Remove(sh.path(ch.shelved()))
		return fmt.Errorf("keep the texts of change %s: %w", ch.ID, err)
	}
	for _, id := range sh.enter(shelved{ch.shelved(), size}) {
		os.Remove(sh.path(id))
	}
	return nil
}

// enter takes a file in and returns those that must go for it.
func (sh *shelf) enter(f shelved) (dropped []string) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.files = append(sh.files, f)
	sh.bytes += f.size
	for sh.bytes > sh.limit {
		dropped = append(dropped, sh.files[0].name)
		sh.bytes -= sh.files[0].size
		sh.files = sh.files[1:]
	}
	return dropped
}

// shelfHead is the first line of a file, behind its checksum. The texts that
// were changed follow it, as they are: bytes of any encoding.
type shelfHead struct {
	State   ChangeState `json:"state"`
	Edited  bool        `json:"edited,omitempty"`
	Why     string      `json:"why,omitempty"`
	Planned []byte      `json:"planned"`
	// Done is left out where nothing was done, and where it IsPlan.
	Done   []byte `json:"done,omitempty"`
	IsPlan bool   `json:"isPlan,omitempty"`
	// Old is the size of what the file held that Planned is of, and, when Done is
	// of something else, of that.
	Old []int `json:"old"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (sh *shelf) write(ch Change) (size int64, err error) {
	head, old := headOf(ch)
	line, err := json.Marshal(head)
	if err != nil {
		return 0, err
	}
	pieces := append([]string{string(line) + "\n"}, old...)
	if err := os.MkdirAll(sh.dir, 0o700); err != nil {
		return 0, err
	}
	return writePieces(sh.path(ch.shelved()), append([]string{checksum(pieces)}, pieces...))
}

func headOf(ch Change) (head shelfHead, old []string) {
	head = shelfHead{State: ch.State, Edited: ch.Edited, Why: ch.Why, Planned: ch.Planned.Pack()}
	old = []string{ch.Planned.Before()}
	if ch.Done != nil {
		head.Done = ch.Done.Pack()
		if before := ch.Done.Before(); before != old[0] {
			old = append(old, before)
		} else if bytes.Equal(head.Done, head.Planned) {
			head.Done, head.IsPlan = nil, true
		}
	}
	for _, text := range old {
		head.Old = append(head.Old, len(text))
	}
	return head, old
}

func checksum(pieces []string) string {
	var sum uint32
	buf := make([]byte, 16<<10)
	for _, p := range pieces {
		for len(p) > 0 {
			n := copy(buf, p)
			sum = crc32.Update(sum, castagnoli, buf[:n])
			p = p[n:]
		}
	}
	return fmt.Sprintf("%08x ", sum)
}

func writePieces(path string, pieces []string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	for _, p := range pieces {
		n, werr := f.WriteString(p)
		size += int64(n)
		err = errors.Join(err, werr)
	}
	return size, errors.Join(err, f.Close())
}

// get reads a change's texts; an error says that they are gone.
func (sh *shelf) get(id string) (texts, error) {
	if sh == nil {
		return texts{}, errNotShelved
	}
	raw, err := os.ReadFile(sh.path(id))
	if err != nil {
		return texts{}, err
	}
	sum, rest, _ := strings.Cut(string(raw), " ")
	line, body, _ := strings.Cut(rest, "\n")
	var head shelfHead
	if checksum([]string{rest}) != sum+" " || json.Unmarshal([]byte(line), &head) != nil {
		return texts{}, errNotShelved
	}
	return head.texts(body)
}

var errNotShelved = errors.New("the texts of this change are not kept")

func (head shelfHead) texts(body string) (t texts, err error) {
	var old []string
	for _, n := range head.Old {
		if n < 0 || n > len(body) {
			return texts{}, errNotShelved
		}
		old, body = append(old, body[:n]), body[n:]
	}
	if len(old) == 0 {
		return texts{}, errNotShelved
	}
	t.State, t.Edited, t.Why = head.State, head.Edited, head.Why
	t.planned, err = workspace.Unpack(head.Planned, old[0])
	switch {
	case err != nil:
	case head.IsPlan:
		t.done = &t.planned
	case head.Done != nil:
		var done workspace.Change
		done, err = workspace.Unpack(head.Done, old[len(old)-1])
		t.done = &done
	}
	return t, err
}
