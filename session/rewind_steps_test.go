package session

import (
	"testing"

	"drawbridge/checkpoint"
)

// What takes something doubtful back is as doubtful: else to leave the one and to
// undo the other would bring back what a person has had removed.
func TestARewindOfWhatIsDoubtfulIsDoubtful(t *testing.T) {
	r := Rewind{span: []checkpoint.Checkpoint{
		{Begin: checkpoint.Begin{ID: "k1", Turn: "t1"}}, {Begin: checkpoint.Begin{ID: "k2", RewindTo: "k1"}},
	}}
	for while, want := range map[string]int{"": 0, "make": 2} {
		st := r.sorted([]checkpoint.Step{{Checkpoint: "k1", While: while}, {Checkpoint: "k2"}})
		if len(st.doubtful) != want || len(st.sure) != 2-want || len(st.all) != 2 {
			t.Errorf("while %q ran: %d are doubtful, %d sure", while, len(st.doubtful), len(st.sure))
		}
	}
}
