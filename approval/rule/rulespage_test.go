package rule

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRulesPage: the table of docs/rules.md is what the matcher knows.
func TestRulesPage(t *testing.T) {
	const name, mark = "../../docs/rules.md", "<!-- Generated from the tables of approval/rule: go test ./approval/rule -run RulesPage -update -->\n"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(data), mark)
	want := head + mark + programRows()
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != want {
		t.Errorf("%s is stale; run: go test ./approval/rule -run RulesPage -update", name)
	}
}

// programRows has a row for commands of which the same is known.
func programRows() string {
	names := map[*program][]string{}
	for name, p := range known() {
		names[p] = append(names[p], name)
	}
	var rows []string
	for p, list := range names {
		slices.Sort(list)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |\n", codes(list), map[bool]string{true: "●"}[p.glue], subcommands(p), reachingFlags(p)))
	}
	slices.Sort(rows)
	return "| command | | to be named | flags to be named |\n|---|---|---|---|\n" + strings.Join(rows, "")
}

// subcommands are those that a rule has to name, or operands that it has to.
func subcommands(p *program) string {
	var list []string
	for name, sub := range p.subs {
		if sub.named {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	if len(list) == 0 && (p.ops == opNone || p.ops == opRemote) {
		return "each argument"
	}
	return codes(list)
}

func reachingFlags(p *program) string {
	var list []string
	for _, flag := range slices.Sorted(maps.Keys(p.flags)) {
		if p.flags[flag].harms() {
			list = append(list, flag)
		}
	}
	return codes(list)
}

func codes(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "`" + strings.ReplaceAll(strings.Join(list, "` `"), "|", `\|`) + "`"
}
