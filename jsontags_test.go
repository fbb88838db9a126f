package drawbridge_test

import (
	"go/ast"
	"strings"
	"testing"
)

// strangers read the exported tagged structs of these packages, so their
// shape is a promise. Elsewhere a tag would make one by accident.
var strangers = map[string]string{
	"rpc/protocol":    "the wire: editors read it",
	"bridge/headless": "run --json: scripts read it",
	"model":           "the conversation as the session log keeps it",
	"session":         "the session log: later versions read it",
	"checkpoint":      "the journal of what is kept: later versions read it",
}

func TestTaggedStructsAreWhereStrangersRead(t *testing.T) {
	for _, s := range productFiles() {
		if strangers[s.pkg] != "" || s.file.Name.Name == "main" || testOnly(s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if ok && spec.Name.IsExported() && tagged(spec.Type) {
				t.Errorf("%s: exported struct %s has json tags, but nobody outside reads package %s", s.at(spec), spec.Name.Name, s.pkg)
			}
			return true
		})
	}
}

func tagged(t ast.Expr) bool {
	st, ok := t.(*ast.StructType)
	if !ok {
		return false
	}
	for _, f := range st.Fields.List {
		if f.Tag != nil && strings.Contains(f.Tag.Value, "json:") {
			return true
		}
	}
	return false
}
