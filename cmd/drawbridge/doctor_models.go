package main

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"drawbridge/model/providers"
	"drawbridge/model/script"
)

// checkModels names each provider and whether a prompt to it has a chance. It
// connects to nothing: a check must not cost tokens or send a key.
func checkModels() []finding {
	s, err := newSetup()
	if err != nil {
		return nil // checkSettings has said it
	}
	var fs []finding
	o := s.providerOptions()
	for _, name := range providers.Names() {
		if name != script.Name {
			fs = append(fs, s.checkProvider(name, o))
		}
	}
	fs = append(fs, s.checkURLs()...)
	return append(append(append(fs, s.checkModel(o)), checkLocalServers()...), checkProxy())
}

func (s *setup) checkProvider(name string, o providers.Options) finding {
	f := finding{name: name, found: "ready"}
	if err := providers.Ready(name, o); err != nil {
		f.found, f.unused = err.Error(), true
	}
	if v := s.badURL(name); v != "" {
		f.found, f.unused = "cannot be reached by what "+v+" holds", true
	}
	if v := s.cfg().Providers[name].KeyEnv; v != "" && strings.TrimSpace(os.Getenv(v)) == "" {
		f.found = "the settings take its key from " + v + ", which is not set"
		f.advice = "set " + v + ", or mend providers." + name + ".keyEnv in " + s.cfg().File
	}
	return f
}

// checkModel looks at the model that answers when none is named.
func (s *setup) checkModel(o providers.Options) finding {
	f := finding{name: "default model", found: s.defaultModel(o)}
	if f.found == "" {
		return finding{name: "model", found: errNoModel.Message, advice: setModel}
	}
	provider, name, err := providers.Split(f.found)
	if err == nil {
		err = providers.Ready(provider, o)
	}
	if err != nil {
		f.found += ": " + hint(err)
		f.advice = "do so, or name another model in " + s.cfg().File
	}
	if v := s.badURL(provider); err == nil && v != "" {
		f.found, f.advice = f.found+": cannot be reached by what "+v+" holds", "mend "+v
	}
	if file, ok := strings.CutPrefix(f.found, script.Name+":"); ok && o.Scripts[name] == "" {
		if _, err := os.Stat(file); err != nil {
			f.found, f.advice = f.found+": "+err.Error(), "mend model in "+s.cfg().File
		}
	}
	return f
}

// urlVariables say where a service is, unless the settings do.
var urlVariables = map[string]string{
	"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "openai-chat": "OPENAI_BASE_URL",
}

// badURL is the variable whose text keeps a provider from being reached.
func (s *setup) badURL(provider string) string {
	v := urlVariables[provider]
	text := strings.TrimSpace(os.Getenv(v))
	u, err := url.Parse(text)
	good := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if text == "" || good || s.cfg().Providers[provider].BaseURL != "" {
		return ""
	}
	return v
}

func (s *setup) checkURLs() []finding {
	bad := map[string]bool{}
	for provider := range urlVariables {
		if v := s.badURL(provider); v != "" {
			bad[v] = true
		}
	}
	var fs []finding
	for _, v := range slices.Sorted(maps.Keys(bad)) {
		fs = append(fs, finding{
			name: v, found: withoutPassword(os.Getenv(v)) + " is no URL of a server",
			advice: fmt.Sprintf("begin it with http:// or https://, such as %s=http://127.0.0.1:11434/v1", v),
		})
	}
	return fs
}

// localServers are where model servers on one's own machine usually listen.
var localServers = []struct{ name, addr string }{
	{"Ollama", "127.0.0.1:11434"},
	{"llama.cpp", "127.0.0.1:8080"},
	{"vLLM", "127.0.0.1:8000"},
	{"LM Studio", "127.0.0.1:1234"},
}

// checkLocalServers looks whether something listens there; what it is only a
// request would tell.
func checkLocalServers() []finding {
	var fs []finding
	for _, s := range localServers {
		conn, err := net.DialTimeout("tcp", s.addr, 200*time.Millisecond)
		if err != nil {
			continue
		}
		conn.Close()
		f := finding{name: "local server", found: "something listens on " + s.addr + ", where " + s.name + " usually does"}
		if os.Getenv("OPENAI_BASE_URL") == "" {
			f.advice = "to use it set OPENAI_BASE_URL=http://" + s.addr + "/v1"
		}
		fs = append(fs, f)
	}
	return fs
}

// checkProxy names the proxy, without what a password in it would tell.
func checkProxy() finding {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if v := os.Getenv(name); v != "" {
			return finding{name: "proxy", found: name + "=" + withoutPassword(v)}
		}
	}
	return finding{name: "proxy", found: "none"}
}

func withoutPassword(proxy string) string {
	scheme, rest, ok := strings.Cut(proxy, "://")
	if !ok {
		scheme, rest = "", proxy
	} else {
		scheme += "://"
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = "…@" + rest[i+1:]
	}
	return scheme + rest
}
