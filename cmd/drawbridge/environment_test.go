package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// homeWith makes a home folder with files, by their paths in it.
func homeWith(t *testing.T, files map[string]string) (home string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

const settingsFile = "config/drawbridge/config.yaml"

// asker is a bridge of a person whose login shell is bash.
func asker(t *testing.T, home string, env ...string) *editor {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the system has no bash")
	}
	e := startIn(t, home, t.TempDir(), "drawbridge", []string{"serve"}, append(env, "SHELL="+bash)...)
	e.handshake(os.Getpid())
	return e
}

// In a terminal that a person shares commands may colour and ask, and still
// neither page nor open an editor, unless the user wants all of it.
func TestTheEnvironmentOfASharedTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, want string }{
		"tamed": {"", "xterm-256color:none:none:true:cat:cat"},
		"full":  {"commands: {fullTerminal: true}", "xterm-256color:none:none:none:less:none"},
		"never": {"commands: {terminal: never}", "dumb:1:0:true:cat:cat"},
		"set":   {"environment: {set: {TERM: odd, NO_COLOR: 2}}", "xterm-256color:2:none:true:cat:cat"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := asker(t, homeWith(t, map[string]string{settingsFile: c.settings}), "PAGER=less", "TERM=linux")
			s := e.unheldSession(`call c1 exec_command {"cmd":"echo =${TERM-none}:${NO_COLOR-none}:${GIT_TERMINAL_PROMPT-none}:${GIT_EDITOR-none}:${PAGER-none}:${GIT_PAGER-none}="}
----
want c1 "=` + c.want + `="
text "done"`)
			if got := e.stopReason(e.prompt(s, "go")); got != "endTurn" {
				t.Error(got)
			}
			e.shutDown()
		})
	}
}

// A profile that hangs holds up neither the editor nor a cancel, costs the first
// command its limit, and leaves nothing behind.
func TestAHangingProfileHoldsUpNothing(t *testing.T) {
	t.Parallel()
	home := homeWith(t, map[string]string{".profile": "trap '' TERM HUP INT\necho $$ >~/profile.pid\nsleep 600\n"})
	e := asker(t, home)
	s := e.unheldSession(`call c1 exec_command {"cmd":"echo never"}
----
call c2 exec_command {"cmd":"echo came"}
----
want c2 "came"
text "done"`)
	p := e.prompt(s, "go")
	e.event("toolCall/started", `"c1"`)
	began := time.Now()
	e.call("session/cancel", object{"sessionId": s}, nil)
	if got := e.stopReason(p); !strings.HasPrefix(got, "cancelled") {
		t.Error(got)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the cancel took %v: it waited for the profile", took)
	}
	if got := e.stopReason(e.prompt(s, "go on")); got != "endTurn" {
		t.Error(got)
	}
	if !strings.Contains(e.stderr.String(), "not done with its profile within 5s") {
		t.Error("nobody is told of the profile")
	}
	pid := strings.TrimSpace(string(readOr(t, filepath.Join(home, "profile.pid"))))
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("the profile is still there: %s", stat)
	}
	e.shutDown()
}

func readOr(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return text
}

// The end of the bridge does not wait for a profile, and ends it.
func TestTheEndDoesNotWaitForAProfile(t *testing.T) {
	t.Parallel()
	home := homeWith(t, map[string]string{".profile": "trap '' TERM HUP INT\necho $$ >~/profile.pid\nsleep 600\n"})
	e := asker(t, home)
	e.unheldSession(`text "hello"`)
	file := filepath.Join(home, "profile.pid")
	for limit := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the login shell was not asked before there was a command")
		}
	}
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	e.exit(4*time.Second, 0)
	pid := strings.TrimSpace(string(readOr(t, file)))
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("the profile is still there: %s", stat)
	}
}

// C21: whatever way a secret comes to a command, a file or a prompt, nobody is
// shown it: not the editor, not the model, not the log, the record of the
// session or the archive.
func TestSecretsAreShownToNobody(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{
		"GITHUB_TOKEN": "ghx-environment-4711", "DB": "postgres://ada:hunter-4712@db/app", "the profile's": "of-the-profile-4713",
		"the settings'": "of-the-settings-4714", "model/key": "given-by-the-editor-4715",
	}
	home := homeWith(t, map[string]string{
		".profile":   "export PROFILE_SECRET=" + secrets["the profile's"] + "\n",
		settingsFile: "providers: {openai: {key: " + secrets["the settings'"] + "}}\nlog: {level: debug, trace: true}\n",
	})
	e := asker(t, home, "GITHUB_TOKEN="+secrets["GITHUB_TOKEN"], "DB="+secrets["DB"])
	e.request("model/key", object{"provider": "openai-chat", "key": secrets["model/key"]})
	secrets["DB"] = "hunter-4712"
	var all strings.Builder
	for _, value := range secrets {
		all.WriteString(value + "\n")
	}
	if err := os.WriteFile(filepath.Join(e.work, "leak"), []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := e.unheldSession(`call c1 exec_command {"cmd":"cat leak; seq 1 20000; cat leak"}
----
want c1 "[redacted]"
call c2 read_file {"file_path":"leak"}
----
want c2 "[redacted]"
text "read"`)
	if got := e.stopReason(e.prompt(s, "look at leak; the key is "+secrets["model/key"])); got != "endTurn" {
		t.Fatal(got)
	}
	shown := 0
	for _, m := range e.seen {
		shown += bytes.Count(m.Params, []byte("[redacted]"))
		for name, value := range secrets {
			if bytes.Contains(m.Params, []byte(value)) {
				t.Errorf("%s is in %s", name, m.Method)
			}
		}
	}
	if shown < 3*len(secrets) {
		t.Errorf("what was blanked is shown %d times", shown)
	}
	e.shutDown()
	checkFiles(t, e.home, secrets)
	for name, value := range secrets {
		if strings.Contains(e.stderr.String(), value) {
			t.Errorf("%s is on stderr", name)
		}
	}
}
