package rule

import (
	"slices"
	"testing"

	"drawbridge/approval/command"
)

func TestProposals(t *testing.T) {
	for line, want := range map[string][]string{
		"go test ./...":                       {"go test"},
		"git log -5 | head":                   {"git log"},
		"npm run lint":                        {"npm run lint"},
		"npm run lint -- --watch":             {"npm run lint"},
		"make test":                           {"make test"},
		"python x.py":                         {"python x.py <end>"},
		"python x.py a 'b c'":                 {"python x.py a 'b c' <end>"},
		"foo bar":                             {"foo bar <end>"},
		"cd src && go vet ./... && go test":   {"go vet", "go test"},
		"git diff > out.txt":                  {"git diff", "write:out.txt"},
		"git push origin main":                {"git push origin main <end>"},
		"CI=1 npm test":                       {"CI=1 npm test"},
		"cat /etc/hosts":                      {"cat /etc/hosts <end>"},
		"rm x":                                {"rm x <end>"},
		"mkdir -p a/b":                        {"mkdir"},
		"timeout 5 go test ./...":             {"timeout 5 go test ./... <end>"},
		"go test -exec ./x":                   {"go test -exec ./x <end>"},
		"git commit -m \"$X\"":                {"git commit -m <any> <end>"},
		"git commit -am 'a b'":                {"git commit -a -m <any> <end>"},
		"git commit":                          {"git commit <end>"},
		"git commit -m x -- y":                {"git commit -m x -- y <end>"},
		"git checkout main":                   {"git checkout main <end>"},
		"git restore x.py":                    {"git restore x.py <end>"},
		"git reset --hard HEAD~1":             {"git reset --hard 'HEAD~1' <end>"},
		"git clean -n":                        {"git clean -n <end>"},
		"git stash":                           {"git stash <end>"},
		"git stash list":                      {"git stash list"},
		"git rebase main":                     {"git rebase main <end>"},
		"git add x.py":                        {"git add"},
		"make CC=x test":                      {"make CC=x test <end>"},
		"kubectl get pods":                    {"kubectl get pods"},
		"kubectl get pods -n x":               {"kubectl get pods"},
		"docker ps":                           {"docker ps"},
		"touch one":                           {"touch one <end>"},
		"kubectl get secrets":                 nil,
		"kubectl get secret/x -o yaml":        nil,
		"kubectl get pods,secrets":            nil,
		"foo -k hunter2":                      nil,
		"vault login s.xxx":                   nil,
		"foo --password x":                    nil,
		"docker login":                        nil,
		"gh auth token":                       nil,
		"echo hi":                             {"echo"},
		"python -c 'print(1)'":                {"python -c 'print(1)' <end>"},
		"python":                              nil,
		"bash":                                nil,
		"sudo ls":                             nil,
		"ssh h ls":                            nil,
		"xargs":                               nil,
		"eval ls":                             nil,
		"foo $X":                              nil,
		"$X":                                  nil,
		"foo --token=abc":                     nil,
		"foo --token abc":                     nil,
		"API_KEY=x npm test":                  nil,
		"LD_PRELOAD=x ls":                     nil,
		"curl https://u:p@h/":                 nil,
		"curl -H 'Authorization: Bearer x' h": nil,
		"foo sk-abcdefghijk12":                nil,
		"foo a1b2c3d4e5f6a7b8c9d0":            nil,
		"rm -rf x":                            nil,
		"echo x > .envrc":                     nil,
		"echo x > /etc/x":                     nil,
		"ls (":                                nil,
		"cat go.mod | python":                 nil,
		"foo <<< \"$(":                        nil,
	} {
		got := Propose(judged(NewSet(), line), false)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, wanted %q (%s)", line, got, want, judged(NewSet(), line).Why)
		}
	}
}

// TestWhatIsProposedAllows: over all lines of the corpora, what is proposed
// reads the same again, and under it the line is allowed, also when it is held.
func TestWhatIsProposedAllows(t *testing.T) {
	for _, line := range append(corpus(t, "everyday.txt"), corpus(t, "bypass.txt")...) {
		script := command.Parse(line, root, world{})
		for _, held := range []bool{false, true} {
			texts := Propose(NewSet().Judge(script, held, world{}), held)
			if texts == nil {
				continue
			}
			s := NewSet(rules(t, Allow, texts...)...)
			if j := s.Judge(script, held, world{}); j.Verdict != Allow {
				t.Errorf("%q under %q: %q %s", line, texts, j.Verdict, j.Why)
			}
			if held && s.Judge(script, false, world{}).Verdict == Allow && !allFiles(texts) {
				t.Errorf("%q under %q is allowed without a sandbox", line, texts)
			}
			for i, r := range s.Rules() {
				if r.Text != texts[i] {
					t.Errorf("%q reads as %q", texts[i], r.Text)
				}
			}
		}
	}
}

func allFiles(texts []string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return kindOf(s) == commands })
}

func TestProposalsForFiles(t *testing.T) {
	for _, c := range []struct {
		write bool
		name  string
		want  string
	}{
		{true, "src/a.go", "write:src/a.go"}, {true, "src/[x]*.go", `write:src/\[x\]\*.go`}, {true, "/etc/x", ""}, {true, ".envrc", ""}, {false, "/etc/x", "read:/etc/x"},
		{false, ".env", "read:.env"}, {false, "/home/ada/.local/state/drawbridge/x", ""},
	} {
		if got := ProposeFile(c.write, world{}.Target(root, c.name)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
