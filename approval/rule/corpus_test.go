package rule

import (
	"os"
	"strings"
	"testing"
)

func TestNoLineGetsPastTheRules(t *testing.T) {
	s := NewSet(rules(t, Allow, "ls", "git status", "git diff", "cat", "go test", "npm test")...)
	for _, line := range corpus(t, "bypass.txt") {
		if j := judged(s, line); j.Verdict == Allow {
			t.Errorf("allowed: %q", line)
			for _, p := range j.Parts {
				t.Logf("  part %s: %q %s", shown(&p.Command), p.Verdict, p.Why)
			}
		}
	}
}

func TestEverydayLinesNeedNoQuestion(t *testing.T) {
	data, err := os.ReadFile("../../testdata/approval/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSet(rules(t, Allow, strings.Split(strings.TrimSpace(string(data)), "\n")...)...)
	checkLines(t, s, Allow, corpus(t, "everyday.txt")...)
}
