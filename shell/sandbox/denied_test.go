package sandbox

import (
	"context"
	"io"
	"strings"
	"testing"

	"drawbridge/shell"
)

// nothing is a backend that holds nothing; only its name counts.
type nothing struct{ as string }

func (n nothing) name() string                            { return n.as }
func (nothing) probe(context.Context) error               { return nil }
func (nothing) wrap(l shell.Launch) (shell.Launch, error) { return l, nil }
func (nothing) explain(io.Writer)                         {}

// deniedBy is all that is said of a refusal.
func deniedBy(s *Sandbox, output string, exit shell.Exit) string {
	d := s.Denied(output, exit)
	return strings.TrimSpace(d.Why + " " + d.ForGood)
}

func TestDenialsAreRecognised(t *testing.T) {
	write, network, service := "a write", "network: full", "sockets of services"
	for output, want := range map[string][]string{
		"touch: cannot touch '/etc/x': Read-only file system":                                                {"/etc/x", "commands write /ws"},
		"bash: line 1: /srv/data/x: Read-only file system":                                                   {"/srv/data/x"},
		"open /srv/cache/a.lock: read-only file system":                                                      {"/srv/cache/a.lock"},
		"Error: EROFS: read-only file system, open '/srv/x.js'":                                              {"/srv/x.js"},
		"OSError: [Errno 30] Read-only file system: '/srv/x'":                                                {"/srv/x"},
		"error: failed to open: /srv/.cargo/registry/x\n\nCaused by:\n  Read-only file system (os error 30)": {write},
		"cp: cannot create regular file '/srv/a b/c': Read-only file system":                                 {"/srv/a b/c"},
		"error: could not write config file .git/config: Device or resource busy":                            {"/ws/.git/config", "stays read-only"},
		"mkdir: cannot create directory '.vscode': File exists":                                              {"/ws/.vscode", "stays read-only"},
		"bash: .zed: Is a directory":                                                                         {"/ws/.zed"},
		"curl: (6) Could not resolve host: example.com":                                                      {network},
		"curl: (7) Failed to connect to 1.1.1.1 port 80 after 0 ms: Couldn't connect to server":              {network},
		"npm error code ENOTFOUND":                                                                           {network},
		"dial tcp: lookup modules.example: no such host":                                                     {network},
		"pip: Temporary failure in name resolution":                                                          {network},
		"Error: connect ECONNREFUSED 127.0.0.1:5432":                                                         {network, "nothing in it but what they started"},
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.":                                {service},
		"error: gpg failed to sign the data":                                                                 {service},
		// Faults of the command's own.
		"--- FAIL: TestX (0.00s)":                                        nil,
		"bash: ./script.sh: Permission denied":                           nil,
		"mkdir: cannot create directory 'build': File exists":            nil,
		"cat: /ws/missing: No such file or directory":                    nil,
		"cat: /etc/shadow: Permission denied":                            nil,
		"grep: /proc/1/mem: Permission denied":                           nil,
		"cp: cannot create regular file '/tmp/x/y': Permission denied":   nil,
		"error: Your local changes would be overwritten by merge: a/b.c": nil,
	} {
		s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{
			Preset: WorkspaceWrite, Roots: []string{"/ws"}, Tmp: "/scratch", Network: NoNetwork,
		}}
		got := deniedBy(s, output, shell.Exit{Code: 1})
		if want == nil && got != "" {
			t.Errorf("%q\nis taken for a denial: %s", output, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%q\nlacks %q in: %s", output, part, got)
			}
		}
		if got := deniedBy(s, output, shell.Exit{}); got != "" {
			t.Errorf("%q explains a success: %s", output, got)
		}
	}
}

// A shell that is called by its path is not what was written to.
func TestTheShellsOwnPathIsNoRefusal(t *testing.T) {
	s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{Preset: ReadOnly, Roots: []string{"/ws"}, Tmp: "/scratch"}}
	for output, want := range map[string]string{
		"/bin/bash: line 1: y: Read-only file system":            "a write to /ws/y was refused",
		"/bin/bash: line 12: /srv/a b: Read-only file system":    "a write to /srv/a b was refused",
		"/bin/sh: 1: cannot create sub/y: Read-only file system": "a write to /ws/sub/y was refused",
	} {
		if got := deniedBy(s, output, shell.Exit{Code: 1}); !strings.Contains(got, want) {
			t.Errorf("%q\nlacks %q in: %s", output, want, got)
		}
	}
}

func TestDenialsOfReadOnlySpeakOfThePreset(t *testing.T) {
	s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{Preset: ReadOnly, Roots: []string{"/ws"}, Tmp: "/scratch"}}
	got := deniedBy(s, "touch: cannot touch 'a': Read-only file system", shell.Exit{Code: 1})
	if !strings.Contains(got, "commands write nothing but their temporary files") || strings.Contains(got, "writable: [") {
		t.Error(got)
	}
}

// Opening a repository's folder for good would open its hooks with it.
func TestNoSettingIsNamedThatOpensARepository(t *testing.T) {
	s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{Preset: WorkspaceWrite, Roots: []string{"/repo/pkg"}, Tmp: "/scratch"}}
	got := deniedBy(s, "fatal: Unable to create '/repo/.git/index.lock': Read-only file system", shell.Exit{Code: 128})
	if !strings.Contains(got, "opens the top folder") || strings.Contains(got, "writable") {
		t.Error(got)
	}
}

func TestAFullNetworkIsNeverDenied(t *testing.T) {
	s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{Preset: WorkspaceWrite, Network: FullNetwork}}
	if got := deniedBy(s, "Could not resolve host: x", shell.Exit{Code: 6}); got != "" {
		t.Error(got)
	}
}

func TestOnlyTheEndOfALongOutputIsRead(t *testing.T) {
	s := &Sandbox{backend: nothing{Bubblewrap}, policy: Policy{Preset: WorkspaceWrite, Roots: []string{"/ws"}, Tmp: "/scratch"}}
	long := "touch: cannot touch '/etc/x': Read-only file system\n" + strings.Repeat("x\n", deniedWindow)
	if got := deniedBy(s, long, shell.Exit{Code: 1}); got != "" {
		t.Error(got)
	}
}

// Where nothing is mounted, a refusal looks like any missing right: it counts
// where the user has it.
func TestDenialsByRights(t *testing.T) {
	dir := t.TempDir()
	p := Policy{Preset: WorkspaceWrite, Roots: []string{"/ws"}, Tmp: "/scratch"}
	if within(dir, "/tmp") {
		p = Policy{Preset: ReadOnly, Roots: []string{dir}, Tmp: "/scratch"}
	}
	s := &Sandbox{backend: nothing{LandlockLSM}, policy: p}
	if got := deniedBy(s, "touch: cannot touch '"+dir+"/x': Permission denied", shell.Exit{Code: 1}); !strings.Contains(got, dir+"/x") {
		t.Errorf("got %q", got)
	}
	if got := deniedBy(s, "touch: cannot touch '/no/such/folder/x': Permission denied", shell.Exit{Code: 1}); got != "" {
		t.Errorf("got %q", got)
	}
}
