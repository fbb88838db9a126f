package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// verifyAll looks at the record of all sessions of a home; it must be whole.
func verifyAll(t *testing.T, home string) (said string) {
	t.Helper()
	cmd := exec.Command("drawbridge", "session", "verify", "--all")
	cmd.Env = append(hermetic(home), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// TestTheRecordOutlivesAKill kills a bridge that records as fast as it can, at
// random moments: what it left is whole, but for what was being written, and so
// is what the next one makes of it.
func TestTheRecordOutlivesAKill(t *testing.T) {
	t.Parallel()
	rounds := 8
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		rounds = 500
	}
	for range rounds {
		e := serve(t)
		e.handshake(os.Getpid())
		if err := os.WriteFile(filepath.Join(e.work, "a.txt"), []byte("1000\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := e.open("auto-edit", manyEdits())
		e.prompt(s, "go")
		time.Sleep(time.Duration(rand.IntN(400_000)) * time.Microsecond)
		next := e.kill("log.jsonl")
		verifyAll(t, e.home)
		next.call("session/load", object{"sessionId": s}, nil)
		verifyAll(t, e.home)
		next.shutDown()
		if said := verifyAll(t, e.home); !strings.Contains(said, "whole, ") || t.Failed() {
			t.Fatal(said)
		}
	}
}

// TestTheRecordIsVerifiedWhileItIsWritten looks at a session again and again
// while its bridge writes.
func TestTheRecordIsVerifiedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	if err := os.WriteFile(filepath.Join(e.work, "a.txt"), []byte("1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.prompt(e.open("auto-edit", manyEdits()), "go")
	for range 20 {
		verifyAll(t, e.home)
	}
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	verifyAll(t, e.home)
	e.shutDown()
}

// TestTheRecordHoldsNoSecret is F14: what is said, typed, written by commands,
// answered to questions and given as a title reaches no file of the state folder
// as far as it is a known secret, and nobody else may read what does.
func TestTheRecordHoldsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-\"4711\"-hunter2"
	e := serve(t, "DEPLOY_TOKEN="+secret, "COPY="+secret)
	e.handshake(os.Getpid())
	s := e.open("always-ask", `want-user "hunter"
text "You said hunter2-\"4711\"-hunter2."
call c1 exec_command {"cmd":"echo 'hunter2-\"4711\"-hunter2'; echo its output"}
call c2 exec_command {"cmd":"echo 'hunter2-\"4711\"-hunter2' two"}
call c3 exec_command {"cmd":"echo three"}
----
text "Well."`)
	e.call("session/configure", object{"sessionId": s, "title": "with " + secret}, nil)
	p := e.prompt(s, "it is "+secret+", hunter")
	for _, answer := range []object{
		{"outcome": "selected", "optionId": "allow"},
		{"outcome": "selected", "optionId": "deny", "comment": "not " + secret},
		{"outcome": "selected", "optionId": "allow", "command": "echo '" + secret + "'"},
	} {
		m := e.event("approval/request", "")
		e.send(object{"jsonrpc": "2.0", "id": m.ID, "result": answer})
	}
	if got := e.stopReason(p); got != "endTurn" {
		t.Error(got)
	}
	e.shutDown()
	checkState(t, e.home, "hunter2-")
	if !strings.Contains(showAll(t, e.home), "its output") {
		t.Error("the output is not in the record")
	}
	verifyAll(t, e.home)
}

// TestNoRememberedRuleHoldsASecret is B14: a yes that is to be remembered by a
// rule with a secret in it leaves no rule that holds it, be it rewritten so or
// proposed so.
func TestNoRememberedRuleHoldsASecret(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-4711-hunter2"
	for _, scope := range []string{"allow-session", "allow-workspace", "allow-user"} {
		for _, rule := range []string{"", "echo " + secret, "echo " + secret + " <any>", "TOKEN=" + secret + " echo"} {
			e := serve(t, "DEPLOY_TOKEN="+secret)
			e.handshake(os.Getpid())
			s := e.open("always-ask", `call c1 exec_command {"cmd":"echo `+secret+` one"}
----
text "Well."`)
			p := e.prompt(s, "go")
			first := e.event("approval/request", "")
			answer := object{"outcome": "selected", "optionId": scope}
			if rule != "" {
				answer["rule"] = rule
			}
			e.send(object{"jsonrpc": "2.0", "id": first.ID, "result": answer})
			end := e.next("the end, or another question", func(m message) bool {
				return m.Method == "approval/request" || string(m.ID) == itoa(p)
			})
			if end.Method != "" { // that was no answer
				e.send(object{"jsonrpc": "2.0", "id": end.ID, "result": object{"outcome": "selected", "optionId": "deny"}})
				e.stopReason(p)
			}
			e.shutDown()
			checkState(t, e.home, "hunter2-")
			if t.Failed() {
				t.Fatalf("scope %s, rule %q", scope, rule)
			}
		}
	}
}

// showAll is what session show says of the only session.
func showAll(t *testing.T, home string) string {
	t.Helper()
	cmd := exec.Command("drawbridge", "session", "show", "s")
	cmd.Env = append(hermetic(home), "PATH="+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// checkState looks for a word into all that was written, and for files that
// others may read.
func checkState(t *testing.T, home, word string) {
	t.Helper()
	state := filepath.Join(home, "state", "drawbridge")
	seen := map[string]bool{}
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(word)) {
			t.Errorf("%s holds a secret", path)
		}
		rel, _ := filepath.Rel(state, path)
		seen[strings.Split(rel, string(filepath.Separator))[0]] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen["sessions"] || !seen["heads"] {
		t.Errorf("there is only %v", seen)
	}
}
