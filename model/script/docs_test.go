package script_test

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"drawbridge/model/script"
)

var update = flag.Bool("update", false, "write docs/scripts.md anew")

const (
	page = "../../docs/scripts.md"
	top  = `<!-- Made from the package comment of model/script by "go test ./model/script -update". -->

# Scripts

A script stands in for a model: ` + "`drawbridge run --model script:FILE PROMPT`" + ` plays one, without a key and without a
network. Each process plays it from its first step. An editor is tried in the same way: set the model of new sessions to
` + "`script:FILE`" + `, with an absolute path (VS Code: ` + "`drawbridge.model`" + `; Neovim: ` + "`model`" + ` in ` + "`setup`" + `).

`
	example = `
## An example

` + "```" + `
text "I will look first.\n"
call c1 read_file {"file_path":"notes.txt"}
----
want c1 "buy milk"
call c2 edit_file {"file_path":"notes.txt","old_string":"milk","new_string":"oat milk"}
----
text "Done."
` + "```" + `

## Subagents and pictures

A subagent that a script starts without a model plays the same script from its first step. It plays another one with
` + "`\"provider\":\"script\",\"model_id\":\"FILE\"`" + `, which only a session that plays a script itself may name:

` + "```" + `
call c1 run_subagent {"prompt":"p","provider":"script","model_id":"/tmp/child.txt","run_in_background":true}
----
call c2 input_subagent {"subagent_id":"{c1.subagent_id}"}
` + "```" + `

A script is given pictures where the settings say that it takes them: ` + "`models: {\"script:FILE\": {vision: true}}`" + `.
`
)

// TestScriptsPageIsCurrent holds docs/scripts.md to the package comment.
func TestScriptsPageIsCurrent(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "script.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := top + markdown(file.Doc.Text()) + example
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(page); string(got) != want {
		t.Error("docs/scripts.md is stale: run go test ./model/script -update")
	}
}

// markdown puts the comment's indented lines into one block and leaves out its
// first paragraph, which is for readers of the code.
func markdown(comment string) string {
	_, text, _ := strings.Cut(comment, "\n\n")
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "\t")
		if indented != inside && strings.TrimSpace(line) != "" {
			b.WriteString("```\n")
			inside = indented
		}
		b.WriteString(strings.TrimPrefix(line, "\t"))
	}
	return b.String()
}

func TestExampleOnThePageParses(t *testing.T) {
	_, block, _ := strings.Cut(example, "```\n")
	block, _, _ = strings.Cut(block, "```")
	if _, err := script.New(block); err != nil {
		t.Error(err)
	}
}
