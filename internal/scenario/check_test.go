package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"drawbridge/model"
	"drawbridge/session"
)

// toy is a bridge of twenty lines: it answers every request and says what it
// was told, with the parameters.
func toy(wire net.Conn, _ session.Options) func(context.Context) int {
	return func(context.Context) int {
		r := textproto.NewReader(bufio.NewReader(wire))
		for {
			header, err := r.ReadMIMEHeader()
			if err != nil {
				return 1
			}
			n, _ := strconv.Atoi(header.Get("Content-Length"))
			body := make([]byte, n)
			if _, err := io.ReadFull(r.R, body); err != nil {
				return 1
			}
			var m message
			if json.Unmarshal(body, &m) != nil || m.Method == "" {
				continue
			}
			say(wire, `{"method":"heard","params":{"method":%q,"with":%s}}`, m.Method, m.Params)
			if m.ID != nil {
				say(wire, `{"id":%s,"result":{}}`, m.ID)
			}
		}
	}
}

func say(w io.Writer, format string, args ...any) {
	body := fmt.Sprintf(format, args...)
	fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// play performs a scenario and returns the transcript as the bridge has it.
func play(t *testing.T, text string, start Start) (transcript string, errs []error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st, err := newStage(s, dir, start)
		if err != nil {
			t.Fatal(err)
		}
		transcript = updated(st.perform())
		errs = st.verify()
	})
	return transcript, errs
}

func TestTheTranscriptIsInOrder(t *testing.T) {
	got, errs := play(t, `Each line is sent when the bridge is quiet.
-- flags --
handshake=no session=no
-- wire --
<- a/b #1 {"path":"$WORK/x"}
<- c {}
<- !close
`, toy)
	want := `<- a/b #1 {"path":"$WORK/x"}
-> heard {"method":"a/b","with":{"path":"$WORK/x"}}
-> #1 {}
<- c {}
-> heard {"method":"c","with":{}}
<- !close
-> !exit 1
`
	if got != want || len(errs) > 0 {
		t.Errorf("%s\n%v", got, errs)
	}
}

func TestWhatIsWantedIsChecked(t *testing.T) {
	_, errs := play(t, `Everything at the end is wrong.
-- flags --
handshake=no
-- workspace/there.txt --
there
-- document/open.txt --
open
-- want/there.txt --
other
-- want/missing.txt --
-- want-absent/there.txt --
-- want-document/open.txt --
closed
-- want-link/there.txt --
elsewhere
-- wire --
<- @1 {}
`, toy)
	if len(errs) != 7 {
		t.Errorf("%d errors: %v", len(errs), errs)
	}
}

func TestTheEditorTypesAndSaves(t *testing.T) {
	got, errs := play(t, `What the user does reaches the bridge.
-- flags --
session=no
-- document/a.txt@7 --
one two
-- want/a.txt --
one three
-- want-document/a.txt --
one three
-- wire --
<- !type a.txt "two" "three"
<- !save a.txt
`, toy)
	if !strings.Contains(got, `"version":8`) || !strings.Contains(got, "didSave") || len(errs) > 0 {
		t.Errorf("%s\n%v", got, errs)
	}
}

func TestABridgeThatStaysIsReported(t *testing.T) {
	stays := func(net.Conn, session.Options) func(context.Context) int {
		return func(ctx context.Context) int { <-ctx.Done(); return 0 }
	}
	_, errs := play(t, "It must end with its editor.\n-- flags --\nhandshake=no\n-- wire --\n<- !close\n", stays)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "still runs") {
		t.Error(errs)
	}
}

// message of a provider's request, by the kinds of its parts.
func said(role model.Role, parts ...model.Part) model.Message {
	return model.Message{Role: role, Parts: parts}
}

func TestAStrictServiceRefusesBrokenConversations(t *testing.T) {
	text := model.Part{Kind: model.PartText, Text: "hi"}
	call := func(id, args string) model.Part {
		return model.Part{Kind: model.PartCall, Call: &model.Call{ID: id, Name: "read_file", Args: args}}
	}
	result := func(id string) model.Part {
		return model.Part{Kind: model.PartResult, Result: &model.Result{CallID: id}}
	}
	user, agent := model.RoleUser, model.RoleAssistant
	good := []model.Message{said(user, text), said(agent, call("a", "{}"), call("b", "{}")), said(user, result("a"), result("b"), text)}
	if err := wellFormed(good); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string][]model.Message{
		"a result is missing": {said(user, text), said(agent, call("a", "{}"), call("b", "{}")), said(user, result("a"))},
		"a result too many":   {said(user, text, result("a"))},
		"a result comes late": {said(user, text), said(agent, call("a", "{}")), said(user, text), said(agent, text), said(user, result("a"))},
		"no object":           {said(user, text), said(agent, call("a", `{"x":`)), said(user, result("a"))},
		"no arguments":        {said(user, text), said(agent, call("a", "null")), said(user, result("a"))},
		"an id twice":         {said(user, text), said(agent, call("a", "{}"), call("a", "{}")), said(user, result("a"), result("a"))},
		"nothing said":        {said(user)},
		"an empty text":       {said(user, model.Part{Kind: model.PartText})},
		"the same speaker":    {said(user, text), said(user, text)},
		"a call at the end":   {said(user, text), said(agent, call("a", "{}"))},
	} {
		if wellFormed(bad) == nil {
			t.Errorf("accepted: %s", name)
		}
	}
}
