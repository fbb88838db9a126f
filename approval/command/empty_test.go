package command

import "testing"

// TestWhatMayBeEmptyMayBeNoWord: a variable that may be unset, or empty, gives
// no word at all where it stands without quotes.
func TestWhatMayBeEmptyMayBeNoWord(t *testing.T) {
	for text, many := range map[string]bool{
		"unset x; alpha $x w": true, "unset x; alpha ${x} w": true, "unset x; alpha $x$x w": true, "unset x; alpha \"$x\" w": false, "unset x; alpha a$x w": true,
		"if beta; then x=5; fi; alpha $x w": true, "beta && x=5; alpha $x w": true, "x=; beta && x=5; alpha $x w": true, "beta && x=''; alpha $x w": true,
		"x=5; beta && unset x; alpha $x w": true, "x=5; unset x; alpha $x w": true, "for x in 1 2; do beta; done; alpha $x w": true, "x=5; x= true; alpha $x w": true,
		"while beta; do x=5; done; alpha $x w": true, "(( beta && (x=5) )); alpha $x w": true, "for ((; x < 3; x++)); do beta; done; alpha $x w": true,
		"beta $1 && alpha $1 w": true, "alpha ${1} w": true, "set -- a; alpha $2 w": true, "eval \"$y\"; alpha $1 w": true, "eval \"$y\"; alpha $x w": true, "x=5; eval \"$y\"; alpha $x w": true, "alpha ${#x}$x w": true,
		"unset x; bash -c 'alpha $x w'": true, "x=5; f() { unset x; }; f; alpha $x w": true, "x=5; f() { local x; alpha $x w; }; f": true, "f() { alpha $1 w; }; f": true,
		"x=1; beta && x=2; alpha $x $((x)) w": false, "x=1; while beta; do ((x++)); alpha $x w; done": false, "for ((x=0;x<3;x++)); do alpha $x w; done": false, "for x in {1..40}; do alpha $x $((x)); done": false,
		"x=1; x=$((x+1)); alpha $x w": false, "x=1; (( x += 2 )); alpha $x w": false, "alpha $# w": false, "x=1; IFS=1; (( x++ )); alpha $x w": true,
	} {
		for _, p := range Parse(text+"; : $((1))", "/ws", fixed{}).Parts { // with arithmetic, numbers are looked for
			if len(p.Argv) > 1 && p.Argv[0].Text == "alpha" && (p.Argv[1].Known || p.Argv[1].Many != many) {
				t.Errorf("%s: %+v", text, p.Argv[1])
			}
		}
	}
}

// TestShLeavesATildeWithinAWord: dash takes NAME=~ for an assignment only in
// front of a command.
func TestShLeavesATildeWithinAWord(t *testing.T) {
	for text, known := range map[string]bool{"alpha a=~": false, "alpha a=~/b": false, "alpha a=b:~": false, "alpha a=~:b": false, "alpha ~": true, "alpha ~/b": true, "alpha a=b": true, "alpha 'a=~'": true, "a=~ alpha w": true} {
		for _, shell := range []string{"sh", "/bin/dash"} {
			for _, p := range ParseFor(shell, text, "/ws", fixed{}).Parts {
				if w := p.Argv[1]; w.Known != known || !known && w.Prefix != "" && w.Prefix != "a=" && w.Prefix != "a=b:" {
					t.Errorf("%s: %s: %+v", shell, text, w)
				}
			}
		}
	}
	if w := Parse("alpha a=~", "/ws", fixed{}).Parts[0].Argv[1]; w.Text != "a=/home/me" {
		t.Errorf("in bash: %+v", w)
	}
	if w := Parse("sh -c 'alpha a=~'", "/ws", fixed{}).Parts[1].Argv[1]; w.Known {
		t.Errorf("within a script: %+v", w)
	}
}
