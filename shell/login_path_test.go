package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A profile runs programs by name. Those of a project, which come first in PATH
// where direnv or npm put them, are not run for it: nothing holds them. Commands
// see PATH as it is.
func TestLoginRunsNoProgramOfAProject(t *testing.T) {
	home, o := user(t, map[string]string{".profile": "id -u >/dev/null; uname >/dev/null; export A=1\n"})
	project := filepath.Join(home, "project")
	ran := filepath.Join(home, "ran")
	bin := filepath.Join(project, "node_modules", ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "uname", "env", "stty", "dircolors", "locale"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+name+" >>"+ran+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(home, "link")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(bin)
	for _, first := range []string{bin, link, ".", "", "../.bin"} {
		path := first + ":/usr/bin:/bin"
		o.Host = override(o.Host, []string{"PATH=" + path})
		l := NewLogin(o)
		env := l.Env(t.Context())
		if report := l.Report(t.Context()); report.Err != nil || valueIn(env, "A") != "1" {
			t.Errorf("%q: %v, A=%s", first, report.Err, valueIn(env, "A"))
		}
		l.Close()
		if text, err := os.ReadFile(ran); err == nil {
			t.Errorf("with %q in PATH it ran %s", first, strings.Fields(string(text)))
			os.Remove(ran)
		}
		if have := valueIn(env, "PATH"); filepath.IsAbs(first) && !strings.Contains(":"+have+":", ":"+first+":/usr/bin:") {
			t.Errorf("of PATH %s commands see %s", path, have)
		}
	}
}
