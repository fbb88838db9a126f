package drawbridge_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// arrows are the imports between our packages that must not come to be, by
// whatever detour.
var arrows = []struct {
	from   string
	to     []string
	reason string
}{
	{"rpc", all, "it carries messages and knows no method's meaning"},
	{"rpc/protocol", allBut("rpc/..."), "wire types depend on nothing that they describe"},
	{"approval/...", allBut("approval/...", "internal/..."), "what decides must not lean on what wants to act"},
	{"approval", []string{"internal/..."}, "it decides with nobody's help"},
	{"approval/grant", internalBut("ownfile"), "it keeps files, and no more"},
	{"approval/command", []string{"approval", "approval/rule", "approval/grant", "internal/..."}, "what a script runs is not a matter of rules"},
	{"approval/rule", []string{"approval", "approval/grant", "internal/..."}, "rules judge; they neither ask nor keep"},
	{"config/...", allBut("config/...", "internal/..."), "it reads words and refuses to know what they do"},
	{"config/...", internalBut("ownfile"), "it reads words and refuses to know what they do"},
	{"internal/ownfile", all, "bytes and locks, nothing else"},
	{"workspace/...", allBut("workspace/...", "internal/..."), "it commits files for whoever asks"},
	{"checkpoint/...", allBut("checkpoint/..."), "it keeps bytes for whoever asks"},
	{"shell/...", allBut("shell/...", "internal/..."), "it runs commands for whoever asks"},
	{"model/...", allBut("model/...", "internal/..."), "it talks to services and knows no tool"},
	{"tools/...", allBut("tools/...", "workspace/...", "shell/...", "internal/..."), "tools plan; they neither decide nor talk"},
	{"session/...", []string{"bridge/...", "rpc/...", "config/...", "cmd/..."}, "the turn loop serves any wire"},
	{"bridge/...", []string{"cmd/..."}, "a program is started, never imported"},
	{"internal/mirror/...", allBut("internal/..."), "positions and text, nothing else"},
}

var all = []string{
	"rpc/...", "bridge/...", "session/...", "tools/...", "approval/...", "workspace/...",
	"checkpoint/...", "shell/...", "model/...", "config/...", "internal/...", "cmd/...",
}

// allBut is every folder at the top except those named.
func allBut(kept ...string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(p string) bool { return slices.Contains(kept, p) })
}

// internalBut is every package below internal except those named.
func internalBut(kept ...string) (forbidden []string) {
	for _, s := range goFiles() {
		name, below := strings.CutPrefix(s.pkg, "internal/")
		if below && !slices.Contains(kept, name) {
			forbidden = append(forbidden, s.pkg)
		}
	}
	return forbidden
}

// importers are the only packages that may import one of ours directly.
var importers = []struct {
	of     string
	by     []string
	reason string
}{
	{"config/...", []string{"config/...", "cmd/...", "bridge/..."}, "what a setting does is handed down as a value"},
	{"rpc/...", []string{"rpc/...", "bridge/...", "cmd/...", "internal/..."}, "no wire type goes below the bridge"},
	{"model/script/...", []string{"model/...", "bridge/...", "cmd/...", "internal/..."}, "a rehearsal is chosen like any provider"},
}

// foreignRule is one row of foreign.
type foreignRule struct {
	module string
	by     []string
	reason string
}

// foreign says where each module from elsewhere may be imported. "test" stands
// for test files and the packages that only tests import.
var foreign = []foreignRule{
	{"go.lsp.dev/jsonrpc2", []string{"rpc"}, "its traps are met in one place"},
	{"go.lsp.dev/protocol", []string{"rpc/...", "bridge/lsp/..."}, "editor types stop at the LSP face"},
	{"go.lsp.dev/uri", []string{"rpc/...", "bridge/lsp/..."}, "editor types stop at the LSP face"},
	{"github.com/anthropics/anthropic-sdk-go", []string{"model/anthropic/..."}, "one service, one package"},
	{"github.com/openai/openai-go/v3", []string{"model/openai/...", "model/openaichat/...", "model/internal/..."}, "one vendor, its two dialects"},
	{"github.com/creack/pty", []string{"shell/..."}, "only the shell owns terminals"},
	{"github.com/mattn/go-runewidth", []string{"shell"}, "only a screen counts columns"},
	{"github.com/charmbracelet/x/vt", []string{"test"}, "a whole emulator is what ours is compared with"},
	{"github.com/landlock-lsm/go-landlock", []string{"shell/sandbox/..."}, "only a sandbox gives up rights"},
	{"github.com/elastic/go-seccomp-bpf", []string{"shell/sandbox/..."}, "only a sandbox filters system calls"},
	{"golang.org/x/net", []string{"shell/sandbox/..."}, "the instructions of that filter"},
	{"github.com/go-logr/logr", []string{"internal/telemetry"}, "how OpenTelemetry is given a log"},
	{"go.opentelemetry.io/otel", []string{"internal/telemetry"}, "what is measured leaves by one door"},
	{"go.opentelemetry.io/proto/otlp", []string{"test"}, "what a collector reads"},
	{"google.golang.org/protobuf", []string{"test"}, "what a collector reads"},
	{"gopkg.in/yaml.v3", []string{"config/..."}, "settings are the one thing written in it"},
	{"mvdan.cc/sh/v3", []string{"approval/command", "approval/rule"}, "a script is taken apart in one place"},
	{"github.com/bmatcuk/doublestar/v4", []string{"approval/rule", "internal/search"}, "paths in rules, and patterns of names"},
	{"znkr.io/diff", []string{"workspace/..."}, "one way to compute hunks"},
	{"github.com/fsnotify/fsnotify", []string{"workspace/watch", "config"}, "one package looks after the workspace, one after its own file"},
	{"golang.org/x/text", []string{"workspace/..."}, "a file is decoded in one place"},
	{"golang.org/x/sys", []string{"shell/...", "rpc", "workspace/...", "session/...", "bridge/lsp/...", "config", "cmd/..."}, "the system's edge"},
	{"github.com/google/jsonschema-go", []string{"internal/wiregen/...", "test"}, "schemas are checked by tests"},
	{"github.com/rogpeppe/go-internal", []string{"model/script/...", "test"}, "scenario files"},
	{"go.uber.org/goleak", []string{"test"}, "a check of tests"},
	{"github.com/google/go-cmp", []string{"test"}, "it may panic; fine in a test only"},
	{"pgregory.net/rapid", []string{"test"}, "a check of tests"},
}

// testOnly are packages that exist for tests and measurements;
// TestTestSupportStaysInTests keeps them out of programs.
func testOnly(pkg string) bool {
	return strings.HasSuffix(pkg, "test") && pkg != "test" || strings.HasPrefix(pkg, "internal/fake") ||
		strings.HasPrefix(pkg, "internal/scenario") || pkg == "internal/bench"
}

// graph maps each package to what its product files import.
type graph map[string][]string

func productGraph() graph {
	g := graph{}
	for _, s := range goFiles() {
		if !s.test {
			g[s.pkg] = append(g[s.pkg], s.imports()...)
		}
	}
	return g
}

// way finds the imports that lead from a package to one that matches, nil if
// none does.
func (g graph) way(from string, patterns []string) []string {
	seen := map[string]bool{from: true}
	for queue := [][]string{{from}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, next := range g[at[len(at)-1]] {
			trail := append(slices.Clone(at), next)
			switch {
			case seen[next]:
			case withinAny(next, patterns):
				return trail
			default:
				seen[next] = true
				queue = append(queue, trail)
			}
		}
	}
	return nil
}

// turned lists the arrows that g breaks.
func turned(g graph) []string {
	var broken []string
	for _, pkg := range slices.Sorted(maps.Keys(g)) {
		for _, a := range arrows {
			if trail := g.way(pkg, a.to); within(pkg, a.from) && trail != nil {
				broken = append(broken, fmt.Sprintf("%s: %s", strings.Join(trail, " → "), a.reason))
			}
		}
	}
	return broken
}

func TestArrowsPointDown(t *testing.T) {
	for _, b := range turned(productGraph()) {
		t.Error(b)
	}
}

func TestADetourIsFound(t *testing.T) {
	g := graph{"tools": {"shell", "fmt"}, "shell": {"session"}, "session": {"approval"}}
	if got := strings.Join(turned(g), "\n"); !strings.Contains(got, "tools → shell → session") {
		t.Errorf("found %q", got)
	}
}

func TestImportersAreKnown(t *testing.T) {
	for _, s := range goFiles() {
		for _, imported := range s.imports() {
			for _, r := range importers {
				if within(imported, r.of) && !s.test && !testOnly(s.pkg) && !withinAny(s.pkg, r.by) {
					t.Errorf("%s imports %s: %s", s.path, imported, r.reason)
				}
			}
		}
	}
}

func TestForeignModulesHaveTheirPlace(t *testing.T) {
	for _, s := range goFiles() {
		for _, imported := range s.imports() {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			i := slices.IndexFunc(foreign, func(r foreignRule) bool { return within(imported, r.module+"/...") })
			if i < 0 {
				t.Errorf("%s imports %s, which has no row in the table of modules", s.path, imported)
				continue
			}
			r := foreign[i]
			if !s.test && !testOnly(s.pkg) && !withinAny(s.pkg, r.by) {
				t.Errorf("%s imports %s: %s (allowed in %v)", s.path, imported, r.reason, r.by)
			}
		}
	}
}

func TestTestSupportStaysInTests(t *testing.T) {
	for _, s := range goFiles() {
		for _, imported := range s.imports() {
			if ours(imported) && testOnly(imported) && !s.test && !testOnly(s.pkg) {
				t.Errorf("%s imports %s, which is for tests", s.path, imported)
			}
		}
	}
}

// Each module that code names is argued for in a decision.
func TestModulesAreArguedFor(t *testing.T) {
	var notes strings.Builder
	for _, name := range decisions(t) {
		notes.WriteString(readText(t, name))
	}
	for _, r := range foreign {
		used := slices.ContainsFunc(goFiles(), func(s source) bool {
			return slices.ContainsFunc(s.imports(), func(p string) bool { return within(p, r.module+"/...") })
		})
		if used && !strings.Contains(notes.String(), r.module) {
			t.Errorf("no note in docs/decisions names %s", r.module)
		}
	}
}
