package providers_test

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drawbridge/internal/fakemodel"
	"drawbridge/model"
	"drawbridge/model/providers"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if n, v, _ := strings.Cut(pair, "="); n == name {
				return v
			}
		}
		return ""
	}
}

func stream(p model.Provider, name string) error {
	_, err := p.Stream(context.Background(), model.Request{
		Model:    name,
		Messages: []model.Message{{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: "hello"}}}},
	}, func(model.Event) {})
	return err
}

func open(t *testing.T, name string, o providers.Options) model.Provider {
	t.Helper()
	p, err := providers.Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != name {
		t.Errorf("%s is named %s", name, p.Name())
	}
	return p
}

func start(t *testing.T, steps ...fakemodel.Step) *fakemodel.Server {
	t.Helper()
	s, err := fakemodel.Start(steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.RequireKey(fakemodel.Key)
	return s
}

func TestSplitReadsProviderAndModel(t *testing.T) {
	for spec, want := range map[string][2]string{
		"openai-chat:qwen3:8b": {"openai-chat", "qwen3:8b"},
		"anthropic:claude-x":   {"anthropic", "claude-x"},
		"openai-chat":          {"openai-chat", ""},
		"script":               {"script", "demo"},
		"script:a/b.txtar":     {"script", "a/b.txtar"},
	} {
		p, m, err := providers.Split(spec)
		if err != nil || p != want[0] || m != want[1] {
			t.Errorf("%s: %q, %q, %v", spec, p, m, err)
		}
	}
	if _, m, err := providers.Split("anthropic"); err != nil || m == "" {
		t.Errorf("anthropic alone has model %q, %v", m, err)
	}
	_, _, err := providers.Split("gpt-5")
	if e, ok := errors.AsType[*model.Error](err); !ok || !strings.Contains(e.Hint, "openai-chat") {
		t.Errorf("an unknown provider: %v", err)
	}
}

func TestDefaultFollowsTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env    []string
		prefix string
	}{
		{nil, "script:demo"},
		{[]string{"ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k"}, "anthropic:"},
		{[]string{"ANTHROPIC_AUTH_TOKEN=k"}, "anthropic:"},
		{[]string{"OPENAI_API_KEY=k"}, "openai:"},
		{[]string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1"}, "openai-chat"},
		{[]string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://127.0.0.1:1/v1"}, "openai-chat"},
		{[]string{"ANTHROPIC_API_KEY= "}, "script:demo"},
	} {
		got := providers.Default(env(c.env...))
		if !strings.HasPrefix(got, c.prefix) {
			t.Errorf("%v: %s, want %s…", c.env, got, c.prefix)
		}
		if _, _, err := providers.Split(got); err != nil {
			t.Errorf("%v: %v", c.env, err)
		}
	}
}

// Without a key and a server a prompt says what to set.
func TestSetupErrorsSayWhatToSet(t *testing.T) {
	for name, variables := range map[string][]string{
		"anthropic":   {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "--model"},
		"openai":      {"OPENAI_API_KEY", "OPENAI_BASE_URL", "--model"},
		"openai-chat": {"OPENAI_API_KEY", "OPENAI_BASE_URL", "--model"},
	} {
		o := providers.Options{Env: env()}
		for what, err := range map[string]error{
			"a prompt": stream(open(t, name, o), "m"),
			"a check":  providers.Check(t.Context(), name, o),
		} {
			e, ok := errors.AsType[*model.Error](err)
			if !ok || e.Kind != model.ErrSetup {
				t.Fatalf("%s of %s: %v", what, name, err)
			}
			for _, v := range variables {
				if !strings.Contains(e.Hint, v) {
					t.Errorf("%s of %s does not name %s: %s", what, name, v, e.Hint)
				}
			}
		}
		if err := providers.Ready(name, o); err == nil {
			t.Errorf("%s calls itself ready", name)
		}
	}
	if err := providers.Ready("script", providers.Options{Env: env()}); err != nil {
		t.Errorf("the script needs no key: %v", err)
	}
}

func TestMistakesInSettingsAreNamedBeforeAnyRequest(t *testing.T) {
	for _, c := range []struct{ key, url, word string }{
		{"sk-a\nsk-b", "", "blank"},
		{"k", "127.0.0.1:8080/v1", "base URL"},
		{"k", "ftp://127.0.0.1/v1", "base URL"},
	} {
		o := providers.Options{Env: env("OPENAI_API_KEY="+c.key, "OPENAI_BASE_URL="+c.url)}
		e, ok := errors.AsType[*model.Error](stream(open(t, "openai-chat", o), "m"))
		if !ok || e.Kind != model.ErrSetup || !strings.Contains(e.Message, c.word) {
			t.Errorf("key %q, URL %q: %v", c.key, c.url, e)
		}
	}
}

func TestAKeyThatComesLaterCounts(t *testing.T) {
	s := start(t)
	for name, format := range map[string]fakemodel.Format{
		"anthropic": fakemodel.Anthropic, "openai": fakemodel.Responses, "openai-chat": fakemodel.Chat,
	} {
		keys := &providers.Keys{}
		o := providers.Options{
			Env: env("OPENAI_API_KEY=sk-stale-00000", "ANTHROPIC_API_KEY=sk-stale-00000"), Keys: keys,
			BaseURL: map[string]string{name: s.BaseURL(format)},
		}
		p := open(t, name, o)
		if e, _ := errors.AsType[*model.Error](providers.Check(t.Context(), name, o)); e == nil || e.Kind != model.ErrAuth {
			t.Errorf("%s: a stale key passed the check: %v", name, e)
		}
		keys.Set(name, fakemodel.Key+"\n")
		if err := providers.Check(t.Context(), name, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := stream(p, "m"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		keys.Set(name, "")
		if e, _ := errors.AsType[*model.Error](stream(p, "m")); e == nil || e.Kind != model.ErrAuth {
			t.Errorf("%s: the key that was taken away still counts: %v", name, e)
		}
	}
}

// A token goes into another header than a key, and a gateway's prefix stays.
func TestBearerTokensAndPrefixes(t *testing.T) {
	s := start(t)
	o := providers.Options{Env: env("ANTHROPIC_AUTH_TOKEN="+fakemodel.Key, "ANTHROPIC_BASE_URL="+s.URL+"/gateway/v1/")}
	if err := stream(open(t, "anthropic", o), "m"); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if r.Header.Get("Authorization") != "Bearer "+fakemodel.Key || r.Header.Get("X-Api-Key") != "" || r.Path != "/gateway/v1/messages" {
		t.Errorf("path %s, headers %v", r.Path, r.Header)
	}
}

func TestALocalServerNeedsNeitherKeyNorModel(t *testing.T) {
	s := start(t)
	s.RequireKey("")
	o := providers.Options{Env: env("OPENAI_BASE_URL=" + s.BaseURL(fakemodel.Chat))}
	if err := stream(open(t, "openai-chat", o), ""); err != nil {
		t.Fatal(err)
	}
	requests := s.Requests()
	last := requests[len(requests)-1]
	if !strings.Contains(string(last.Body), `"model":"fake-model"`) || last.Header.Get("Authorization") != "" {
		t.Errorf("sent %s with %v", last.Body, last.Header)
	}
}

// The vendors' libraries read variables of their own; none of them counts.
func TestOnlyWhatIsConfiguredIsUsed(t *testing.T) {
	s := start(t)
	for _, pair := range []string{
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1", "ANTHROPIC_API_KEY=wrong-key", "ANTHROPIC_CUSTOM_HEADERS=X-Odd: 1",
		"OPENAI_BASE_URL=http://127.0.0.1:1", "OPENAI_API_KEY=wrong-key", "OPENAI_ORG_ID=o", "OPENAI_CUSTOM_HEADERS=X-Odd: 1",
	} {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	for name, format := range map[string]fakemodel.Format{
		"anthropic": fakemodel.Anthropic, "openai": fakemodel.Responses, "openai-chat": fakemodel.Chat,
	} {
		o := providers.Options{
			Env:     env("ANTHROPIC_API_KEY="+fakemodel.Key, "OPENAI_API_KEY="+fakemodel.Key),
			BaseURL: map[string]string{name: s.BaseURL(format)},
		}
		if err := stream(open(t, name, o), "m"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range s.Requests() {
		if r.Header.Get("X-Odd") != "" || r.Header.Get("OpenAI-Organization") != "" {
			t.Errorf("headers are %v", r.Header)
		}
	}
}

func TestNamesAreComplete(t *testing.T) {
	if want := []string{"anthropic", "openai", "openai-chat", "script"}; !slices.Equal(providers.Names(), want) {
		t.Errorf("names are %v", providers.Names())
	}
}

// TestProxyAndCertificates runs itself again, because the variables are read
// once in the life of a process.
func TestProxyAndCertificates(t *testing.T) {
	if url := os.Getenv("DRAWBRIDGE_TEST_URL"); url != "" {
		o := providers.Options{Env: env("OPENAI_BASE_URL=" + url)}
		if err := stream(open(t, "openai-chat", o), "m"); err != nil {
			t.Fatal(err, hintOf(err))
		}
		return
	}
	s := start(t)
	s.RequireKey("")
	t.Run("HTTP_PROXY is used", func(t *testing.T) {
		// The name resolves nowhere; only the proxy can reach it.
		again(t, "", "http://model.invalid/v1", "HTTP_PROXY="+s.URL)
	})

	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"))
	}))
	defer secure.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("SSL_CERT_FILE is trusted", func(t *testing.T) { again(t, "", secure.URL+"/v1", "SSL_CERT_FILE="+ca) })
	t.Run("NODE_EXTRA_CA_CERTS is trusted", func(t *testing.T) { again(t, "", secure.URL+"/v1", "NODE_EXTRA_CA_CERTS="+ca) })
	t.Run("an unknown certificate is refused with a hint", func(t *testing.T) {
		again(t, "NODE_EXTRA_CA_CERTS names a file that cannot be read", secure.URL+"/v1", "NODE_EXTRA_CA_CERTS="+ca+".gone")
	})
}

// again runs the test in a process of its own with the variables. It must
// pass, or fail with the complaint.
func again(t *testing.T, complaint, url string, variables ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestProxyAndCertificates$")
	cmd.Env = append([]string{"DRAWBRIDGE_TEST_URL=" + url, "HOME=" + t.TempDir()}, variables...)
	out, err := cmd.CombinedOutput()
	if (err != nil) != (complaint != "") || !strings.Contains(string(out), complaint) {
		t.Errorf("%v: %s", err, out)
	}
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Hint
	}
	return ""
}
