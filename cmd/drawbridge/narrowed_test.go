package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drawbridge/approval"
	"drawbridge/config"
	"drawbridge/tools"
)

// bring gives a workspace settings of its own.
func bring(t *testing.T, root, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, ".drawbridge"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, config.RepositoryFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// trustedWorkspace is a workspace that brings settings, as trust is given in s.
func trustedWorkspace(t *testing.T, s *setup, text string) (root string) {
	t.Helper()
	root = realPath(t.TempDir())
	bring(t, root, text)
	b, ok := s.trust.Look(root)
	if !ok || b.Fault != nil {
		t.Fatalf("%q: %v", text, b.Fault)
	}
	if err := s.trust.Answer(root, b.Digest, config.Trusted, time.Now()); err != nil {
		t.Fatal(err)
	}
	return root
}

func setupWith(t *testing.T, text string) *setup {
	t.Helper()
	cfg, err := config.Parse("settings", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{dirs: config.Dirs{State: filepath.Join(t.TempDir(), "drawbridge")}}
	s.settings.Store(&cfg)
	s.trust = config.OpenTrust(s.dirs, faultsOfTools)
	return s
}

// A trusted workspace makes the sandbox stricter, never wider, and of two that
// confine leaves the user's.
func TestAWorkspaceOnlyNarrowsTheSandbox(t *testing.T) {
	for _, c := range []struct{ own, brought, want string }{
		{"network: full", "network: none", "auto none"},
		{"network: full", "network: loopback", "auto loopback"},
		{"network: loopback", "network: full", "auto loopback"},
		{"network: none", "network: full", "auto none"},
		{"backend: none", "backend: auto", "auto none"},
		{"backend: none", "backend: landlock", "landlock none"},
		{"backend: none", "network: none", "none none"},
		{"backend: landlock", "backend: none", "landlock none"},
		{"backend: landlock", "backend: auto", "landlock none"},
		{"backend: auto", "backend: none", "auto none"},
		{"backend: auto", "backend: landlock", "auto none"},
	} {
		s := setupWith(t, "sandbox: {"+c.own+"}")
		root := trustedWorkspace(t, s, "sandbox: {"+c.brought+"}")
		got := s.narrowedSandbox([]string{root})
		if got.Backend+" "+got.Network != c.want {
			t.Errorf("%s, brought %s: %s %s, want %s", c.own, c.brought, got.Backend, got.Network, c.want)
		}
		if _, err := s.trust.Forget(root); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.cfg().Sandbox, s.narrowedSandbox([]string{root})); diff != "" {
			t.Errorf("%s counts without trust: %s", c.brought, diff)
		}
	}
}

// What a trusted workspace says of tools takes some away and has others ask;
// nothing that it says allows anything.
func TestAWorkspaceOnlyNarrowsTools(t *testing.T) {
	const agent = "tools: {agent_toolset_20260401: "
	for text, want := range map[string]map[string]approval.ToolPolicy{
		agent + "{}}": {},
		agent + "{default_config: {enabled: true, permission_policy: {type: always_allow}}}}": {},
		agent + "{configs: [{name: bash, permission_policy: {type: always_ask}}]}}":           {"bash": "always_ask"},
		agent + "{configs: [{name: bash, enabled: false}]}}":                                  {"bash": "always_deny"},
		agent + "{default_config: {enabled: false}, configs: [{name: bash, enabled: true}]}}": {
			"edit": "always_deny", "glob": "always_deny", "grep": "always_deny", "read": "always_deny", "write": "always_deny",
		},
	} {
		s := setupWith(t, "")
		b, _ := s.trust.Look(trustedWorkspace(t, s, text))
		if diff := cmp.Diff(want, toolPolicies(nil, []config.Brought{b})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	s := setupWith(t, "")
	b, _ := s.trust.Look(trustedWorkspace(t, s, "tools: {builtin: [{name: read_file, description: x, permission: r, "+
		"parameters: {type: object, properties: {file_path: {}}}}]}"))
	said := toolPolicies([]config.ToolText{{Name: "edit_file", Policy: "always_allow"}}, []config.Brought{b})
	set, err := tools.Profile("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range set.Names() {
		if denied := said[name] == approval.ToolDeny; denied == (name == "read_file") {
			t.Errorf("%s is %q", name, said[name])
		}
	}
	if now, err := s.tools(""); err != nil || len(now.Tools) != len(set.Tools) {
		t.Errorf("a workspace changes what the model is told of: %v, %v", now.Names(), err)
	}
}

// What is wrong with the tools of a workspace's settings keeps all of them from
// counting.
func TestToolsOfAWorkspaceAreChecked(t *testing.T) {
	for _, text := range []string{
		"tools: {agent_toolset_20260401: {configs: [{name: bsah}]}}",
		"tools: {agent_toolset_20260401: {configs: [{name: bash, permission_policy: {type: always_aks}}]}}",
		"tools: {builtin: [{name: exec_command, description: x, permission: r, parameters: {type: object, properties: {cmd: {}}}}]}",
		"approval: {tools: {bsah: always_deny}}",
	} {
		root := t.TempDir()
		bring(t, root, text)
		if r, ok := config.Bring(root, faultsOfTools); !ok || r.Fault == nil {
			t.Errorf("%s can count", text)
		}
	}
}
