//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drawbridge/shell"
)

// writables are the places below all that are mounted writable.
func (p place) writables() []string {
	p.t.Helper()
	policy, err := p.policy.resolve()
	if err != nil {
		p.t.Fatal(err)
	}
	plan, err := policy.plan(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	var list []string
	for _, r := range plan.rules {
		if inside, err := filepath.Rel(p.all, r.path); err == nil && r.access == writable && !strings.HasPrefix(inside, "..") {
			list = append(list, inside)
		}
	}
	return list
}

// Whatever is opened by a path that a command controls could be opened elsewhere.
func TestWhatIsWritableIsConfigured(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.git("config", "core.hooksPath", "tools/deep/hooks")
	p.dir("home/ws/tools/deep/hooks")
	p.policy.Protected = []string{p.dir("home/ws/state/deep/ours")}
	p.policy.Hidden = []string{p.file("home/ws/secrets/deep/key", "x")}
	p.policy.Writable = []string{p.dir("home/cache/deep")}
	p.dir("home/ws/.git/modules/a/hooks")
	p.dir("home/ws/.git/worktrees/a")
	want := []string{"home/cache/deep", "home/ws", "home/ws/.git", "scratch"}
	if got := p.writables(); !slices.Equal(got, want) {
		t.Errorf("writable are %q, want %q", got, want)
	}
	p.check(map[string]access{
		"home/ws/tools/x": readable, "home/ws/state/x": readable, "home/ws/secrets/x": readable, "home/ws/secrets/deep/key": concealed,
		"home/ws/.git/modules/x": readable, "home/ws/.git/worktrees/x": readable,
	})
}

// The folder between two that are opened cannot be moved aside.
func TestAFolderBetweenTwoRootsIsPinned(t *testing.T) {
	p := newPlace(t)
	p.policy.Roots = []string{p.root, p.dir("home/ws/packages/app")}
	want := []string{"home/ws", "home/ws/packages", "home/ws/packages/app", "scratch"}
	if got := p.writables(); !slices.Equal(got, want) {
		t.Errorf("writable are %q, want %q", got, want)
	}
}

func TestAWorkspaceThatALinkLeadsToNowIsRefused(t *testing.T) {
	p := newPlace(t)
	p.policy.Roots = []string{p.dir("home/outer/ws")}
	policy, err := p.policy.resolve()
	if err != nil {
		t.Fatal(err)
	}
	p.dir("home/victim/ws")
	os.Rename(filepath.Join(p.all, "home/outer"), filepath.Join(p.all, "home/aside"))
	os.Symlink("victim", filepath.Join(p.all, "home/outer"))
	if _, err := policy.plan(nil); err == nil || !strings.Contains(err.Error(), "home/victim/ws") {
		t.Errorf("it is opened (%v)", err)
	}
}

func TestAHomeFolderIsReadOnlyWhole(t *testing.T) {
	p := newPlace(t)
	p.policy.Writable = []string{p.dir("home/opened")}
	for _, root := range []string{"home", "."} {
		p.policy.Roots = []string{filepath.Join(p.all, root)}
		p.check(map[string]access{"home/.bashrc": readable, "home/notes": readable, "home/opened/x": writable, "scratch/x": writable})
	}
	policy, _ := p.policy.resolve()
	box := &Sandbox{backend: nothing{Bubblewrap}, policy: policy}
	var said strings.Builder
	box.Explain(&said)
	if want := "is the home folder, or holds it, and is read-only"; !strings.Contains(said.String(), want) {
		t.Errorf("%q is not explained in %q", want, said.String())
	}
	for path, want := range map[string]string{"home/notes": "open a folder below it", "home/opened/x": ""} {
		got := deniedBy(box, "touch: cannot touch '"+filepath.Join(p.all, path)+"': Is a directory\n", shell.Exit{Code: 1})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// A link that leads nowhere, or to itself, is no place to mount anything on.
func TestLinksThatLeadNowhereAreKeptAndNotMounted(t *testing.T) {
	p := newPlace(t)
	for name, target := range map[string]string{".envrc": "nowhere", ".vscode": ".vscode", ".idea": "sub/settings", ".zed": ".", ".husky": ".git"} {
		os.Symlink(target, filepath.Join(p.root, name))
	}
	p.dir("home/ws/sub/settings")
	p.git("init", "-q")
	policy, err := p.policy.resolve()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := policy.plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.rules {
		if info, err := os.Lstat(r.path); err == nil && info.Mode()&os.ModeSymlink != 0 && within(r.path, p.root) {
			t.Errorf("%s is mounted", r.path)
		}
	}
	if len(plan.links) != 5 {
		t.Errorf("kept are %v", plan.links)
	}
	p.check(map[string]access{"home/ws/sub/settings/x": readable, "home/ws/x": writable, "home/ws/nowhere": writable, "home/ws/.git/index": writable})
}

func TestARepositoryThatLinksSteerIsReadOnlyWhole(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	hooks := filepath.Join(p.root, ".git", "hooks")
	os.RemoveAll(hooks)
	os.Symlink("../scripts", hooks)
	p.check(map[string]access{"home/ws/.git/index": readable, "home/ws/x": writable})
}

func TestOurProgramsAreProtected(t *testing.T) {
	policy, err := newPlace(t).policy.resolve()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil || !slices.Contains(policy.Protected, followed(self)) {
		t.Errorf("%s is not among %q (%v)", self, policy.Protected, err)
	}
	if got := programs(); len(got) != 2 { // here they are one file
		t.Errorf("itself and the guard are %q", got)
	}
}
