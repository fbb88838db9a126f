package rule

import "testing"

// What a command is seen to write is asked about where it runs code, whatever
// rule covers the command or the files.
func TestCommandsThatWriteWhatTheyAreGiven(t *testing.T) {
	s := NewSet(rules(t, Allow, "sed -i", "ln <any> <any>", "patch", "curl <any> <any> <any>", "write:**")...)
	for line, want := range map[string]bool{
		"sed -i s/a/b/ package.json": true, "sed -ni p .envrc": true, "sed --in-place=.bak s/a/b/ .envrc": true, "sed -i -e p .envrc": true,
		"perl -pi -e s/a/b/ .envrc": true, "ln -s x .husky": true, "ln x/.envrc": true, "rsync -a x .vscode/": true, "patch .envrc": true,
		"curl -o .envrc https://a.test": true, "curl --output=.envrc https://a.test": true, "wget -O .envrc https://a.test": true,
		"tar xf a.tar -C .git": true, "unzip a.zip -d .vscode": true,
		"sed -n p package.json": false, "sed -i s/.git/x/ go.mod": false, "sed -i -e s/.git/x/ go.mod": false, "rsync -a .vscode/ x": false,
		"perl -pe s/a/b/ .envrc": false, "curl -o x https://a.test/.envrc": false, "ln -s .husky x": false,
	} {
		j := judged(s, line)
		if got := j.Verdict == Ask; got != want {
			t.Errorf("%s: %s (%s)", line, j.Verdict, j.Why)
		}
	}
}
