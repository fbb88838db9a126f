package drawbridge_test

import (
	"os"
	"path/filepath"
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
