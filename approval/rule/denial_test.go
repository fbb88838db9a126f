package rule

import (
	"strings"
	"testing"
)

// P-APR-05: any spelling of what destroys is found, and nothing that only looks
// like it.
func TestWhatDestroysIsDenied(t *testing.T) {
	s := NewSet(rules(t, Allow, "rm", "echo", "grep", "git", "cat")...)
	checkLines(t, s, Deny,
		"rm -rf x", "rm -fr x", "rm -r -f x", "rm -Rf x", "rm -f x -r", "rm --recursive --force x", "rm --recurs --forc x", "rm -r --no-preserve-root /", "rm -vrf x", "/bin/rm -rf x", `\rm -rf x`, `"rm" -rf x`, "r''m -rf x",
		"r\\\nm -rf x", "busybox rm -rf x", "xargs rm -rf", "find . -exec rm -rf {} +", "sh -c 'rm -rf x'", "bash -lc \"rm -rf x\"", "sudo rm -rf /", "ls; rm -rf x", "$(rm -rf x)", "env rm -rf x", "eval 'rm -rf x'", "ssh h rm -rf x",
		"mkfs.ext4 /dev/sda1", "mkfs /dev/sdb", "dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1", "echo x > /dev/sda", "cat x > /dev/disk2", "tee /dev/sda", ":(){ :|:& };:", ":() { : | : & }; :", "f(){ f|f& };f",
		"del /s /q C:", "cmd /c del /s x", "rd /s x", "rmdir /S x", "format C:", "diskpart", "Remove-Item -Recurse -Force x")
	for _, line := range []string{
		`echo "rm -rf x"`, "grep -rf pat src", "rm -r x", "rm -f x", "git rm -rf x", "rm -- -rf", "cat <<'E'\nrm -rf x\nE", "git commit -m 'rm -rf x'", "echo mkfs", "dd if=/dev/zero of=x", "echo ':(){ :|:& };:'", "echo x > /dev/null", "del x", "format x",
	} {
		if j := judged(s, line); j.Verdict == Deny {
			t.Errorf("%s is denied: %s", line, j.Why)
		}
	}
}

// P-APR-05: a list of one's own replaces the built-in one; a broken pattern is left
// out, and said.
func TestDenialsOfAPersonsOwn(t *testing.T) {
	d := NewDenials([]Denial{{Name: "deploy", Pattern: `kubectl (apply|delete)`, Enabled: true}, {Name: "off", Pattern: "ls", Enabled: false}, {Name: "broken", Pattern: "(", Enabled: true}, {Name: "mkfs", Enabled: true}, {Name: "huh", Enabled: true}})
	s := NewSet(rules(t, Allow, "ls")...).Denying(d)
	checkLines(t, s, Deny, `kubectl   'apply' -f x`, `ls; ku\bectl delete x`, "mkfs x")
	checkLines(t, s, Allow, "ls")
	checkLines(t, s, Open, "rm -rf x")
	for i, want := range []bool{false, false, true, false, true} {
		if got := s.Denials()[i].Problem != ""; got != want {
			t.Errorf("%+v", s.Denials()[i])
		}
	}
	checkLines(t, NewSet().Denying(Denials{}), Open, "rm -rf x", "mkfs x")
}

// TestForkBombsAreFoundByTheirShape: whatever the name, and wherever the line
// ends stand; behind other lines too. What only looks like one is left alone.
func TestForkBombsAreFoundByTheirShape(t *testing.T) {
	s := NewSet(rules(t, Allow, "ls", "echo", "cat", "git")...)
	for _, line := range []string{
		":(){ :|:& };:", ":(){\n:|:&\n}\n:", ":()\n{\n  : | : &\n}\n:\n", "b ( ) {\n\tb |\n\tb &\n};b", "a.b(){ a.b|a.b& };a.b", "_x1() { _x1 | _x1 & }\n\n_x1", "function b {\n b | b &\n}\nb", "function b() (\nb &\nb &\n)\nb",
		"f() {\n while :; do\n  f &\n done\n}\nf", "f() { ls; f & echo x; f & }; f",
	} {
		checkLines(t, s, Deny, line, "ls\n"+line, "ls && echo x\n# (a note)\ncat <<'E'\ntext\nE\n"+line, "echo '(' ')'; g() { ls; }; g\n"+line, line+"\nls", "bash -c '"+line+"'", "( "+line+"\n)", "if ls; then\n"+line+"\nfi")
		if why := judged(s, "ls\n"+line).Why; !strings.HasPrefix(why, "denied for safety: fork bomb") {
			t.Errorf("%q: %s", line, why)
		}
	}
	for _, line := range []string{"echo ':(){ :|:& };:'", "cat <<'E'\n:(){ :|:& };:\nE", "git commit -m 'f() { f | f & }; f'", "f() { ls | ls & }; f", "f() { g | g & }; f", "f() {\n f\n f\n}\nf", "f() { f || f; }; f", "# :(){ :|:& };:\nls"} {
		if j := judged(s, line); j.Verdict == Deny {
			t.Errorf("%q is denied: %s", line, j.Why)
		}
	}
}
