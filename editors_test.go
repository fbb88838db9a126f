package drawbridge_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drawbridge/rpc/protocol"
)

var update = flag.Bool("update", false, "rewrite the parts of docs/editors that are made from the plugins")

// pluginFiles are the hand-written sources of both plugins.
func pluginFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := walk(func(name string) {
		written := strings.HasPrefix(name, "editors/") && slices.Contains([]string{".ts", ".lua"}, path.Ext(name))
		if written && !bytes.HasPrefix(readBytes(t, name), []byte("// Code generated")) && path.Base(name) != "protocol.lua" {
			names = append(names, name)
		}
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("no sources of plugins found (%v)", err)
	}
	return names
}

func readBytes(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestPluginFilesAreShort(t *testing.T) {
	var lengths []int
	for _, name := range pluginFiles(t) {
		n := bytes.Count(readBytes(t, name), []byte("\n"))
		lengths = append(lengths, n)
		if n > maxFile {
			t.Errorf("%s has %d lines, at most %d", name, n, maxFile)
		}
	}
	if p90 := quantile(lengths, 0.9); p90 > mostFiles {
		t.Errorf("one file in ten is longer than %d lines, aim at %d", p90, mostFiles)
	}
}

// What can be tested without an editor does not import one.
func TestTheEditorIsImportedAtTheRim(t *testing.T) {
	inner := []string{"editors/vscode/src/model/", "editors/vscode/src/webview/"}
	for _, name := range pluginFiles(t) {
		within := slices.ContainsFunc(inner, func(dir string) bool { return strings.HasPrefix(name, dir) })
		if within && bytes.Contains(readBytes(t, name), []byte(`from "vscode"`)) {
			t.Errorf("%s imports vscode; what it needs is handed to it", name)
		}
	}
}

// inQuotes finds what looks like the name of a method.
var inQuotes = regexp.MustCompile("[\"'`]([a-z][a-zA-Z]*)/([a-zA-Z]+)[\"'`]")

// The plugins call methods by the names that the wire has. A noun of ours with
// an unknown verb is a slip that no compiler finds in Lua.
func TestPluginsKnowOnlyMethodsOfTheWire(t *testing.T) {
	nouns := map[string]bool{}
	for _, m := range protocol.Methods {
		noun, _, _ := strings.Cut(m.Name, "/")
		nouns[noun] = !slices.Contains([]string{"workspace", "window", "textDocument", "notebookDocument"}, noun) // LSP has more of these
	}
	for _, name := range pluginFiles(t) {
		for _, m := range inQuotes.FindAllStringSubmatch(string(readBytes(t, name)), -1) {
			method := m[1] + "/" + m[2]
			_, known := protocol.Lookup(method)
			if nouns[m[1]] && !known && !strings.Contains(name, "/test/") {
				t.Errorf("%s names %s, which the wire does not have", name, method)
			}
		}
	}
}

// extension is what we read of the manifest of the VS Code extension.
type extension struct {
	Contributes struct {
		Commands      []struct{ Command, Title string }
		Keybindings   []struct{ Command, Key, Mac string }
		Configuration struct{ Properties map[string]setting }
	}
	Dependencies, DevDependencies map[string]string
}

type setting struct {
	Type                             any
	Default                          any
	Description, MarkdownDescription string
	Order                            int
}

func manifest(t *testing.T) extension {
	t.Helper()
	var e extension
	if err := json.Unmarshal(readBytes(t, "editors/vscode/package.json"), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPackagesOfTheExtensionAreArguedFor(t *testing.T) {
	var notes strings.Builder
	for _, name := range decisions(t) {
		notes.WriteString(readText(t, name))
	}
	e := manifest(t)
	for _, list := range []map[string]string{e.Dependencies, e.DevDependencies} {
		for name, version := range list {
			if !strings.Contains(notes.String(), "`"+name+"`") {
				t.Errorf("no note in docs/decisions names the package `%s`", name)
			}
			if strings.ContainsAny(version, "^~*><") {
				t.Errorf("%s is asked for as %s; name one version", name, version)
			}
		}
	}
}

// The tables of docs/editors/vscode.md say what the manifest says.
func TestEditorPageListsTheManifest(t *testing.T) {
	const page = "docs/editors/vscode.md"
	e := manifest(t)
	text := readText(t, page)
	want := text
	for name, table := range map[string]string{"commands": commandTable(e), "settings": settingTable(e)} {
		begin, end := "<!-- "+name+": made from package.json -->\n", "<!-- end of "+name+" -->"
		_, rest, found := strings.Cut(want, begin)
		old, _, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no part between %q and %q", page, begin, end)
		}
		want = strings.Replace(want, begin+old+end, begin+"\n"+table+"\n"+end, 1)
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(page), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("%s is stale; run: go test . -run EditorPage -update", page)
	}
}

func commandTable(e extension) string {
	keys := map[string][]string{}
	for _, k := range e.Contributes.Keybindings {
		if k.Key != "" && !slices.Contains(keys[k.Command], "`"+k.Key+"`") {
			keys[k.Command] = append(keys[k.Command], "`"+k.Key+"`")
		}
	}
	var b strings.Builder
	b.WriteString("| command | key |\n|---|---|\n")
	for _, c := range e.Contributes.Commands {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Title, strings.Join(keys[c.Command], ", "))
	}
	return b.String()
}

func settingTable(e extension) string {
	var names []string
	for name := range e.Contributes.Configuration.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		props := e.Contributes.Configuration.Properties
		if d := props[a].Order - props[b].Order; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	b.WriteString("| setting | default | meaning |\n|---|---|---|\n")
	for _, name := range names {
		s := e.Contributes.Configuration.Properties[name]
		def, _ := json.Marshal(s.Default)
		meaning := strings.ReplaceAll(s.MarkdownDescription+s.Description, "\n", " ")
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", name, def, strings.ReplaceAll(meaning, "|", "\\|"))
	}
	return b.String()
}
