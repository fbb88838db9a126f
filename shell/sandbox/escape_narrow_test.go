//go:build linux

package sandbox

import (
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/shell"
)

// What Landlock alone must refuse, though the policy opens it, is explained as
// what it is.
func TestLandlockAloneSaysWhereItIsNarrow(t *testing.T) {
	w := newWorld(t)
	for _, c := range confinements(t) {
		s := w.sandbox(t, c, WorkspaceWrite)
		if got := s.Lacking() != ""; got != (c.name == "landlock alone") {
			t.Errorf("%s lacks %q", c.name, s.Lacking())
		}
		for name, narrow := range map[string]bool{"new": true, ".git/index.lock": true, "sub/new": false, "main.go": false} {
			said := deniedBy(s, "create: '"+filepath.Join(w.Root, name)+"': Permission denied\n", shell.Exit{Code: 1})
			if got := strings.Contains(said, "refuses namespaces"); got != (narrow && c.name == "landlock alone") {
				t.Errorf("%s: %s: %q", c.name, name, said)
			}
		}
	}
}
