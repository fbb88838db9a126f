package config

import (
	"strings"
	"testing"
)

const everySetting = `
model: openai-chat:qwen
mode: auto-edit
preset: read-only
profile: default
providers:
  anthropic: {baseUrl: "https://one.test/v1", key: "the-key-itself", model: m1}
  openai: {baseUrl: "https://two.test/v1", keyEnv: A_KEY, model: m2}
  openai-chat: {baseUrl: "https://three.test/v1", keyEnv: B_KEY, model: m3}
models: {"openai:m2": {vision: true}}
visionModel: openai:m2
images: {allow: [wiki.example]}
tools: {builtin: [], agent_toolset_20260401: {configs: [{name: bash}]}}
retry: {attempts: 2}
stall: 2m
saveBeforeCommands: false
commands: {terminal: never}
environment: {allow: [OPENAI_API_KEY], set: {CI: the-value-itself}, secrets: [LICENSE_STRING]}
sandbox: {backend: landlock, writable: [/var/data], pass: [JAVA_HOME]}
approval: {timeout: 10m, remind: 5m, rules: [{allow: ls}], tools: {edit_file: always_ask}, denials: {enabled: false, rules: []}}
diagnostics: {wait: 3s}
log: {level: debug, trace: true}
`

// A summary names every setting, and says of keys and variables no more than
// that they are set.
func TestSummary(t *testing.T) {
	c, err := Parse("f", []byte(everySetting))
	if err != nil {
		t.Fatal(err)
	}
	text := c.Summary()
	for _, s := range settings(Dirs{}) {
		// A provider has its key or the name of a variable.
		alternative := s.path == "providers.anthropic.keyEnv" || s.path == "providers.openai.key" || s.path == "providers.openai-chat.key"
		if strings.Contains(text, s.path+": ") == alternative {
			t.Errorf("%s is in the summary: %v\n%s", s.path, !alternative, text)
		}
	}
	for _, want := range []string{"providers.anthropic.key: (set)\n", "environment.set: [CI]\n", "stall: 2m0s\n", "log.trace: true\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "itself") {
		t.Errorf("a value that is nobody's business is in\n%s", text)
	}
}

func TestSummaryLeavesOutWhatIsNotSet(t *testing.T) {
	c := Default()
	want := "profile: default\nretry.attempts: 5\nstall: 1m30s\nsaveBeforeCommands: true\n" +
		"commands.terminal: auto\ncommands.loginShell: false\ncommands.fullTerminal: false\ncommands.wakeOnExit: true\n" +
		"environment.probe: true\nsandbox.backend: auto\nsandbox.network: none\ncheckpoints.enabled: true\ncheckpoints.maxBytes: 1GiB\n" +
		"storage.outputs: 30d\nstorage.checkpoints: 30d\nstorage.changes: 90d\nstorage.sessions: never\napproval.remind: 1m0s\napproval.denials.enabled: true\ndiagnostics.wait: 1s\nlog.level: info\nlog.trace: false\n"
	if got := c.Summary(); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}
