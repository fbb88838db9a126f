package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/model"
	"drawbridge/model/providers"
)

// TestRealServer talks to a real llama.cpp server with a tiny random model
// through each provider: what a fake server gets wrong shows here.
func TestRealServer(t *testing.T) {
	url := startLlama(t)
	for name, base := range map[string]string{
		"anthropic":   url,
		"openai":      url + "/v1",
		"openai-chat": url + "/v1",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := providers.Open(name, providers.Options{
				Env:     func(string) string { return "" },
				BaseURL: map[string]string{name: base},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Run("streams text and usage", func(t *testing.T) { realStream(t, p) })
			t.Run("reads back a history with calls", func(t *testing.T) { realHistory(t, p) })
			t.Run("sorts a refusal", func(t *testing.T) { realOverflow(t, p) })
			t.Run("ends at once on cancel", func(t *testing.T) { realCancel(t, p) })
			t.Run("lists its models", func(t *testing.T) { realModels(t, p) })
		})
	}
}

const tiny = "tiny-random"

func user(text string) model.Message {
	return model.Message{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartText, Text: text}}}
}

func realStream(t *testing.T, p model.Provider) {
	var resp model.Response
	// This server leaves out the event with the prompt's count when the first
	// token is half a character, which noise often is.
	for tries := 0; tries < 20 && resp.Usage.Input == 0; tries++ {
		resp = realAnswer(t, p)
	}
	if resp.Usage.Input == 0 || resp.Usage.Output == 0 || resp.Usage.Output > 40 {
		t.Errorf("usage is %+v", resp.Usage)
	}
	// Noise ends by its limit, or by chance.
	if resp.Stop != model.StopMaxTokens && resp.Stop != model.StopEnd {
		t.Errorf("stop is %q", resp.Stop)
	}
}

func realAnswer(t *testing.T, p model.Provider) model.Response {
	var shown, kept strings.Builder
	pieces := 0
	resp, err := p.Stream(t.Context(), model.Request{
		Model: tiny, System: "Be brief.", Messages: []model.Message{user("hello")}, MaxTokens: 40,
	}, func(e model.Event) {
		if e.Kind == model.EventText {
			pieces++
			shown.WriteString(e.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range resp.Parts {
		kept.WriteString(part.Text)
	}
	if pieces < 2 || kept.String() != shown.String() {
		t.Errorf("%d pieces; shown %q, kept %q", pieces, shown.String(), kept.String())
	}
	return resp
}

func realHistory(t *testing.T, p model.Provider) {
	call := &model.Call{ID: "c1", Name: "read_file", Args: `{"path":"a"}`}
	_, err := p.Stream(t.Context(), model.Request{
		Model: tiny,
		Messages: []model.Message{
			user("read a"),
			{Role: model.RoleAssistant, Parts: []model.Part{{Kind: model.PartText, Text: "Reading."}, {Kind: model.PartCall, Call: call}}},
			{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartResult, Result: &model.Result{CallID: "c1", Text: "A", Failed: true}}}},
			user("go on"),
		},
		Tools: []model.ToolDef{{
			Name: "read_file", Description: "Reads a file.",
			Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		}},
		MaxTokens: 5,
	}, func(model.Event) {})
	if err != nil {
		t.Error(err)
	}
}

// realOverflow sends more than the server's context of 4096 tokens holds.
func realOverflow(t *testing.T, p model.Provider) {
	_, err := p.Stream(t.Context(), model.Request{
		Model: tiny, Messages: []model.Message{user(strings.Repeat("all work ", 2000))}, MaxTokens: 5,
	}, func(model.Event) {})
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.ErrTooLong || e.Hint == "" {
		t.Errorf("error is %v, want one of kind tooLong", err)
	}
}

// realCancel cancels at the first piece of text. The model's noise may end by
// itself before that is noticed; then there is another try.
func realCancel(t *testing.T, p model.Provider) {
	for range 10 {
		resp, err := cancelAtOnce(t, p)
		if err == nil && resp.Usage.Output < 3000 {
			continue
		}
		if !errors.Is(err, context.Canceled) || len(resp.Parts) == 0 {
			t.Errorf("error is %v, kept %+v", err, resp.Parts)
		}
		return
	}
	t.Error("each of ten answers ended before it could be cancelled")
}

func cancelAtOnce(t *testing.T, p model.Provider) (model.Response, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return p.Stream(ctx, model.Request{
		Model: tiny, Messages: []model.Message{user("hello")}, MaxTokens: 3000,
	}, func(e model.Event) {
		if e.Kind == model.EventText {
			cancel()
		}
	})
}

func realModels(t *testing.T, p model.Provider) {
	infos, err := p.(model.Lister).Models(t.Context())
	if err != nil || len(infos) != 1 {
		t.Errorf("models are %+v, %v", infos, err)
	}
}

// startLlama runs the server until the test ends and returns its address.
func startLlama(t *testing.T) string {
	program := llamaProgram(t)
	dir := t.TempDir()
	file := filepath.Join(dir, tiny+".gguf")
	writeTinyModel(t, file)
	port := freePort(t)

	var log bytes.Buffer
	cmd := exec.Command(program, "-m", file, "--host", "127.0.0.1", "--port", port, "--jinja", "-c", "4096", "-np", "1", "-t", "1")
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the server's log:\n%s", log.Bytes())
		}
	})
	url := "http://127.0.0.1:" + port
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if healthy(url) {
			return url
		}
	}
	t.Fatal("the server did not come up within 30 s")
	return ""
}

func healthy(url string) bool {
	res, err := http.Get(url + "/health")
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// llamaProgram finds the server that scripts/install-llama.sh unpacked. Where
// it must be there, in CI, its absence is a failure.
func llamaProgram(t *testing.T) string {
	program := os.Getenv("DRAWBRIDGE_LLAMA")
	if program == "" {
		program, _ = filepath.Abs("../.tools/llama/run")
	}
	if _, err := os.Stat(program); err != nil {
		missing := "no llama.cpp server: " + err.Error() + "; scripts/install-llama.sh unpacks one"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return program
}
