package shell

import (
	"os"
	"slices"
	"strings"
)

// EnvOptions says how a command's environment differs from the host's.
type EnvOptions struct {
	Host  []string // NAME=value; nil is the bridge's own environment
	Allow []string // names kept although they would be withheld, in any case
	Set   []string // NAME=value added last; may bring a withheld name back
}

// Environ is the environment of a command: the host's without what would
// mislead a command or tell it a secret, then o.Set, then settings that keep
// programs from asking, paging and colouring. The latter always win. Withheld
// variables are absent, not empty: an empty FORCE_COLOR still turns colours on.
func Environ(o EnvOptions) []string {
	host := o.Host
	if host == nil {
		host = os.Environ()
	}
	env := make([]string, 0, len(host)+len(o.Set)+len(hardened))
	for _, kv := range host {
		name := envName(kv)
		if name != "" && (!withheld(name) || allowed(o.Allow, name)) {
			env = append(env, kv)
		}
	}
	return override(override(env, o.Set), hardened)
}

// hardened keeps a command from waiting for somebody who is not there.
var hardened = []string{
	"GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat",
}

func override(env, with []string) []string {
	for _, kv := range with {
		name := envName(kv)
		if name == "" {
			continue
		}
		env = slices.DeleteFunc(env, func(old string) bool { return envName(old) == name })
		env = append(env, kv)
	}
	return env
}

// envName is the part before '='; "" for what is no variable.
func envName(kv string) string {
	name, _, ok := strings.Cut(kv, "=")
	if !ok {
		return ""
	}
	return name
}

func allowed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(a string) bool { return strings.EqualFold(a, name) })
}

// withheld reports whether the host's variable is not for commands, whatever
// case it is spelled in.
func withheld(name string) bool {
	name = strings.ToUpper(name)
	return slices.Contains(misleading, name) || slices.Contains(secrets, name) ||
		hasAnyPrefix(name, ownPrefixes) || vendorKey(name)
}

// misleading variables describe the bridge's process, not the command's: a
// server would take PORT, a login shell would load an editor's integration.
var misleading = []string{
	"PORT", "HOST", "FORCE_COLOR", "CLICOLOR_FORCE", "LINES", "COLUMNS",
	"TERM_PROGRAM", "TERM_PROGRAM_VERSION", "INSIDE_EMACS",
	"NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC",
	"NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE",
}

var ownPrefixes = []string{"DRAWBRIDGE_", "VSCODE_", "ELECTRON_"}

// secrets are credentials of model services whose names follow no pattern.
var secrets = []string{
	"ANTHROPIC_CUSTOM_HEADERS", "AWS_BEARER_TOKEN_BEDROCK", "CLAUDE_CODE_OAUTH_TOKEN", "CO_API_KEY",
	"GOOGLE_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "LITELLM_MASTER_KEY",
}

var vendors = []string{
	"AI_GATEWAY_", "ANTHROPIC_", "AZURE_AI_", "AZURE_OPENAI_", "CEREBRAS_", "COHERE_", "DASHSCOPE_",
	"DEEPINFRA_", "DEEPSEEK_", "FIREWORKS_", "GEMINI_", "GOOGLE_AI_", "GOOGLE_GENERATIVE_AI_", "GROQ_",
	"HUGGINGFACE_", "HUGGINGFACEHUB_", "LITELLM_", "LLAMA_", "LMSTUDIO_", "MISTRAL_", "MOONSHOT_",
	"NVIDIA_", "OLLAMA_", "OPENAI_", "OPENROUTER_", "PERPLEXITY_", "REPLICATE_", "TOGETHER_",
	"VLLM_", "VOYAGE_", "XAI_", "ZAI_", "ZHIPUAI_",
}

// vendorKey matches OPENAI_API_KEY, OPENAI_API_KEY_2, REPLICATE_API_TOKEN and
// the like, and leaves OPENAI_BASE_URL and OPENAI_MODEL alone.
func vendorKey(name string) bool {
	secret := strings.Contains(name, "API_KEY") || strings.HasSuffix(name, "_KEY") ||
		strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")
	return secret && hasAnyPrefix(name, vendors)
}

func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
