package sandbox

import (
	"strings"
	"testing"
)

// sample is a plan without a file system, so that the profile of macOS is
// tested on every system. What the kernel makes of it is tried on macOS alone.
func sample(inRoots access) plan {
	return plan{rules: []rule{
		{path: "/", access: readable, source: "/"},
		{path: "/mac/u/.ssh", access: concealed, source: "/mac/u/.ssh"},
		{path: "/mac/u/ws", access: inRoots, source: "/mac/u/ws"},
		{path: "/mac/u/ws/.git", access: inRoots, source: "/mac/u/ws/.git"},
		{path: "/mac/u/ws/.git/hooks", access: readable, source: "/mac/u/ws/.git/hooks"},
		{path: `/mac/u/ws/a "b"`, access: readable, source: `/mac/u/ws/a "b"`},
		{path: "/private/tmp", access: writable, source: "/mac/u/scratch"},
	}}
}

func profileOf(t *testing.T, p plan, policy Policy) string {
	t.Helper()
	profile, err := p.seatbelt(policy)
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// Cases: L-BASH-11
func TestProfileOfMacOS(t *testing.T) {
	got := profileOf(t, sample(writable), Policy{Preset: WorkspaceWrite, Network: NoNetwork})
	_, got, _ = strings.Cut(got, seatbeltOthers)
	want := `(deny network*)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$") (subpath "/dev/fd"))
(deny file-read* file-write* (subpath "/mac/u/.ssh"))
(deny network-outbound (subpath "/mac/u/.ssh"))
(allow file-write* (subpath "/mac/u/ws"))
(allow file-write* (subpath "/mac/u/ws/.git"))
(deny file-write* (subpath "/mac/u/ws/.git/hooks"))
(deny file-write* (subpath "/mac/u/ws/a \"b\""))
(deny file-write-unlink (literal "/mac/u/ws"))
(deny file-write-unlink (literal "/mac/u/ws/.git"))
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The last rule that fits decides, so that each denial stands behind what it
// takes from.
//
// Cases: L-BASH-11
func TestProfileOfMacOSOpensNoRootWhenReadOnly(t *testing.T) {
	got := profileOf(t, sample(readable), Policy{Preset: ReadOnly})
	if strings.Contains(got, "(allow file-write* (subpath \"/mac") {
		t.Errorf("a root is writable in\n%s", got)
	}
	if strings.Contains(got, "/private/tmp") {
		t.Errorf("the machine's /tmp is opened in\n%s", got)
	}
}

func TestProfileOfMacOSOpensTheNetworkThatIsAskedFor(t *testing.T) {
	for network, want := range map[Network]string{
		NoNetwork: "(deny network*)\n(deny file-write*)", Loopback: `(allow network-outbound (remote ip "localhost:*"))`,
		FullNetwork: "(allow network*)",
	} {
		if got := profileOf(t, sample(writable), Policy{Network: network}); !strings.Contains(got, want) {
			t.Errorf("%s: no %s", network, want)
		}
	}
}

func TestAPathThatCannotBeQuotedIsRefused(t *testing.T) {
	p := plan{rules: []rule{{path: "/a\n(allow default)", access: writable, source: "/a\n(allow default)"}}}
	if got, err := p.seatbelt(Policy{}); err == nil {
		t.Errorf("it is in the profile:\n%s", got)
	}
}
