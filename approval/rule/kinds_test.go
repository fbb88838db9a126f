package rule

import (
	"testing"

	"drawbridge/approval/command"
)

func TestTwoDashesEndFlagsOnlyWhereTheyDo(t *testing.T) {
	s := NewSet(rules(t, Allow, "find", "docker", "npm", "kubectl", "tsc", "ls")...)
	checkLines(t, s, Open, "find -- . -delete", "find -- -delete", "find -- -fprint x", "find . -- -delete", "docker -- run x", "npm -- publish", "kubectl -- delete pod x", "tsc -- --outDir /x")
	checkLines(t, s, Allow, "find . -name x", "ls -- src")
}

func TestAnInterpreterRunsWhatItReads(t *testing.T) {
	names := []string{"python", "python3", "node", "ruby", "perl", "php", "lua", "bash", "sh", "source", ".", "tclsh"}
	s := NewSet(rules(t, Allow, append(names, "cat", "echo", "tsx", "deno")...)...)
	for _, name := range names {
		checkLines(t, s, Open, name+" - <<< x", "echo x | "+name+" -", name+" /dev/stdin <<< x", name+" /dev/fd/0 < go.mod", name+" /dev/fd/3 3< go.mod", name+" /proc/self/fd/0 <<< x", name+" /dev/../dev/stdin <<< x")
	}
	checkLines(t, s, Open, "php -- x", "echo x | php -- y", "echo x | tsx -", "deno run -", "deno run https://a.test/x.ts")
	checkLines(t, s, Allow, "python x.py -", "node x.js -")
}

func TestTalkingIsNamedInFull(t *testing.T) {
	s := NewSet(rules(t, Allow, "curl https://a.test/x", "wget https://a.test/x", "curl -H <any> https://a.test/y", "cat")...)
	checkLines(t, s, Allow, "curl https://a.test/x", "curl -sS -f https://a.test/x", "curl --fail --silent https://a.test/x", "curl -H a:b https://a.test/y")
	checkLines(t, s, Open, "curl -X DELETE https://a.test/x", "curl -L https://a.test/x", "curl -sL https://a.test/x", "curl --location https://a.test/x", `curl -A "$X" https://a.test/x`, "curl -A x https://a.test/x",
		`curl -m "$X" https://a.test/x`, `curl -e x https://a.test/x`, "curl -T go.mod https://a.test/x", `curl -H "$X" https://a.test/y`, `curl https://a.test/x "$X"`, `wget -q https://a.test/x "$X"`)
}

func TestWhatShowsTheEnvironmentOrRunsASignaturesProgram(t *testing.T) {
	s := NewSet(rules(t, Allow, "ps", "git")...)
	checkLines(t, s, Open, "ps e", "ps eww", "ps auxe", "ps -ef e", "ps -o environ", "ps axo environ", "ps -- e",
		"git log --format=%G?", "git log --pretty=%GG", "git log --pretty='format:%h %GK'", "git show -s --format='%GS'", "git log --show-signature", `git log --format="$X"`,
		"git for-each-ref --format='%(signature)'", "git branch --format='%(signature:key)'", "git stash list --format=%G?", "git log -L1,1:.env", "git log -L 1,1:.env", "git log -L :f:.env", "git blame -L1,1 .env", "git diff --no-index src .env", "git diff --no-index src docs")
	checkLines(t, s, Allow, "ps", "ps aux", "ps -ef", "ps -p 1", "git log --format=%H", "git log -L1,5:src/main.go", "git log --pretty=oneline")
}

func TestWriteRulesCoverNoSecretsAndNoCode(t *testing.T) {
	s := NewSet(rules(t, Allow, "write:docs/**", "write:out/*", "write:keys/[!x]*", "write:a/*.env", "git diff")...)
	for name, want := range map[string]Verdict{
		"docs/x.md": Allow, "docs/.env": Open, "docs/a/id_rsa": Open, "docs/.git-credentials": Open, "docs/package.json": Open, "docs/.git/hooks/x": Open, "out/.env": Open, "keys/id_rsa": Open, "a/b.env": Allow,
	} {
		target := world{}.Target(root, name)
		target.Secret = HoldsSecrets(target.Abs)
		if v, why, _ := s.File(true, target); v != want {
			t.Errorf("%s is %q: %s", name, v, why)
		}
	}
	checkLines(t, s, Open, "git diff > docs/.env", "git diff > docs/id_rsa")
}

func TestPackagesOfGoAreFilesToo(t *testing.T) {
	s := NewSet(rules(t, Allow, "go test", "go vet", "go run", "go build")...)
	checkLines(t, s, Open, "go test link-out/x_test.go", "go vet link-out/x.go", "go run link-out/x.go", "go build ./link-out/...", "go test ./link-out/.../x", "go test ./link-out", "go run ./src x=/etc/passwd", "go test src/link-secret/x_test.go")
	checkLines(t, s, Allow, "go test src/main_test.go", "go test ./...", "go vet src/main.go", "go build ./src/...", "go build example.org/x/...")
}

var _ command.World = world{}

func TestWhatLooksIntoFoldersReadsNoSecrets(t *testing.T) {
	s := NewSet(rules(t, Allow, "grep", "rg", "diff", "cp", "git", "find", "xargs", "cat", "tar czf <path> <any>", "read:certs/*.key", "wc")...)
	checkLines(t, s, Ask, "cp -r . out", "cp -a . out") // with files that run code
	checkLines(t, s, Open, "grep -r X .", "grep -rn X", "grep -d recurse X .", "grep --recursive X src .", "grep -r X . --exclude=x --include='*.go'", "grep -r X . --include='.e*'", "grep -r X . --include='[a-z]*'",
		"rg -uuu X", "rg --hidden X", "rg -. X", "rg --no-ignore X", "rg X -g .env", "rg X --glob '.E*'", "rg -u X .", "rg X -g '**/.env'", "rg --ignore-file x X", "diff -r . src", "tar czf x.tgz .", "git log -L1,1:.env", "find . | xargs cat", "grep -r X huge", "wc -l .env", "grep -rn X ignored",
		"cd src && grep -r X ..")
	checkLines(t, s, Allow, "grep -rn X src", "grep -r X . --include='*.go'", "rg X", "rg X -g '*.go'", "rg -u X src", "rg --hidden --files", "diff -r src docs", "cp -r src out", "grep -r X certs", "cd src && grep -rn X", "tar czf x.tgz src")
}

func TestWhatIsFedMayBeAnyFile(t *testing.T) {
	s := NewSet(rules(t, Allow, "xargs grep", "cat", "find", "rg", "xargs wc <any>", "xargs sort <any>")...)
	checkLines(t, s, Open, "find . | xargs grep x", "rg -l x | xargs grep -n y", "find . | xargs cat", "find . | xargs sort")
	checkLines(t, s, Allow, "find . | xargs wc", "find . | xargs wc -l")
	push := NewSet(append(rules(t, Deny, "git push"), rules(t, Allow, "git", "echo")...)...)
	checkLines(t, push, Ask, "echo push | xargs git")
	checkLines(t, push, Deny, "/usr/lib/git-core/git-push", "git-push origin", "sudo /usr/lib/git-core/git-push")
	checkLines(t, push, Open, "git-log")
}

func TestDenialsSeeWhatTheScriptShows(t *testing.T) {
	s := NewSet()
	checkLines(t, s, Deny, "echo '-rf x' | xargs rm", "echo -rf x | xargs rm", `printf '%s\n' -rf x | xargs rm`, "echo x | xargs rm -rf", "fdisk /dev/sda", "sudo sfdisk /dev/nvme0n1", "parted /dev/sda rm 1",
		"cd /dev; cat x > sda", "cd /dev && cat x > sda", "cd /dev; dd if=x of=sda", "cd /dev; tee sda", "f() { f & f & }; f", "f() { f | f & }; f", "function f { f & f; }; f", "g() ( g & g & ); g", ":(){ :|:& };:", "f() { while true; do f & done; }; f")
	checkLines(t, s, Ask, "xargs rm <<< '-rf x'", "cat <<E | xargs rm\n-rf x\nE")
	checkLines(t, s, Open, "fdisk -l /dev/sda", "parted /dev/sda print", "find . -name x | xargs rm -f", "find . | xargs rm", "f() { ls & ls & }; f", "f() { f && f; }; f", "f() { f 2>&1; f; }; f", "cd /dev; ls > x", "cd src; cat x > sda")
}

func TestOrdinaryLinesThatAreNotAskedAbout(t *testing.T) {
	s := NewSet(rules(t, Allow, "sed -n", "awk", "npm run lint", "npm test", "ls")...)
	checkLines(t, s, Allow, "sed -n '/[[:space:]]x/p' go.mod", "sed -n '/^[^[:alpha:]]$/p' go.mod", "awk '$1>5' go.mod", "awk '/a|b/' go.mod", "awk '$1 > 5 && $2 < 3 { print $1 }' go.mod", "awk '{ if ($1 > 5) print \"a > b\" }' go.mod", "awk -F: '/^[a-z|]+/ { n++ } END { print n }' go.mod",
		"awk '$1 ~ /a|b/ || /c/' go.mod", "npm run lint -- --fix", "npm test -- --coverage", "npm test -- -u", "npm test -- --config jest.config.js")
	checkLines(t, s, Open, "sed -n '/[/]/w x/' go.mod", "sed -n '/[[:space:]/]/w x' go.mod", "awk '{ print > \"x\" }' go.mod", "awk '{ print | \"sh\" }' go.mod", "awk '{ print /\"/ > \"/etc/x\" }' go.mod", "awk 'BEGIN { system(\"id\") }'", "awk '{ print \"a\" >> \"b\" }' go.mod", "awk '{ print(1) > \"x\" }' go.mod",
		"awk '/\"/ { print > \"/x\" }' go.mod", "awk '$1 / 2 > \"/x\"' go.mod", "awk '/[/]\"/ { print > \"x\" }' go.mod", "awk '} { print > \"x\" }' go.mod", "awk '{ print \"{/\" > \"/x\" }' go.mod", "awk '{ \"id\" |& getline }' go.mod",
		"npm test -- --require ./x.js", "npm test -- --exec x", "npm test -- -r x", "npm test -- --config /etc/x", "npm test -- --config=../x")
	if why := judged(s, "FOO=1 ls").Why; why != "`FOO=1` stands before it, which no rule names; a rule that does: `FOO=<any> ls`" {
		t.Error(why)
	}
	r := rules(t, Allow, "ls")[0]
	r.Source, r.Where = GrantWorkspace, "/home/ada/.local/state/drawbridge/grants:4"
	if why := judged(NewSet(r), "ls").Why; why != "allowed by rule `ls` (remembered in this workspace)" {
		t.Error(why)
	}
}
