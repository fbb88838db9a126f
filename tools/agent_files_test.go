package tools

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"drawbridge/workspace"
	"drawbridge/workspace/workspacetest"
)

// agentRoom is a workspace with the tools of the agent's toolset.
func agentRoom(t *testing.T, files ...string) *room {
	t.Helper()
	r := newRoom(t, files...)
	r.profile = ProfileAgent
	return r
}

// A search that has no time left failed: it does not say that there is nothing.
//
// Cases: M-GLOB-04
func TestASearchOutOfTimeFails(t *testing.T) {
	r := agentRoom(t, "a", "foo\n")
	r.env.Limits = Limits{Timeout: time.Nanosecond, MaxOutput: agentOutput}
	for name, pattern := range map[string]string{"glob": "*", "grep": "foo"} {
		o := r.do(t, name, args(t, "pattern", pattern))
		checkText(t, o, Failed, "timed out after 1ns")
		if o.Err != nil {
			t.Errorf("%s: a time limit is no fault of ours: %v", name, o.Err)
		}
	}
}

// What the machine fails at is a fault that we record, not a failure of the call
// alone.
//
// Cases: M-EDIT-06
func TestAFaultOfTheMachineIsAnError(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no file that cannot be read is known here")
	}
	r := agentRoom(t, "a", "foo\n")
	o := r.do(t, "edit", args(t, "file_path", "/proc/self/mem", "old_string", "a", "new_string", "b"))
	checkSays(t, o, Failed, "[tool error] read /proc/", "input/output error")
	if o.Err == nil {
		t.Error("it is not recorded")
	}
	o = r.do(t, "edit", args(t, "file_path", "a", "old_string", "x", "new_string", "b"))
	checkSays(t, o, Failed, "was not found")
	if o.Err != nil {
		t.Errorf("what the model can mend is recorded: %v", o.Err)
	}
}

// lister is an editor that tells what it has open.
type lister struct {
	*workspacetest.Editor
	paths []string
}

func (l lister) OpenPaths() []string { return l.paths }

// What is open and unsaved is searched in place of its file; what is saved, or has
// no file, is not.
func TestGrepSeesUnsavedDocuments(t *testing.T) {
	r := agentRoom(t, "src/a", "old\n", "src/b", "foo\n", "src/c", "foo\n", "d", "old\n")
	e := lister{workspacetest.NewEditor(), []string{r.path("src/a"), r.path("src/b"), r.path("src/c"), r.path("d"), r.path("src/new")}}
	r.open(t, workspace.Options{Editor: e})
	for _, name := range []string{"src/a", "src/b", "d"} {
		e.Open(r.path(name), r.content(t, name), 1)
	}
	e.Open(r.path("src/new"), "", 1)
	for name, text := range map[string]string{"src/a": "one\nfoo", "src/b": "bar\n", "d": "foo\n", "src/new": "foo\n"} {
		e.Type(r.path(name), text)
	}
	e.Open(r.path("src/c"), "foo\n", 1)
	checkText(t, r.do(t, "grep", args(t, "pattern", "foo", "path", "src")), Completed, "src/a:2:foo\nsrc/c:1:foo")
	checkText(t, r.do(t, "grep", args(t, "pattern", "foo", "path", "d")), Completed, "d:1:foo")
	checkText(t, r.do(t, "grep", args(t, "pattern", "^old", "path", "d")), Completed, "no matches")
	checkText(t, r.do(t, "read", args(t, "file_path", "src/a", "view_range", []int{2, 2})), Completed,
		"foo\n(text of the editor, not saved yet)")
}

// Reading stops once more is there than can be shown.
func TestReadStopsBehindItsLimit(t *testing.T) {
	r := agentRoom(t)
	if err := os.WriteFile(r.path("sparse"), []byte("begin\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(r.path("sparse"), 1<<40); err != nil {
		t.Skipf("no file of 1 TiB can be made: %v", err)
	}
	o := r.do(t, "read", args(t, "file_path", "sparse", "view_range", []int{1, 0}))
	checkSays(t, o, Completed, "begin\n")
	checkText(t, r.do(t, "read", args(t, "file_path", "sparse", "view_range", []int{1, 1})), Completed, "begin")
}

// Pieces of a file are cut at lines wherever they end.
func TestRangesMeetTheEndsOfPieces(t *testing.T) {
	text := "a\nbb\n\nccc\nd"
	for size := 1; size <= len(text); size++ {
		for first := 1; first <= 7; first++ {
			for last := 0; last <= 7; last++ {
				r := viewRange{first, last}
				var got strings.Builder
				line := 1
				for at := 0; at < len(text) && (last == 0 || line <= last); at += size {
					var part []byte
					part, line = r.cut([]byte(text[at:min(at+size, len(text))]), line)
					got.Write(part)
				}
				if want := inRange(text, first, last); got.String() != want {
					t.Fatalf("%+v in pieces of %d: %q and not %q", r, size, got.String(), want)
				}
			}
		}
	}
}

func inRange(text string, first, last int) string {
	lines := strings.Split(text, "\n")
	if last == 0 || last > len(lines) {
		last = len(lines)
	}
	if first > last {
		return ""
	}
	return strings.Join(lines[first-1:last], "\n")
}

// Where a person took a part only, what stands is shown.
func TestAPartlyTakenEditIsShown(t *testing.T) {
	r := agentRoom(t, "f", "x\n"+strings.Repeat("-\n", 12)+"x\n")
	plan, err := r.plan(t, "edit", args(t, "file_path", "f", "old_string", "x", "new_string", "y", "replace_all", true))
	if err != nil || len(plan.Change.Hunks) != 2 {
		t.Fatalf("%+v, %v", plan.Change, err)
	}
	r.accept = &Accepted{Change: workspace.Acceptance{Hunks: []string{plan.Change.Hunks[0].ID}}}
	o := r.do(t, "edit", args(t, "file_path", "f", "old_string", "x", "new_string", "y", "replace_all", true))
	checkSays(t, o, Completed, `1 of 2 hunks applied to "f"`, "-x\n+y", "Refused by the user: @@ -14,1 +14,1 @@")
	checkSilent(t, o, "replacement(s)")
}

// Names in results are such that the tools take them: of another root, or outside,
// they are absolute.
func TestGrepNamesWhatToolsTake(t *testing.T) {
	r := agentRoom(t, "in/a", "foo\n", "other/b", "foo\n")
	ws, err := workspace.Open(workspace.Options{Roots: []string{r.path("in"), r.path("other")}})
	if err != nil {
		t.Fatal(err)
	}
	r.env.Workspace = ws
	checkText(t, r.do(t, "grep", args(t, "pattern", "foo")), Completed, "a:1:foo")
	checkText(t, r.do(t, "grep", args(t, "pattern", "foo", "path", r.path("other"))), Completed, r.path("other/b")+":1:foo")
	checkText(t, r.do(t, "grep", args(t, "pattern", "foo", "path", "..")), Completed,
		r.path("in/a")+":1:foo\n"+r.path("other/b")+":1:foo")
}
