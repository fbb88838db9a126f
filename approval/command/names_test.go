package command

import "testing"

// TestWhatSetsAVariableWithoutAnAssignment: where PATH may be another one, which
// commands run is not known.
func TestWhatSetsAVariableWithoutAnAssignment(t *testing.T) {
	for _, text := range []string{
		"for PATH in .; do ls; done", "select PATH in .; do ls; done", "coproc PATH { ls; }; ls", "(( PATH = 1 )); ls", "(( PATH[0] += 1 ))", "(( ++PATH ))", "let PATH=1",
		"for ((PATH=1;;)); do ls; done", "echo $((PATH=1))", "echo ${x:PATH=1}", "cat {PATH}>/dev/null", "> /dev/null {PATH}> /dev/null", "echo ${BASH_ENV:=x}", "eval 'for PATH in .; do ls; done'",
		"read PATH <<< .; ls", "read -r a PATH < x; ls", "getopts a PATH; ls", "printf -v PATH .; ls", "mapfile PATH < x; ls", "readarray -t BASH_ENV < x; ls", "wait -p PATH; ls", "declare -n x=PATH; x=.; ls", "local -n x=PATH; x=.",
		"typeset -n x=PATH", "nameref x=PATH", "unset PATH; ls", "read -a PATH < x", "\"read\" PATH", "builtin read PATH < x", "command printf -v PATH .", "IFS= read -r LD_PRELOAD < x; ls", "read -ra GIT_DIR < x; git status", "while read PATH; do ls; done < x",
		"printf -vPATH .", "f() { local PATH; ls; }; f", "for npm_config_x in a; do ls; done", "for http_proxy in a; do ls; done", "for _ in a; do ls; done", "f() { for PATH in .; do ls; done; }",
	} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) == 0 {
			t.Errorf("%s: no doubt", text)
		}
	}
	for _, text := range []string{"for f in a b; do ls $f; done", "for I in 1; do ls; done", "for my_file in a; do ls; done", "cat {fd}>/dev/null", "(( i = 1 ))", "read -r line < x", "printf -v x %s a", "read < x", "getopts ab opt", "unset x", "unset -v x", "read -p Name: name < x", "wait -p x", "while IFS= read -r f; do ls; done < x", "export PATH", "f() { export PATH; }", "declare -p PATH", "f() { local x; ls; }", "for ((i=0;i<2;i++)); do ls; done"} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) > 0 {
			t.Errorf("%s: %v", text, s.Doubts)
		}
	}
}

// TestLocalAssignsNothingOutsideOfFunctions, where it fails.
func TestLocalAssignsNothingOutsideOfFunctions(t *testing.T) {
	s := Parse("for x in a; do local x=b; ls $x; done", "/ws", fixed{})
	if last := s.Parts[len(s.Parts)-1]; last.Argv[1].Known {
		t.Errorf("ls is given %q", last.Argv[1].Text)
	}
}

// TestWhatDoesNotShowIsDoubted: it makes a word look like another.
func TestWhatDoesNotShowIsDoubted(t *testing.T) {
	for _, text := range []string{"cat .en\u200bv", "cat .\ufeffenv", "git diff \u202e--output=x", "ls # \u00ad", "bash -c 'ls \u200d'"} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) == 0 {
			t.Errorf("%q: no doubt", text)
		}
	}
	if s := Parse("echo é ✓ 日本", "/ws", fixed{}); len(s.Doubts) > 0 {
		t.Error(s.Doubts)
	}
}
