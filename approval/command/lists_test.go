package command

import (
	"strings"
	"testing"
)

// TestListsAreSeen: the words of an array are doubted, and yet seen.
func TestListsAreSeen(t *testing.T) {
	for _, text := range []string{
		"set -- -rf x; rm \"$@\"", "set -- -rf x; rm $@", "set -- -rf x; rm $*", "a=(rm -rf x); \"${a[@]}\"", "a=(rm -rf x); ${a[@]}", "a=(-rf x); rm \"${a[@]}\"", "declare -a a=(-rf x); rm \"${a[@]}\"", "set -e -- -rf x; rm \"$@\"",
	} {
		s, seen := Parse(text, "/ws", fixed{}), false
		for _, p := range s.Parts {
			seen = seen || strings.Join(renderPart(p), " ") == "rm -rf x"
		}
		if !seen || len(s.Doubts) == 0 {
			t.Errorf("%s: %v, doubts %v", text, s.Parts, s.Doubts)
		}
	}
	if s := Parse("rm \"$@\" \"${a[@]}\"", "/ws", fixed{}); s.Parts[0].Argv[1].Known {
		t.Error(s.Parts)
	}
}
