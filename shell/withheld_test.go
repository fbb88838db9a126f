package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// P-EXEC-12 and C20: what would mislead a command or open something for it is
// absent, whatever case it is spelled in, and the user may let it through.
func TestEnvironWithholds(t *testing.T) {
	for _, name := range []string{
		"PORT", "Port", "HOST", "FORCE_COLOR", "CLICOLOR_FORCE", "DRAWBRIDGE_SHELL", "CDPATH", "BASHOPTS", "GLOBIGNORE", "POSIXLY_CORRECT", "drawbridge_x", "LINES",
		"ANTHROPIC_API_KEY", "Anthropic_Api_Key", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_API_KEY_2", "OPENAI_ADMIN_KEY",
		"GEMINI_API_KEY", "GROQ_API_KEY", "REPLICATE_API_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "HF_TOKEN",
		"GITHUB_TOKEN", "MY_API_KEY", "MYAPP_APIKEY", "TOKEN", "DB_PASSWORD", "db_passwd", "SMTP_PASS", "AWS_SECRET_ACCESS_KEY",
		"SIGNING_PRIVATE_KEY", "CLIENT_SECRET", "GOOGLE_CREDENTIALS", "GPG_PASSPHRASE", "PGPASSWORD", "AZURE_DEVOPS_EXT_PAT",
		"VSCODE_IPC_HOOK_CLI", "NVIM", "ELECTRON_RUN_AS_NODE", "NODE_CHANNEL_FD", "TERM_PROGRAM",
	} {
		env := Environ(EnvOptions{Host: []string{name + "=x", "KEPT=1"}})
		if v, ok := valueOf(env, name); ok {
			t.Errorf("%s=%q reaches commands", name, v)
		}
		if v, _ := valueOf(env, "KEPT"); v != "1" {
			t.Errorf("an ordinary variable was lost beside %s", name)
		}
		env = Environ(EnvOptions{Host: []string{name + "=x"}, Allow: []string{strings.ToLower(name)}})
		if v, _ := valueOf(env, name); v != "x" {
			t.Errorf("%s is withheld though allowed", name)
		}
	}
	env := Environ(EnvOptions{Host: []string{"LICENSE=x"}, Secrets: []string{"license"}})
	if _, ok := valueOf(env, "LICENSE"); ok {
		t.Error("a variable that the user called a secret reaches commands")
	}
}

// What only stands near a secret is not one.
func TestEnvironPassesWhatOnlyLooksSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kv := range []string{
		"SSH_AUTH_SOCK=/run/agent", "GITHUB_TOKEN_FILE=/run/secrets/token", "AWS_ACCESS_KEY_ID=AKIAEXAMPLE", "KEYBOARD=us",
		"GOOGLE_APPLICATION_CREDENTIALS=" + file, "MAX_TOKENS=4096", "ALLOW_EMPTY_PASSWORD=yes", "PATH=/bin", "TOKENIZER=bpe",
		"SSH_ASKPASS=/usr/bin/ask", "DATABASE_URL=postgres://ada@localhost/db", "DATABASE_URL=postgres://localhost:5432/db",
		"HTTPS_PROXY=http://ada:hunter22@proxy:3128", "PIP_INDEX_URL=https://ada:hunter22@pypi.example/simple",
		"PASSWORD_STORE_DIR=/home/ada/.store", "COMPASS=north", "EQUATION=a=b@c", "GIT_URL=git@github.com:ada/x.git",
	} {
		if env := Environ(EnvOptions{Host: []string{kv}}); !slices.Contains(env, kv) {
			t.Errorf("%s is withheld", kv)
		}
	}
}

func TestEnvironWithholdsAddressesWithPasswords(t *testing.T) {
	for _, kv := range []string{
		"DATABASE_URL=postgres://ada:hunter22@localhost/db", "CACHE=redis://:hunter22@cache:6379", "ELASTIC=https://e:hunter22@host",
		"DB=jdbc:postgresql://host/db?user=ada&password=hunter22", "DSN=host=db user=ada password=hunter22", "SQL=Server=x;Pwd=hunter22;",
	} {
		name := envName(kv)
		o := EnvOptions{Host: []string{kv}}
		if v, ok := valueOf(Environ(o), name); ok {
			t.Errorf("%s=%s reaches commands", name, v)
		}
		if got := SecretValues(o.Host, o); !slices.Equal(got, []string{"hunter22"}) {
			t.Errorf("%s: secret values %q", kv, got)
		}
		if got := Withheld(o.Host, o); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: withheld %q", kv, got)
		}
	}
}

// The values of secrets are known also where commands may see them; what a
// text holds by chance is not blanked.
func TestSecretValues(t *testing.T) {
	o := EnvOptions{Allow: []string{"GITHUB_TOKEN"}, Secrets: []string{"LICENSE", "WORD", "DAY", "SHORT"}}
	env := []string{
		"GITHUB_TOKEN=ghx-0123456789", "LICENSE=AB12-CD34", "HTTP_PROXY=http://ada:hunter22@proxy", "PLAIN=not-a-secret-0",
		"A_TOKEN=short", "B_TOKEN=development", "C_PASSWORD=postgres", "D_API_KEY=lm-studio", "E_PASSWORD=20301231",
		"F_SECRET=a secret of words", "G_PASSWORD=Password", "H_TOKEN=127.0.0.1",
		"WORD=correct horse", "DAY=20301231", "SHORT=seven77",
	}
	want := []string{"ghx-0123456789", "AB12-CD34", "hunter22", "correct horse", "20301231"}
	if got := SecretValues(env, o); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Withheld(env, o); slices.Contains(got, "GITHUB_TOKEN") || slices.Contains(got, "HTTP_PROXY") || !slices.Contains(got, "A_TOKEN") {
		t.Errorf("withheld: %q", got)
	}
}
