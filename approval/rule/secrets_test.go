package rule

import (
	"strings"
	"testing"
)

func TestHoldsSecrets(t *testing.T) {
	for _, path := range []string{
		"/w/.env", "/w/.env.production", "/w/sub/.ENV", "/w/.envrc", "/w/prod.env", "/w/server.pem", "/w/tls/server.key",
		"/home/u/.ssh", "/home/u/.ssh/id_ed25519", "/home/u/.ssh/config", "/w/id_rsa", "/w/id_rsa.bak", "/home/u/.netrc",
		"/home/u/.aws/credentials", "/home/u/.config/gcloud/x/y.db", "/home/u/.kube/config", "/home/u/.docker/config.json",
		"/w/credentials.json", "/w/credentials-prod.json", "/w/secrets.yaml", "/w/service-account-1.json",
		"/w/terraform.tfstate", "/w/a.p12", "/etc/shadow", "/proc/self/environ", "/proc/17/environ", "/home/u/.gnupg/x", "/home/u/.bash_history",
		"/home/u/.mozilla/firefox/x.default/prefs.js", "/w/.npmrc", "/w/\u200c.env",
	} {
		if HoldsSecrets(path) == "" {
			t.Errorf("%s passes as an ordinary file", path)
		}
	}
}

func TestOrdinaryFilesHoldNoSecrets(t *testing.T) {
	for _, path := range []string{
		"", "/w/.env.example", "/w/.env.sample", "/w/.env.template", "/w/.env.local.example", "/w/id_rsa.pub", "/w/secrets.go",
		"/w/credentials.ts", "/w/environment.go", "/w/keys.go", "/w/.gitignore", "/w/package.json", "/w/etc/shadow", "/proc/cpuinfo",
		"/w/docker/config.json", "/home/u/.config", "/w/monkey", "/w/main.tf",
	} {
		if why := HoldsSecrets(path); why != "" {
			t.Errorf("%s: %s", path, why)
		}
	}
}

func TestEachSecretOfTheTableIsFound(t *testing.T) { checkTable(t, holdsSecrets, HoldsSecrets) }

func TestRunsSame(t *testing.T) {
	const before = `{"name":"a","version":"1.0.0","scripts":{"test":"x"},"dependencies":{"left":"^1.0.0"}}`
	for _, c := range []struct {
		name, file, before, after string
		want                      bool
	}{
		{"a version", "package.json", before, strings.Replace(before, "1.0.0", "1.0.1", 1), true},
		{"a dependency", "sub/package.json", before, strings.Replace(before, `"^1.0.0"`, `"^2.0.0","right":"*"`, 1), true},
		{"blanks", "package.json", before, strings.ReplaceAll(before, ":", " : "), true},
		{"sections in another order", "package.json", `{"name":"a","bin":"b"}`, `{"bin":"b","name":"a"}`, true},
		{"no dependencies any more", "package.json", before, `{"name":"a","version":"1","scripts":{"test":"x"}}`, true},
		{"of PHP", "composer.json", `{"require":{"php":">=8"}}`, `{"require":{"php":">=8.1"}}`, true},
		{"a script", "package.json", before, strings.Replace(before, `"x"`, `"y"`, 1), false},
		{"a script more", "package.json", before, strings.Replace(before, `"x"`, `"x","postinstall":"y"`, 1), false},
		{"no scripts any more", "package.json", before, `{"name":"a","version":"1","dependencies":{}}`, false},
		{"scripts a second time", "package.json", before, strings.Replace(before, "}}", `},"scripts":{"test":"y"}}`, 1), false},
		{"an unknown section", "package.json", before, strings.Replace(before, "{", `{"husky":{},`, 1), false},
		{"a program", "package.json", before, strings.Replace(before, "{", `{"bin":"x",`, 1), false},
		{"a dependency from an address", "package.json", before, strings.Replace(before, "^1.0.0", "git+https://x.y/z", 1), false},
		{"a dependency from a folder", "package.json", before, strings.Replace(before, "^1.0.0", "../x", 1), false},
		{"a dependency from a repository", "package.json", before, strings.Replace(before, "^1.0.0", "u/r", 1), false},
		{"a dependency that is no text", "package.json", before, strings.Replace(before, `"^1.0.0"`, "1", 1), false},
		{"not JSON before", "package.json", "", before, false},
		{"not JSON after", "package.json", before, before + ",", false},
		{"null", "package.json", "null", "null", false},
		{"another file", ".envrc", before, before, false},
		{"in a folder that runs code", ".husky/package.json", before, before, false},
	} {
		if got := RunsSame("/w/"+c.file, c.before, c.after); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
