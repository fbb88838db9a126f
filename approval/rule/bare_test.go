package rule

import "testing"

func TestBareRules(t *testing.T) {
	for text, want := range map[string]bool{
		"bash": true, "python3": true, "/usr/bin/python": true, "xargs": true, "env": true, "sudo": true, "npx": true, "ssh": true,
		"bash -c": true, "bash -c <any>": true, "python <any>": true, "FOO=1 bash": true, "held: bash": true, "timeout <number>": true, "node": true,
		"bash build.sh": false, "python3 tools/gen.py": false, "xargs grep": false, "git": false, "go test": false, "bash -n x.sh": false,
		"python3 --version <end>": false, "write:bash": false,
	} {
		r, err := Parse(Allow, text, "/w")
		if err != nil {
			t.Fatal(err)
		}
		if r.Bare() != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
