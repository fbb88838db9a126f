//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// mustHold holds without lingering.
func mustHold(t *testing.T, list ...guarded) func() {
	t.Helper()
	release, err := hold(list)
	if err != nil {
		t.Fatal(err)
	}
	return func() { release(); LetGo() }
}

func TestAStandInLivesAsLongAsACommandNeedsIt(t *testing.T) {
	dir := t.TempDir()
	folder, file := filepath.Join(dir, ".vscode"), filepath.Join(dir, "commondir")
	list := []guarded{{path: folder}, {path: file, content: text(".\n")}}
	first := mustHold(t, list...)
	second := mustHold(t, list...)
	first()
	if !exists(folder) || !exists(file) {
		t.Fatal("the second command lost its stand-ins with the first")
	}
	second()
	if exists(folder) || exists(file) {
		t.Error("stand-ins were left behind")
	}
}

// The next command of a turn needs the same ones, and an editor shows what
// comes and goes.
func TestStandInsLingerUntilTheProgramEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".vscode")
	for range 2 {
		release, err := hold([]guarded{{path: dir}})
		if err != nil {
			t.Fatal(err)
		}
		release()
		if !exists(dir) {
			t.Fatal("it went with its command")
		}
	}
	if n := len(lingering); n != 1 {
		t.Errorf("%d sets linger for one workspace", n)
	}
	LetGo()
	if exists(dir) {
		t.Error("it was left behind")
	}
}

func TestWhatIsThereIsNoStandIn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".vscode")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustHold(t, guarded{path: dir})()
	if !exists(dir) {
		t.Error("an empty folder of the user's was removed")
	}
}

func TestWhatAUserPutsIntoAStandInStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".vscode")
	release := mustHold(t, guarded{path: dir})
	inside := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(inside, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	release()
	if !exists(inside) {
		t.Error("a file of the user's was removed")
	}
	os.Remove(inside)
	mustHold(t, guarded{path: dir})()
	if !exists(dir) {
		t.Error("a folder that the user had taken over was removed")
	}
}

// A bridge that is killed leaves its stand-ins without a lock.
func TestStandInsOfAKilledBridgeAreSwept(t *testing.T) {
	dir := t.TempDir()
	left, used := filepath.Join(dir, ".idea"), filepath.Join(dir, ".zed")
	in, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	for _, path := range []string{left, used} {
		if err := makeStandIn(in, guarded{path: path}); err != nil {
			t.Fatal(err)
		}
	}
	release := mustHold(t, guarded{path: used})
	sweep(dir, []guarded{{path: left}, {path: used}, {path: filepath.Join(dir, "no", "such")}})
	if exists(left) {
		t.Error("a stand-in that nobody holds was left")
	}
	if !exists(used) {
		t.Error("a stand-in that a command holds was removed")
	}
	release()
}

// A stand-in that another bridge has made and not stamped yet is waited for.
func TestAStandInInTheMakingIsWaitedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".idea")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		os.Chtimes(dir, standInTime, standInTime)
	}()
	mustHold(t, guarded{path: dir})()
	if exists(dir) {
		t.Error("it was taken for the user's")
	}
}

func TestManyCommandsShareStandIns(t *testing.T) {
	dir := t.TempDir()
	list := []guarded{{path: filepath.Join(dir, ".idea")}, {path: filepath.Join(dir, "x"), content: text("")}}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 30 {
				release, err := hold(list)
				if err != nil {
					t.Error(err)
					return
				}
				for _, g := range list {
					if !exists(g.path) {
						t.Errorf("%s is missing while it is held", g.path)
					}
				}
				release()
			}
		})
	}
	all.Wait()
	LetGo()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Where we may not make one, neither may the command.
func TestAnUnwritableFolderIsNotGuarded(t *testing.T) {
	if unix.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	p := newPlace(t)
	os.Chmod(p.root, 0o555)
	t.Cleanup(func() { os.Chmod(p.root, 0o755) })
	policy, _ := p.policy.resolve()
	plan, err := policy.plan(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range plan.missing {
		if within(g.path, p.root) {
			t.Errorf("%s is to be made in a folder that is not ours to write", g.path)
		}
	}
}
