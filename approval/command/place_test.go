package command

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plainWorld has no links.
type plainWorld struct{ nowhere }

func (plainWorld) Target(dir, name string) Target {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return Target{Abs: filepath.Clean(name)}
}

// TestWhereTheLastCommandRuns: a folder is known, or one of a few, or any: "?".
func TestWhereTheLastCommandRuns(t *testing.T) {
	for line, want := range map[string]string{
		"w":                              "/ws",
		"cd a && w":                      "/ws/a",
		"cd a; w":                        "/ws /ws/a",
		"cd a\nw":                        "/ws /ws/a",
		"cd a || w":                      "/ws",
		"cd a || exit; w":                "/ws/a",
		"cd a; cd b; w":                  "/ws /ws/a /ws/a/b /ws/b",
		"cd a; cd b; cd c; cd d; w":      "?",
		"cd a; cd /b && w":               "/b",
		"cd a; cd ..; w":                 "/ /ws /ws/a",
		"cd $X; w":                       "?",
		"cd $X; cd /a && w":              "/a",
		"cd -; w":                        "?",
		"(cd a); cd -; w":                "?",
		"cd a && cd - && w":              "/ws /ws/a",
		"OLDPWD=/x; cd a && cd -; w":     "?",
		"cd a && OLDPWD=/x; cd -; w":     "?",
		"cd a && bash -c 'cd -; w'":      "?",
		"pushd a; w":                     "/ws /ws/a",
		"pushd a; popd; w":               "/ws /ws/a",
		"pushd a; pushd; w":              "/ws /ws/a",
		"pushd -n /x; popd; w":           "?",
		"pushd +1; w":                    "?",
		"popd +1; w":                     "?",
		"DIRSTACK[1]=/x; popd; w":        "?",
		"CDPATH=/x; cd a; w":             "?",
		"CDPATH=/x cd a; w":              "?",
		"CDPATH=/x; cd ./a && w":         "/ws/a",
		"set -a; w":                      "/ws",
		"set -a; cd a; w":                "?",
		"eval 'cd a'; w":                 "/ws /ws/a",
		"eval \"$X\"; w":                 "?",
		"f() { x; }; f; w":               "/ws",
		"f() { w; }":                     "/ws",
		"f() { cd a; }; f; w":            "?",
		"f() { c\\d a; }; f; w":          "?",
		"for x in 1 2; do cd a; done; w": "?",
		"if x; then cd a; fi; w":         "/ws /ws/a",
		"alias x=cd; w":                  "?",
		"declare -i x; w":                "/ws",
		"cd a; ssh h w":                  "?",
		"cd a; timeout 5 w":              "/ws /ws/a",
		"cd a; bash -c w":                "/ws /ws/a",
		"cd a; (cd b && w)":              "/ws/a/b /ws/b",
		"cd a; env -C /x w":              "?",
	} {
		s := Parse(line, "/ws", plainWorld{})
		got := "none"
		for _, p := range s.Parts {
			if len(p.Argv) == 0 || p.Argv[0].Text != "w" {
				continue
			}
			all := append([]string(nil), p.Dirs...)
			if p.Dir != "" {
				all = append(all, p.Dir)
			}
			slices.Sort(all)
			if got = strings.Join(all, " "); got == "" {
				got = "?"
			}
		}
		if got != want {
			t.Errorf("%q: w runs in %s, wanted %s", line, got, want)
		}
	}
}
