package rule

import (
	"slices"
	"testing"
)

// narrowed are commands that do less than without a flag, what is remembered of
// them, and lines that must not be allowed by it.
var narrowed = []struct {
	line, want string
	open       []string
}{
	{"make -n test", "make -n test", []string{"make test", "make -k test", "make -n install", "make"}},
	{"make test --dry-run", "make --dry-run test", []string{"make test"}},
	{"make --just-print", "make --just-print", []string{"make"}},
	{"make --recon test", "make --recon test", []string{"make test"}},
	{"make -nk test", "make -n test", []string{"make test", "make -k test"}},
	{"make -q", "make -q", []string{"make", "make install", "make -n"}},
	{"make --question test", "make --question test", []string{"make test"}},
	{"make -t", "make -t", []string{"make"}},
	{"make --version", "make --version", []string{"make", "make test"}},
	{"npm install --dry-run", "npm install --dry-run", []string{"npm install", "npm i", "npm install --dry-run=false", "npm install --dry-run false", "npm install --dry-run --dry-run=false", "npm install --dry-run --no-dry-run"}},
	{"npm install --ignore-scripts", "npm install --ignore-scripts", []string{"npm install", "npm install --no-ignore-scripts"}},
	{"npm --version", "npm --version", []string{"npm", "npm ls", "npm test"}},
	{"npm run deploy -- --dry-run", "npm run deploy -- --dry-run <end>", []string{"npm run deploy", "npm run deploy -- --dry-run --no-dry-run", "npm run deploy -- --now"}},
	{"npm test -- --listTests", "npm test -- --listTests <end>", []string{"npm test"}},
	{"pnpm install --frozen-lockfile", "pnpm install --frozen-lockfile", []string{"pnpm install"}},
	{"yarn --version", "yarn --version", []string{"yarn", "yarn install", "yarn test"}},
	{"go build -n", "go build -n", []string{"go build", "go build ./...", "go build -n=false", "go build -n -n=false", "go build -n -n=0"}},
	{"go test -n ./...", "go test -n", []string{"go test ./...", "go test -v"}},
	{"go test -list . ./...", "go test -list .", []string{"go test ./...", "go test -list= ./...", "go test -list . -list= ./..."}},
	{"go install -n ./...", "go install -n", []string{"go install ./..."}},
	{"go generate -n", "go generate -n", []string{"go generate"}},
	{"go run ./cmd/x --dry-run", "go run ./cmd/x --dry-run <end>", []string{"go run ./cmd/x", "go run ./cmd/y --dry-run"}},
	{"git add -n .", "git add -n", []string{"git add .", "git add -A", "git add -n --no-dry-run ."}},
	{"git add --dry-run .", "git add --dry-run", []string{"git add ."}},
	{"git push --dry-run", "git push --dry-run <end>", []string{"git push", "git push --dry-run --no-dry-run"}},
	{"git clean -n", "git clean -n <end>", []string{"git clean", "git clean -f"}},
	{"git commit --dry-run -m x", "git commit --dry-run -m <any> <end>", []string{"git commit -m x"}},
	{"git --version", "git --version", []string{"git log", "git status"}},
	{"black --check .", "black --check", []string{"black .", "isort --check ."}},
	{"isort --check-only --diff .", "isort --check-only --diff", []string{"isort .", "isort --diff ."}},
	{"prettier --check src", "prettier --check", []string{"prettier src", "prettier --write src"}},
	{"prettier -l src", "prettier -l", []string{"prettier src"}},
	{"ruff format --check", "ruff format --check", []string{"ruff format", "ruff format --diff"}},
	{"tsc --noEmit", "tsc --noEmit", []string{"tsc", "tsc --noEmit=false", "tsc --noEmit false"}},
	{"pytest --collect-only", "pytest --collect-only", []string{"pytest", "pytest -q"}},
	{"cargo test --no-run", "cargo test --no-run", []string{"cargo test", "cargo t"}},
	{"cargo fmt --check", "cargo fmt --check", []string{"cargo fmt"}},
	{"cargo test -- --list", "cargo test -- --list <end>", []string{"cargo test"}},
	{"cargo --version", "cargo --version", []string{"cargo metadata", "cargo test"}},
	{"kill -0 12", "kill -0 12 <end>", []string{"kill 12", "kill -9 12"}},
	{"kill -l", "kill -l", []string{"kill 12", "kill -9 12"}},
	{"ls --help", "ls --help", []string{"ls", "ls src"}},
	{"eslint --version", "eslint --version", []string{"eslint", "eslint src"}},
	{"golangci-lint --help", "golangci-lint --help", []string{"golangci-lint"}},
	// Of what has no table every word stays.
	{"terraform plan", "terraform plan <end>", []string{"terraform apply", "terraform plan -destroy", "terraform"}},
	{"nginx -t", "nginx -t <end>", []string{"nginx", "nginx -s stop"}},
	{"rsync -n a b", "rsync -n a b <end>", []string{"rsync a b"}},
	{"ansible-playbook --check x.yml", "ansible-playbook --check x.yml <end>", []string{"ansible-playbook x.yml"}},
	{"kubectl apply --dry-run=client -f x.yaml", "kubectl apply --dry-run=client -f x.yaml <end>", []string{"kubectl apply -f x.yaml", "kubectl apply --dry-run=none -f x.yaml"}},
}

// TestWhatDidLessIsRememberedAsThat: a yes to a command that does less because of
// a flag is remembered with the flag, and allows nothing without it.
func TestWhatDidLessIsRememberedAsThat(t *testing.T) {
	for _, c := range narrowed {
		got := Propose(judged(NewSet(), c.line), false)
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, wanted %q", c.line, got, c.want)
			continue
		}
		s := NewSet(rules(t, Allow, got...)...)
		checkLines(t, s, Allow, c.line)
		for _, line := range c.open {
			if j := judged(s, line); j.Verdict == Allow {
				t.Errorf("%s is allowed by %q: %s", line, got, j.Why)
			}
		}
	}
}

// TestWhatDoesNoLessIsRememberedShort: flags that change how much is done or
// said, and not what is done, are left out, so that a yes is not asked for anew
// with each of them.
func TestWhatDoesNoLessIsRememberedShort(t *testing.T) {
	for line, want := range map[string]string{
		"go test -race -run X -count=1 ./...": "go test", "go build -v ./...": "go build", "go vet ./...": "go vet", "go mod tidy -v": "go mod tidy",
		"make -j4 -k test": "make test", "npm run build --silent": "npm run build", "npm test -- --watch": "npm test", "npm install --no-audit": "npm install",
		"cargo build --release -p x": "cargo build", "cargo test -- --nocapture": "cargo test", "pytest -q -x -k foo": "pytest", "eslint --quiet src": "eslint",
		"git add -A": "git add", "git --no-pager log -5 --oneline": "git log", "git branch -a": "git branch", "git diff --check": "git diff",
		"ls -la": "ls", "grep -rn foo src": "grep", "rg -l foo": "rg", "find . -name x": "find", "head -5 go.mod": "head", "diff -u a b": "diff",
		"kubectl get pods -n x -w": "kubectl get pods", "docker ps -a": "docker ps", "gofmt -l .": "gofmt", "mkdir -p a": "mkdir", "date -u": "date",
		"npm ls --depth=0": "npm ls", "go list -json ./...": "go list", "shellcheck -s bash x.sh": "shellcheck", "tsc -p .": "tsc", "mypy --strict src": "mypy",
		"sed -n 1,5p go.mod": "sed", "sort -u go.mod": "sort", "ps -ef": "ps", "du -sh .": "du", "type -a go": "type", "git stash list --stat": "git stash list",
	} {
		if got := Propose(judged(NewSet(), line), false); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, wanted %q", line, got, want)
		}
	}
}

// TestNoFlagIsTakenBack: what a rule names stays so, whatever follows.
func TestNoFlagIsTakenBack(t *testing.T) {
	s := NewSet(rules(t, Allow, "foo --dry-run", "go build -n", "make -n", "npm run x -- --dry-run", "kubectl get --watch", "git log --color")...)
	checkLines(t, s, Allow, "foo --dry-run a", "foo --dry-run -v", "go build -n ./...", "make -n test", "make --dry-run -k test", "make test --recon", "npm run x -- --dry-run a", "git log --color=never")
	checkLines(t, s, Open, "foo --dry-run --no-dry-run", "foo --dry-run --dry-run=false", "foo --dry-run=false", "foo --dry-run=0", "foo --dry-run=off", "foo --dry-run=$X", "foo --dry-run --dryrun=no --dry-run=no",
		"foo --dry-run --nodry-run", "go build -n=false", "go build -n -n=false", "go build -n=$X", "npm run x -- --dry-run --no-dry-run", "npm run x -- --dry-run --dry-run=false", "make test", "make -k")
}

// TestEveryProgramSaysWhatMayBeLeftOut: the flag by which a program shows what it
// would do, or itself, is left out of the rule for no program.
func TestEveryProgramSaysWhatMayBeLeftOut(t *testing.T) {
	var look func(line string, p *program)
	look = func(line string, p *program) {
		for name, sub := range p.subs {
			look(line+" "+name, sub)
		}
		for flag := range p.flags {
			if p.leaves[flag] && (tellsItself.MatchString(flag) || p.named && doesLess(flag)) {
				t.Errorf("%s %s may be left out of a rule", line, flag)
			}
		}
		for flag := range p.leaves {
			if flag != "-#" && p.flags[flag].harms() {
				t.Errorf("%s %s is left out, and is not known to do no harm", line, flag)
			}
		}
	}
	for name, p := range known() {
		look(name, p)
	}
}

func doesLess(flag string) bool {
	return slices.Contains([]string{"-n", "--dry-run", "--just-print", "--recon", "--question", "--check", "--check-only", "--no-run", "--noEmit", "--list", "-list", "--collect-only", "--ignore-scripts"}, flag)
}
