package workspace

import (
	"strings"
	"testing"
)

func TestMatchPathAsGit(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/a/b", "a/x/a/b", true}, {"a/**", "a", false}, {"a/**", "a/b/c", true}, {"a/**/b", "a/b", true}, {"*/b", "a/x/b", false},
		{"a**b", "a/b", false}, {"[!a]", "a", false}, {"[!a]", "b", true}, {"[!a]", "/", false}, {"?", "é", false}, {"??", "é", true},
		{"[b-a]", "b", true}, {"[b-a]", "a", false}, {`\*`, "*", true}, {`\*`, "a", false}, {"[a", "a", false}, {`a\`, `a\`, false},
	} {
		if got := matchPath(c.pattern, c.path); got != c.want {
			t.Errorf("%s on %s: %v", c.pattern, c.path, got)
		}
	}
}

// A matcher that tries each star anew for each other would not end here.
func TestManyStarsEnd(t *testing.T) {
	pattern := strings.Repeat("**/a*", maxStars/2) + "/b"
	if matchPath(pattern, strings.Repeat("a/", 400)+"c") {
		t.Error("it matches")
	}
}
