package search

import "testing"

// ripgrep's own expressions are taken only for what they read as Perl does.
func TestWhatIsReadAlike(t *testing.T) {
	for pattern, want := range map[string]bool{
		"needle": true, `func (\w+)`: false, `a\.b\(c\)`: true, "[a-z]+_[A-Z0-9]": true, "[^/ ]*x": true, "(?:a|b){2,3}$": true,
		"[*--]": false, "[ --]": false, "[[a]b]": false, "[[:foo:]]": false, "[a--b]": false, "[a&&b]": false, `[\d]`: false,
		"(?i)a": false, "(?=a)b": false, `\bä`: false, "ä": false, "a]b": false, "[]a]": false, "[a": false, `\d`: false, `a\`: false,
		"[=a=]": false, "[:alpha:]": false,
	} {
		if got := plainly(pattern); got != want {
			t.Errorf("%q: %v", pattern, got)
		}
	}
}
