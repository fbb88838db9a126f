package rule

import "testing"

func TestForbiddingRulesMeetEverySpelling(t *testing.T) {
	for rule, lines := range map[string][2][]string{
		"git push --force":       {{"git push -f", "git push -uf origin x", "git push --force origin x", "git -C src push -f"}, {"git push --force-with-lease", "git push origin +main", "git push --mirror x"}},
		"git push -f":            {{"git push --force", "git push --forc"}, {"git push --force-with-lease=x", "git push o +a:b"}},
		"git commit --no-verify": {{"git commit -n", "git commit -anm x", "git commit --no-verify -m x"}, nil},
		"git commit -n":          {{"git commit --no-verify"}, nil},
		"rm -r":                  {{"rm --recursive x", "rm -R x", "rm -vR x", "rm --recurs x"}, nil},
		"rm --recursive":         {{"rm -r x", "rm -R x"}, nil},
		"git branch --delete":    {{"git branch -d x"}, {"git branch -D x"}},
		"npm install":            {{"npm i", "npm add x", "npm --silent i x", "npm i -g x"}, nil},
		"npm i -g":               {{"npm install --global x", "npm add -g x"}, nil},
		"npm test":               {{"npm t", "npm tst"}, nil},
		"npm run deploy":         {{"npm run-script deploy"}, nil},
		"cargo run":              {{"cargo r --release"}, nil},
		"curl --request POST":    {{"curl -XPOST x", "curl -X POST x", "curl -sX POST x"}, nil},
		"brew uninstall":         {{"brew rm x"}, nil},
	} {
		s := NewSet(rules(t, Deny, rule)...)
		checkLines(t, s, Deny, lines[0]...)
		checkLines(t, s, Ask, lines[1]...)
	}
	s := NewSet(rules(t, Deny, "git push --force", "git commit --no-verify", "rm -R", "npm install")...)
	checkLines(t, s, Open, "git push origin main", "git commit -mn", "git commit -m note", "rm x", "npm run install", "git push -o f", "npm ci")
}

func TestAllowingRulesMeetEverySpelling(t *testing.T) {
	s := NewSet(rules(t, Allow, "npm test", "npm run-script lint", "cargo t", "git commit -m <any>", "git add -A", "rm --recursive src <end>")...)
	checkLines(t, s, Allow, "npm t", "npm test", "npm run lint", "cargo test", "git commit --message x", "git add --all", "git stage -A", "rm -r src", "rm -R src")
	checkLines(t, s, Open, "npm i", "npm run build", "cargo run", "rm -r .")
}
