package session

import "testing"

// Whose write a path had last is told apart, and nobody's own counts as another's.
func TestOthersWritesAreKnown(t *testing.T) {
	var w written
	one, two := new(call), new(call)
	w.note("a", one)
	planned := w.now()
	waits := w.changed("a")
	w.note("a", two)
	w.note("a", two) // a second attempt
	w.note("b", one)
	for i, x := range []struct {
		path   string
		moment int
		but    *call
		want   bool
	}{
		{"a", planned, one, true},
		{"a", planned, two, false},
		{"a", 0, two, true}, // one did, before
		{"a", w.now(), one, false},
		{"b", planned, one, false},
		{"c", 0, one, false},
	} {
		if got := w.since(x.path, x.moment, x.but); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	w.tell("b")
	select {
	case <-waits:
		t.Error("told of another path")
	default:
	}
	w.tell("a")
	<-waits
}
