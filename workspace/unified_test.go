package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

func checkUnified(t *testing.T, c workspace.Change, o workspace.DiffOptions, want string) {
	t.Helper()
	if got := c.Unified(o); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func rewrite(old, new string) workspace.Change { return workspace.Rewrite(content(old), new) }

func TestUnified(t *testing.T) {
	marked := workspace.DiffOptions{NoNewline: true}
	checkUnified(t, rewrite("a\nb\nc\n", "a\nB\nc\n"), workspace.DiffOptions{}, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
	checkUnified(t, rewrite("abc", ""), workspace.DiffOptions{}, "@@ -1,1 +0,0 @@\n-abc\n")
	checkUnified(t, rewrite("", "a\nb\nc\n"), workspace.DiffOptions{}, "@@ -0,0 +1,3 @@\n+a\n+b\n+c\n")
	checkUnified(t, rewrite("a\nb", "a\nb\n"), marked, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n")
	checkUnified(t, rewrite("a\nb\nc", "A\nb\nc"), marked, "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n\\ No newline at end of file\n")
	checkUnified(t, rewrite("a\r\nb\r\n", "A\r\nb\r\n"), workspace.DiffOptions{StripCR: true}, "@@ -1,2 +1,2 @@\n-a\n+A\n b\n")
	checkUnified(t, rewrite("é23456\n", "é23457\n"), workspace.DiffOptions{MaxLine: 4}, "@@ -1,1 +1,1 @@\n-é234…\n+é234…\n")
	checkUnified(t, rewrite("a\nb\nc\n", "a\nB\nc\n"), workspace.DiffOptions{Context: -1}, "@@ -2,1 +2,1 @@\n-b\n+B\n")
	checkUnified(t, rewrite("a\nb\nc\n", "a\nb\nx\nc\n"), workspace.DiffOptions{Context: -1}, "@@ -2,0 +3,1 @@\n+x\n")
	checkUnified(t, rewrite("a\n", "a\n"), workspace.DiffOptions{}, "")
}

// numbered is n lines "1", "2"…, with some of them replaced.
func numbered(n int, replaced map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := replaced[i]; ok {
			b.WriteString(text)
			continue
		}
		b.WriteString(strings.Repeat("l", i) + "\n")
	}
	return b.String()
}

func TestHunksWhoseContextsTouchArePrintedAsOne(t *testing.T) {
	old := numbered(30, nil)
	for gap, want := range map[int]int{6: 1, 7: 2} { // lines between the two sites
		c := rewrite(old, numbered(30, map[int]string{5: "x\ny\n", 6 + gap: "z\n"}))
		text := c.Unified(workspace.DiffOptions{})
		if got := strings.Count(text, "@@ -"); got != want {
			t.Errorf("%d lines between: %d header lines, want %d\n%s", gap, got, want, text)
		}
		if want == 2 && !strings.Contains(text, "@@ -10,7 +11,7 @@") {
			t.Errorf("the second hunk is not moved by the first:\n%s", text)
		}
	}
}

func TestDroppedHunksAreNamed(t *testing.T) {
	c := rewrite(numbered(40, nil), numbered(40, map[int]string{2: "x\n", 20: "y\n", 38: "z\n"}))
	p := c.Print(workspace.DiffOptions{MaxHunks: 2})
	if strings.Join(p.Shown, " ") != "h1 h2" || strings.Join(p.Dropped, " ") != "h3" {
		t.Errorf("shown %v, dropped %v", p.Shown, p.Dropped)
	}
	p = c.Print(workspace.DiffOptions{MaxBytes: 20})
	if p.Text != "" || len(p.Dropped) != 3 {
		t.Errorf("text %q, dropped %v", p.Text, p.Dropped)
	}
	full := c.Unified(workspace.DiffOptions{})
	if p = c.Print(workspace.DiffOptions{MaxBytes: len(full) - 1}); len(p.Text) > len(full)-1 || len(p.Dropped) != 1 {
		t.Errorf("%d bytes, dropped %v", len(p.Text), p.Dropped)
	}
}

func TestStatCountsLines(t *testing.T) {
	if plus, minus := rewrite("a\nb\nc", "a\nx\ny\nz\nc").Stat(); plus != 3 || minus != 1 {
		t.Errorf("+%d −%d, want +3 −1", plus, minus)
	}
}

func TestHeaderNamesWhatIsNotThere(t *testing.T) {
	absent := workspace.Content{Path: workspace.Path{Rel: "new file.txt"}}
	head := workspace.DiffOptions{Header: true}
	checkUnified(t, workspace.Rewrite(absent, "x\n"), head, "--- /dev/null\n+++ b/new file.txt\t\n@@ -0,0 +1,1 @@\n+x\n")
	checkUnified(t, workspace.Remove(content("x\n")), head, "--- a/f.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n")
}

// Git reads our diffs and makes the new text of the old one.
func TestGitAppliesUnified(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatalf("git is a prerequisite: %v", err)
	}
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		if n++; n > 40 { // a process each
			return
		}
		c.Path.Rel = rapid.SampledFrom([]string{"f.txt", "a b.txt", "q\"\\é\n.txt"}).Draw(t, "name")
		if c.Old == c.New {
			return
		}
		if got := gitApply(t, dir, c); got != c.New {
			t.Fatalf("git made %q, want %q, from\n%s", got, c.New, c.Unified(workspace.DiffOptions{NoNewline: true}))
		}
	})
}

func gitApply(t *rapid.T, dir string, c workspace.Change) string {
	file := filepath.Join(dir, c.Path.Rel)
	if err := os.WriteFile(file, []byte(c.Old), 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file)
	diff := c.Unified(workspace.DiffOptions{Header: true, NoNewline: true})
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+dir, "GIT_DIR=/nonexistent")
	cmd.Stdin = strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v: %s\n%s", err, out, diff)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}
