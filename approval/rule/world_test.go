package rule

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/approval/command"
)

// root is the workspace of the tests.
const root = "/ws"

// world is a machine with one workspace and the files of a small project.
type world struct{}

var project = []string{
	"README.md", "go.mod", "package.json", "x.py", "src/main.go", "src/util.go", "docs/a file.md", ".env", "src/.env",
}

var folders = []string{"src", "docs"}

func (world) Home() string { return "/home/ada" }

func (world) Target(dir, name string) command.Target {
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	t := command.Target{Abs: path.Clean(name), Lexical: path.Clean(name)}
	for _, link := range []string{"link-out", "dangling", "src/link-secret"} {
		if rest, ok := strings.CutPrefix(t.Abs, root+"/"+link); ok && (rest == "" || rest[0] == '/') {
			t.Abs = "/etc" + rest // a link out of the workspace
		}
	}
	if rel, ok := strings.CutPrefix(t.Abs, root); ok && (rel == "" || rel[0] == '/') {
		t.Inside, t.Rel = true, strings.TrimPrefix(rel, "/")
		if t.Rel == "" {
			t.Rel = "."
		}
	}
	if hidden.MatchString(t.Abs) {
		t.Secret = "holds secrets"
	}
	if strings.HasPrefix(t.Abs, "/home/ada/.local/state/drawbridge") {
		t.Protected = "our own records"
	}
	if t.Abs == "/" || strings.HasPrefix("/home/ada/.local/state/drawbridge/", t.Abs+"/") && t.Protected == "" {
		t.Holds = "our own records lie in it"
	}
	return t
}

var hidden = regexp.MustCompile(`(?i)/(\.env[^/]*|id_rsa|[^/]*\.key)$|^/home/ada/\.ssh/|/ignored/`)

func (world) Program(name string) (command.Target, bool) {
	if name == "evil" {
		return world{}.Target(root, "evil"), true
	}
	if name == "nothere" || strings.Contains(name, "/") {
		return command.Target{}, false
	}
	return command.Target{Abs: "/usr/bin/" + name}, true
}

func (world) Glob(dir, pattern string) ([]string, bool) {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, root), "/")
	if !strings.HasPrefix(dir, root) || strings.HasPrefix(pattern, "/") {
		return nil, false
	}
	var found []string
	for _, name := range slices.Concat(project, folders) {
		if ok, _ := path.Match(strings.TrimSuffix(path.Join(rel, pattern), "/"), name); ok && strings.HasPrefix(path.Base(name), ".") == strings.HasPrefix(path.Base(pattern), ".") {
			found = append(found, strings.TrimPrefix(strings.TrimPrefix(name, rel), "/"))
		}
	}
	slices.Sort(found)
	return found, true
}

func (world) Secrets(dir string) (names []string, ok bool) {
	for _, name := range []string{"/ws/.env", "/ws/ignored/file", "/ws/certs/a.key"} {
		if rel, below := strings.CutPrefix(name, dir+"/"); below {
			names = append(names, rel)
		}
	}
	return names, dir != "/ws/huge"
}

// allow and deny are rules of the user's.
func rules(t testing.TB, v Verdict, lines ...string) []Rule {
	t.Helper()
	var all []Rule
	for _, line := range lines {
		r, err := Parse(v, line, root)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		r.Source = User
		all = append(all, r)
	}
	return all
}

// judged is a line under rules, in the workspace, not held.
func judged(s *Set, line string) Judgement {
	return s.Judge(command.Parse(line, root, world{}), false, world{})
}

// checkLines wants a verdict for each line under a set.
func checkLines(t *testing.T, s *Set, want Verdict, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if got := judged(s, line); got.Verdict != want {
			t.Errorf("%s\n  is %q, wanted %q: %s", line, got.Verdict, want, got.Why)
			for _, p := range got.Parts {
				t.Logf("  part %s: %q %s", shown(&p.Command), p.Verdict, p.Why)
			}
		}
	}
}

// corpus reads lines of CLASS TAB LINE, where \n and \\ are escapes.
func corpus(t *testing.T, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/approval/" + name)
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t")
	for line := range strings.Lines(string(data)) {
		if _, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			lines = append(lines, unescape.Replace(text))
		}
	}
	return lines
}
