package command

import "testing"

// TestWhatIsSaidToAShell: a shell that reads what stands in the script is doubted,
// and yet what it would run is seen, so that it can be denied.
func TestWhatIsSaidToAShell(t *testing.T) {
	for _, text := range []string{
		"echo payload | sh", "echo 'ls; payload -rf x' | bash", "echo -e 'ls\\npayload' | sh", "echo -n payload|sh -s a", "printf 'payload a' | sh", "printf '%s\\n' payload | sh", "printf 'ls\\npayload\\n' | bash", "cat <<E | sh\npayload a\nE",
		"cat <<'E' | bash\nls\npayload\nE", "<<<payload cat | sh", "echo payload | cat | sh", "echo payload | tee f | sudo sh", "{ echo ls; echo payload; } | sh", "echo payload | { sh; }", "echo payload | (cd x; bash)", "echo payload | source /dev/stdin",
		"echo payload | at now", "x=payload; echo $x | sh", "echo payload | env A=b sh",
	} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) == 0 || !runs(s) {
			t.Errorf("%s: runs %v, doubts %v", text, runs(s), s.Doubts)
		}
	}
}
