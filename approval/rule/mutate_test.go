package rule

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// payloads are lines that no rule of the tests may allow, in any disguise.
var payloads = []string{
	"payload", "payload x y", "./ls", "node_modules/.bin/ls", "rm -rf src", "cat /etc/passwd", "cat .env", "cat ../x", "ls /etc", "git push", "git commit -m x", "git diff --output=x", "git -c core.pager=payload diff",
	"git diff --ext-diff", "go test -exec=payload", "go test -o x ./src", "npm test --script-shell=./x", "npm install x", "tee x", "find . -delete", "bash x.sh", "python3 x.py",
}

// TestNoDisguiseGetsPast: what may not run does not run in quotes, in braces, in
// other words for the same, nor within anything else that runs it, five deep.
func TestNoDisguiseGetsPast(t *testing.T) {
	lines := 20_000
	if os.Getenv("DRAWBRIDGE_SOAK") != "" {
		lines = 400_000
	}
	base := append(disguisable(t), payloads...)
	s := NewSet(rules(t, Allow, "ls", "git status", "git diff", "cat", "go test", "npm test")...)
	for n := range lines {
		m := mutator{rand.New(rand.NewPCG(6, uint64(n)))}
		text := base[m.IntN(len(base))]
		if n%2 == 0 {
			text = m.respelled(payloads[m.IntN(len(payloads))])
		}
		for range m.IntN(6) {
			text = m.wrapped(text)
		}
		if j := judged(s, text); j.Verdict == Allow {
			t.Errorf("line %d is allowed: %q", n, text)
		}
	}
}

// disguisable are the lines of the corpus that mean the same within another, and
// are not closed by it.
func disguisable(t *testing.T) (lines []string) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/approval/bypass.txt")
	if err != nil {
		t.Fatal(err)
	}
	classes := strings.Split(string(data), "\n")
	for i, line := range corpus(t, "bypass.txt") {
		class, _, _ := strings.Cut(classes[i], "\t")
		if class != "unclosed" && class != "beyond the limits" && line != "((payload))" { // arithmetic on a variable
			lines = append(lines, line)
		}
	}
	return lines
}

type mutator struct{ *rand.Rand }

func (m mutator) pick(of ...string) string { return of[m.IntN(len(of))] }

// wrapped is a line that runs this one.
func (m mutator) wrapped(text string) string {
	q := m.quoted(text)
	tick := "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(text) + "\n`"
	harmless := m.pick("ls", "git status", "cat go.mod", "git diff -- src", "go test ./...", "npm test", "ls -la src")
	return m.pick(
		harmless+m.pick("; ", " && ", " || ", " & ", " | ", " |& ", "\n", ";\n", " &&\n", "\\\n; ", ";\t")+text, text+m.pick("\n", "\n\n")+harmless,
		"{ "+text+"\n}", "("+text+"\n)", "( (\n"+text+"\n) )", "if ls; then "+text+"\nfi", "if "+text+"\nthen ls; fi", "while ls; do "+text+"\nbreak; done", "until "+text+"\ndo ls; done",
		"for i in 1 2; do "+text+"\ndone", "case x in x) "+text+"\n;; esac", "f() { "+text+"\n}; f", "function ls { "+text+"\n}; ls", "$("+text+"\n)", "ls $("+text+"\n)", `cat "$(`+text+"\n)\"",
		"cat <("+text+"\n)", "ls ${x:-$("+text+"\n)}", "x=$("+text+"\n) ls", tick, "ls "+tick, "[[ -n $("+text+"\n) ]]; ls", "ls > >("+text+"\n)", "cat <<E\n$("+text+"\n)\nE", "cat <<< $("+text+"\n)",
		"eval "+q, "bash -c "+q, "sh -c "+q, "bash <<< "+q, "echo "+q+" | sh", "printf %s "+q+" | bash", "trap "+q+" EXIT; ls", "env bash -c "+q, "ls | xargs bash -c "+q, "timeout 5 bash -c "+q,
		"nohup sh -c "+q+" &", "exec bash -c "+q, "command eval "+q, "builtin eval "+q, "x="+q+"; eval $x", "x="+q+"; bash -c \"$x\"", "source <(echo "+q+")", "bash -s <<'E'\n"+text+"\nE", "alias a="+q+"; a",
		"find . -exec bash -c "+q+" ';'", "coproc { "+text+"\n}", "{ "+text+"\n} | ls", "ls $(ls; "+text+"\n)", "time eval "+q, "! eval "+q, "for x in "+q+"; do eval $x; done",
	)
}

func (m mutator) quoted(text string) string {
	switch m.IntN(3) {
	case 0:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	case 1:
		return `$'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(text) + `'`
	}
	return `'` + strings.ReplaceAll(text, `'`, `'\''`) + `'`
}

// plain are lines of words alone.
var plain = regexp.MustCompile(`^[\w./=: -]+$`)

// respelled has the same words in other spellings, or others that look alike.
func (m mutator) respelled(text string) string {
	if !plain.MatchString(text) {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = m.word(w)
	}
	return m.pick("", "", "", " ", "\t", "\\\n", "\n") + strings.Join(words, m.pick(" ", " ", " ", "\t", "  ", " \\\n", "${IFS}", "$IFS", "\u00a0", "\u2003", "\u200b", "\r", "\v", "\f"))
}

var alike = map[byte]string{'a': "а", 'c': "с", 'e': "е", 'o': "о", 'p': "р", 's': "ѕ", 'x': "х", 'i': "і"}

func (m mutator) word(w string) string {
	at := m.IntN(len(w))
	switch m.IntN(16) {
	case 0:
		return "'" + w + "'"
	case 1:
		return `"` + w + `"`
	case 2:
		return w[:at] + `\` + w[at:]
	case 3:
		return "$'" + w + "'"
	case 4:
		return w[:at] + m.pick(`''`, `""`, `$''`, `$""`, "\\\n", "$x", "${x}", `"$x"`, "$(true)", "$@") + w[at:]
	case 5:
		return fmt.Sprintf(`$'%s\x%02x%s'`, w[:at], w[at], w[at+1:])
	case 6:
		return fmt.Sprintf(`%s$'\%03o'%s`, w[:at], w[at], w[at+1:])
	case 7:
		return m.pick("{"+w+",}", w+"{,}", "{"+w+","+w+"}", "{"+w+",x}", w[:at]+"{"+w[at:]+",}")
	case 8:
		return w[:at] + `"` + w[at:] + `"`
	case 9:
		return w[:len(w)-1] + m.pick("?", "*", "["+w[len(w)-1:]+"]")
	case 10:
		return w[:at] + m.pick("\u200b", "\u00ad", "\u202e", "\u200d", "\ufeff") + w[at:]
	case 11:
		if other, ok := alike[w[at]]; ok && w[0] != '.' { // another file is no disguise
			return w[:at] + other + w[at+1:]
		}
	}
	return w
}
