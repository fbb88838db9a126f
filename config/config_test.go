package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// home returns folders of a user whose settings file holds text.
func home(t *testing.T, text string) Dirs {
	t.Helper()
	d := Dirs{Home: t.TempDir(), Config: filepath.Join(t.TempDir(), "drawbridge")}
	if err := Make(d.Config); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(d.Config, "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNoFileIsTheDefaults(t *testing.T) {
	c, err := Load(Dirs{Config: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), c); diff != "" {
		t.Error(diff)
	}
}

func TestFileWithoutSettingsIsTheDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "---\n", "providers:\n#  openai:\nlog:\n"} {
		c, err := Parse("", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(Default(), c); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// everyShape says everything that can be said.
const everyShape = `
model: openai-chat:qwen
mode: auto-edit
preset: read-only
profile: default
providers:
  anthropic: {baseUrl: "https://proxy.test/v1", key: "0123"}
  openai-chat:
    baseUrl: http://127.0.0.1:8080/v1
    keyEnv: LOCAL_KEY
    model: qwen
retry: {attempts: 0}
stall: 2m30s
models:
  openai:big: {context: 128000, vision: true, thinking: [low, high], price: {input: 1.25, output: 10, cacheRead: 0.125}}
  "script:a:b": {vision: false, thinking: []}
visionModel: anthropic:eyes
images: {allow: ["127.0.0.1:8080", Wiki.Example, 10.1.0.0/16, "[::1]:80", "fe80::1"]}
tools:
  builtin:
    - name: exec_command
      description: Runs.
      parameters: {type: object, required: [cmd], properties: {cmd: {type: string, maxLength: 5}}}
      permission: rw
      forModel: vision
      timeoutMs: -1
      maxOutputLength: 5
      call_description: false
    - {name: read_file, description: Reads., parameters: {}, permission: r}
  agent_toolset_20260401:
    type: agent_toolset_20260401
    default_config: {enabled: false, permission_policy: {type: always_ask}}
    configs: [{name: bash, enabled: true, permission_policy: {type: always_allow}}]
saveBeforeCommands: false
commands: {terminal: never, loginShell: true, fullTerminal: true, wakeOnExit: false}
environment:
  probe: false
  allow: [OPENAI_API_KEY]
  set: {CI: 1, EMPTY: "", LANG: C.UTF-8}
  secrets: [LICENSE_STRING]
sandbox:
  backend: bubblewrap
  network: loopback
  writable: [~/.cache/tool, /var/scratch/../data/]
  pass: [JAVA_HOME]
checkpoints: {enabled: false, maxBytes: 512MiB}
storage: {outputs: 7d, checkpoints: 8d, changes: never, sessions: 400d}
approval:
  timeout: 10m
  remind: 30s
  rules:
    - allow: git diff
    - deny: "rm"
  tools: {edit_file: always_ask}
  denials:
    enabled: false
    rules: [{name: no tape, pattern: mt .*, enabled: false}]
diagnostics: {wait: 0}
log: {level: debug, trace: true}
`

func TestEverySettingIsRead(t *testing.T) {
	d := home(t, everyShape)
	c, err := Load(d)
	if err != nil {
		t.Fatal(err)
	}
	at := func(line, column int) string {
		return fmt.Sprintf("%s:%d:%d", filepath.Join(d.Config, "config.yaml"), line, column)
	}
	yes, no := true, false
	want := Config{
		Set:   c.Set,
		File:  filepath.Join(d.Config, "config.yaml"),
		Model: "openai-chat:qwen", Mode: "auto-edit", Preset: "read-only", Profile: "default",
		Providers: map[string]Provider{
			"anthropic":   {BaseURL: "https://proxy.test/v1", Key: "0123"},
			"openai-chat": {BaseURL: "http://127.0.0.1:8080/v1", KeyEnv: "LOCAL_KEY", Model: "qwen"},
		},
		Retry: Retry{0}, Stall: 150 * time.Second,
		Models: map[string]Model{
			"openai:big": {Context: 128_000, Vision: &yes, Thinking: []string{"low", "high"}, Price: &Price{Input: 1.25, Output: 10, CacheRead: 0.125}},
			"script:a:b": {Vision: &no, Thinking: []string{}},
		},
		VisionModel: "anthropic:eyes",
		Images:      Images{Allow: []string{"127.0.0.1:8080", "wiki.example", "10.1.0.0/16", "[::1]:80", "fe80::1"}},
		Tools: Tools{
			Replaced: true,
			Builtin: []ToolDefinition{{
				Name: "exec_command", Description: "Runs.", Permission: "rw", ForModel: "vision", MaxOutput: 5, At: c.Tools.Builtin[0].At,
				Parameters: json.RawMessage(`{"type":"object","required":["cmd"],"properties":{"cmd":{"type":"string","maxLength":5}}}`),
			}, {
				Name: "read_file", Description: "Reads.", Permission: "r", Parameters: json.RawMessage("{}"),
				Timeout: 2 * time.Minute, MaxOutput: 16_000, CallDescription: true, At: c.Tools.Builtin[1].At,
			}},
			Agent: &AgentToolset{
				Default: AgentTool{Enabled: &no, Policy: "always_ask", PolicyWhere: at(32, 64)},
				Configs: []AgentTool{{Name: "bash", Enabled: &yes, Policy: "always_allow", NameWhere: at(33, 22), PolicyWhere: at(33, 69)}},
			},
		},
		Commands: Commands{Terminal: "never", LoginShell: true, FullTerminal: true},
		Environment: Environment{
			Allow:   []string{"OPENAI_API_KEY"},
			Set:     map[string]string{"CI": "1", "EMPTY": "", "LANG": "C.UTF-8"},
			Secrets: []string{"LICENSE_STRING"},
		},
		Sandbox: Sandbox{
			Backend: "bubblewrap", Network: "loopback",
			Writable: []string{filepath.Join(d.Home, ".cache", "tool"), "/var/data"}, Pass: []string{"JAVA_HOME"},
		},
		Checkpoints: Checkpoints{MaxBytes: 512 << 20},
		Storage:     Storage{Outputs: 7 * day, Checkpoints: 8 * day, Sessions: 400 * day},
		Approval: Approval{
			Timeout: 10 * time.Minute, Remind: 30 * time.Second,
			Rules:   []RuleText{{Verdict: "allow", Text: "git diff", Where: at(52, 14)}, {Verdict: "deny", Text: "rm", Where: at(53, 13)}},
			Tools:   []ToolText{{Name: "edit_file", Policy: "always_ask", Where: at(54, 11)}},
			Denials: Denials{Own: true, Rules: []DenialText{{Name: "no tape", Pattern: "mt .*", Where: at(57, 13)}}},
		},
		Log: Log{"debug", true},
	}
	c.Content = ""
	for path, where := range map[string]string{
		"": at(21, 7), "name": at(21, 13), "permission": at(24, 19), "parameters": at(23, 19), "parameters.type": at(23, 26),
		"parameters.required.cmd": at(23, 45), "parameters.properties": at(23, 63), "parameters.properties.cmd": at(23, 64),
		"parameters.properties.none": at(23, 63), "nothing.at.all": at(21, 7),
	} {
		if got := c.Tools.Builtin[0].Place(path); got != where {
			t.Errorf("%q of a definition stands at %s, not at %s", path, got, where)
		}
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// faultyTexts are texts, each with what a person reads of it.
var faultyTexts = map[string]string{
	"mode: plan\nmodle: x\n":                                  `f:2:1: unknown setting "modle"; did you mean mode?`,
	"presets: x\n":                                            `f:1:1: unknown setting "presets"; did you mean preset?`,
	"approval:\n  timeot: 5m\n":                               `f:2:3: unknown setting "approval.timeot"; did you mean timeout?`,
	"timeout: 5m\n":                                           `f:1:1: unknown setting "timeout"; did you mean approval.timeout?`,
	"approval.timeout: 5m\n":                                  `f:1:1: unknown setting "approval.timeout"; sections are written by indentation`,
	"log:\n  zebra: 5m\n":                                     `f:2:3: unknown setting "log.zebra"; valid here: level, trace`,
	"providers:\n  anthropics: {}\n":                          `f:2:3: unknown setting "providers.anthropics"; did you mean anthropic?`,
	"<<: {}\n":                                                `f:1:1: unknown setting "<<"; valid here: model, mode, preset, profile, providers, models, visionModel, images, retry, stall, saveBeforeCommands, commands, environment, sandbox, checkpoints, storage, approval, tools, diagnostics, log`,
	"? [a]\n: b\n":                                            `f:1:3: unknown setting ""; valid here: model, mode, preset, profile, providers, models, visionModel, images, retry, stall, saveBeforeCommands, commands, environment, sandbox, checkpoints, storage, approval, tools, diagnostics, log`,
	"storage: {outputs: 30}\n":                                `f:1:20: storage.outputs: want days such as 30d, or never`,
	"storage: {sessions: 0d}\n":                               `f:1:21: storage.sessions: want days such as 30d, or never`,
	"checkpoints: {maxBytes: 5}\n":                            `f:1:25: checkpoints.maxBytes: want a size with its unit (KiB, MiB, GiB or TiB), such as 512MiB or 2GiB`,
	"checkpoints: {maxBytes: 99999999TiB}\n":                  `f:1:25: checkpoints.maxBytes: want a size with its unit (KiB, MiB, GiB or TiB), such as 512MiB or 2GiB`,
	"mode: plan\nmode: allow-all\n":                           `f:2:1: mode is set twice, first in line 1`,
	"log:\n  trace: true\n  trace: false\n":                   `f:3:3: trace is set twice, first in line 2`,
	"mode: plan\n---\nmode: plan\n":                           `f:2:1: a second document; one file holds one`,
	"- a\n":                                                   `f:1:1: want a section of settings, have a list`,
	"log: debug\n":                                            `f:1:6: want a section of settings, have a single value`,
	"diagnostics: {wait: 31s}\n":                              `f:1:21: diagnostics.wait: want 0, or a duration with its unit of at most 30s`,
	"approval: {rules: {allow: ls}}\n":                        `f:1:19: approval.rules: want a list of rules such as - allow: git diff, have a section`,
	"approval: {tools: {edit_file: allow}}\n":                 `f:1:31: approval.tools: edit_file: unknown value "allow": choose always_allow, always_ask, always_deny`,
	"approval: {tools: {a: always_aks}}\n":                    `f:1:23: approval.tools: a: unknown value "always_aks": choose always_allow, always_ask, always_deny; did you mean always_ask?`,
	"approval: {tools: [edit_file]}\n":                        `f:1:19: approval.tools: want names of tools with a policy, have a list`,
	"approval: {denials: {rules: [{nam: x}]}}\n":              `f:1:31: approval.denials.rules: unknown key "nam": choose name, pattern, enabled; did you mean name?`,
	"approval: {denials: {rules: [{pattern: x}]}}\n":          `f:1:30: approval.denials.rules: want a name, and a pattern unless a built-in one has that name`,
	"approval: {denials: {rules: x}}\n":                       `f:1:29: approval.denials.rules: want a list of patterns, have a single value`,
	"approval: {remind: 25h}\n":                               `f:1:20: approval.remind: want 0, or a duration with its unit of at most 24h0m0s`,
	"mode: allow\n":                                           `f:1:7: mode: unknown value "allow": choose always-ask, auto-edit, read-only, plan, allow-all, deny-all`,
	"mode: alow-all\n":                                        `f:1:7: mode: unknown value "alow-all": choose always-ask, auto-edit, read-only, plan, allow-all, deny-all; did you mean allow-all?`,
	"mode:\n":                                                 `f:1:6: mode: has no value; give one or take the line out`,
	"mode: [plan]\n":                                          `f:1:7: mode: want text, have a list`,
	"model: gpt\n":                                            `f:1:8: model: want PROVIDER:NAME, have "gpt"; providers are anthropic, openai, openai-chat, script`,
	"model: antropic:x\n":                                     `f:1:8: model: unknown provider "antropic": choose anthropic, openai, openai-chat, script; did you mean anthropic?`,
	"a: &x plan\nmode: *x\n":                                  "f:1:1: unknown setting \"a\"; valid here: model, mode, preset, profile, providers, models, visionModel, images, retry, stall, saveBeforeCommands, commands, environment, sandbox, checkpoints, storage, approval, tools, diagnostics, log\nf:2:7: mode: want text, have a reference",
	"stall: 90\n":                                             `f:1:8: stall: want a duration with its unit, such as 90s or 10m`,
	"stall: -1s\n":                                            `f:1:8: stall: want a duration with its unit, such as 90s or 10m`,
	"retry: {attempts: 21}\n":                                 `f:1:19: retry.attempts: want a number from 0 to 20`,
	"retry: {attempts: \"5\"}\n":                              `f:1:19: retry.attempts: want a number from 0 to 20`,
	"log: {trace: 1}\n":                                       `f:1:14: log.trace: want true or false`,
	"environment: {allow: PATH}\n":                            `f:1:22: environment.allow: want a list of names, have a single value`,
	"environment: {allow: [A, B-C]}\n":                        `f:1:26: environment.allow: want the name of an environment variable`,
	"environment: {set: {A: 1, A: 2}}\n":                      `f:1:27: environment.set: A is set twice`,
	"environment: {set: {A: }}\n":                             `f:1:24: environment.set: want text for A; for empty text write ""`,
	"environment: {set: {A=B: 1}}\n":                          `f:1:21: environment.set: want the name of an environment variable`,
	"commands: {terminal: always}\n":                          `f:1:22: commands.terminal: unknown value "always": choose auto, never`,
	"commands: {fullterminal: true}\n":                        `f:1:12: unknown setting "commands.fullterminal"; did you mean fullTerminal?`,
	"sandbox: {backend: bwrap}\n":                             `f:1:20: sandbox.backend: unknown value "bwrap": choose auto, bubblewrap, landlock, sandbox-exec, none`,
	"sandbox: {network: loop-back}\n":                         `f:1:20: sandbox.network: unknown value "loop-back": choose none, loopback, full; did you mean loopback?`,
	"sandbox: {writable: /tmp/x}\n":                           `f:1:21: sandbox.writable: want a list of folders, have a single value`,
	"sandbox: {writable: [tmp/x]}\n":                          `f:1:22: sandbox.writable: want an absolute path or one that begins with ~/, have "tmp/x"`,
	"sandbox: {writable: [/a, ~/x]}\n":                        `f:1:26: sandbox.writable: ~/x: HOME is not set to an absolute path`,
	"sandbox: {writable: [/tmp/..]}\n":                        `f:1:22: sandbox.writable: / is the whole file system; name a folder that holds only what commands may change`,
	"sandbox: {pass: [A=1]}\n":                                `f:1:18: sandbox.pass: want the name of an environment variable`,
	"environment: {secrets: {A: b}}\n":                        `f:1:24: environment.secrets: want a list of names, have a section`,
	"environment: {set: [A]}\n":                               `f:1:20: environment.set: want names with text, have a list`,
	"providers: {openai: {baseUrl: x}}\n":                     `f:1:31: providers.openai.baseUrl: want a URL that begins with http:// or https://`,
	"providers: {openai: {baseUrl: ftp://x}}":                 `f:1:31: providers.openai.baseUrl: want a URL that begins with http:// or https://`,
	"providers: {openai: {baseUrl: http://u:p@x}}":            `f:1:31: providers.openai.baseUrl: the URL holds a user or password; use key or keyEnv`,
	"providers: {openai: {keyEnv: A B}}\n":                    `f:1:30: providers.openai.keyEnv: want the name of an environment variable`,
	"providers: {openai: {model: 4}}\n":                       `f:1:29: providers.openai.model: want text, have 4; put it in quotes`,
	"providers:\n  openai: {key: a, keyEnv: B}":               `f:2:28: providers.openai.keyEnv: key and keyEnv exclude each other; keep one`,
	"models: {gpt: {}}\n":                                     `f:1:10: models.gpt: want PROVIDER:NAME, have "gpt"; providers are anthropic, openai, openai-chat, script`,
	"models: {openai:x: {contxt: 1}}\n":                       `f:1:21: models.openai:x.contxt: unknown key; did you mean context?`,
	"models: {openai:x: {context: 0}}\n":                      `f:1:30: models.openai:x.context: want a number of tokens from 1 to 1000000000`,
	"models: {openai:x: {thinking: [loud]}}\n":                `f:1:32: models.openai:x.thinking[0]: unknown value "loud": choose off, low, medium, high; did you mean low?`,
	"models: {openai:x: {thinking: [low, low]}}\n":            `f:1:37: models.openai:x.thinking[1]: low is named twice`,
	"models: {openai:x: {price: {input: -1}}}\n":              "f:1:28: models.openai:x.price: output is missing\nf:1:36: models.openai:x.price.input: want US dollars for a million tokens, such as 1.25",
	"models: {openai:x: {price: {input: .inf, output: 1}}}\n": `f:1:36: models.openai:x.price.input: want US dollars for a million tokens, such as 1.25`,
	"models: {openai:x: {vision: 1, vision: 2}}\n":            "f:1:29: models.openai:x.vision: want true or false\nf:1:32: models.openai:x.vision: is set twice, first in line 1",
	"models: {openai:x: []}\n":                                `f:1:20: models.openai:x: want context, vision, thinking and price, have a list`,
	"visionModel: gpt\n":                                      `f:1:14: visionModel: want PROVIDER:NAME, have "gpt"; providers are anthropic, openai, openai-chat, script`,
	"images: {allow: [http://x/y]}\n":                         `f:1:18: images.allow[0]: want a host, host:port, an address, or a range such as 10.1.0.0/16, have "http://x/y"`,
	"images: {alow: []}\n":                                    `f:1:10: unknown setting "images.alow"; did you mean allow?`,
	"tools: {builtins: []}\n":                                 `f:1:9: unknown setting "tools.builtins"; did you mean builtin?`,
	"tools: {builtin: {}}\n":                                  `f:1:18: tools.builtin: want a list of definitions of tools, have a section`,
	"tools: {builtin: [{name: a}]}\n":                         "f:1:19: tools.builtin[0]: description is missing\nf:1:19: tools.builtin[0]: parameters is missing\nf:1:19: tools.builtin[0]: permission is missing",
	"tools: {builtin: [{name: a, descriptoin: b, description: c, parameters: {}, permission: r}]}\n":                       `f:1:29: tools.builtin[0].descriptoin: unknown key; did you mean description?`,
	"tools: {builtin: [{name: a, description: c, parameters: {a: {b: .nan}}, permission: w}]}\n":                           "f:1:65: tools.builtin[0].parameters.a.b: .nan is no value of JSON\nf:1:85: tools.builtin[0].permission: unknown value \"w\": choose r, rw; did you mean r?",
	"tools: {builtin: [{name: a, description: c, parameters: {a: 1, a: 2}, permission: r}]}\n":                             `f:1:64: tools.builtin[0].parameters.a: is set twice, first in line 1`,
	"tools: {builtin: [{name: a, description: c, parameters: {}, permission: r, timeoutMs: 1e3}]}\n":                       `f:1:87: tools.builtin[0].timeoutMs: want a number of milliseconds up to 86400000; 0 or less is no limit`,
	"tools: {builtin: [&d {name: a, description: c, parameters: {}, permission: r}, *d]}\n":                                `f:1:80: tools.builtin[1]: want the definition of a tool, have a reference`,
	"tools:\n  agent_toolset_20260401:\n    configs:\n      - name: bash\n        permission_polciy: {type: always_ask}\n": `f:5:9: tools.agent_toolset_20260401.configs[0].permission_polciy: unknown key; did you mean permission_policy?`,
	"tools: {agent_toolset_20260401: {default_confg: {}}}\n":                                                               `f:1:34: tools.agent_toolset_20260401.default_confg: unknown key; did you mean default_config?`,
	"tools: {agent_toolset_20260401: {default_config: {enabled: yes}}}\n":                                                  `f:1:60: tools.agent_toolset_20260401.default_config.enabled: want true or false`,
	"tools: {agent_toolset_20260401: {configs: [{name: bash, enabled: false, permission_policy: {typ: x}}]}}\n":            "f:1:92: tools.agent_toolset_20260401.configs[0].permission_policy: type is missing\nf:1:93: tools.agent_toolset_20260401.configs[0].permission_policy.typ: unknown key; did you mean type?",
	"tools: {agent_toolset_20260401: {configs: [{name: a}, {name: a}]}}\n":                                                 `f:1:62: tools.agent_toolset_20260401.configs[1].name: a is configured twice`,
	"tools: {agent_toolset_20260401: {type: agent_toolset_20250101}}\n":                                                    `f:1:40: tools.agent_toolset_20260401.type: unknown value "agent_toolset_20250101": choose agent_toolset_20260401; did you mean agent_toolset_20260401?`,
	"providers: {openai: {model: ' '}}\n":                                                                                  `f:1:29: providers.openai.model: has no value; give one or take the line out`,
	"mode: \"plan\nx":                                                                                                      `f:1:1: not valid YAML: found unexpected end of stream`,
}

// Each faulty text with the one line that a person reads of it.
func TestFaultsSayWhereAndWhatWasMeant(t *testing.T) {
	for text, want := range faultyTexts {
		c, err := Parse("f", []byte(text))
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		if err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
		if diff := cmp.Diff(Config{}, c); diff != "" {
			t.Errorf("%q: half-read settings came back: %s", text, diff)
		}
	}
}

func TestAllFaultsAreReportedInFileOrder(t *testing.T) {
	_, err := Parse("f", []byte("log: {level: loud}\nmodle: x\nstall: 1\nlog: {}\n"))
	var got []string
	for line := range strings.Lines(err.Error()) {
		got = append(got, strings.Join(strings.SplitN(line, ":", 4)[:3], ":"))
	}
	if diff := cmp.Diff([]string{"f:1:14", "f:2:1", "f:3:8", "f:4:1"}, got); diff != "" {
		t.Error(diff, err)
	}
	var p *Problem
	if !errors.As(err, &p) || p.Line != 1 || p.Column != 14 {
		t.Errorf("first problem %+v", p)
	}
}

// Every fault of a list, and what is behind one that is no YAML.
func TestOneLookTellsOfAllFaults(t *testing.T) {
	for text, want := range map[string][]string{
		"environment: {allow: [A-B, C, D-E], set: {A=B: 1, C: , C: 2}}": {"f:1:23", "f:1:31", "f:1:43", "f:1:54", "f:1:56"},
		"sandbox: {writable: [a, /b, c]}":                               {"f:1:22", "f:1:29"},
		"approval:\n  tools: {a: x, b: always_ask, c: y, b: z}\n  denials: {rules: [{nam: x}, {pattern: y, enabled: 5}, x]}\n": {
			"f:2:14", "f:2:35", "f:2:38", "f:3:22", "f:3:53", "f:3:57"},
		"tools: {builtin: [{name: a, description: b, permission: r, parameters: {x: [.nan, .inf], y: .nan}}, {name: a, permission: q}]}": {
			"f:1:77", "f:1:83", "f:1:93", "f:1:101", "f:1:101", "f:1:108", "f:1:123"},
		// A part that is no YAML hides nothing of the others.
		"modle: x\nlog: [a\nstall: 1\nretry: {attempts: 21}\n":              {"f:1:1", "f:2:1", "f:3:8", "f:4:19"},
		"log:\n  level: loud\nmode: \"plan\nstall: 1\n":                     {"f:2:10", "f:3:1", "f:4:8"},
		"log:\n\tlevel: debug\nmode: {x\nretry:\n  attempts: x\nstall: 1\n": {"f:2:1", "f:3:1", "f:5:13", "f:6:8"},
		"mode: @x\nstall: *y\npreset: x\x00\n":                              {"f:1:7", "f:3:10"},
	} {
		_, err := Parse("f", []byte(text))
		var got []string
		for _, p := range ProblemsOf(err) {
			got = append(got, fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s%v", text, diff, err)
		}
	}
}

// What the words of settings mean is looked at although other words are wrong, and
// what both find is told once.
func TestChecksSeeWhatCouldBeRead(t *testing.T) {
	d := home(t, "modle: x\nmode: plan\nstall: 1\n")
	file := FileOf(d)
	check := func(c *Config) error {
		if c.Mode != "plan" {
			t.Errorf("mode %q", c.Mode)
		}
		return errors.Join(At(c.Set["mode"], "no"), At(file+":3:8", "stall: want a duration with its unit, such as 90s or 10m"))
	}
	doubts := func(c *Config) []string { return []string{c.Set["mode"] + ": well"} }
	want := "config.yaml:1:1: unknown|config.yaml:2:7: no|config.yaml:3:8: stall: want"
	_, err := Load(d, check)
	warnings, faults := Inspect(d, file, doubts, check)
	f := Follow(d, Default())
	f.Now, f.Check = later(time.Hour), check
	_, _, _, looked := f.Look()
	for what, err := range map[string]error{"load": err, "inspect": faults, "follow": looked} {
		lines := strings.Split(fmt.Sprint(err), "\n")
		for i, start := range strings.Split(want, "|") {
			if len(lines) != 3 || !strings.Contains(lines[i], start) {
				t.Errorf("%s: line %d is not %q:\n%v", what, i, start, err)
				break
			}
		}
	}
	if len(warnings) != 1 || warnings[0] != file+":2:7: well" {
		t.Errorf("%q", warnings)
	}
}

func TestKeyNeverShows(t *testing.T) {
	const key = "sk-very-secret"
	_, err := Parse("f", []byte("providers: {openai: {key: ["+key+"]}}"))
	if err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("error shows the key: %v", err)
	}
	c, err := Parse("f", []byte("providers: {openai: {key: "+key+"}}"))
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Providers["openai"].Key) != key {
		t.Error("the key was not read")
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", c, "key", c.Providers["openai"].Key)
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c.Providers), log.String(), string(encoded)} {
		if strings.Contains(shown, key) {
			t.Errorf("shows the key: %s", shown)
		}
	}
}

func TestKeyThatOthersCanReadIsWarnedOf(t *testing.T) {
	d := home(t, "providers: {openai: {key: k}}")
	path := filepath.Join(d.Config, "config.yaml")
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o644: 1, 0o640: 1} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		c, err := Load(d)
		if err != nil || len(c.Warnings) != want {
			t.Errorf("%o: %d warnings (%v), want %d", mode, len(c.Warnings), err, want)
		}
	}
}

func TestWhatIsNoSettingsFileIsAnError(t *testing.T) {
	folder := Dirs{Config: t.TempDir()}
	if err := os.Mkdir(filepath.Join(folder.Config, "config.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(folder); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err) // a pipe would be waited on for ever
	}
	huge := home(t, strings.Repeat("#\n", maxFile))
	broken := home(t, "mode: nonsense\n")
	for name, d := range map[string]Dirs{"folder": folder, "huge": huge, "broken": broken} {
		if c, err := Load(d); err == nil || !strings.Contains(err.Error(), "config.yaml") || c.Mode != "" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("mode: plan\nproviders: {openai: {key: a}}\n"))
	f.Add([]byte("tools: {builtin: [{name: a, parameters: {x: [1, .5, ~]}}], agent_toolset_20260401: {configs: [{name: b}]}}"))
	f.Add([]byte("a: &a [*a]\n---\n<<: x\n? {}\n: - \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := Parse("f", text); err != nil && c.File != "" {
			t.Error("half-read settings came back")
		}
	})
}
