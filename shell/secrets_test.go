package shell

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A private key is its lines, whatever stands around them.
func TestTheLinesOfASecretAreSecret(t *testing.T) {
	const one, two = "MIIEvQIBADANBgkq", "hkiG9w0BAQEFAASC/x+3Yg=="
	const key = "-----BEGIN PRIVATE KEY-----\n" + one + "\n" + two + "\nshort\n-----END PRIVATE KEY-----\n"
	inJSON := strings.ReplaceAll(key, "\n", `\n`)
	account := `{"type": "service_account", "project_id": "my-project-123456", "private_key_id": "0f3a9c01d2e4b5a6978812aa",
  "auth_uri": "https://accounts.google.com/o/oauth2/v1/auth", "provider": "ServiceAccountCredentials", "private_key": "` + inJSON + `"}`
	for why, s := range map[string]*Secrets{
		"a key": known(key), "a key with CR": known(strings.ReplaceAll(key, "\n", "\r\n")),
		"a key in JSON": known(inJSON), "an account": known(account),
	} {
		for _, row := range []struct{ in, want string }{
			{"     2\t" + one, "     2\t[redacted]"},
			{"+  " + two + "\n", "+  [redacted]\n"},
			{"k.pem:" + one + "\nk.pem:" + two, "k.pem:[redacted]\nk.pem:[redacted]"},
			{one + `\n` + two, `[redacted]\n[redacted]`},
			{"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"},
			{"short", "short"},
			{`"type": "service_account", my-project-123456 ServiceAccountCredentials`, `"type": "service_account", my-project-123456 ServiceAccountCredentials`},
			{"https://accounts.google.com/o/oauth2/v1/auth", "https://accounts.google.com/o/oauth2/v1/auth"},
		} {
			if got := s.Text(row.in); got != row.want {
				t.Errorf("%s: %q, want %q", why, got, row.want)
			}
		}
	}
	if got := known(account).Text("id 0f3a9c01d2e4b5a6978812aa"); got != "id [redacted]" {
		t.Errorf("a word beside others: %q", got)
	}
	if got := known(inJSON).Text(inJSON); got != Redacted {
		t.Errorf("the whole is %q", got)
	}
}

// heard collects what a sieve lets through.
type heard struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (h *heard) add(p []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

func known(values ...string) *Secrets {
	s := &Secrets{}
	s.Add(values...)
	return s
}

func TestSecretsAreReplaced(t *testing.T) {
	s := known("hunter22", "hunter22-longer", "short", "two\nlines", "ünïcode!")
	for _, row := range []struct{ why, in, want string }{
		{"alone", "hunter22", "[redacted]"},
		{"within other text", "<hunter22>", "<[redacted]>"},
		{"one behind another", "hunter22hunter22", "[redacted][redacted]"},
		{"the longest counts", "hunter22-longer", "[redacted]"},
		{"the beginning of the longest", "hunter22-long", "[redacted]-long"},
		{"a beginning alone", "hunter2", "hunter2"},
		{"behind its own beginning", "hunthunter22", "hunt[redacted]"},
		{"words are none", "short", "short"},
		{"lines", "two\nlines", "[redacted]"},
		{"lines in a terminal", "two\r\nlines", "[redacted]"},
		{"other characters", "aünïcode!", "a[redacted]"},
	} {
		if got := s.Text(row.in); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
	var none *Secrets
	if got := none.Text("hunter22"); got != "hunter22" {
		t.Errorf("no secrets: %q", got)
	}
}

func TestSecretsAreFoundHoweverTheyAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 8, 12, -1)
		s := known(rapid.SliceOfN(word, 1, 4).Draw(t, "secrets")...)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 80, -1).Draw(t, "text")
		var got heard
		v := sieve{secrets: s, to: got.add}
		for _, p := range pieces(t, []byte(text)) {
			v.write(bytes.Clone(p))
		}
		v.release()
		if want := s.Text(text); got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
	})
}

func TestWhatMayBeginASecretIsHeldForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got heard
		v := sieve{secrets: known("hunter22"), to: got.add}
		v.write([]byte("name? hunt"))
		if got.String() != "name? " {
			t.Fatalf("at once %q", got.String())
		}
		time.Sleep(sievePause)
		synctest.Wait()
		if got.String() != "name? hunt" {
			t.Fatalf("after a pause %q", got.String())
		}
		v.write([]byte("er22 hun"))
		v.write([]byte("ter22"))
		v.release()
		if want := "name? hunter22 [redacted]"; got.String() != want {
			t.Fatalf("%q, want %q", got.String(), want)
		}
	})
}

func TestASecretMayBecomeKnownWhileOutputRuns(t *testing.T) {
	var got heard
	s := &Secrets{}
	v := sieve{secrets: s, to: got.add}
	v.write([]byte("hunter22 "))
	s.Add("hunter22")
	v.write([]byte("hunter22"))
	if want := "hunter22 [redacted]"; got.String() != want {
		t.Fatalf("%q, want %q", got.String(), want)
	}
}

func TestCommandsDoNotShowSecrets(t *testing.T) {
	for mode, tty := range map[string]bool{"terminal": true, "pipes": false} {
		t.Run(mode, func(t *testing.T) {
			l := NewRunner(Options{Secrets: known("hunter22", "a key\nof two lines")})
			defer l.Close(context.Background())
			var tapped heard
			p, err := l.Start(Spec{
				Script: `printf hunt; printf 'er22\n'; echo "$KEY"; echo end of hunter2`,
				Dir:    t.TempDir(), TTY: tty, Tap: tapped.add,
				Env: []string{"PATH=" + os.Getenv("PATH"), "KEY=a key\nof two lines"},
			})
			if err != nil {
				t.Fatal(err)
			}
			<-p.Gone()
			ring := string(p.Output().Read(0, RingSize).Data)
			if got, want := Text([]byte(ring), tty), "[redacted]\n[redacted]\nend of hunter2\n"; got != want {
				t.Errorf("output %q, want %q", got, want)
			}
			if tapped.String() != ring {
				t.Errorf("the tap saw %q, the ring %q", tapped.String(), ring)
			}
		})
	}
}

func BenchmarkSieve(b *testing.B) {
	s := &Secrets{}
	for i := range 20 {
		s.Add(fmt.Sprintf("%c_secret_value_%d", 'A'+i, i))
	}
	for _, row := range []struct{ name, line string }{
		{"plain", "plain text of a command, as a compiler writes it\n"},
		{"found", "token=A_secret_value_0 of a command, as none should\n"},
	} {
		b.Run(row.name, func(b *testing.B) {
			p := []byte(strings.Repeat(row.line, 4000))
			v := sieve{secrets: s, to: func([]byte) {}}
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				v.write(p)
			}
		})
	}
}
