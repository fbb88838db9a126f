package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// withheld reports whether the host's variable is not for commands, whatever
// case its name is spelled in.
func (o EnvOptions) withheld(name, value string) bool {
	if listed(o.Allow, name) {
		return false
	}
	upper := strings.ToUpper(name)
	return slices.Contains(misleading, upper) || hasAnyPrefix(upper, ownPrefixes) ||
		!o.Full && slices.Contains(pagers, upper) || o.secret(name, value)
}

// secret reports whether a variable holds a credential.
func (o EnvOptions) secret(name, value string) bool {
	upper := strings.ToUpper(name)
	return listed(o.Secrets, name) ||
		(slices.Contains(secrets, upper) || credential(upper)) && !slices.Contains(switches, strings.ToLower(value)) && !isFile(value) ||
		password(value) != "" && !passwordNeeded(upper)
}

// SecretValues are the values of env that must not be shown: those of
// credentials, also where commands may see them, and the passwords in
// addresses. Words and numbers, which a text may hold by chance, are left out:
// blanking them would hide nothing and spoil what is read and edited. A value
// that the user called secret is one whatever it looks like, from eight bytes on.
func SecretValues(env []string, o EnvOptions) []string {
	var known []string
	add := func(value string) {
		if Recognizable(value) {
			known = append(known, value)
		}
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		word := password(value)
		add(word)
		if listed(o.Secrets, name) {
			if len(value) >= minSecret {
				known = append(known, value)
			}
			continue
		}
		if word == "" && o.secret(name, value) {
			add(value)
		}
	}
	return known
}

// Recognizable reports whether a secret value can be looked for in text: it is
// long enough, and no word or number that occurs by chance ("postgres",
// "lm-studio", "20301231").
func Recognizable(value string) bool {
	return len(value) >= minSecret && !wordy.MatchString(value) && !isFile(value)
}

var wordy = regexp.MustCompile(`^(?:[0-9.]{1,11}|[a-z]+(?:[-_. ][a-z]+)*|[A-Z]+(?:[-_. ][A-Z]+)*|[A-Z][a-z]+)$`)

// Withheld lists the names of env that commands do not see because they hold
// credentials.
func Withheld(env []string, o EnvOptions) []string {
	var names []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if !listed(o.Allow, name) && o.secret(name, value) {
			names = append(names, name)
		}
	}
	return names
}

// misleading variables describe the bridge's process, not the command's: a
// server would take PORT, a login shell would load an editor's integration.
var misleading = []string{
	"PORT", "HOST", "FORCE_COLOR", "CLICOLOR_FORCE", "LINES", "COLUMNS",
	// These have bash read a script otherwise than it was judged.
	"CDPATH", "BASHOPTS", "SHELLOPTS", "GLOBIGNORE", "POSIXLY_CORRECT",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "INSIDE_EMACS",
	"NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC",
	"NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE",
}

// pagers would win over PAGER and GIT_EDITOR.
var pagers = []string{
	"AWS_PAGER", "BAT_PAGER", "DELTA_PAGER", "GH_PAGER", "GIT_SEQUENCE_EDITOR", "GLAB_PAGER", "MANPAGER", "PSQL_PAGER",
	"SYSTEMD_PAGER",
}

var ownPrefixes = []string{"DRAWBRIDGE_", "VSCODE_", "ELECTRON_"}

// switches are values that open nothing: ALLOW_EMPTY_PASSWORD=yes.
var switches = []string{"", "0", "1", "false", "no", "none", "off", "on", "true", "yes"}

// secrets are credentials whose names follow no pattern.
var secrets = []string{
	"ANTHROPIC_CUSTOM_HEADERS", "AWS_BEARER_TOKEN_BEDROCK", "LITELLM_MASTER_KEY", "MYSQL_PWD", "NPM_CONFIG__AUTH",
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
	"PGPASSWORD", "REDISCLI_AUTH", "SSHPASS",
}

// credential reports whether a name, in capitals, says that its value opens
// something: MY_API_KEY, GITHUB_TOKEN, API_KEY_2. A name of a file or of
// something around a secret (…_TOKEN_FILE, …_KEY_ID, SSH_AUTH_SOCK) does not.
func credential(name string) bool {
	bare := strings.TrimSuffix(strings.TrimRight(name, "0123456789"), "_")
	word := bare[strings.LastIndexByte(bare, '_')+1:]
	return slices.Contains(openers, word) || strings.HasSuffix(word, "TOKEN") || strings.HasSuffix(word, "SECRET") ||
		strings.HasSuffix(word, "KEY") && opensWithKey(bare) || vendorKey(name)
}

var openers = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "CREDENTIAL", "CREDENTIALS", "PAT", "JWT"}

// opensWithKey tells API_KEY, MY_API_KEY and MYAPP_APIKEY from KEY and HOT_KEY.
func opensWithKey(name string) bool {
	kind := strings.TrimSuffix(strings.TrimSuffix(name, "KEY"), "_")
	return slices.Contains(keys, kind[strings.LastIndexByte(kind, '_')+1:])
}

var keys = []string{"API", "ACCESS", "SECRET", "PRIVATE", "ENCRYPTION", "SIGNING", "AUTH", "MASTER", "ACCOUNT", "DEPLOY"}

var vendors = []string{
	"AI_GATEWAY_", "ANTHROPIC_", "AZURE_AI_", "AZURE_OPENAI_", "CEREBRAS_", "COHERE_", "DASHSCOPE_",
	"DEEPINFRA_", "DEEPSEEK_", "FIREWORKS_", "GEMINI_", "GOOGLE_AI_", "GOOGLE_GENERATIVE_AI_", "GROQ_",
	"HUGGINGFACE_", "HUGGINGFACEHUB_", "LITELLM_", "LLAMA_", "LMSTUDIO_", "MISTRAL_", "MOONSHOT_",
	"NVIDIA_", "OLLAMA_", "OPENAI_", "OPENROUTER_", "PERPLEXITY_", "REPLICATE_", "TOGETHER_",
	"VLLM_", "VOYAGE_", "XAI_", "ZAI_", "ZHIPUAI_",
}

// vendorKey matches OPENAI_API_KEY_OLD, OPENAI_ADMIN_KEY and the like, and
// leaves OPENAI_BASE_URL and OPENAI_MODEL alone.
func vendorKey(name string) bool {
	return (strings.Contains(name, "API_KEY") || strings.HasSuffix(name, "_KEY")) && hasAnyPrefix(name, vendors)
}

// password is the password that an address or a list of parameters holds, ""
// if it holds none.
func password(value string) string {
	var found []string
	if strings.Contains(value, "://") && strings.Contains(value, "@") {
		found = addressPassword.FindStringSubmatch(value)
	}
	if found == nil && (strings.Contains(value, "d=") || strings.Contains(value, "D=")) {
		found = parameterPassword.FindStringSubmatch(value)
	}
	if found == nil {
		return ""
	}
	return found[1]
}

var (
	addressPassword   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.:-]*://[^\s/?#@:]*:([^\s/?#]+)@`)
	parameterPassword = regexp.MustCompile(`(?i)(?:^|[\s;?&])(?:password|pwd)=([^\s;&'"]+)`)
)

// passwordNeeded names addresses without which programs reach no network and no
// packages; their passwords are only not shown.
func passwordNeeded(name string) bool {
	return strings.HasSuffix(name, "PROXY") || strings.Contains(name, "INDEX") || strings.Contains(name, "REGISTRY")
}

// isFile tells the path of a credential from a credential.
func isFile(value string) bool {
	if !filepath.IsAbs(value) {
		return false
	}
	_, err := os.Lstat(value)
	return err == nil
}

func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(a string) bool { return strings.EqualFold(a, name) })
}

func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
