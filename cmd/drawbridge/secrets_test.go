package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
)

// Keys that the bridge is given, by its environment and by an editor, reach
// neither a command nor a file, at the most talkative level of the log.
func TestKeysStayInside(t *testing.T) {
	t.Parallel()
	service, err := fakemodel.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	const given = "sk-given-by-the-editor-77"
	keys := map[string]string{
		"ANTHROPIC_API_KEY": "sk-ant-environment-4711", "OPENAI_API_KEY": "sk-environment-4712",
		"ANTHROPIC_AUTH_TOKEN": "sk-environment-4713", "HF_TOKEN": "hf-environment-4714",
	}
	env := []string{"OPENAI_BASE_URL=" + service.BaseURL(fakemodel.Chat), "LC_KEPT=yes"}
	for name, value := range keys {
		env = append(env, name+"="+value)
	}
	e := start(t, "drawbridge", []string{"serve", "--trace", "--log-level", "debug"}, env...)
	e.handshake(os.Getpid())
	service.RequireKey(given)
	e.call("model/key", object{"provider": "openai-chat", "key": given}, nil)
	s := e.open("allow-all", `call c1 exec_command {"cmd":"env"}
----
want c1 "LC_KEPT=yes"
text "looked"`)
	if got := e.stopReason(e.prompt(s, "look around")); got != "endTurn" {
		t.Fatal(got)
	}
	for _, m := range e.seen {
		for name, key := range keys {
			if bytes.Contains(m.Params, []byte(key)) {
				t.Errorf("%s is in %s", name, m.Method)
			}
		}
	}
	e.shutDown()
	keys["model/key"] = given
	checkFiles(t, e.home, keys)
	for name, key := range keys {
		if strings.Contains(e.stderr.String(), key) {
			t.Errorf("%s is on stderr", name)
		}
	}
}

// A trace shows what was said, without the keys that the bridge knows, whoever
// said them.
func TestATraceBlanksKeys(t *testing.T) {
	t.Parallel()
	const key = "sk-ant-environment-4711"
	e := start(t, "drawbridge", []string{"serve", "--trace"}, "ANTHROPIC_API_KEY="+key)
	e.handshake(os.Getpid())
	s := e.open("deny-all", `text "never say `+key+` aloud"`)
	if got := e.stopReason(e.prompt(s, "my key is "+key)); got != "endTurn" {
		t.Fatal(got)
	}
	e.shutDown()
	logs, err := filepath.Glob(filepath.Join(e.home, "state", "drawbridge", "logs", "*"))
	if err != nil || len(logs) == 0 {
		t.Fatal("there is no log", err)
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(key)) || !bytes.Contains(text, []byte("my key is (secret)")) {
			t.Errorf("%s shows a key, or not what was said about it", path)
		}
	}
}

// checkFiles looks into all that the bridge wrote: no key, and nothing that
// others may read.
func checkFiles(t *testing.T, home string, keys map[string]string) {
	t.Helper()
	traced := false
	err := filepath.WalkDir(filepath.Join(home, "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 && path != filepath.Join(home, "state") {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		traced = traced || bytes.Contains(text, []byte("session/prompt"))
		for name, key := range keys {
			if bytes.Contains(text, []byte(key)) {
				t.Errorf("%s is in %s", name, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !traced {
		t.Error("there is no trace to look for keys in")
	}
}
