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

| setting | value | default | meaning |
|---|---|---|---|
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
` + "```" + `
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.path, s.kind, def, s.doc)
	}
	return b.String() + example
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
