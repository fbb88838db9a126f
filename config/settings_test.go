package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write docs/settings.md from the table")

const preface = `<!-- Generated from the table in config/settings.go: go test ./config -update -->
# Settings

The user's settings are one YAML file, ` + "`$XDG_CONFIG_HOME/drawbridge/config.yaml`" + ` (by default
` + "`~/.config/drawbridge/config.yaml`" + `). It need not exist. A flag on the command line and what an editor
sets for a session win over it. What a workspace brings counts only when you trust it ([trust.md](trust.md)).

Reading is strict. An unknown key, a value of the wrong kind, a key that is set twice or a second document is an
error that names the file, the line, the column and what was probably meant. No session starts until it is mended:
settings that are half understood could allow what their author forbade.

Durations carry their unit (` + "`90s`, `10m`, `1h30m`" + `). Text that looks like a number or a truth value is quoted.

| setting | value | default | counts | meaning |
|---|---|---|---|---|
`

const example = `
An example:

` + "```yaml" + `
model: anthropic:claude-sonnet-4-5
mode: auto-edit
providers:
  anthropic:
    keyEnv: WORK_ANTHROPIC_KEY
  openai-chat:
    baseUrl: http://127.0.0.1:8080/v1
environment:
  allow: [GITHUB_TOKEN]
  set: {CI: "1"}
sandbox:
  writable: [~/.cache/my-tool]
approval:
  timeout: 10m
models:
  "openai:some-model": {context: 128000, vision: true, thinking: [low, medium, high], price: {input: 1.25, output: 10, cacheRead: 0.125}}
images:
  allow: ["127.0.0.1:8080"]
` + "```" + `
`

const toolsExample = `
## Tools

` + "`tools.builtin`" + ` stands in place of all tools of the profile ` + "`default`" + `: a tool that is not listed is not there, and an empty list
is no tool at all. What an entry leaves out of its parameters no model is told of; one that
gives such an argument all the same is understood. What a tool cannot be called without has to be
there. A name without a tool is left out, with a warning.

| key | value | default | meaning |
|---|---|---|---|
| ` + "`name`" + ` | text | | the tool |
| ` + "`description`" + ` | text | | what a model reads of it |
| ` + "`parameters`" + ` | JSON Schema | | its arguments, as a model reads them |
| ` + "`permission`" + ` | r, rw | | ` + "`r`" + ` for a tool that only reads. It never lets a tool do more: one that does more than read cannot be ` + "`r`" + `, and one that reads asks each time where it says ` + "`rw`" + ` |
| ` + "`forModel`" + ` | vision, text-only | | the models that are given it; without it, all |
| ` + "`timeoutMs`" + ` | number | ` + "`120000`" + ` | time limit of a call; 0 or less is none |
| ` + "`maxOutputLength`" + ` | number | ` + "`16000`" + ` | characters of output; 0 or less is no limit |
| ` + "`call_description`" + ` | true or false | ` + "`true`" + ` | whether a model is asked what a call is for; ` + "`false`" + ` takes the argument ` + "`description`" + ` out of what it reads, and not out of your file |

` + "`tools.agent_toolset_20260401`" + ` is the entry of that toolset. For each tool its own word counts, else that of
` + "`default_config`" + `; else it is there. ` + "`always_ask`" + ` asks in every mode. ` + "`always_allow`" + ` answers where you wrote it, as far as
in [` + "`approval.tools`" + `](approval.md); where nothing is written the mode decides. The tools are bash, read, write, edit, glob and
grep: web_fetch and web_search, which the toolset has elsewhere, are no tools here.

` + "```yaml" + `
tools:
  builtin:
    - name: exec_command
      description: Run a shell command in the workspace.
      permission: rw
      call_description: false
      timeoutMs: 60000
      parameters:
        type: object
        properties:
          cmd: {type: string, description: The command line.}
        required: [cmd]
  agent_toolset_20260401:
    type: agent_toolset_20260401
    default_config: {permission_policy: {type: always_ask}}
    configs:
      - {name: grep, enabled: false}
` + "```" + `

## Checking

` + "```sh" + `
drawbridge config check      # all that is wrong in your file and in the workspace's, with line and column
drawbridge config show       # what holds, and where each of it was written; no secrets
drawbridge config schema     # JSON Schema for your editor's YAML completion; --workspace for the workspace's file
` + "```" + `

The VS Code extension brings the schemas. Elsewhere, with yaml-language-server, save one and begin the file with
` + "`# yaml-language-server: $schema=PATH`" + `.

A change of the file counts from the next turn on, as the table says: *at once*, *in new sessions*, or *after a restart*. A file
with a fault changes nothing until it is mended.

What is read while it is written never counts: the file has to have rested for a second first, for 3 seconds where it is gone,
or something was taken out of it, and for 10 while a program has it open to write. A turn does not wait for that: what counted
before goes on to count. So it does while a turn of any session of the same editor runs, a subagent's too, for a turn ends by
what it began with. Only what new rules deny or have asked about, and tools set to *always_deny* or *always_ask*, count as soon
as the file has rested. A change of comments or of the file's rights is not told.

A start waits only for a file that a program has open to write, or that changed within the last second and is empty or has a
fault: until that is over, for a second at most. A fault that is still there then is told, and nothing starts.
`

// reference is docs/settings.md.
func reference() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, s := range settings(Dirs{}) {
		def := ""
		if s.def != "" {
			def = "`" + s.def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.path, s.kind, def, s.when, s.doc)
	}
	return b.String() + example + toolsExample
}

func TestSettingsPageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "docs", "settings.md")
	if *update {
		if err := os.WriteFile(path, []byte(reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || string(page) != reference() {
		t.Errorf("%s is stale (%v); run: go test ./config -update", path, err)
	}
}

func TestExampleOnThePageIsValid(t *testing.T) {
	_, rest, _ := strings.Cut(example, "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	if c, err := parse(Dirs{Home: "/home/ada"}, "example", []byte(text)); err != nil || c.Mode != "auto-edit" {
		t.Errorf("%+v, %v", c, err)
	}
}

// A default in the table is what Default says: reading it changes nothing.
func TestDefaultsAreThoseOfTheTable(t *testing.T) {
	for _, s := range settings(Dirs{}) {
		if s.def == "" {
			continue
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(s.def), &doc); err != nil {
			t.Fatal(err)
		}
		c := Default()
		if err := s.read(&c, doc.Content[0]); err != nil {
			t.Errorf("%s: default %q: %v", s.path, s.def, err)
		}
		if got, want := fmt.Sprintf("%+v", c), fmt.Sprintf("%+v", Default()); got != want {
			t.Errorf("%s: default %q gives\n%s, want\n%s", s.path, s.def, got, want)
		}
	}
}
