//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// TestConfinedCommandsKeepTheContract runs what every command must do, under
// each backend. Its workspaces lie in the folder for temporary files, which is
// another one inside.
func TestConfinedCommandsKeepTheContract(t *testing.T) {
	for _, c := range confinements(t) {
		t.Run(c.name, func(t *testing.T) {
			newRunner := func(*testing.T) shell.Runner { return shell.NewRunner(shell.Options{}) }
			shelltest.RunConfined(t, newRunner, c.around)
		})
	}
}

// around is a sandbox whose workspace is dir. Landlock alone lets nothing new be
// made directly in a workspace, so there dir is a folder of one.
func (c confinement) around(t *testing.T, dir string) shell.Confinement {
	t.Helper()
	root := dir
	if c.name == "landlock alone" {
		root = filepath.Dir(dir)
	}
	p, err := Policy{
		Preset: WorkspaceWrite, Roots: []string{root}, Tmp: t.TempDir(),
		Pass: []string{"MARK", "GIVEN"}, // what the checks give their commands
	}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.open(p, Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return &Sandbox{policy: p, backend: b}
}
