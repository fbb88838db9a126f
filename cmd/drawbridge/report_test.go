package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// reporter is the program about to report, with a home of its own.
type reporter struct {
	t    *testing.T
	home string
	cmd  *exec.Cmd
}

func newReporter(t *testing.T, args ...string) *reporter {
	t.Helper()
	home := filepath.Join(t.TempDir(), "adalovelace")
	cmd := exec.Command("drawbridge", append([]string{"report"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(hermetic(home), "PATH="+os.Getenv("PATH"), "USER=adalovelace")
	return &reporter{t: t, home: home, cmd: cmd}
}

func (r *reporter) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reporter) run() string {
	r.t.Helper()
	var stderr bytes.Buffer
	r.cmd.Stderr = &stderr
	out, err := r.cmd.Output()
	if err != nil || ownWords(stderr.String()) != "" {
		r.t.Fatalf("%v: %s", err, stderr.String())
	}
	return string(out)
}

func checkHas(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Whatever is planted, wherever it stands: the report says what it is for and
// tells no secret and no name.
func TestAReportTellsNoSecret(t *testing.T) {
	t.Parallel()
	const pem = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
	planted := map[string]string{
		"a variable":           "plum-tree-orchard-1",
		"a token's variable":   "plum-tree-orchard-2",
		"a variable of no use": "plum-tree-orchard-3",
		"the settings":         "plum-tree-orchard-4",
		"a proxy's password":   "plum-tree-orchard-5",
		"the settings' set":    "plum-tree-orchard-6",
		"a header":             "plum-tree-orchard-7",
		"an address":           "plum-tree-orchard-8",
		"OpenAI":               "sk-proj-4f9dKq27LmZx81",
		"GitHub":               "ghp_1a2B3c4D5e6F7g8H9i0J",
		"AWS":                  "AKIA" + "IOSFODNN7EXAMPLE",
		"a private key":        pem,
		"the user":             "adalovelace",
	}
	r := newReporter(t)
	r.cmd.Env = append(r.cmd.Env, "ANTHROPIC_API_KEY="+planted["a variable"], "SOME_TOKEN_OF_MINE="+planted["a token's variable"],
		"CLIENT_SECRET="+planted["a variable of no use"], "HTTPS_PROXY=http://u:"+planted["a proxy's password"]+"@proxy.test:8080")
	r.write("config/drawbridge/config.yaml", fmt.Sprintf("providers: {openai: {key: %s}}\nenvironment: {set: {A: b, DB_PASSWORD: %s}}\n",
		planted["the settings"], planted["the settings' set"]))
	var log, editor strings.Builder
	for what, secret := range planted {
		if what != "a private key" {
			log.WriteString(`{"level":"WARN","msg":"said Authorization: Bearer ` + secret + `"}` + "\n")
		}
	}
	for _, kind := range []string{"a variable", "a token's variable", "a variable of no use", "the settings", "a proxy's password", "the settings' set", "OpenAI", "GitHub", "AWS"} {
		fmt.Fprintf(&log, "{\"level\":\"WARN\",\"msg\":\"%s in the middle of %s\"}\n", planted[kind], r.home)
		fmt.Fprintf(&editor, "seen by itself: %s\n", planted[kind])
	}
	r.write("state/drawbridge/logs/drawbridge.log", log.String())
	fmt.Fprintf(&editor, "x-api-key: %s\nhttps://me:%s@host.test/\n", planted["a header"], planted["an address"])
	fmt.Fprintf(&editor, "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----\nopened by adalovelace in %s/src\n", pem, r.home)
	r.cmd.Stdin = strings.NewReader(editor.String())
	text := r.run()
	for what, secret := range planted {
		if strings.Contains(text, secret) {
			t.Errorf("%s is told: %s", what, secret)
		}
	}
	checkHas(t, text, "drawbridge "+version+" on ", "## Doctor\n", "providers.openai.key: (set)", "environment.set: [A DB_PASSWORD]",
		"in the middle of ~", "## From the editor\n", "seen by itself: (secret)", "opened by (user) in ~/src", "proxy.test:8080")
}

func TestAReportNeedsNothing(t *testing.T) {
	t.Parallel()
	r := newReporter(t)
	text := r.run()
	checkHas(t, text, "## Versions\n", "## Settings\n", "no log: ", "no such file")
	if strings.Contains(text, "From the editor") {
		t.Error("an editor that said nothing has a heading")
	}
}

// Settings that cannot be read are what the report is about.
func TestAReportOnBrokenSettings(t *testing.T) {
	t.Parallel()
	r := newReporter(t)
	r.write("config/drawbridge/config.yaml", "modle: x\n")
	checkHas(t, r.run(), `BAD   settings`, `unknown setting "modle"`, "(they cannot be read; see above)")
}

// Of a long log the end counts, of a long line its beginning, and what stands
// in it cannot end the block that it stands in.
func TestAReportsLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.log")
	var log strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&log, "line %d of a long log that somebody keeps\n", i)
	}
	log.WriteString("long " + strings.Repeat("x", 5000) + "\n```\n# no heading\n")
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	text := newReporter(t, "--log", path).run()
	checkHas(t, text, "of "+path+"\n\n````text\nline 29803 of", "\nline 29999 of", "xxx…\n```\n# no heading\n````\n")
	if strings.Contains(text, "line 29802") || len(text) > 100_000 {
		t.Errorf("the report has %d bytes", len(text))
	}
}

// Not every program that starts us closes our stdin.
func TestAReportDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	r := newReporter(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	if _, err := write.WriteString("the first half\n"); err != nil {
		t.Fatal(err)
	}
	r.cmd.Stdin = read
	checkHas(t, r.run(), "From the editor", "the first half")
}
