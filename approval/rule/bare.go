package rule

import (
	"slices"
	"strings"
)

// bareToo names programs besides interpreters and wrappers that run whatever
// they are told to.
var bareToo = []string{"ssh", "eval", "exec", "source", ".", "npx", "bunx", "uvx", "pipx", "docker", "podman", "awk", "gawk"}

// Bare reports whether a rule that can be read names an interpreter, or a program
// that runs another, and no more than flags and wildcards behind it: it would be
// a yes to whatever that runs.
func (r Rule) Bare() bool {
	p, err := compile(r)
	if err != nil || p.file != commands || p.exact || len(p.words) == 0 {
		return false
	}
	name := baseName(p.words[0].text)
	if !interpreters().has(name) && !wraps(name) && !slices.Contains(bareToo, name) {
		return false
	}
	return !slices.ContainsFunc(p.words[1:], func(w token) bool {
		return w.wild == "" && !strings.HasPrefix(w.text, "-")
	})
}
