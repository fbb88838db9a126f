package rule

import (
	"strings"
	"testing"
)

func TestRunsCode(t *testing.T) {
	for _, path := range []string{
		"/w/.vscode/tasks.json", "/w/pkg/.vscode/settings.json", "/w/.VSCode/Tasks.json", "/w/.vscode", "/w/.git/hooks/pre-commit",
		"/w/.git/config", "/w/.git/modules/x/hooks/post-commit", "/w/.git", "/w/.github/workflows/ci.yml", "/w/.github/workflows",
		"/w/.github", "/w/.gitlab-ci.yml", "/w/Jenkinsfile", "/w/.husky/pre-push", "/w/.envrc", "/w/sub/.envrc", "/w/x.code-workspace",
		"/w/package.json", "package.json", "/w/sub/Package.JSON", "/home/u/.bashrc", "/home/u/.zshenv", "/home/u/.config/fish/config.fish",
		"/home/u/.config", "/w/.drawbridge/config.yaml", "/w/.drawbridgeignore", "/w/.nvim.lua", "/w/lib/python3.12/site-packages/a.pth",
		"/etc/cron.d/x", "/etc/profile", "/usr/local/bin/git", "/home/u/.ssh/config", "/w/mise.local.toml", "/w/.cargo/config.toml",
	} {
		if RunsCode(path) == "" {
			t.Errorf("%s passes as an ordinary file", path)
		}
	}
}

func TestOrdinaryFilesRunNoCode(t *testing.T) {
	for _, path := range []string{
		"", "/w/.github/CODEOWNERS", "/w/.gitignore", "/w/husky/pre-push", "/w/main.go", "/w/bashrc.md", "/w/AGENTS.md", "/w/Makefile",
		"/w/fish", "/w/weights/model.pth", "/w/etc/passwd", "etc/passwd", "/w/package-lock.json", "/w/tools", "/w/git", "/w/gitx1",
		"/w/.config/nextest.toml", "/w/usr/local/bin/x", "/w/..", "/w/.cursor/rules/go.mdc", "/w/.config.yaml", "/w/vscode/tasks.json",
	} {
		if who := RunsCode(path); who != "" {
			t.Errorf("%s: %s", path, who)
		}
	}
}

// Git itself refuses these names in a tree, since some file system takes each
// for .git.
func TestOtherSpellingsOfAName(t *testing.T) {
	for _, name := range []string{
		".GIT", ".Git", "git~1", "GIT~1", "GiT~2", ".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".g\u200cit", ".\u200egit",
		".gi\ufefft", "\u202a.git", ".hu\u017fky", ".hus\u212ay",
	} {
		if RunsCode("/w/"+name+"/config") == "" {
			t.Errorf("%q passes as another folder than %s", name, plainName(name))
		}
	}
}

// A name in capitals in the table is found, and each row says why and where it
// belongs.
func TestEachNameOfTheTableIsFound(t *testing.T) { checkTable(t, runsCode, RunsCode) }

func checkTable(t *testing.T, rows []fileRow, find func(string) string) {
	t.Helper()
	for _, row := range rows {
		if row.why == "" || row.group == "" {
			t.Errorf("%v: why, and when?", row.names)
		}
		for _, name := range row.names {
			path := "/w/" + strings.ReplaceAll(name, "*", "x")
			if strings.HasPrefix(name, "/") {
				path = strings.ReplaceAll(name, "*", "1")
			}
			if strings.HasSuffix(name, "/") {
				path += "below/it"
			}
			if find(path) == "" {
				t.Errorf("%s is not found as %s", name, path)
			}
		}
	}
}

func BenchmarkRunsCode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		RunsCode("/home/u/work/project/internal/pkg/some_file_name.go")
	}
}
