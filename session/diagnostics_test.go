package session

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/workspace"
)

// listed makes diagnostics of lines such as "3 undefined: x".
func listed(lines ...string) []Diagnostic {
	var list []Diagnostic
	for _, l := range lines {
		d := Diagnostic{Severity: SeverityError}
		fmt.Sscanf(l, "%d", &d.Line)
		_, d.Message, _ = strings.Cut(l, " ")
		list = append(list, d)
	}
	return list
}

func TestDiagnosticsThatOnlyMovedAreNoNews(t *testing.T) {
	// Line 3 becomes two lines, line 6 goes.
	hunks := []workspace.Hunk{
		{OldLine: 3, OldLines: 1, NewLine: 3, NewLines: 2},
		{OldLine: 6, OldLines: 1, NewLine: 7, NewLines: 0},
	}
	for name, c := range map[string]struct{ before, after, came, went []string }{
		"above":                     {[]string{"2 a"}, []string{"2 a"}, nil, nil},
		"between":                   {[]string{"4 a"}, []string{"5 a"}, nil, nil},
		"below":                     {[]string{"9 a"}, []string{"9 a"}, nil, nil},
		"in the changed lines":      {[]string{"3 a"}, []string{"4 a"}, nil, nil},
		"elsewhere is another":      {[]string{"2 a"}, []string{"5 a"}, []string{"5 a"}, []string{"2 a"}},
		"in lines that went":        {[]string{"6 a"}, []string{"7 a"}, []string{"7 a"}, []string{"6 a"}},
		"one of two alike":          {[]string{"4 a", "4 a"}, []string{"5 a"}, nil, []string{"4 a"}},
		"another message":           {[]string{"4 a"}, []string{"5 b"}, []string{"5 b"}, []string{"4 a"}},
		"new where nothing was yet": {nil, []string{"1 a"}, []string{"1 a"}, nil},
	} {
		came, went := compareDiagnostics(listed(c.before...), listed(c.after...), hunks)
		if fmt.Sprint(came) != fmt.Sprint(listed(c.came...)) || fmt.Sprint(went) != fmt.Sprint(listed(c.went...)) {
			t.Errorf("%s: came %v, went %v", name, came, went)
		}
	}
}

func TestWhatIsToldOfDiagnosticsIsBounded(t *testing.T) {
	var many []Diagnostic
	for i := range 50 {
		many = append(many, Diagnostic{Line: i + 1, Severity: SeverityWarning, Message: strings.Repeat("long ", 100)})
	}
	many = append(many, Diagnostic{Line: 90, Severity: SeverityError, Message: "short", Source: "vet"})
	note := diagnosticsNote(many, nil)
	lines := strings.Split(note, "\n")
	if len(note) > 1500 || len(lines) > 10 {
		t.Errorf("%d bytes in %d lines", len(note), len(lines))
	}
	if lines[0] != "Diagnostics after the edit: 51 new, 0 gone" || lines[1] != "  line 90: error: short (vet)" {
		t.Errorf("begins with\n%s", strings.Join(lines[:2], "\n"))
	}
	if shown := len(lines) - 2; lines[len(lines)-1] != fmt.Sprintf("  (%d more)", 51-shown) {
		t.Errorf("ends with %q after %d", lines[len(lines)-1], shown)
	}
	if few := diagnosticsNote(listed("1 a"), listed("2 b")); few != "Diagnostics after the edit: 1 new, 1 gone\n  line 1: error: a\n  gone: line 2: error: b" {
		t.Errorf("few are\n%s", few)
	}
}

// What programs say of a document stands on the lines that they are given.
func TestDiagnosticsAreLines(t *testing.T) {
	note := diagnosticsNote([]Diagnostic{{Line: 1, Severity: SeverityError, Message: "a\x1b[31m\nb", Source: "c\nd", Code: "e\x00"}}, nil)
	if want := "Diagnostics after the edit: 1 new, 0 gone\n  line 1: error: a [31m b (c d e)"; note != want {
		t.Errorf("told %q, want %q", note, want)
	}
}
