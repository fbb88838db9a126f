package headless

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/rpc/protocol"
)

// What a command did to files is told apart from what the model's edits did,
// and what cannot be taken back says so.
func TestChangesByCommandsAreNamed(t *testing.T) {
	s := newScreen()
	s.starts("c1", "exec_command", "gofmt -w .", "execute")
	s.sees("change/updated", `"callId":"c1","changeId":"g1","uri":"file:///ws/a.go","kind":"modify","state":"applied",
		"byCommand":true,"hunks":[{"state":"applied","oldText":"x\n","newText":"y\n"}]`)
	s.sees("change/updated", `"callId":"c1","changeId":"g2","uri":"file:///ws/c.go","from":"file:///ws/b.go","kind":"rename",
		"state":"applied","byCommand":true,"hunks":[]`)
	s.sees("change/updated", `"callId":"c1","changeId":"g3","uri":"file:///ws/d.go","kind":"modify","state":"applied",
		"byCommand":true,"gone":true,"hunks":[]`)
	s.sees("change/updated", `"callId":"c1","changeId":"g4","uri":"file:///ws/e.sh","kind":"modify","state":"applied",
		"byCommand":true,"gone":true,"why":"its mode was 0755, is 0644","hunks":[]`)
	s.Undo = true
	s.Ended(Ending{Stop: protocol.StopEndTurn, Session: "s1"})
	checkShows(t, s, `● exec_command gofmt -w .
  changed  a.go  (by a command)  +1 −1
  renamed  b.go → c.go  (by a command)
  changed  d.go  (by a command)  cannot be taken back: what it held was not kept
  changed  e.sh  (by a command)  its mode was 0755, is 0644

changed  a.go  (by a command)  +1 −1
renamed  b.go → c.go  (by a command)
changed  d.go  (by a command)  cannot be taken back: what it held was not kept
changed  e.sh  (by a command)  its mode was 0755, is 0644
undo     drawbridge rewind --session s1
session  s1
`)
}

// A change comes up again with all that becomes of it, and stands in the
// summary once, or not at all when it was taken back.
func TestAChangeIsSummedUpAsItStands(t *testing.T) {
	s := newScreen()
	s.Undo = true
	for _, end := range []string{
		`"changeId":"g1","uri":"file:///ws/a.go","state":"applied","hunks":[{"state":"applied","newText":"y\n"}]`,
		`"changeId":"g1","uri":"file:///ws/a.go","state":"applied","hunks":[{"state":"kept","newText":"y\n"}]`,
		`"changeId":"g2","uri":"file:///ws/b.go","state":"applied","hunks":[{"state":"applied","newText":"y\n"}]`,
		`"changeId":"g2","uri":"file:///ws/b.go","state":"reverted","hunks":[]`,
	} {
		s.sees("change/updated", `"callId":"c1",`+end)
	}
	s.Ended(Ending{Stop: protocol.StopEndTurn, Session: "s1"})
	got := s.String()
	if strings.Count(got, "changed  a.go  +1 −0\n") != 1 || strings.Contains(got, "changed  b.go") {
		t.Errorf("shown is\n%s", got)
	}
}

// Where nothing stands, or nothing of it was kept, there is nothing to undo.
func TestNoUndoIsOfferedForNothing(t *testing.T) {
	for _, event := range []string{"", `"changeId":"g1","uri":"file:///ws/a.go","state":"applied","gone":true,"byCommand":true,"hunks":[]`} {
		s := newScreen()
		s.Undo = true
		if event != "" {
			s.sees("change/updated", `"callId":"c1",`+event)
		}
		s.Ended(Ending{Stop: protocol.StopEndTurn, Session: "s1"})
		if strings.Contains(s.String(), "rewind") {
			t.Errorf("shown is\n%s", s.String())
		}
	}
}

func TestRemarksAreShown(t *testing.T) {
	s := newScreen()
	s.sees("turn/notified", `"turnId":"t2","notices":[],"remarks":["The user took back 1 of 2 hunks.\n@@ -1,1 +1,1 @@"]`)
	checkShows(t, s, "the model is told: The user took back 1 of 2 hunks.\n  @@ -1,1 +1,1 @@\n")
}

// A line without an end is one all the same, and a file that was made or removed
// was not merely changed.
func TestTheSummaryCountsLinesAndSaysWhatWasDone(t *testing.T) {
	s := newScreen()
	for i, c := range []string{
		`"uri":"file:///ws/a","kind":"create","hunks":[{"state":"applied","newText":"one\ntwo"}]`,
		`"uri":"file:///ws/b","kind":"modify","hunks":[{"state":"applied","oldText":"c","newText":"d"}]`,
		`"uri":"file:///ws/c","kind":"delete","byCommand":true,"hunks":[{"state":"applied","oldText":"x\n"}]`,
	} {
		s.sees("change/updated", fmt.Sprintf(`"callId":"c1","changeId":"g%d","state":"applied",%s`, i, c))
	}
	s.Ended(Ending{Stop: protocol.StopEndTurn})
	for _, want := range []string{"\ncreated  a  +2 −0\n", "\nchanged  b  +1 −1\n", "\ndeleted  c  (by a command)  +0 −1\n"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("%q is not in what is shown:\n%s", want, s.String())
		}
	}
}

// Of what a tool says, the first line has the reason.
func TestAFailedEditSaysWhy(t *testing.T) {
	s := newScreen()
	s.starts("c1", "edit_file", "Edit a.go", "write")
	s.sees("toolCall/completed", `"callId":"c1","status":"failed","durationMs":20,"text":"old_string was not found.\nLine 1 would match."`)
	checkShows(t, s, "● edit_file Edit a.go\n  ✗ old_string was not found.  20ms\n")
}
