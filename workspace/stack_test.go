package workspace_test

import (
	"fmt"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// piece is a hunk of a change that stands.
type piece struct{ change, hunk string }

// In whatever order the hunks of several changes are taken back, those that can
// be go, and when all are gone the file is as it was, though lines repeat
// themselves all over it.
func TestEveryOrderOfTakingAllBackGivesTheOriginal(t *testing.T) {
	f := newFixture(t)
	rapid.Check(t, func(r *rapid.T) {
		s := &story{T: r, f: f, put: map[string][]mark{}, took: map[string][]mark{}}
		for range rapid.IntRange(1, 12).Draw(r, "lines") {
			s.now = append(s.now, s.marks(rapid.SampledFrom([]string{"a\n", "b\n", "}\n", "\n", "some words\n"}).Draw(r, "line"))...)
		}
		original := s.text()
		f.write("a.txt", original)
		stack, pieces := &workspace.Stack{}, []piece(nil)
		for range rapid.IntRange(1, 5).Draw(r, "changes") {
			if n := len(s.changes); n > 0 && rapid.Bool().Draw(r, "early") {
				pieces = takeOne(r, f, stack, pieces)
				s.now = s.marks(f.read("a.txt").Text)
			}
			before := len(s.changes)
			if s.change(); len(s.changes) == before {
				continue
			}
			c, name := s.changes[before], fmt.Sprint("g", before)
			stack.Push(name, c)
			for _, h := range c.Hunks {
				pieces = append(pieces, piece{name, h.ID})
			}
		}
		for range 40 {
			pieces = takeOne(r, f, stack, pieces)
		}
		for i := len(pieces) - 1; i >= 0; i-- { // what is left, from the newest
			if !takePiece(f, stack, pieces[i]) {
				r.Fatalf("%v is stuck in %q", pieces[i], f.read("a.txt").Text)
			}
		}
		f.wantFile("a.txt", original)
	})
}

// takeOne tries to take back one of the pieces and returns those that stand.
func takeOne(r *rapid.T, f *fixture, stack *workspace.Stack, pieces []piece) []piece {
	if len(pieces) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(pieces)-1).Draw(r, "piece")
	if !takePiece(f, stack, pieces[i]) {
		return pieces
	}
	return append(pieces[:i:i], pieces[i+1:]...)
}

func takePiece(f *fixture, stack *workspace.Stack, p piece) bool {
	on, above, _, _ := stack.On(p.change)
	if _, stuck := f.takeBack(on, []string{p.hunk}, above...); len(stuck) > 0 {
		return false
	}
	stack.Take(p.change, []string{p.hunk})
	return true
}

// What a person wrote in the place of a change moves those above it along.
func TestAnOwnTextMovesWhatStandsAboveIt(t *testing.T) {
	f := newFixture(t)
	f.write("a.txt", lines("x } x } x }"))
	stack := &workspace.Stack{}
	first := f.done(lines("y } x } x }"))
	stack.Push("g1", first)
	stack.Push("g2", f.done(lines("y ) x ) x )")))
	own := workspace.Rewrite(workspace.Content{Path: first.Path, Exists: true, Text: first.Old, Base: first.Base}, lines("x new new } x } x }"))
	f.write("a.txt", lines("x new new ) x ) x )"))
	stack.Replace("g1", own)
	on, above, _, ok := stack.On("g2")
	if !ok || len(above) > 0 || on.New != lines("x new new ) x ) x )") {
		t.Fatalf("%v, %d above, %q", ok, len(above), on.New)
	}
	if text, stuck := f.takeBack(on, []string{"h2"}); len(stuck) > 0 || text != lines("x new new ) x } x )") {
		t.Errorf("%q, stuck %v", text, stuck)
	}
}
