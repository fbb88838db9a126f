package rule

import (
	"slices"
	"strings"
	"testing"
)

// TestNoFlagWidensARule: of every command with a table, a rule that names it
// covers none of its flags that run, write or lead elsewhere; it covers each
// with a rule that names the flag too, or at least not before.
func TestNoFlagWidensARule(t *testing.T) {
	for name, p := range known() {
		widen(t, name, p)
	}
}

func widen(t *testing.T, line string, p *program) {
	for name, sub := range p.subs {
		widen(t, line+" "+name, sub)
	}
	s := NewSet(rules(t, Allow, quote(line, false))...)
	if strings.Contains(line, " ") {
		s = NewSet(rules(t, Allow, line)...)
	}
	for flag, u := range p.flags {
		if !u.harms() {
			continue
		}
		for _, end := range []string{flag + " x", flag + "=x", flag} {
			for _, operand := range []string{"", " src/main.go"} {
				if p.opaque && operand != "" {
					continue // it is the script's
				}
				if j := judged(s, line+operand+" "+end); j.Verdict == Allow {
					t.Errorf("%s%s %s is allowed: %s", line, operand, end, j.Why)
				}
			}
		}
	}
}

// harmful are flags and variables, of whatever command.
var harmful = []string{
	"--output=x", "-o x", "-C /", "--config=/etc/x", "--exec=x", "--exec x", "--pre=x", "-exec=x", "-toolexec=x", "-c x=y", "--prefix=/x", "--rcfile=x", "--require=./x", "-r ./x",
	"--import=x", "/etc/passwd", "../x", "~/.ssh/id_rsa", "@/etc/passwd", "--x=/etc/passwd", "> x", ">> x", "| tee x", "| sh", "< /etc/passwd", ".env", "; id", "& id", "$(id)", "`id`", "--file=/etc/passwd",
}

// TestNothingHarmfulIsCovered: whatever is added to an everyday line that a rule
// allows, it is no longer.
func TestNothingHarmfulIsCovered(t *testing.T) {
	s := NewSet(rules(t, Allow, "ls", "git status", "git diff", "cat", "go test", "npm test", "foo", "wc", "diff", "find", "git log", "jq", "rg")...)
	for _, line := range []string{"ls", "git status", "git diff", "cat go.mod", "go test ./...", "npm test --", "foo bar", "wc", "diff a b", "find .", "git log", "jq . x", "rg foo"} {
		if judged(s, line).Verdict != Allow {
			t.Errorf("%s is not allowed", line)
		}
		name, _, _ := strings.Cut(line, " ")
		for _, more := range harmful {
			if text := line + " " + more; judged(s, text).Verdict == Allow && !slices.Contains(fine[name], more) {
				t.Errorf("%s is allowed", text)
			}
		}
	}
}

// fine are those of them that do no harm to a command: its flag of that name is
// another one, or it takes the word for a name.
var fine = map[string][]string{
	"ls":   {"-o x", "-c x=y", "-r ./x", "@/etc/passwd"},
	"git":  {"-c x=y", "-r ./x", "@/etc/passwd"},
	"cat":  {"@/etc/passwd"},
	"wc":   {"-c x=y", "@/etc/passwd"},
	"diff": {"-C /", "-exec=x", "-c x=y", "-r ./x", "@/etc/passwd"},
	"find": {"-o x", "@/etc/passwd"},
	"jq":   {"-c x=y", "-r ./x", "@/etc/passwd"},
	"rg":   {"-o x", "-C /", "-exec=x", "-toolexec=x", "-c x=y", "-r ./x", "@/etc/passwd"},
}
