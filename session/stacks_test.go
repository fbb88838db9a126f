package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// repeating is a file whose lines repeat themselves, so that no hunk is known by
// its own lines.
const repeating = "x\n}\ny\nx\n}\ny\nx\n}\ny\n"

// changedLines has the agent change lines of the file one after the other; each
// edit may be over lines of an earlier one.
func changedLines(t *testing.T, r *rapid.T) (b *bench, s *Session, path string) {
	b = newBench(t, nil)
	path = b.file(t, "a.txt", repeating)
	s = b.start(t)
	for i := range rapid.IntRange(2, 5).Draw(r, "edits") {
		old := rapid.SampledFrom([]string{"x\n", "}\n", "y\n", "new\n"}).Draw(r, "old")
		new := rapid.SampledFrom([]string{"z\n", "}\n}\n", "new\n", ""}).Draw(r, "new")
		args := fmt.Sprintf(`{"file_path":"a.txt","old_string":%q,"new_string":%q,"replace_all":true}`, old, new)
		b.model.then(callTools(fmt.Sprint("c", i), "edit_file", args))
		prompt(t, s, "go")
	}
	return b, s, path
}

// Whatever is taken back first, whichever process does it and whether the rest
// goes by a word against all or by a rewind: when all is gone, the file is as it
// was.
func TestEveryOrderLeadsBackOverRestarts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b, s, path := changedLines(t, r)
		for range rapid.IntRange(1, 6).Draw(r, "words") {
			if rapid.Bool().Draw(r, "restart") {
				s.Close(t.Context())
				s, _ = reload(t, b.Host, s.id, 0)
			}
			takeSomeBack(t, r, s)
		}
		if rapid.Bool().Draw(r, "rewind") {
			rewindAll(t, s)
		}
		for _, one := range s.ResolveAll(t.Context(), "", Verdict{Reject: Choice{All: true}}) {
			if one.Err != nil || len(one.Stuck) > 0 {
				r.Errorf("%s: %v, %v", one.ID, one.Err, one.Stuck)
			}
		}
		if got, _ := os.ReadFile(path); string(got) != repeating {
			r.Errorf("file = %q", got)
		}
		s.Close(t.Context())
	})
}

func takeSomeBack(t *testing.T, r *rapid.T, s *Session) {
	var standing []Change
	for _, ch := range s.Changes() {
		if ch.stands() {
			standing = append(standing, ch)
		}
	}
	if len(standing) == 0 {
		return
	}
	ch := rapid.SampledFrom(standing).Draw(r, "change")
	var ids []string
	for _, id := range ch.standing() {
		if rapid.Bool().Draw(r, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	if _, err := s.Resolve(t.Context(), ch.ID, Verdict{Reject: Choice{Hunks: ids}}); err != nil {
		r.Fatal(err)
	}
}

func rewindAll(t *testing.T, s *Session) {
	shown, err := s.PreviewRewind(t.Context(), RewindChoice{})
	if err != nil {
		return // nothing was changed
	}
	if _, _, err := s.Rewind(t.Context(), RewindChoice{}, shown.Digest); err != nil {
		t.Fatal(err)
	}
}

// manyEdits is a session that has changed every line of a file by itself.
func manyEdits(b *testing.B, n int) *Session {
	dir := b.TempDir()
	h := NewHost(Options{
		StateDir: b.TempDir(),
		Models: func(string) (model.Provider, string, string, error) {
			return &stepper{}, "m", "stepper:m", nil
		},
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &shelltest.Fake{} },
		Emit:     func(Event) {},
		Defaults: Settings{Dir: dir},
	})
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("line\n", n)), 0o644); err != nil {
		b.Fatal(err)
	}
	s, err := h.New(Settings{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close(context.Background()) })
	at, err := s.ws.Resolve(path)
	if err != nil {
		b.Fatal(err)
	}
	now, err := s.ws.Read(b.Context(), at)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		c := workspace.Replace(now, []workspace.Edit{{Start: 5 * i, End: 5*i + 4, New: "edit"}})
		id := s.changes.add(Change{State: ChangeProposed, Planned: c, Summary: summary(c)})
		s.announce(id, func(ch *Change) { ch.State, ch.Done = ChangeApplied, &c })
		now = c.Left()
	}
	if err := os.WriteFile(path, []byte(now.Text), 0o644); err != nil {
		b.Fatal(err)
	}
	return s
}

// A word against all that many edits did to a file costs as much as these, not as
// their square.
func BenchmarkResolveAll(b *testing.B) {
	for _, n := range []int{750, 3000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := manyEdits(b, n)
				b.StartTimer()
				list := s.ResolveAll(b.Context(), "", Verdict{Reject: Choice{All: true}})
				if last := list[n-1]; last.Err != nil || len(last.Stuck) > 0 {
					b.Fatal(last.Err, last.Stuck)
				}
			}
		})
	}
}
