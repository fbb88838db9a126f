package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/model"
)

// lines is a dialect in which an entry is a message's role and texts.
var lines = Dialect{
	History: func(ms []model.Message) []model.Message { return History(ms, "p", Signed) },
	Entries: func(ms []model.Message) any {
		list := []string{}
		for _, m := range ms {
			line := string(m.Role)
			for _, p := range m.Parts {
				line += "|" + p.Text
			}
			list = append(list, line)
		}
		return list
	},
}

// whole is what a request holds: the settled entries and those of the rest.
func whole(t *rapid.T, s *Settled, ms []model.Message) string {
	text, rest := s.Split(ms, lines)
	tail, err := json.Marshal(lines.Entries(lines.History(rest)))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(text) == 0:
		return string(tail)
	case len(rest) < unsettled:
		t.Fatalf("%d messages are left over", len(rest))
	}
	if string(tail) == "[]" {
		return "[" + string(text) + "]"
	}
	return "[" + string(text) + "," + string(tail[1:])
}

// TestSettledSaysTheSame grows, cuts and changes a conversation; a request
// always holds what it would hold had nothing been kept.
func TestSettledSaysTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Settled
		var ms []model.Message
		n := 0
		message := func() model.Message {
			n++
			role := rapid.SampledFrom([]model.Role{model.RoleUser, model.RoleAssistant}).Draw(t, "role")
			if len(ms) > 0 && rapid.IntRange(0, 9).Draw(t, "alternate") > 0 {
				role = map[model.Role]model.Role{model.RoleUser: model.RoleAssistant, model.RoleAssistant: model.RoleUser}[ms[len(ms)-1].Role]
			}
			text := fmt.Sprintf("text %d", n)
			if rapid.IntRange(0, 7).Draw(t, "blank") == 0 {
				text = " "
			}
			return model.Message{Role: role, Parts: []model.Part{{Kind: model.PartText, Text: text}}}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch {
			case len(ms) > 6 && rapid.IntRange(0, 15).Draw(t, "cut") == 0:
				ms = append([]model.Message(nil), ms[:rapid.IntRange(0, len(ms)).Draw(t, "at")]...)
			case len(ms) > 0 && rapid.IntRange(0, 15).Draw(t, "change") == 0:
				ms = append([]model.Message(nil), ms...)
				i := rapid.IntRange(0, len(ms)-1).Draw(t, "at")
				ms[i] = model.Message{Role: ms[i].Role, Parts: message().Parts}
			default:
				ms = append(ms, message())
			}
			if got, want := whole(t, &s, ms), whole(t, &Settled{}, ms[:0:0]); len(ms) > 0 {
				want2, _ := json.Marshal(lines.Entries(lines.History(ms)))
				if got != string(want2) {
					t.Fatalf("%s\nwant %s", got, want2)
				}
			} else if got != want {
				t.Fatalf("nothing said: %s", got)
			}
		}
	})
}

// TestLongConversationIsWrittenOnce counts what each step encodes.
func TestLongConversationIsWrittenOnce(t *testing.T) {
	var s Settled
	encoded := 0
	counting := lines
	counting.Entries = func(ms []model.Message) any {
		encoded += len(ms)
		return lines.Entries(ms)
	}
	var ms []model.Message
	for i := range 200 {
		for _, role := range []model.Role{model.RoleUser, model.RoleAssistant} {
			ms = append(ms, model.Message{Role: role, Parts: []model.Part{{Kind: model.PartText, Text: fmt.Sprint(i)}}})
		}
		s.Split(ms, counting)
	}
	if encoded > len(ms) {
		t.Errorf("%d messages were encoded %d times", len(ms), encoded)
	}
	if left := len(ms) - len(s.kept); left > unsettled+1 {
		t.Errorf("%d messages are not settled", left)
	}
}
