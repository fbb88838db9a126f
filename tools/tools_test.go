package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"drawbridge/shell"
	"drawbridge/workspace"
)

func TestMain(m *testing.M) {
	shell.GuardMain()
	goleak.VerifyTestMain(m)
}

// room is a workspace on disk with what a call needs.
type room struct {
	dir     string
	profile string // whose tools are used; "" is the default one
	env     Env
	call    Call
	// accept is what is let through of a change; nil is all.
	accept *Accepted
}

// newRoom makes a workspace of files (name, content, name, content…).
func newRoom(t *testing.T, files ...string) *room {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{dir: dir, call: Call{ID: "call-1"}}
	r.env.Commands = NewCommands(CommandsOptions{})
	t.Cleanup(r.env.Commands.Close)
	for i := 0; i < len(files); i += 2 {
		r.write(t, files[i], files[i+1])
	}
	r.open(t, workspace.Options{})
	return r
}

func (r *room) open(t *testing.T, o workspace.Options) {
	t.Helper()
	o.Roots = []string{r.dir}
	ws, err := workspace.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	r.env.Workspace = ws
}

func (r *room) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *room) write(t *testing.T, name, content string) {
	t.Helper()
	path := r.path(name)
	if strings.HasSuffix(name, "/") {
		path, content = filepath.Join(path, ".keep"), ""
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (r *room) content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(r.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (r *room) tool(t *testing.T, name string) Tool {
	t.Helper()
	set, err := Profile(r.profile)
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := byName(set.Tools, name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	return tool
}

// plan takes a call up to its plan, as a session does. max overrides the
// tool's output limit when it is not 0.
func (r *room) plan(t *testing.T, name, args string) (Plan, error) {
	t.Helper()
	tool := r.tool(t, name)
	raw, err := Decode(tool.Spec(), args)
	if err != nil {
		return Plan{}, err
	}
	env := r.env
	if env.Offers == nil {
		set, _ := Profile(r.profile) // tool found it
		env.Offers = OffersOf(set.Tools)
	}
	if env.Limits == (Limits{}) {
		env.Limits = tool.Spec().Limits
	}
	return tool.Plan(t.Context(), env, raw)
}

// do makes a whole call.
func (r *room) do(t *testing.T, name, args string) Outcome {
	t.Helper()
	return r.doCtx(t.Context(), t, name, args)
}

func (r *room) doCtx(ctx context.Context, t *testing.T, name, args string) Outcome {
	t.Helper()
	plan, err := r.plan(t, name, args)
	call := r.call
	spec := r.tool(t, name).Spec()
	call.Name, call.Style = name, spec.Style
	if call.Limits = r.env.Limits; call.Limits == (Limits{}) {
		call.Limits = spec.Limits
	}
	call.Limits.Timeout = cmp.Or(plan.Timeout, call.Limits.Timeout)
	ok := Accepted{Change: workspace.Acceptance{All: true}}
	if r.accept != nil {
		ok = *r.accept
	}
	return CarryOut(ctx, call, func(ctx context.Context, out Output) (Result, error) {
		if err != nil {
			return Result{}, err
		}
		return plan.Run(ctx, ok, out)
	})
}

// args makes an argument object of names and values.
func args(t *testing.T, pairs ...any) string {
	t.Helper()
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkText compares a whole outcome.
func checkText(t *testing.T, o Outcome, status Status, want string) {
	t.Helper()
	if o.Status != status || o.Text != want {
		t.Errorf("got %s\n%s\nwant %s\n%s", o.Status, o.Text, status, want)
	}
}

// checkSays compares the status and looks for parts of the text.
func checkSays(t *testing.T, o Outcome, status Status, parts ...string) {
	t.Helper()
	if o.Status != status {
		t.Errorf("got status %s, want %s; text:\n%s", o.Status, status, o.Text)
	}
	for _, part := range parts {
		if !strings.Contains(o.Text, part) {
			t.Errorf("text lacks %q:\n%s", part, o.Text)
		}
	}
}

func checkSilent(t *testing.T, o Outcome, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(o.Text, part) {
			t.Errorf("text has %q:\n%s", part, o.Text)
		}
	}
}

// bind makes a plan's Run what CarryOut takes.
func bind(p Plan, ok Accepted) func(context.Context, Output) (Result, error) {
	return func(ctx context.Context, out Output) (Result, error) { return p.Run(ctx, ok, out) }
}

// byName finds a tool of a set.
func byName(set []Tool, name string) (Tool, bool) {
	for _, t := range set {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}
