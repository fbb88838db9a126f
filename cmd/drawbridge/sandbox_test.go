package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"drawbridge/shell/sandbox"
)

// condition knows the scripts' conditions besides testscript's own: confined
// holds where this machine can confine commands.
func condition(name string) (bool, error) {
	if name != "confined" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return confines() == nil, nil
}

// confines says why this machine cannot confine commands.
var confines = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "drawbridge-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, tmp := filepath.Join(dir, "ws"), filepath.Join(dir, "tmp")
	for _, made := range []string{root, tmp} {
		if err := os.Mkdir(made, 0o700); err != nil {
			return err
		}
	}
	_, err = sandbox.New(sandbox.Policy{Preset: sandbox.WorkspaceWrite, Roots: []string{root}, Tmp: tmp}, sandbox.Options{})
	return err
})

func TestThisMachineConfines(t *testing.T) {
	if err := confines(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("the scripts that need a sandbox are skipped: ", err)
	}
}
