package rule

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/approval/command"
)

func TestARuleHasOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		`git   diff`:            `git diff`,
		` 'git' "diff" `:        `git diff`,
		`git commit -m 'a b'`:   `git commit -m 'a b'`,
		`echo "it's"`:           `echo 'it'\''s'`,
		`timeout <number>`:      `timeout <number>`,
		`echo '<number>'`:       `echo '<number>'`,
		`GOFLAGS=<any> go test`: `GOFLAGS=<any> go test`,
		`'A=b' c`:               `'A=b' c`,
		`held:git push`:         `held: git push`,
		`npm run lint <end>`:    `npm run lint <end>`,
		`write:./src//a.go`:     `write:src/a.go`,
		`read: docs/`:           `read:docs/**`,
		`read:~/notes/**`:       `read:~/notes/**`,
		`cat ~/x`:               `cat ~/x`,
		`cat '~/x'`:             `cat '~/x'`,
		`echo ''`:               `echo ''`,
		`find . -name a\*b`:     `find . -name 'a*b'`,
	} {
		r, err := Parse(Allow, text, root)
		if err != nil || r.Text != want {
			t.Errorf("%q is %q, %v; wanted %q", text, r.Text, err, want)
		}
		again, err := Parse(Allow, r.Text, root)
		if err != nil || again != r {
			t.Errorf("%q read again: %+v, %v", r.Text, again, err)
		}
	}
}

func TestWhatIsNoRule(t *testing.T) {
	for _, text := range []string{
		"", "git *", "ls; rm", "ls | wc", "echo $HOME", "echo `id`", `echo "$x"`, "cat <x", "cat >x", "a\nb", "echo 'x",
		"<any>", "A=1", "<end>", "a <end> b", "A=<end> b", "read:", "read:../x", "write:[", "read:~bob/x", `a\`, strings.Repeat("x", 5000), "git ~bob",
	} {
		if r, err := Parse(Allow, text, root); err == nil || r.Problem == "" {
			t.Errorf("%q is read as %q", text, r.Text)
		}
	}
	if _, err := Parse(Allow, "read:src/**", ""); err == nil {
		t.Error("a relative path without a folder is read")
	}
	if _, err := Parse("perhaps", "ls", root); err == nil {
		t.Error("an unknown verdict is read")
	}
}

func TestAnyRuleReadsTheSameAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune(`ab-='"\ <>nyed/~:.*$éA1`))).Draw(t, "text")
		r, err := Parse(Allow, text, root)
		if err != nil {
			return
		}
		if again, err := Parse(Allow, r.Text, root); err != nil || again != r {
			t.Fatalf("%q is %q, then %q, %v", text, r.Text, again.Text, err)
		}
	})
}

func TestAllowRulesAreStrict(t *testing.T) {
	s := NewSet(rules(t, Allow, "git diff", "go test", "cat", "rg", "foo bar", "python", "npm run", "find", "sed", "xargs grep <any>", "xargs sort <any>", "timeout <number>", "nohup", "find -exec", "grep", "rm", "set",
		"CI=1 npm test", "git commit", "sort", "tool", "make", "mkdir", "cp", "./run.sh", "curl https://a.test/x", "git branch <word>", "go build -o <path>")...)
	checkLines(t, s, Allow,
		"git diff", "git --no-pager diff", "git diff --stat HEAD~1 -- src", "go test -run X ./...", "go test --run=X ./...", "cat src/main.go", "cat - < README.md",
		"rg -n foo src", "foo bar", "foo bar baz", "foo bar --quiet", "python x.py", "python x.py -v --flag", "npm run lint -- --watch", "CI=1 npm test",
		"timeout 5 go test ./...", "timeout 30s cat go.mod", "git commit -am 'x; rm -rf y'", `git commit -m "$(cat go.mod)"`,
		"git diff | head -5 | sort -u", "cd src && go test ./...", "/usr/bin/cat go.mod", `\cat go.mod`, "x=1; cat go.mod", "set -euo pipefail; git diff", "make test",
		"mkdir -p a/b", "cp src/main.go src/x.go", "./run.sh", "cd src && ../run.sh a", "curl https://a.test/x", "git branch new", "go build -o bin/x ./...",
		"sed -n '1,5p' go.mod", "rg -l x | xargs grep -n y", "sed 's/a/b/g; /x/d' go.mod")
	checkLines(t, s, Open,
		"git push", "git -c x=y diff", "git -C /etc diff", "git diff --output=x", "git diff --outp=x", "git diff --output x", "git diff -O/etc/x", "git diff --ext-diff", "git diff --no-index /etc/passwd x",
		"git --exec-path=/tmp diff", "GIT_EXTERNAL_DIFF=x git diff", "git diff > x", "git diff >> src/main.go", "go test -exec x", "go test --exec=x", "go test -o x", "go test -c", "go test -toolexec x ./...",
		"GOFLAGS=-exec=x go test", "go test ../other", "go test -coverprofile=x", "cat /etc/passwd", "cat ../x", "cat .env", "cat $X", "cat ~/.ssh/id_rsa", "cat link-out/passwd", "rg --pre x foo", "rg --pre=x foo", "rg foo /etc", "rg -f /etc/x a", "rg -f/etc/x a",
		"foo", "foo baz", "foo bar -o x", "foo bar -vo x", "foo bar --config=x", "foo bar /etc/x", "foo bar --x=/etc/x", "foo bar @/etc/x", "foo bar -I/etc", "foo bar $X", "python", "python -c 1", "python -m x", "python /tmp/x.py",
		"npm run --prefix /x lint", "npm run lint -- /etc/x", "npm publish", "find . -delete", "find . -fprint x", "find -L .", "find /etc", "sed -i s/a/b/ x", "sed 's/a/b/e' go.mod", "sed 'w x' go.mod", "sed -n '1e id' go.mod", "sed -f x go.mod", "sed 's/[/]/w x/' go.mod", "find . -exec cat {} \\; -delete", "find . -exec cat {} \\; -exec python -c x {} \\;", "rm -r .", "set -a", "set -o allexport", "jobs -x x", "sed 's/a/b/w x' go.mod",
		"timeout 5 git push", "timeout x go test", "timeout --help-me go test", "CI=2 npm test", "npm test", "CI=1 A=b npm test", "sort -o x go.mod", "sort -uo x go.mod", "sort --outpu=x go.mod", "sort --compress-program=x go.mod",
		"/tmp/cat go.mod", "./cat go.mod", "make -C /x", "make SHELL=x", "make -f x", "make --eval x", "cp x /srv/y", "cp -t /srv x", "mkdir /srv/x", "cd /etc && cat passwd", "cd $X && cat go.mod", "cd src && ./run.sh", "git branch -D x", "git branch",
		"cat go.mod | xargs cat", "ls | xargs rg x", "cat go.mod | xargs sort", "cat go.mod | xargs -a /etc/x grep x", "curl https://a.test/y", "curl https://a.test/x -o f", "git commit -F /etc/passwd", "go build -o /srv/x ./...", "echo hi", "ls", "sudo cat go.mod", "env cat go.mod", "LD_PRELOAD=x cat go.mod", "PATH=. ; cat go.mod", "cat go.mod | python", "cat go.mod; evil", "evil")
}

func TestForbiddingRulesAreLoose(t *testing.T) {
	s := NewSet(append(rules(t, Deny, "git push", "rm", "npm publish", "git push --force", "curl -X POST", "chmod 777"), rules(t, Allow, "git", "ls", "npm", "git push")...)...)
	checkLines(t, s, Deny,
		"git push", "git -C x push", "git --no-pager push origin", "git -c a=b push", "/usr/bin/git push", "rm x", "/bin/rm x", `\rm x`, "r''m x", "ls; rm x", "sudo rm x", "bash -c 'rm x'", "find . -exec rm {} \\;",
		"xargs rm", "npm --silent publish", "timeout 5 git push", "curl https://x -X POST", "curl -sXPOST https://x", "env A=1 rm x", "command rm x", "x=$(rm y)", "chmod -R 777 .")
	checkLines(t, s, Ask, "git $X", "$X y", "curl $X", "ls $(")
	if v := judged(s, "git log push").Verdict; v == Deny {
		t.Error("git log push is no git push")
	}
	checkLines(t, s, Allow, "git status", "git log push", "ls")
}

func TestDenyComesBeforeAskBeforeAllow(t *testing.T) {
	s := NewSet(append(append(rules(t, Allow, "git"), rules(t, Ask, "git commit")...), rules(t, Deny, "git commit --amend")...)...)
	checkLines(t, s, Allow, "git log")
	checkLines(t, s, Ask, "git commit -m x", "git log; git commit -m x")
	checkLines(t, s, Deny, "git commit --amend", "git commit -m x --amend", "git commit --ame", "git log && git commit --amend")
}

func TestAnUnreadableRuleSilencesWhatAllows(t *testing.T) {
	allow := rules(t, Allow, "ls", "read:/etc/hosts")
	bad, _ := Parse(Deny, "rm *", root)
	badFile, _ := Parse(Ask, "read:../x", root)
	badAllow, _ := Parse(Allow, "cat *", root)
	hosts := command.Target{Abs: "/etc/hosts"}
	for _, c := range []struct {
		set      *Set
		ls, file Verdict
	}{
		{NewSet(allow...), Allow, Allow},
		{NewSet(append(allow, bad)...), Open, Allow},
		{NewSet(allow...).With(badFile), Allow, Open},
		{NewSet(append(allow, badAllow)...), Allow, Allow},
		{NewSet(append(allow, Rule{Verdict: Deny, Problem: "the file is broken"})...), Open, Open},
	} {
		v, _, _ := c.set.File(false, hosts)
		if got := judged(c.set, "ls").Verdict; got != c.ls || v != c.file {
			t.Errorf("ls is %q, the file %q; wanted %+v", got, v, c)
		}
	}
}

func TestHeldRulesCountOnlyInASandbox(t *testing.T) {
	s := NewSet(rules(t, Allow, "held: git push <any>")...)
	script := command.Parse("git push origin", root, world{})
	if v := s.Judge(script, false, world{}).Verdict; v != Open {
		t.Errorf("not held: %q", v)
	}
	if v := s.Judge(script, true, world{}).Verdict; v != Allow {
		t.Errorf("held: %q", v)
	}
}

func TestProtectedAndRunningFilesAreHard(t *testing.T) {
	s := NewSet(rules(t, Allow, "cat", "tee", "cp", "git diff", "write:**", "read:/**")...)
	for line, want := range map[string]Verdict{
		"cat /home/ada/.local/state/drawbridge/x":         Deny,
		"git diff > /home/ada/.local/state/drawbridge/x":  Deny,
		"frob --at=/home/ada/.local/state/drawbridge/log": Deny,
		"git diff > .git/hooks/pre-commit":                Ask,
		"tee .envrc":                                      Ask,
		"cp x .git/config":                                Ask,
		"cp .envrc src":                                   Ask,
	} {
		j := judged(s, line)
		if j.Verdict != want || !j.Parts[0].Hard {
			t.Errorf("%s: %q, hard %v: %s", line, j.Verdict, j.Parts[0].Hard, j.Why)
		}
	}
	checkLines(t, s.With(rules(t, Allow, "write:.envrc")...), Allow, "tee .envrc")
}

func TestRulesAboutFiles(t *testing.T) {
	s := NewSet(append(rules(t, Allow, "read:/etc/hosts", "read:/srv/**", "write:src/**", "read:**/.env"), rules(t, Deny, "write:src/secret/**", "read:/srv/k*")...)...)
	for _, c := range []struct {
		write bool
		name  string
		want  Verdict
	}{
		{false, "/etc/hosts", Allow}, {false, "/etc/passwd", Open}, {true, "/etc/hosts", Open}, {false, "/srv/a/b", Allow}, {false, "/srv/key", Deny},
		{true, "src/a.go", Allow}, {true, "a.go", Open}, {true, "src/secret/x", Deny}, {true, "src/.envrc", Open}, {false, "src/.env", Allow}, {false, "/srv/.env", Open},
		{true, "link-out/x", Open},
	} {
		if v, why, _ := s.File(c.write, world{}.Target(root, c.name)); v != c.want {
			t.Errorf("%+v: %q, %s", c, v, why)
		}
	}
	checkLines(t, s.With(rules(t, Allow, "git diff")...), Allow, "git diff > src/x.txt", "git diff | tee src/y")
	checkLines(t, s.With(rules(t, Allow, "git diff")...), Deny, "git diff > src/secret/x", "cp a src/secret/b", "cat /srv/key")
}

func TestWithKeepsBothSets(t *testing.T) {
	s := NewSet(rules(t, Allow, "ls")...)
	more := s
	for _, line := range []string{"cat", "wc", "du", "df", "uniq"} {
		more = more.With(rules(t, Allow, line)...)
	}
	checkLines(t, more, Allow, "ls", "cat go.mod", "du", "df")
	checkLines(t, s, Open, "cat go.mod")
	if n := len(more.Rules()); n != 6 {
		t.Errorf("%d rules", n)
	}
	if n := len(more.layers); n > 3 {
		t.Errorf("%d layers", n)
	}
}

func TestANilSetHasNoRules(t *testing.T) {
	var s *Set
	checkLines(t, s, Open, "ls", "git push", "# nothing")
	checkLines(t, s, Deny, "rm -rf x")
	if v, _, _ := s.File(false, command.Target{Abs: "/x"}); v != Open || s.Rules() != nil {
		t.Error(v)
	}
}
