package command

import (
	"strings"
	"testing"
)

// runs says that a Part of the script is the command payload.
func runs(s Script) bool {
	for _, p := range s.Parts {
		if len(p.Argv) > 0 && p.Argv[0].Known && p.Argv[0].Text == "payload" {
			return true
		}
	}
	return false
}

// TestACommentEndsWithItsLine, whatever its last character is.
func TestACommentEndsWithItsLine(t *testing.T) {
	for _, text := range []string{
		"ls # x\\\npayload", "#\\\npayload", "echo $(ls # x\\\npayload\n)", "f() {\nls # x\\\npayload\n}; f", "for i in a; do # x\\\npayload\ndone",
		"cat <<E # x\\\nbody\nE\npayload", "# a\\\n# b\\\n# c\\\npayload", "ls # x\\\npayload # y\\\nls", "bash -c 'ls # x\\\npayload'", "a=( b # x\\\nc ); payload", "case a in # x\\\na) payload;; esac",
		"if ls # x\\\nthen payload; fi", "ls # x\\\npayload\nfi", "echo `ls # x\\\npayload\n`", "{ # x\\\npayload\n}", "ls | # x\\\npayload", "ls && # x\\\npayload", strings.Repeat("# x\\\n", 5000) + "payload",
		"case a in a) ls # x\\\npayload;; # y\\\nb) ls;; esac", "(ls # x\\\npayload)", "ls <(ls # x\\\npayload\n)", "coproc ls # x\\\npayload", "ls;# \\\npayload",
		"ls \\\n# x\\\npayload", "[[ a ]] # x\\\npayload", "(( 1 )) # x\\\npayload", "f() # x\\\n{ payload; }; f", "x=1 # x\\\npayload", "ls > a # x\\\npayload", "! ls # x\\\npayload", "time # x\\\npayload", "a=(\n# x\\\n$(payload)\n)",
	} {
		if s := Parse(text, "/ws", fixed{}); !runs(s) || len(s.Doubts) == 0 {
			t.Errorf("%.80q: runs payload %v, doubts %v", text, runs(s), s.Doubts)
		}
	}
	for _, text := range []string{"ls # x\npayload", "echo '# x\\\n'", "echo \"# x\\\n\" a#b\\\nc", "cat <<E\n# x\\\ny\nE", "ls \\\n-l # all\ngit commit -m 'fix #1' \\\n -a", "# x\\ \nls", "echo a \\# \\\n b", "echo ${#x} $# \\\n b"} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) > 0 {
			t.Errorf("%q: %v", text, s.Doubts)
		}
	}
}

// TestQuotesWithinQuotes: within "…", documents and arithmetic '…' quotes
// nothing in ${x:-…} and its like.
func TestQuotesWithinQuotes(t *testing.T) {
	for _, text := range []string{
		`echo "${x:-'$(payload)'}"`, "echo \"${x:-'`payload`'}\"", `echo "${x-'$(payload)'}"`, `echo "${x:='$(payload)'}"`, `echo "${x='$(payload)'}"`, `echo "${x:+'$(payload)'}"`, `echo "${x+'$(payload)'}"`,
		`echo "${x:?'$(payload)'}"`, `echo "${x?'$(payload)'}"`, "cat <<E\n${x:-'$(payload)'}\nE", "cat <<E\n${x:-'`payload`'}\nE", `echo "${x:-$'\x24(payload)'}"`, `echo "${x:?$'\x24(payload)'}"`, `echo "${x^$'\x24(payload)'}"`,
		`echo $(( ${x:-'$(payload)'} ))`, `(( ${x:-'$(payload)'} ))`, `echo "${a[${x:-'$(payload)'}]}"`, `echo ${a:${x:-'$(payload)'}}`, `echo ${x:'$(payload)'}`, `echo ${x:-"${y:-'$(payload)'}"}`,
		`echo "${x:-${y:-'$(payload)'}}"`, `a[${x:-'$(payload)'}]=1`, `echo {a,b}"${x:-'$(payload)'}"`, `echo $[ ${x:-'$(payload)'} ]`, `echo $[ '$(payload)' ]`, `echo $(( '$(payload)' ))`, `(( '$(payload)' ))`, `a['$(payload)']=1`,
		`for ((i='$(payload)';i<1;i++)); do :; done`, `echo "${x:-'}$(payload)" '"'`, `echo "${x:-'}"; payload`, `echo "${x:-'}"; payload; echo "'"`, `bash -c 'echo "${x:-'\''$(payload)'\''}"'`, `echo "$(echo "${x:-'$(payload)'}")"`,
		`cat <<< "${x:-'$(payload)'}"`, `case "${x:-'$(payload)'}" in a) ;; esac`, `[[ "${x:-'$(payload)'}" ]]`, `for i in "${x:-'$(payload)'}"; do :; done`, `echo "${x:-'$(echo 'a'; payload)'}"`, `echo "${x:-"${y:-'$(payload)'}"}"`,
		`echo "${x:-'a$(ls)'}" "${y:-'b$(payload)'}"`, `echo "${x:-'${y:-$(payload)}'}"`, `x="${x:-'$(payload)'}" ls`, `echo "${x:-"a"'$(payload)'}"`,
		strings.Repeat(`echo "${x:-'$(ls)'}"`+"\n", 2000) + `echo "${x:-'$(payload)'}"`,
	} {
		if s := Parse(text, "/ws", fixed{}); !runs(s) || len(s.Doubts) == 0 {
			t.Errorf("%.80s: runs payload %v, doubts %v", text, runs(s), s.Doubts)
		}
	}
	for _, text := range []string{
		`echo "${x:-'default'}" '$(payload)'`, `echo ${x:-'$(payload)'}`, `echo "${x#'$(payload)'}"`, `echo "${x/a/'$(payload)'}"`, `echo "$(echo ${x:-'$(payload)'})"`, `[[ ${x:-'$(payload)'} ]]`, `cat <<< ${x:-'$(payload)'}`, `echo "'$x'"`,
		"cat <<E\n'$x'\nE", "cat <<'E'\n${x:-'$(payload)'}\nE",
	} {
		if s := Parse(text, "/ws", fixed{}); runs(s) || len(s.Doubts) > 0 {
			t.Errorf("%s: %v", text, s.Doubts)
		}
	}
}
