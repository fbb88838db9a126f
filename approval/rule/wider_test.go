package rule

import (
	"strings"
	"testing"
)

func TestReasonsSayWhatToWrite(t *testing.T) {
	s := NewSet(rules(t, Allow, "go build", "go test", "git", "python -m pytest", "foo", "git commit", "write:docs/**", "read:/etc/hosts", "cat", "tool")...)
	for line, want := range map[string]string{
		"go build -o bin/x ./...": "`-o` writes a file, which rule `go build` does not cover; a rule that does: `go build -o`",
		"FOO=1 go test ./...":     "a rule that does: `FOO=<any> go test`",
		"git push origin":         "a rule that does: `git push",
		"tool -x":                 "it is not known what `-x` does",
		"tool --exec=x":           "`--exec` may run a program",
		"rm -rf x":                "denied for safety: rm -rf (use rm -r; a person may change approval.denials in the settings)",
		"mkfs x":                  "denied for safety: mkfs (a person may change",
		"wget 'a b'":              "no rule covers `wget 'a b'`",
		"echo hi > other/x.md":    "no rule covers `echo hi > other/x.md`",
		"cat go.mod > other/x.md": "a rule that does: `write:other/x.md`",
		"cat go.mod > docs/x.md":  "allowed by rule `cat`, and `docs/x.md` allowed by rule `write:docs/**`",
		"cat < /etc/hosts":        "allowed by rule `cat`, and `/etc/hosts` allowed by rule `read:/etc/hosts`",
		"cd src && cat util.go":   "allowed by rule `cat`",
		"> other/x.md":            "`other/x.md` is written",
		"go test -exec x":         "a rule that does: `go test -exec x`",
	} {
		if why := judged(s, line).Why; !strings.Contains(why, want) {
			t.Errorf("%s: %s; wanted %s", line, why, want)
		}
	}
	checkLines(t, s, Allow, "python -m pytest -x -q", "python -m pytest -vv -k foo src")
	checkLines(t, s, Open, "python -m pytest -p evil", "python -m pytest -c /etc/x")
	for _, line := range []string{"GIT_PAGER=x git log", "PATH=x go test", "python -c 1"} {
		if why := judged(s, line).Why; strings.Contains(why, "a rule that does") {
			t.Errorf("%s: %s", line, why)
		}
	}
}
