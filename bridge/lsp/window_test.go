package lsp

import "testing"

func TestTabsOfAMessageAreSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"no tab":                 "no tab",
		"\tx":                    "    x",
		"ab\tx":                  "ab  x",
		"+\tx\n \ty\n-ab\tz":     "+    x\n     y\n-ab  z", // the sign of a diff has no column
		"a.txt (+1 -1)\n+é\t\tx": "a.txt (+1 -1)\n+é       x",
	} {
		if got := spaced(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
