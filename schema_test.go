package drawbridge_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/config"
	"drawbridge/tools"
)

// The schemas of settings that the extension brings are those of the program.
func TestSettingsSchemasAreCurrent(t *testing.T) {
	builtin, err := tools.Profile(tools.ProfileDefault)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := tools.Profile(tools.ProfileAgent)
	if err != nil {
		t.Fatal(err)
	}
	names := config.Names{Tools: tools.AllNames(), Builtin: builtin.Names(), Agent: agent.Names()}
	for name, want := range map[string][]byte{"user": config.Schema(names), "workspace": config.RepositorySchema(names)} {
		path := filepath.Join("editors", "vscode", "schemas", name+".json")
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != string(want) {
			t.Errorf("%s is stale (%v); run: go test . -run TestSettingsSchemas -update", path, err)
		}
	}
}

var (
	// pageNamed is a page of the documentation, with the heading that is meant.
	pageNamed = regexp.MustCompile(`docs/[\w./-]+\.md(?:#([\w-]+))?`)
	address   = regexp.MustCompile(`https?://[^\s"'<>)]+`)
)

// What a schema names can be looked at: an editor shows its texts far from the
// folder of the pages, so that no link between those leads anywhere there.
func TestSettingsSchemasNameWhatExists(t *testing.T) {
	named := 0
	for _, file := range []string{"user", "workspace"} {
		text := readText(t, filepath.Join("editors", "vscode", "schemas", file+".json"))
		if strings.Contains(text, "](") {
			t.Errorf("%s.json has a relative link", file)
		}
		for _, m := range pageNamed.FindAllStringSubmatch(text, -1) {
			named++
			page, _, _ := strings.Cut(m[0], "#")
			if _, err := os.Stat(page); err != nil {
				t.Errorf("%s.json names %s, which does not exist", file, page)
			} else if m[1] != "" && !slices.Contains(anchors(readText(t, page)), m[1]) {
				t.Errorf("%s.json names %s, where no such heading is", file, m[0])
			}
		}
		for _, a := range address.FindAllString(text, -1) {
			if a != "http://json-schema.org/draft-07/schema#" && !strings.HasPrefix(a, "https://drawbridge.invalid/") {
				t.Errorf("%s.json names %s, which nobody has looked at", file, a)
			}
		}
	}
	if named == 0 {
		t.Error("no page is named")
	}
}

var (
	heading   = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors are the names of a page's headings in addresses.
func anchors(page string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}
