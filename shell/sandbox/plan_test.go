package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/approval"
)

// place is a workspace, a folder for temporary files and a home, apart.
type place struct {
	t              *testing.T
	root, tmp, all string
	policy         Policy
}

// newPlace makes one that is not below /tmp, where a command sees another
// folder.
func newPlace(t *testing.T) place {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.MkdirTemp(cache, "drawbridge-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(all) })
	return placeIn(t, all)
}

func placeIn(t *testing.T, all string) place {
	t.Helper()
	all, err := filepath.EvalSymlinks(all)
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, all: all, root: filepath.Join(all, "home", "ws"), tmp: filepath.Join(all, "scratch")}
	p.dir("home/ws")
	p.dir("scratch")
	p.policy = Policy{Preset: WorkspaceWrite, Roots: []string{p.root}, Tmp: p.tmp, Home: filepath.Join(all, "home")}
	return p
}

func (p place) dir(name string) string {
	p.t.Helper()
	path := filepath.Join(p.all, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p place) file(name, content string) string {
	p.t.Helper()
	path := filepath.Join(p.all, name)
	p.dir(filepath.Dir(name))
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p place) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.root, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// planned is what a command may do with each place, by its path below all.
func (p place) planned() func(name string) access {
	p.t.Helper()
	policy, err := p.policy.resolve()
	if err != nil {
		p.t.Fatal(err)
	}
	plan, err := policy.plan(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return func(name string) access {
		path, got := filepath.Join(p.all, name), access(-1)
		for _, r := range plan.rules {
			if within(path, r.path) && r.source == r.path {
				got = r.access // the deepest comes last
			}
		}
		return got
	}
}

func (p place) check(want map[string]access) {
	p.t.Helper()
	of := p.planned()
	for name, a := range want {
		if got := of(name); got != a {
			p.t.Errorf("%s is %v, want %v", name, got, a)
		}
	}
}

func TestWorkspaceWriteOpensTheWorkspaceAlone(t *testing.T) {
	p := newPlace(t)
	p.check(map[string]access{
		"home/ws/main.go": writable, "home/ws/a/b": writable, "scratch/x": writable,
		"home/other": readable, "home": readable,
	})
}

func TestReadOnlyOpensTemporaryFilesAlone(t *testing.T) {
	p := newPlace(t)
	p.policy.Preset = ReadOnly
	p.policy.Writable = []string{p.dir("home/more")}
	p.check(map[string]access{"home/ws/main.go": readable, "home/more/x": readable, "scratch/x": writable})
}

func TestWhatRunsByItselfIsReadOnlyThereOrNot(t *testing.T) {
	p := newPlace(t)
	p.dir("home/ws/.vscode")
	p.file("home/ws/.envrc", "x")
	p.file("home/ws/mise.toml", "x")
	p.file("home/ws/a.code-workspace", "x")
	p.check(map[string]access{
		"home/ws/.vscode/tasks.json": readable, "home/ws/.envrc": readable, "home/ws/mise.toml": readable,
		"home/ws/a.code-workspace": readable, "home/ws/.idea/x": readable, "home/ws/.git/hooks/x": readable,
		"home/ws/sub/.vscode/x": writable,
		// What a person is asked about first may come to be.
		"home/ws/.devcontainer/x": writable, "home/ws/.nvimrc": writable,
	})
}

// The package that decides about edits warns of every name that is closed here.
func TestNamesAreThoseOfApprovals(t *testing.T) {
	for _, name := range codeFolders {
		if approval.RunsCode("/ws/"+name+"/tasks.json") == "" && approval.RunsCode("/ws/"+name+"/devcontainer.json") == "" {
			t.Errorf("approval lets %s pass as an ordinary folder", name)
		}
	}
	for _, name := range askedNames {
		if approval.RunsCode("/ws/"+name) == "" && approval.RunsCode("/ws/"+name+"/devcontainer.json") == "" {
			t.Errorf("approval lets %s pass as an ordinary file", name)
		}
	}
}

func TestARepositoryIsWritableButForWhatGitRuns(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.check(map[string]access{
		"home/ws/.git/index": writable, "home/ws/.git/objects/ab": writable, "home/ws/.git/HEAD": writable,
		"home/ws/.git/hooks/pre-commit": readable, "home/ws/.git/config": readable, "home/ws/.git/commondir": readable,
	})
}

func TestAHooksFolderThatGitIsToldOfIsProtectedThereOrNot(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.git("config", "core.hooksPath", "tools/hooks")
	p.git("config", "--add", "core.hooksPath", "hooks/last")
	p.check(map[string]access{"home/ws/tools/hooks/pre-commit": readable, "home/ws/hooks/last/pre-commit": readable, "home/ws/.husky/pre-commit": writable})
	// One that lies deeper could else be moved aside with the folder above it.
	p.dir("home/ws/tools/other")
	p.check(map[string]access{"home/ws/tools/hooks/pre-commit": readable, "home/ws/tools/other": readable})
}

func TestModulesOfARepositoryAreReadOnlyWhole(t *testing.T) {
	p := newPlace(t)
	other := p.dir("home/other")
	for _, args := range [][]string{
		{"-C", other, "init", "-q"},
		{"-C", other, "commit", "-q", "--allow-empty", "-m", "x"},
		{"init", "-q"},
		{"submodule", "--quiet", "add", other, "deep/mod"},
	} {
		p.git(args...)
	}
	p.check(map[string]access{
		"home/ws/.git/modules/deep/mod/config": readable, "home/ws/.git/modules/deep/mod/hooks/x": readable,
		"home/ws/.git/modules/deep/mod/index": readable, "home/ws/.git/modules/new": readable,
	})
}

func TestAWorktreeMayCommitIntoItsRepository(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
	p.git("worktree", "add", "-q", filepath.Join(p.all, "home", "tree"))
	p.policy.Roots = []string{filepath.Join(p.all, "home", "tree")}
	p.check(map[string]access{
		"home/tree/x": writable, "home/tree/.git": readable,
		"home/ws/.git/objects/ab": writable, "home/ws/.git/worktrees/tree/index": writable, "home/ws/main.go": readable,
		"home/ws/.git/hooks/x": readable, "home/ws/.git/config": readable, "home/ws/.git/worktrees/tree/commondir": readable,
		"home/ws/.git/worktrees/other/index": readable,
	})
}

func TestAForgedWorktreeOpensNothing(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
	p.git("worktree", "add", "-q", filepath.Join(p.all, "home", "tree"))
	forged := p.dir("home/forged")
	p.file("home/forged/.git", "gitdir: "+filepath.Join(p.root, ".git", "worktrees", "tree")+"\n")
	p.policy.Roots = []string{forged}
	p.check(map[string]access{"home/forged/x": writable, "home/ws/.git/objects": readable})
}

func TestASettingOpensAProtectedPlace(t *testing.T) {
	p := newPlace(t)
	p.policy.Writable = []string{p.dir("home/ws/.vscode"), p.dir("home/cache")}
	p.dir("home/cache/.idea")
	p.check(map[string]access{"home/ws/.vscode/x": writable, "home/cache/x": writable, "home/cache/.idea/x": readable})
}

func TestOwnFilesInsideTheWorkspaceAreProtected(t *testing.T) {
	p := newPlace(t)
	p.policy.Roots, p.policy.Home = []string{filepath.Join(p.all, "home")}, ""
	p.policy.Protected = []string{p.dir("home/.state/drawbridge"), filepath.Join(p.all, "home/.config/drawbridge")}
	p.policy.Hidden = []string{p.dir("home/.state/drawbridge/logs")}
	p.policy.Tmp = p.dir("home/.state/drawbridge/scratch/s1/tmp")
	p.check(map[string]access{
		"home/.state/drawbridge/sessions": readable, "home/.state/drawbridge/logs/x": concealed,
		"home/.state/drawbridge/scratch/s1/tmp/x": writable, "home/.config/drawbridge/config.yaml": readable,
		"home/.state/drawbridge/scratch/s1/x": readable, "home/.state/other": readable, "home/notes": writable,
	})
}

func TestCredentialsAndSocketsAreHidden(t *testing.T) {
	p := newPlace(t)
	p.dir("home/.ssh")
	p.file("home/.netrc", "x")
	p.policy.Hidden = []string{p.dir("home/secret"), filepath.Join(p.all, "home", "missing")}
	p.check(map[string]access{"home/.ssh/id": concealed, "home/.netrc": concealed, "home/secret/x": concealed, "home/missing": readable})
	policy, _ := p.policy.resolve()
	agent := p.file("home/agent", "")
	plan, err := policy.plan([]string{"SSH_AUTH_SOCK=" + agent, "DBUS_SESSION_BUS_ADDRESS=unix:path=" + p.file("home/bus", "") + ",guid=1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{agent, filepath.Join(p.all, "home/bus")} {
		if !strings.Contains(explained(plan), "hidden     "+want+"\n") {
			t.Errorf("%s is not hidden in\n%s", want, explained(plan))
		}
	}
}

func explained(p plan) string {
	var b strings.Builder
	p.explain(&b)
	return b.String()
}

// A variable of the user's that names a folder of theirs hides no more than the
// services in it.
func TestTheHomeFolderIsNeverHidden(t *testing.T) {
	p := newPlace(t)
	policy, _ := p.policy.resolve()
	plan, err := policy.plan([]string{"XDG_RUNTIME_DIR=" + policy.Home, "SSH_AUTH_SOCK=" + p.root})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{policy.Home, p.root} {
		if strings.Contains(explained(plan), "hidden     "+bad+"\n") {
			t.Errorf("%s is hidden", bad)
		}
	}
}

// A folder with something protected in it cannot be moved aside.
func TestFoldersAboveAProtectedPlaceArePinned(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	policy, _ := p.policy.resolve()
	plan, err := policy.plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "writable   " + p.root + "/.git\n"; !strings.Contains(explained(plan), want) {
		t.Errorf("no %q in\n%s", want, explained(plan))
	}
}

// Another folder is seen at /tmp, so that rules for what lies there on the disk
// would open or close the wrong place.
func TestNothingOfTheMachinesTmpIsOpened(t *testing.T) {
	p := placeIn(t, t.TempDir())
	if !strings.HasPrefix(p.all, "/tmp/") {
		t.Skip("the folder for temporary files is not below /tmp: " + p.all)
	}
	p.policy.Protected = []string{filepath.Join(p.all, "home", "state")}
	p.check(map[string]access{"home/state": readable, "home": readable, "x": readable})
}

func TestAPolicyWithoutItsPartsIsRefused(t *testing.T) {
	p := newPlace(t)
	for name, spoil := range map[string]func(*Policy){
		"preset":   func(p *Policy) { p.Preset = "full-access" },
		"tmp":      func(p *Policy) { p.Tmp = "" },
		"relative": func(p *Policy) { p.Roots = []string{"ws"} },
		"network":  func(p *Policy) { p.Network = "some" },
	} {
		policy := p.policy
		spoil(&policy)
		if _, err := New(policy, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
