package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestACommandSeesTheUsualVariablesAlone(t *testing.T) {
	p := Policy{Tmp: "/scratch", Pass: []string{"MY_OWN"}, Set: []string{"BY_SETTING"}}
	got := p.environ([]string{
		"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "JAVA_HOME=/java", "MY_OWN=1", "BY_SETTING=2", "DRAWBRIDGE_ID=3",
		"SSH_AUTH_SOCK=/agent", "DBUS_SESSION_BUS_ADDRESS=unix:x", "DISPLAY=:0", "SOME_LICENCE=x", "TMPDIR=/tmp/u", "HTTPS_PROXY=http://u:p@x",
	})
	slices.Sort(got)
	want := []string{
		"BY_SETTING=2", "DRAWBRIDGE_ID=3", "HOME=/home/u", "JAVA_HOME=/java", "LC_ALL=C", "MY_OWN=1", "PATH=/bin",
		"TEMP=/scratch", "TMP=/scratch", "TMPDIR=/scratch",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestProxiesAreSeenWithANetworkOnly(t *testing.T) {
	p := Policy{Tmp: "/scratch", Network: FullNetwork}
	if got := p.environ([]string{"HTTPS_PROXY=x"}); lookup(got, "HTTPS_PROXY") != "x" {
		t.Errorf("got %q", got)
	}
}

// Without a network a package manager fails at once, unless the user says how
// often it tries.
func TestNothingTriesAgainWithoutANetwork(t *testing.T) {
	for network, want := range map[Network]string{NoNetwork: "0", FullNetwork: ""} {
		if got := lookup(Policy{Network: network, Tmp: "/scratch"}.environ(nil), "npm_config_fetch_retries"); got != want {
			t.Errorf("network %s: tries again %q times, want %q", network, got, want)
		}
	}
	p := Policy{Network: NoNetwork, Tmp: "/scratch", Set: []string{"PIP_RETRIES"}}
	if got := lookup(p.environ([]string{"PIP_RETRIES=3"}), "PIP_RETRIES"); got != "3" {
		t.Errorf("the user's own PIP_RETRIES became %q", got)
	}
}

func TestCachesAreTheWorkspacesOwn(t *testing.T) {
	home := t.TempDir()
	os.MkdirAll(filepath.Join(home, ".cache", "ms-playwright"), 0o755)
	one := Policy{Tmp: "/scratch", Caches: "/caches", Roots: []string{"/a/ws"}, Home: home, Set: []string{"PIP_CACHE_DIR"}}
	other := Policy{Tmp: "/scratch", Caches: "/caches", Roots: []string{"/b/ws"}}
	env := []string{"GOCACHE=/home/u/.cache/go-build", "GOMODCACHE=/home/u/go/pkg/mod", "PIP_CACHE_DIR=/pip"}
	first, second := lookup(one.environ(env), "GOCACHE"), lookup(other.environ(env), "GOCACHE")
	if !strings.HasPrefix(first, "/caches/ws-") || !strings.HasPrefix(second, "/caches/ws-") || first == second {
		t.Errorf("the workspaces have %s and %s", first, second)
	}
	for name, want := range map[string]string{
		"GOMODCACHE":               "/home/u/go/pkg/mod", // what was fetched is read from the user's
		"PLAYWRIGHT_BROWSERS_PATH": filepath.Join(home, ".cache", "ms-playwright"),
		"PIP_CACHE_DIR":            "/pip", // a setting of the user's stands
		"npm_config_cache":         filepath.Dir(first) + "/npm",
	} {
		if got := lookup(one.environ(env), name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestSocketsAreReadFromTheKernelsTable(t *testing.T) {
	table := "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000073a16186: 00000003 00000000 00000000 0001 03 14225939\n" +
		"00000000078f2626: 00000002 00000000 00010000 0001 01 14225033 /home/u/with space/sock\n" +
		"000000001523bdb6: 00000002 00000000 00010000 0001 01  4225933 @/tmp/.X11-unix/X0\n" +
		"000000001523bdb7: 00000002 00000000 00010000 0001 01    25933 /run/x\n"
	got := boundSockets(strings.NewReader(table))
	if want := []string{"/home/u/with space/sock", "/run/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlySettledSocketsAreServices(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, "old"), filepath.Join(dir, "young")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * settling)
	os.Chtimes(old, then, then)
	if got := settled([]string{old, young, filepath.Join(dir, "gone")}); !slices.Equal(got, []string{old}) {
		t.Errorf("got %q", got)
	}
}
