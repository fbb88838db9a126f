package rule

import (
	"strings"
	"testing"
)

// What is written is often in a script's own words, or follows from the name of
// what is read: it is asked about without any rule too.
func TestWritesThatAreSeen(t *testing.T) {
	s := NewSet()
	for _, line := range []string{
		// programs with a language of their own
		"sed -n 'w .gitlab-ci.yml' f", "sed -n -e p -e 'W .envrc' f", "sed 's/a/b/w .npmrc' f", "sed 's,a,b,gw .npmrc' f", "sed -n '1,3w.envrc' f", "sed --expression='/x/w .envrc' f",
		`awk '{print > "Jenkinsfile"}' f`, `awk '{print >> ".envrc"}' f`, `awk '{printf("%s", $0) > (".envrc")}' f`, `gawk 'BEGIN{f=".envrc"; print 1 > f}'`,
		`awk -v f=.envrc '{print > f}' x`, `awk '{print > f}' f=.envrc x`, `awk '{print | "tee .envrc"}' x`, "gawk -i inplace '{print 1}' .envrc",
		// a second file, and named outputs
		"uniq f lefthook.yml", "uniq -c f lefthook.yml", "xxd -r x .envrc", "xxd -r -p x .envrc", "find . -fprint .npmrc", "find . -fprint0 .npmrc", "find . -fls .npmrc", "find . -name x -fprintf .npmrc %p",
		"git archive -o .travis.yml HEAD", "git archive --output=.travis.yml HEAD", "openssl enc -d -in x -out .envrc", "gcc -E -P x.c -o .envrc", "cc -o.envrc x.c", "clang x.c -o .envrc",
		"7z x a.7z -o.vscode", "7z e a.7z -y -o.vscode", "csplit -f .husky/x f 1", "csplit --prefix=.husky/x f 1", "split f .husky/x", "mkfifo .envrc", "mknod .envrc p",
		"pandoc x -o .envrc", "unknown --output=.envrc", "unknown --out .envrc", "iconv -f a -t b -o .envrc x", "python3 -m json.tool x package.json", "dd if=x of=.envrc",
		"tar cf .envrc x", "tar -czf .envrc x", "tar xf a.tar .envrc", "unzip a.zip package.json", "unzip a.zip -d.vscode", "zip .envrc x",
		// names made of others
		"gunzip .envrc.gz", "gunzip -f .envrc.gz", "bunzip2 .envrc.bz2", "unxz .envrc.xz", "unzstd .envrc.zst", "gzip -d .envrc.gz", "xz -dk .envrc.xz", "zstd -d x -o .envrc", "gunzip < x > .envrc",
		"cp -t . src/package.json", "cp -t. src/package.json", "cp --target-directory=. src/package.json", "cp --target=. src/package.json", "cp -rt . newgh/.husky", "mv -t . src/package.json", "install -t . src/package.json", "install -Dm644 x .envrc",
		"cp -r src/.husky .", "ln -s src/.husky .", "ln -s src/.husky", "ln -sf -t . src/.envrc", "rsync -a src/.husky .", "cp src/package.json ./", "cp {src/,}package.json", "scp host:x/.envrc .",
		"cp p.json $(pwd)/package.json", `cp p.json "$PWD/package.json"`, `cp p.json "$D"/package.json`, `echo x > "$D/.github/workflows/x.yml"`, `tee $(git rev-parse --show-toplevel)/.envrc`, "cp $D/.[a-z]* .", "cp $D/.envrc .",
		// git
		"git clone https://a.test/x .husky", "git clone https://a.test/.husky.git", "git checkout main -- package.json", "git checkout package.json", "git restore .envrc", "git restore -s main .envrc", "git -C .husky checkout main -- x", "git -C src restore package.json",
		"git mv x package.json", "git mv src/package.json .", "git rm .envrc", "git submodule add https://a.test/x y", "git worktree add .husky", "git show HEAD:x --output=.envrc", "git format-patch -o .husky HEAD~1",
		"git config core.hooksPath x", "git config set core.pager x", "git config --global alias.x '!y'", "git config --add core.fsmonitor x", "git -C src config core.pager x", "git config --unset core.hooksPath", "git config -f .envrc a.b c", "git config -e",
		"git apply <<'E'\n--- a/x\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\nE", "patch -p1 <<'E'\n--- /dev/null\n+++ b/package.json\n@@ -0,0 +1 @@\n+x\nE", "patch -p0 <<E\n--- .envrc\n+++ .envrc\nE", "git apply <<'E'\ndiff --git a/x b/.envrc\nrename from x\nrename to .envrc\nE",
		"echo '--- a/x\n+++ b/.envrc' | git apply", `printf '+++ b/.envrc\n' | patch -p1`,
		// the network, packages, formatters, tables of jobs
		"curl -O https://a.test/.envrc", "curl -sSLO https://a.test/x/package.json?y=1", "curl -fsSLo .envrc https://a.test", "curl --remote-name https://a.test/.envrc", "curl -D .envrc https://a.test", "curl --output-dir .husky -O https://a.test/x", "wget https://a.test/package.json", "wget -q https://a.test/package.json#x", "wget -P .husky https://a.test/x", "wget -O.envrc https://a.test",
		"yq -i .a=1 .gitlab-ci.yml", "yq eval -i .a=1 .gitlab-ci.yml", "prettier --write package.json", "prettier -w .github/workflows/x.yml", "eslint --fix .pnpmfile.cjs", "npm pkg set scripts.test=x", "npm init -y", "npm pkg delete x", "npm set-script a b", "npm config set x y --location=project", "pnpm init", "yarn init -y",
		"crontab x", "crontab -", "crontab -r", "shfmt -w .envrc", "black sitecustomize.py",
		"find . -name package.json -exec sed -i s/a/b/ {} +", "find . -name .envrc -delete", "strace -o .envrc ls", "script .envrc", "pre-commit install", "husky init", "git init .husky", "vim -es -c wq package.json", "tar xf a.tar --directory .husky", "git apply --directory=.husky x", "docker cp c:/x .envrc",
		// code in words and documents
		`python3 -c 'open(".envrc","w")'`, "python3 <<'E'\nfrom pathlib import Path\nPath('package.json').write_text(x)\nE", `node -e 'fs.writeFileSync("package.json","")'`, `ruby -e 'File.write(".envrc",1)'`, `perl -e 'open(F,">",".envrc")'`, `php -r 'file_put_contents(".envrc",1);'`,
		// links and moves of the same line
		"ln -s .github l; echo x > l/workflows/x.yml", "ln -sfn .husky l && cp x l/pre-commit", "ln -s .envrc l; echo x > l", "ln -s ../.github src/l; echo x > src/l/workflows/x", "ln -s $PWD/.github l; tee l/workflows/x", "mv .github g; echo x > g/workflows/y; mv g .github",
	} {
		if j := judged(s, line); j.Verdict != Ask {
			t.Errorf("%s: %s (%s)", line, j.Verdict, j.Why)
		}
	}
}

func TestWhatIsReadIsNotWritten(t *testing.T) {
	s := NewSet()
	for _, line := range []string{
		"sed -n '/w .envrc/p' f", "sed 's/a/w .envrc/' f", `awk '/.envrc/ {print ".envrc"}' f`, "awk '$1 > 5' package.json", "uniq package.json", "xxd package.json", "find . -name .npmrc", "git archive HEAD .envrc",
		"openssl dgst -in .envrc", "gcc -c .envrc", "gunzip -c .envrc.gz", "zcat .envrc.gz", "gzip -t .envrc.gz", "ln -s .envrc x", "git config user.name Ada", "git config --global user.email a@b.test", "git config core.pager", "git config --get core.pager", "git config -l", "git config get core.pager",
		"git clone https://a.test/x", "git checkout main", "git checkout -b x", "git restore src/main.go", "git mv x y", "curl https://a.test/package.json", "curl -o x https://a.test/package.json", "wget -O x https://a.test/.envrc", "wget --spider https://a.test/.envrc", "yq .a .gitlab-ci.yml", "prettier --check package.json",
		"npm pkg get scripts", "npm config get x", "npm test", "crontab -l", "tar tf a.tar .envrc", "tar xf a.tar", "unzip -l a.zip .envrc", "unzip a.zip", "zip x.zip package.json", "git apply x.patch", "patch -p1 < x.patch", "cat <<'E'\n+++ b/.envrc\nE",
		`node -e 'console.log(require("./package.json").version)'`, `python3 -c 'import json; print(json.load(open("package.json")))'`, "find . -name package.json", "find . -name package.json -exec cat {} +", "mise install", "pre-commit run",
		"eslint .pnpmfile.cjs", "grep -o x .envrc", "cat package.json | python3 -m json.tool", "python3 -m json.tool package.json", "ln -s src l; echo x > l/x.go", `echo x > "$D/x.txt"`, "7z l a.7z", "sort -u package.json", "black --check sitecustomize.py",
	} {
		if j := judged(s, line); j.Verdict != Open {
			t.Errorf("%s: %s (%s)", line, j.Verdict, j.Why)
		}
	}
}

func TestDenyRulesSeeWhatIsWritten(t *testing.T) {
	s := NewSet(rules(t, Deny, "write:docs/**")...)
	checkLines(t, s, Deny, "sed -n 'w docs/x' f", `awk '{print > "docs/x"}' f`, "cp -t docs x", "uniq f docs/x", "find . -fprint docs/x", "gcc -o docs/x x.c", "git checkout -- docs/x", "wget -P docs https://a.test/x", "gunzip docs/x.gz", "ln -s docs l; echo x > l/y", "xxd -r x docs/y", "git mv x docs/x")
}

func TestManyEffectsAreBounded(t *testing.T) {
	s := NewSet()
	for _, line := range []string{"cp -r src out; ", "ln -s a b; "} {
		if j := judged(s, strings.Repeat(line, 1500)); j.Verdict != Ask {
			t.Errorf("many %q: %q", line, j.Verdict)
		}
	}
}
