package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// shaped are secrets that give themselves away, wherever they stand.
var shaped = map[string]string{
	"OpenAI":        "sk-proj-4f9dKq27LmZx81",
	"Anthropic":     "sk-ant-api03-Zq81_x-Lm29Kd",
	"Stripe":        "sk_live_51HqLm29Kd8xZ",
	"GitHub":        "ghp_1a2B3c4D5e6F7g8H9i0J",
	"GitHub server": "ghs_1a2B3c4D5e6F7g8H9i0J",
	"GitHub fine":   "github_pat_11ABCDEFG0_x8Kd93mz",
	"GitLab":        "glpat-x8Kd93mzQq1",
	"AWS":           "AKIA" + "IOSFODNN7EXAMPLE",
	"AWS temporary": "ASIA" + "IOSFODNN7EXAMPLE",
	"Google":        "AIzaSyD4f9dKq27LmZx81aB",
	"Slack":         "xoxb-2048-x8Kd93mz",
	"Hugging Face":  "hf_x8Kd93mzQqLmZx81aB",
	"token of JSON": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
}

func TestShapesAreTakenOutWhereverTheyStand(t *testing.T) {
	r := New(Options{})
	for whose, key := range shaped {
		for _, around := range []string{
			"%s", "bad key %s, try another", `{"msg":"got %s"}`, `{\"args\":\"-u %s\"}`, "https://api.test/v1?k=%s&a=1",
			"it is (%s).", "'%s'", "a,%s,b", "first\n%s\nlast",
		} {
			checkGone(t, whose, r.Text(fmt.Sprintf(around, key)), key)
			checkGone(t, whose, r.Keys(fmt.Sprintf(around, key)), key)
		}
	}
}

// plain is a secret that only its name or its place tells.
const plainSecret = "correct_horse.battery+staple"

func TestNamesAndPlacesTellSecrets(t *testing.T) {
	r := New(Options{})
	for _, around := range []string{
		// Variables.
		"OPENAI_API_KEY=%s", "export MY_TOKEN=%s", "  CLIENT_SECRET_2='%s'", `DB_PASSWORD="%s"`, "KEY_OF_MINE=a b %s c",
		"env: AWS_SECRET_ACCESS_KEY=%s PATH=/bin", `{"env":["NPM_TOKEN=%s","A=b"]}`, `map[GH_TOKEN:%s PATH:/bin]`,
		`"GITHUB_TOKEN": "%s",`, `TOKEN := %s`, `{"script":"export API_KEY=%s\nmake"}`,
		// Members and settings.
		"apiKey: %s", `"accessToken":"%s"`, "client_secret = '%s'", `{"a":"{\"password\":\"%s\"}"}`, "token=%s", "key: %s",
		"providers.openai.key: %s", "passphrase: two words %s more", `"key": "with \"quotes\" %s"`, "refresh-token => %s",
		"secretKey=%s, other=1", "authtoken: %s",
		// Command lines.
		"curl --token %s url", "tool --api-key=%s", "tool --db-password '%s'",
		// Headers.
		"Authorization: %s", "authorization: Basic %s", `"Authorization":["Bearer %s"]`, `headers: {\"x-api-key\":\"%s\"}`,
		"curl -H 'X-Api-Key: %s' url", "Cookie: a=1; sid=%s", "Set-Cookie: sid=%s; Path=/", "Proxy-Authorization: Digest u=ada, r=%s",
		"Bearer %s", "sent bearer %s to them", "map[Authorization:[Bearer %s]]", "PRIVATE-TOKEN: %s",
		// Addresses.
		"https://ada:%s@host.test/path", "postgres://%s@db/x", `HTTPS_PROXY="http://u:%s@proxy:8080"`, "https://host.test/?token=%s&x=1",
		"git clone https://x-access-token:%s@github.test/a/b.git",
	} {
		checkGone(t, around, r.Text(fmt.Sprintf(around, plainSecret)), plainSecret)
	}
}

func TestPrivateKeysGoWhole(t *testing.T) {
	const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
	r := New(Options{})
	for _, kind := range []string{"PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		whole := "-----BEGIN " + kind + "-----\n" + body + "-----END " + kind + "-----"
		inJSON, _ := json.Marshal(map[string]string{"text": whole})
		cutEnd, _, _ := strings.Cut(whole, "-----END")
		_, cutBegin, _ := strings.Cut(whole, "-----\n")
		for _, text := range []string{whole, string(inJSON), "before\n" + cutEnd, cutBegin + "\nafter", strings.ReplaceAll(whole, "\n", "\r\n")} {
			got := r.Text("a line\n" + text)
			for _, line := range strings.Fields(body) {
				checkGone(t, kind, got, line)
			}
			if !strings.Contains(got, "a line") {
				t.Errorf("%s: what stood before it is gone: %q", kind, got)
			}
		}
	}
}

func TestKnownSecretsAreTakenOutInEverySpelling(t *testing.T) {
	const secret = `pa"ss wörd/7&`
	r := New(Options{Secrets: []string{"pa", secret, "", secret + "-longer"}})
	for _, text := range []string{
		secret, secret + "-longer", `pa\"ss wörd/7\u0026`, "pa%22ss+w%C3%B6rd%2F7%26", "pa%22ss%20w%C3%B6rd%2F7&",
	} {
		if got := r.Keys("a " + text + " b"); got != "a "+Mark+" b" {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := r.Keys("pa pa"); got != "pa pa" {
		t.Errorf("a short value blanked words: %q", got)
	}
}

func TestWhoTheUserIs(t *testing.T) {
	r := New(Options{Home: "/home/ada l/", Users: []string{"ada", "al", "root", "émile"}})
	for text, want := range map[string]string{
		"/home/ada l":                       "~",
		"/home/ada l/src/a.go:3":            "~/src/a.go:3",
		"file:///home/ada%20l/src/a.go":     "file://~/src/a.go",
		`{"cwd":"/home/ada l/src"}`:         `{"cwd":"~/src"}`,
		"/home/ada lovelace/x":              "/home/(user) lovelace/x",
		"/mnt/home/ada l/x":                 "/mnt/home/(user) l/x",
		"by Ada, for ada":                   "by (user), for (user)",
		"adamant, /adapter/":                "adamant, /adapter/",
		"al is too short, root says little": "al is too short, root says little",
		"c'est émile!":                      "c'est (user)!",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A report in which everything is blanked helps nobody.
func TestOrdinaryTextStays(t *testing.T) {
	r := New(Options{Secrets: []string{"a-real-secret"}, Home: "/home/ada", Users: []string{"ada"}})
	for _, text := range []string{
		`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"initialized","client":"Neovim","version":"0.11.2"}`,
		`{"inputTokens":1200,"outputTokens":33,"maxTokens":4096}`,
		"monkey: banana, hotkeys: many, keyEnv: LOCAL_KEY",
		"providers.openai.key: (set)", "API_KEY=", `"token": null`, "token: 42,", "key: true",
		"set ANTHROPIC_API_KEY or OPENAI_API_KEY, or point OPENAI_BASE_URL at a local server",
		"basic settings, bearer tokens, bearer token missing", "https://host.test:8080/a/@scope/pkg", "git@host.test:a/b.git",
		"ok    login PATH     /usr/local/bin:/usr/bin", "disk-usage, task-list, sk-1", "KEYBOARD", "a key\nb: c",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// What was taken out once is not taken apart again.
func TestRedactingTwiceChangesNothing(t *testing.T) {
	r := New(Options{Secrets: []string{"a-real-secret"}, Home: "/home/ada", Users: []string{"ada"}})
	text := "API_KEY=x1y2z3w4\nAuthorization: Bearer abc123def\n\"token\":\"a-real-secret\" --token a-real-secret https://ada:pw@h/ /home/ada/x ghp_1a2B3c4D5e6F"
	once := r.Text(text)
	if twice := r.Text(once); twice != once {
		t.Errorf("%q becomes %q", once, twice)
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "openai_api_key": true, "NPM_TOKEN": true, "MY_SECRET_2": true, "PGPASSWORD": true,
		"KEY_OF_MINE": true, "SSH_PASSPHRASE": true, "PATH": false, "HOME": false, "OPENAI_BASE_URL": false, "PWD": false,
	} {
		if SecretName(name) != want {
			t.Errorf("%s is a secret: %v", name, !want)
		}
	}
}

func checkGone(t *testing.T, what, text, secret string) {
	t.Helper()
	if strings.Contains(text, secret) || len(secret) > 16 && strings.Contains(text, secret[:12]) {
		t.Errorf("%s: %q shows %q", what, text, secret)
	}
}
