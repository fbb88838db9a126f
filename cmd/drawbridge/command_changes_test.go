package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changed are the changes of a session that commands made, in a word each.
func (e *editor) changed(session string) []string {
	e.t.Helper()
	var list struct {
		Changes []struct {
			URI, From, Kind string
			ByCommand, Gone bool
		}
	}
	e.call("change/list", object{"sessionId": session}, &list)
	name := func(uri string) string {
		rel := strings.TrimPrefix(uri, "file://"+e.work+"/")
		if uri != "" && rel == uri {
			e.t.Errorf("%s lies outside of %s", uri, e.work)
		}
		return rel
	}
	var words []string
	for _, c := range list.Changes {
		word := c.Kind + " " + name(c.URI)
		if c.From != "" {
			word += " from " + name(c.From)
		}
		if c.Gone {
			word += ", gone"
		}
		if c.ByCommand {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// What a real command does to files is seen by real events, also where it names
// none of them, in folders that it makes, and not in those of version control.
func TestWhatACommandChangesIsListed(t *testing.T) {
	t.Parallel()
	work, err := filepath.EvalSymlinks(tempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.txt": "one\n", "old.txt": "old\n", "name.txt": "name\n", "deep/er/quiet.txt": "unread\n", ".git/index": "x", "same.txt": "same\n",
	} {
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := startIn(t, tempDir(t), work, "drawbridge", []string{"serve"})
	e.handshake(0)
	script := `text "wait"
----
call c1 exec_command {"cmd":"sed -i.bak s/one/1/ a.txt && rm a.txt.bak old.txt; mv name.txt other.txt; mkdir -p x/y && echo new >x/y/z.txt; echo y >.git/index; touch same.txt; cd deep/er; ls | while read f; do echo more >>$f; done"}
----
text "Done."
`
	session := e.openUnconfined(script)
	// The watching begins with the first answer.
	if got := e.stopReason(e.prompt(session, "hello")); got != "endTurn" {
		t.Fatal(got)
	}
	going := e.prompt(session, "go")
	e.allow(e.event("approval/request", ".git/index")) // which is asked about in every mode
	if got := e.stopReason(going); got != "endTurn" {
		t.Fatal(got)
	}
	want := []string{
		"create x/y/z.txt", "delete old.txt", "modify a.txt", "modify deep/er/quiet.txt, gone", "rename other.txt from name.txt",
	}
	if got := e.changed(session); !slices.Equal(got, want) {
		t.Errorf("changed:\n%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	e.shutDown()
}

// A question about a file that is not open ends when somebody else writes its
// lines, and is asked anew of what they wrote.
func TestAQuestionFollowsItsFile(t *testing.T) {
	t.Parallel()
	work, err := filepath.EvalSymlinks(tempDir(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(work, "a.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\nthree\n")
	e := startIn(t, tempDir(t), work, "drawbridge", []string{"serve"})
	e.handshake(0)
	session := e.open("always-ask", `call c1 edit_file {"file_path":"a.txt","old_string":"two","new_string":"2"}
----
text "Done."
`)
	prompt := e.prompt(session, "go")
	e.event("approval/request", "a.txt")
	write("one\ntwo\nTHREE\n")
	e.event("approval/resolved", "superseded")
	e.allow(e.event("approval/request", "THREE"))
	if got := e.stopReason(prompt); got != "endTurn" {
		t.Fatal(got)
	}
	if got := e.content("a.txt"); got != "one\n2\nTHREE\n" {
		t.Errorf("the file holds %q", got)
	}
	e.shutDown()
}
