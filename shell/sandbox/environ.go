package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usual are the variables that a confined command sees: who and where one is,
// and where compilers and interpreters find their things. Whatever else a user's
// environment holds is none of an agent's business; settings add to it.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "TERMINFO", "TERMINFO_DIRS",
	"EDITOR", "VISUAL", "PAGER", "LESS", "LS_COLORS", "NO_COLOR", "COLUMNS", "LINES", "CI", "MANPATH", "INFOPATH",
	"GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME",
	"GIT_COMMITTER_EMAIL",
	"CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH",
	"C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PKG_CONFIG", "PKG_CONFIG_PATH",
	"MAKEFLAGS", "CMAKE_PREFIX_PATH", "CMAKE_GENERATOR", "SDKROOT", "MACOSX_DEPLOYMENT_TARGET", "DEVELOPER_DIR",
	"GOPATH", "GOROOT", "GOBIN", "GOFLAGS", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOOS", "GOARCH",
	"GOARM", "GOAMD64", "GOTOOLCHAIN", "GOEXPERIMENT", "GODEBUG", "GOMAXPROCS", "GOMODCACHE", "GO111MODULE", "GOWORK",
	"GOENV", "CGO_ENABLED", "CGO_CFLAGS", "CGO_LDFLAGS",
	"CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_JOBS", "CARGO_INCREMENTAL", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS",
	"RUSTDOCFLAGS", "RUST_BACKTRACE", "RUST_LOG",
	"NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NODE_VERSION", "NVM_DIR", "NVM_BIN", "NVM_INC", "VOLTA_HOME", "FNM_DIR", "FNM_MULTISHELL_PATH",
	"PNPM_HOME", "COREPACK_HOME", "BUN_INSTALL", "DENO_INSTALL",
	"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYENV_ROOT",
	"PYENV_VERSION", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_PYTHON_EXE", "UV_PYTHON",
	"JAVA_HOME", "JDK_HOME", "JAVA_OPTS", "MAVEN_HOME", "M2_HOME", "MAVEN_OPTS", "GRADLE_HOME", "GRADLE_OPTS", "KOTLIN_HOME",
	"SCALA_HOME", "SBT_OPTS", "SDKMAN_DIR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_NDK_HOME", "FLUTTER_ROOT",
	"GEM_HOME", "GEM_PATH", "RUBYLIB", "RUBYOPT", "RBENV_ROOT", "RBENV_VERSION", "BUNDLE_PATH", "BUNDLE_GEMFILE", "RAILS_ENV", "RACK_ENV",
	"PERL5LIB", "PERL_LOCAL_LIB_ROOT", "PHP_INI_SCAN_DIR", "DOTNET_ROOT", "MSBuildSDKsPath", "MIX_ENV", "ERL_LIBS", "OPAM_SWITCH_PREFIX",
	"OCAMLPATH", "CAML_LD_LIBRARY_PATH", "GHCUP_INSTALL_BASE_PREFIX", "STACK_ROOT", "LUA_PATH", "LUA_CPATH", "JULIA_DEPOT_PATH",
	"ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "MISE_SHELL", "DIRENV_DIR", "NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE",
	"IN_NIX_SHELL", "HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "CUDA_HOME", "CUDA_PATH",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "SOURCE_DATE_EPOCH",
}

// usualPrefixes begin further ones: locales, and what this program itself sets.
var usualPrefixes = []string{"LC_", "DRAWBRIDGE_"}

// proxies are worth something with a network only; they may hold a password.
var proxies = []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"}

// environ is what a confined command sees of env, a private TMPDIR, and
// private caches.
func (p Policy) environ(env []string) []string {
	var seen []string
	for _, kv := range env {
		if name, _, ok := strings.Cut(kv, "="); ok && p.sees(name) {
			seen = append(seen, kv)
		}
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		seen = put(seen, name, p.Tmp)
	}
	if p.caches() != "" {
		seen = p.withCaches(seen)
	}
	if p.Network == NoNetwork {
		seen = p.withoutPatience(seen)
	}
	return seen
}

// impatient keep package managers from asking again and again for minutes where
// there is no network: they fail at once, and the reason is seen.
var impatient = [][2]string{{"npm_config_fetch_retries", "0"}, {"PIP_RETRIES", "0"}, {"CARGO_NET_RETRY", "0"}}

func (p Policy) withoutPatience(env []string) []string {
	for _, v := range impatient {
		if !slices.Contains(p.Set, v[0]) && !slices.Contains(p.Pass, v[0]) {
			env = put(env, v[0], v[1])
		}
	}
	return env
}

func (p Policy) sees(name string) bool {
	if slices.Contains(p.Pass, name) || slices.Contains(p.Set, name) {
		return true
	}
	if slices.Contains(proxies, name) {
		return p.Network == FullNetwork
	}
	return slices.Contains(usual, name) ||
		slices.ContainsFunc(usualPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func put(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// privateCaches are written by what builds and tests. The user's own are only
// read: what a command puts into a cache would be run later, outside.
var privateCaches = [][2]string{
	{"GOCACHE", "go-build"},
	{"npm_config_cache", "npm"},
	{"YARN_CACHE_FOLDER", "yarn"},
	{"BUN_INSTALL_CACHE_DIR", "bun"},
	{"DENO_DIR", "deno"},
	{"PIP_CACHE_DIR", "pip"},
	{"UV_CACHE_DIR", "uv"},
	{"POETRY_CACHE_DIR", "poetry"},
	{"MPLCONFIGDIR", "matplotlib"},
	{"GRADLE_USER_HOME", "gradle"},
	{"CCACHE_DIR", "ccache"},
	{"SCCACHE_DIR", "sccache"},
	{"COMPOSER_CACHE_DIR", "composer"},
	{"BUNDLE_USER_CACHE", "bundle"},
	{"DOTNET_CLI_HOME", "dotnet"},
	{"ZIG_GLOBAL_CACHE_DIR", "zig"},
	{"XDG_CACHE_HOME", "xdg"},
}

// sharedCaches are read from the user's XDG_CACHE_HOME, or else would be
// missing: programs that are fetched once and never change. The first path that
// exists below the home folder is named by the variable.
var sharedCaches = [][2]string{
	{"PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"},
	{"CYPRESS_CACHE_FOLDER", ".cache/Cypress"},
	{"PUPPETEER_CACHE_DIR", ".cache/puppeteer"},
	{"HF_HOME", ".cache/huggingface"},
	{"COREPACK_HOME", ".cache/node/corepack"},
	{"GRADLE_RO_DEP_CACHE", ".gradle/caches"},
}

func (p Policy) withCaches(env []string) []string {
	for _, c := range sharedCaches {
		dir := filepath.Join(p.Home, c[1])
		if p.Home != "" && lookup(env, c[0]) == "" && isFolder(dir) {
			env = put(env, c[0], dir)
		}
	}
	for _, c := range privateCaches {
		if !slices.Contains(p.Set, c[0]) && !slices.Contains(p.Pass, c[0]) {
			env = put(env, c[0], filepath.Join(p.caches(), c[1]))
		}
	}
	return put(env, "npm_config_update_notifier", "false")
}

// caches is the workspace's own folder of Caches, named after its first root.
func (p Policy) caches() string {
	if p.Caches == "" || len(p.Roots) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(p.Roots[0]))
	return filepath.Join(p.Caches, filepath.Base(p.Roots[0])+"-"+hex.EncodeToString(sum[:6]))
}

// makeCaches makes the folders of the private caches.
func (p Policy) makeCaches() error {
	if p.caches() == "" {
		return nil
	}
	return os.MkdirAll(p.caches(), 0o700)
}
