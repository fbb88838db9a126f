package rule

import (
	"strings"
	"testing"

	"drawbridge/approval/command"
)

// TestWhereItRunsMatters: a rule counts in the workspace, on this machine.
func TestWhereItRunsMatters(t *testing.T) {
	s := NewSet(rules(t, Allow, "git diff", "cd /srv", "ssh h pwd", "timeout 5 <end>", "python x.py <end>", "evil", "git commit", "foo")...)
	checkLines(t, s, Allow, "git diff", "cd src && git diff", "cd src && git diff; git diff", "python x.py")
	checkLines(t, s, Open, "cd /srv && git diff", "cd /srv; git diff", "git diff; ssh h pwd", "timeout 5 git diff", "git diff; test -v x", "git diff; set -o notify", "cd src && python x.py", "evil", "git commit -m $X")
}

func TestVariablesThatMatter(t *testing.T) {
	s := NewSet(rules(t, Allow, "git diff")...)
	checkLines(t, s, Allow, "x=1; git diff", "n=5 s='a b'; git diff")
	checkLines(t, s, Open, "x=1", "path=x; git diff", "http_proxy=x; git diff", "PATH=x; git diff", "x=$1; git diff", "x='a[$(id)]'; git diff", "export x=1; git diff", "GIT_PAGER=x git diff")
}

func TestWhatIsPerhapsForbiddenIsAsked(t *testing.T) {
	s := NewSet(append(rules(t, Deny, "git push", "held: docker"), rules(t, Allow, "git", "docker ps", "xargs git")...)...)
	checkLines(t, s, Ask, "ls | xargs git", "git \"$X\"", "git -C \"$X\" \"$Y\"")
	checkLines(t, s, Allow, "docker ps", "git log")
	if v := s.Judge(command.Parse("docker ps", root, world{}), true, world{}).Verdict; v != Deny {
		t.Errorf("held: %q", v)
	}
}

func TestNoRuleAllowsWhatIsProtected(t *testing.T) {
	s := NewSet(rules(t, Allow, "read:/**", "write:/**")...)
	for _, write := range []bool{false, true} {
		if v, _, _ := s.File(write, world{}.Target(root, "/home/ada/.local/state/drawbridge/x")); v != Open {
			t.Errorf("write %v: %q", write, v)
		}
	}
}

func TestInlineCodeIsNamed(t *testing.T) {
	s := NewSet(rules(t, Allow, "python -m pytest", "bash", "node -e '1+1'")...)
	checkLines(t, s, Allow, "python -m pytest -v src", "bash src/run.sh -v", "node -e '1+1'")
	checkLines(t, s, Open, "python -m pip install x", "python -m pytest /etc/x", "python x.py", "python -c 1", "bash -c ls", "bash", "node -e '1+2'", "node -e '1+1' -r ./x")
}

func TestNothingFollowsTheEnd(t *testing.T) {
	s := NewSet(rules(t, Allow, "make test <end>", "foo bar <end>", "git log --oneline <end>")...)
	checkLines(t, s, Allow, "make test", "foo bar", "git log --oneline")
	checkLines(t, s, Open, "make test x", "make test -k", "foo bar baz", "foo bar -v", "git log --oneline -5", "git log")
}

func TestPathsInUnknownCommands(t *testing.T) {
	s := NewSet(append(rules(t, Allow, "foo"), rules(t, Deny, "write:src/secret/**", "read:src/hidden/**")...)...)
	checkLines(t, s, Allow, "foo src/main.go", "foo --level=3 x", "foo https://a.test/b")
	checkLines(t, s, Open, "foo -L/etc/x", "foo .git/config", "foo --l=/etc/x", "foo a:/etc/x", "foo file:///etc/x", "foo src/.env", "foo ~/x")
	checkLines(t, s, Ask, "foo src/secret/x", "foo \"$X\"")
	checkLines(t, s, Deny, "foo src/hidden/x")
}

func TestFindGoesOnBehindWhatItRuns(t *testing.T) {
	s := NewSet(rules(t, Allow, "find -exec")...)
	checkLines(t, s, Allow, `find . -exec pwd \;`, `find . -name x -exec pwd \; -print`)
	checkLines(t, s, Open, `find . -exec pwd \; -delete`, `find . -exec pwd + -fprint x`, `find . -exec pwd \; -exec make \;`, "find . -delete")
}

func TestTheReasonNamesTheArgument(t *testing.T) {
	s := NewSet(rules(t, Allow, "git diff", "sort", "git")...)
	for line, want := range map[string]string{
		"git diff --outp=x": "it is not known what `--outp` does",
		"sort -o x go.mod":  "`-o` writes a file",
		"git push":          "`push` has to be named, which rule `git` does not cover",
		"wget x":            "no rule covers `wget x`",
	} {
		if why := judged(s, line).Why; !strings.Contains(why, want) {
			t.Errorf("%s: %s; wanted %s", line, why, want)
		}
	}
}
