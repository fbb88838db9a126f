package bridge

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"

	"pgregory.net/rapid"
)

const (
	shortSecret = "hünter22"
	longSecret  = "begin\nhunter23hunter23\nend"
)

var hide = strings.NewReplacer(longSecret, shell.Redacted, shortSecret, shell.Redacted).Replace

// Wherever a reader cuts the output, what it reads in all is the output without
// its secrets.
func TestSecretsAreFoundAcrossReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			shortSecret, longSecret, " ", "hunter2", "ü\n", strings.Repeat("long ", 4<<10), "[redacted]",
		}), 0, 9).Draw(t, "words")
		text := strings.Join(words, "")
		var ring shell.Ring
		ring.Append([]byte(text))
		var got strings.Builder
		size := rapid.SampledFrom([]int{1, 3, 7, 20, 5000, 100000})
		for at := int64(0); at < ring.End(); {
			to := min(at+int64(size.Draw(t, "size")), ring.End())
			if len(text) > 2000 {
				to = min(to+997, ring.End())
			}
			got.WriteString(discreet(&ring, at, []byte(text[at:to]), hide))
			at = to
		}
		if got.String() != hide(text) {
			t.Fatalf("read %q of %q", got.String(), text)
		}
	})
}

func TestWhatIsNoSecretIsReadAsItIs(t *testing.T) {
	var ring shell.Ring
	ring.Append([]byte("hunter2 one two"))
	for _, redact := range []func(string) string{nil, hide} {
		if got := discreet(&ring, 2, []byte("nter2 one"), redact); got != "nter2 one" {
			t.Errorf("read %q", got)
		}
		if got := discreet(&ring, 15, nil, redact); got != "" {
			t.Errorf("read %q at the end", got)
		}
	}
}

// What a ring has no more of is still read without the secrets in it.
func TestWhatTheRingHasLost(t *testing.T) {
	var ring shell.Ring
	ring.Append(make([]byte, 2*shell.RingSize))
	if got := discreet(&ring, 4, []byte("a "+shortSecret), hide); got != "a [redacted]" {
		t.Errorf("read %q", got)
	}
}

// What is read, listed and asked has no secrets; what a person agrees to is
// shown as it is.
func TestAnswersHaveNoSecrets(t *testing.T) {
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: "a hün"}, {Text: "ter22 b\n", After: time.Second}}, Survivors: []string{"curl " + shortSecret}}}
	model := strings.Replace(runMake, `"make"`, `"login `+shortSecret+`"`, 1)
	synctest.Test(t, func(t *testing.T) {
		e := start(t, model, steps)
		defer e.stop()
		e.server.o.Sessions.Redact = hide
		e.must("initialize", `{"processId":null,"rootUri":"file://`+e.dir+`","capabilities":`+everything+`}`, nil)
		e.notify("initialized", `{}`)
		e.newSession()
		e.answers("approval/request", choose("allow"))
		e.prompt()
		q := of[protocol.ApprovalRequestParams](e, "approval/request")[0]
		if q.Title != "login [redacted]" || q.Command.Text != "login "+shortSecret {
			t.Errorf("asked %q, %q", q.Title, q.Command.Text)
		}
		var shown []string
		for _, p := range of[protocol.TerminalOutput](e, "terminal/output") {
			shown = append(shown, fmt.Sprint(p.Offset, "-", p.End, " ", p.Data))
		}
		if got := strings.Join(shown, "|"); got != "0-6 a hün|6-14  b\n" {
			t.Errorf("shown %q", got)
		}
		var list protocol.TerminalListResult
		e.must("terminal/list", `{}`, &list)
		if x := list.Terminals[0]; x.Title != "login [redacted]" || x.Survivors[0].Name != "curl [redacted]" {
			t.Errorf("listed %+v", x)
		}
		var r protocol.TerminalReadResult
		e.must("terminal/read", `{`+x1+`,"offset":0}`, &r)
		if r.Data != "a [redacted] b\n" || r.Offset != 0 || r.End != 14 {
			t.Errorf("read %+v", r)
		}
		e.must("terminal/read", `{`+x1+`,"offset":0,"max":6}`, &r)
		if r.Data != "a [redacted]" || r.End != 6 {
			t.Errorf("read %+v", r)
		}
		e.must("terminal/read", `{`+x1+`,"offset":6}`, &r)
		if r.Data != " b\n" || r.Offset != 6 || r.End != 14 {
			t.Errorf("read %+v", r)
		}
	})
}
