package grant

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drawbridge/approval/rule"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// allow reads rules that allow something in a workspace.
func allow(t *testing.T, root string, texts ...string) []rule.Rule {
	t.Helper()
	var rules []rule.Rule
	for _, text := range texts {
		r, err := rule.Parse(rule.Allow, text, root)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	return rules
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// check compares what holds in a workspace: SOURCE VERDICT RULE, or SOURCE ! with
// what was written.
func check(t *testing.T, s *Store, root string, want ...string) {
	t.Helper()
	var got []string
	rules, _ := s.Rules(root)
	for _, r := range rules {
		line := fmt.Sprintf("%s %s %s", r.Source, r.Verdict, r.Text)
		if r.Problem != "" {
			line = fmt.Sprintf("%s ! %s", r.Source, r.Text)
		}
		got = append(got, line)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("grants are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// B16: yeses are kept outside the workspace, for the user or for this workspace
// alone, in files that nobody else reads; another bridge goes by them at once.
func TestYesesAreKeptForTheirWorkspaceOutsideOfIt(t *testing.T) {
	dir, here, there := filepath.Join(t.TempDir(), "state", "grants"), realDir(t), realDir(t)
	one, two := Open(dir), Open(dir)
	check(t, two, here)
	if err := one.Add(rule.GrantWorkspace, here, allow(t, here, "git diff", "go test"), noon); err != nil {
		t.Fatal(err)
	}
	if err := one.Add(rule.GrantUser, here, allow(t, here, "ls"), noon); err != nil {
		t.Fatal(err)
	}
	check(t, two, here, "grantUser allow ls", "grantWorkspace allow git diff", "grantWorkspace allow go test")
	check(t, two, there, "grantUser allow ls")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		t.Fatal(err)
	}
	check(t, two, link, "grantUser allow ls", "grantWorkspace allow git diff", "grantWorkspace allow go test")
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "user"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(here); len(entries) > 0 {
		t.Errorf("the workspace has %v", entries)
	}
}

// What is there already is not doubled, and nothing changes without a reason.
func TestVersionsTellAChangeByTheContent(t *testing.T) {
	s, root := Open(t.TempDir()), realDir(t)
	_, none := s.Rules(root)
	for range 2 {
		if err := s.Add(rule.GrantUser, root, allow(t, root, "ls"), noon); err != nil {
			t.Fatal(err)
		}
	}
	check(t, s, root, "grantUser allow ls")
	_, first := s.Rules(root)
	_, again := s.Rules(root)
	if none == first || first != again {
		t.Errorf("versions %q, %q, %q", none, first, again)
	}
	path := filepath.Join(s.dir, "user")
	info, _ := os.Stat(path)
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "allow ls", "allow rm", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	check(t, s, root, "grantUser allow rm")
}

// F16: a bad line disables that line, is told with its place, and is not
// widened; the others count.
func TestABadLineIsTheOnlyOneThatDoesNotCount(t *testing.T) {
	s, root := Open(t.TempDir()), realDir(t)
	path := filepath.Join(s.dir, "user")
	text := "# mine\nallow git diff\nallow\nallow 'ls\nalow ls\ngit push\n\n  deny rm  \nallow\tgo test\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, s, root, "grantUser allow git diff", "grantUser ! ", "grantUser ! 'ls", "grantUser ! alow ls", "grantUser ! git push",
		"grantUser deny rm", "grantUser allow go test")
	rules, _ := s.Rules(root)
	if rules[2].Where != path+":4" {
		t.Errorf("the place is %q", rules[2].Where)
	}
	if err := s.Add(rule.GrantUser, root, allow(t, root, "ls"), noon); err != nil {
		t.Fatal(err)
	}
	now, _ := os.ReadFile(path)
	if want := text + "# added 2026-05-04 12:00\nallow ls\n"; string(now) != want {
		t.Errorf("the file is\n%s\nwant\n%s", now, want)
	}
}

// A denial that was mistyped is never an ignored yes: while it is there, nothing
// of its kind is allowed. A mistyped yes is one yes less.
func TestAMistypedDenialClosesItsKind(t *testing.T) {
	for line, want := range map[string]string{
		"deny: git push":      "commands",
		"Deny git push":       "commands",
		"DENY git push":       "commands",
		"deny\u00a0git push":  "commands",
		"\ufeffdeny git":      "commands",
		"- deny git push":     "commands",
		"deny":                "commands files",
		"deny 'git":           "commands",
		"Ask git push":        "commands",
		"ask: write:docs/**":  "commands files",
		"\ufeffask read:.env": "commands files",
		"dény git":            "commands",
		"never git push":      "commands",
		"deny read:[":         "files",
		"allow: git push":     "",
		"Allow git push":      "",
		"\ufeffallow git":     "",
		"allow 'git":          "",
		"allow\u00a0git":      "",
	} {
		s, root := Open(t.TempDir()), realDir(t)
		if err := os.WriteFile(filepath.Join(s.dir, "user"), []byte(line+"\nallow ls\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		rules, _ := s.Rules(root)
		if len(rules) != 2 || rules[0].Problem == "" {
			t.Errorf("%q: %+v", line, rules)
		}
		var closed []string
		set := rule.NewSet(rules...)
		if set.Closed(false) != "" {
			closed = append(closed, "commands")
		}
		if set.Closed(true) != "" {
			closed = append(closed, "files")
		}
		if got := strings.Join(closed, " "); got != want {
			t.Errorf("%q closes %q, want %q", line, got, want)
		}
	}
}

// A file that others could have written, or that is none, has no yes in it, and
// is not written over.
func TestAFileThatCannotBeTrustedHasNoYes(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"writable": func(p string) error { return os.Chmod(p, 0o662) },
		"folder":   func(p string) error { os.Remove(p); return os.Mkdir(p, 0o700) },
		"pipe":     func(p string) error { os.Remove(p); return syscall.Mkfifo(p, 0o600) },
		"large":    func(p string) error { return os.Truncate(p, maxFile+1) },
	} {
		s, root := Open(t.TempDir()), realDir(t)
		if err := s.Add(rule.GrantUser, root, allow(t, root, "ls"), noon); err != nil {
			t.Fatal(err)
		}
		if err := spoil(filepath.Join(s.dir, "user")); err != nil {
			t.Fatal(name, err)
		}
		check(t, s, root, "grantUser ! ")
		if err := s.Add(rule.GrantUser, root, allow(t, root, "rm"), noon); err == nil {
			t.Errorf("%s: it is written to", name)
		}
	}
}

// B17: what would not be read again as what it is is not kept at all.
func TestOnlyWhatIsReadAgainIsKept(t *testing.T) {
	s, root := Open(t.TempDir()), realDir(t)
	good := allow(t, root, "ls")[0]
	for name, bad := range map[string]rule.Rule{
		"two lines":     {Verdict: rule.Allow, Text: "ls\nallow rm"},
		"other spell":   {Verdict: rule.Allow, Text: "git   diff"},
		"no rule":       {Verdict: rule.Allow, Text: "'ls"},
		"a denial":      {Verdict: rule.Deny, Text: "ls"},
		"has a problem": {Verdict: rule.Allow, Text: "ls", Problem: "x"},
	} {
		if err := s.Add(rule.GrantUser, root, []rule.Rule{good, bad}, noon); err == nil {
			t.Errorf("%s is kept", name)
		}
	}
	check(t, s, root)
	if err := s.Add(rule.GrantSession, root, []rule.Rule{good}, noon); err == nil {
		t.Error("a yes for a session is kept on the disk")
	}
}

func TestForget(t *testing.T) {
	s, root := Open(t.TempDir()), realDir(t)
	if err := s.Add(rule.GrantUser, root, allow(t, root, "ls", "git diff"), noon); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if got, err := s.Forget(rule.GrantUser, root, "ls"); got != want || err != nil {
			t.Errorf("forgotten %v, %v; want %v", got, err, want)
		}
	}
	check(t, s, root, "grantUser allow git diff")
	text, _ := os.ReadFile(filepath.Join(s.dir, "user"))
	if strings.Count(string(text), "# added") != 1 {
		t.Errorf("remarks are left:\n%s", text)
	}
}

func TestBridgesThatRememberAtTheSameTime(t *testing.T) {
	dir, root := t.TempDir(), realDir(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if err := Open(dir).Add(rule.GrantUser, root, allow(t, root, fmt.Sprintf("tool%d", i)), noon); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if rules, _ := Open(dir).Rules(root); len(rules) != 12 {
		t.Errorf("%d of 12 are kept", len(rules))
	}
}
