package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// beyond are characters that are letters, digits, spaces or something else, but
// not of ASCII.
const beyond = "é|É|ß|Ω|日|٣|²|Ⅷ|\u00a0|ſ|\u212a|€|😀|\u0301"

// letters has what classes tell apart, each on a line of its own.
var letters = strings.ReplaceAll("a|Z|_|5|k|S|-|~| |\t|\v|\x7f|"+beyond+"|café|écafé!|naïve|x٣y|a\u00a0b|foo_bar|foo-bar|w\\d|--", "|", "\n")

// Classes are of ASCII alone, in every engine, as PCRE has them by itself.
func TestClassesAreOfASCII(t *testing.T) {
	dir := plant(t, map[string]string{"letters": letters})
	all := engines(t)
	for pattern, want := range map[string]string{
		`^\w$`: "a|Z|_|5|k|S", `^\d$`: "5", `^\s$`: " |\t|\v", `^\w+$`: "a|Z|_|5|k|S|foo_bar",
		`^\W$`: "-|~| |\t|\v|\x7f|" + beyond, `^\D$`: "a|Z|_|k|S|-|~| |\t|\v|\x7f|" + beyond, `^\S$`: "a|Z|_|5|k|S|-|~|\x7f|" + beyond,
		`^[\w-]$`: "a|Z|_|5|k|S|-", `^[\d\s]$`: "5| |\t|\v", `^[]\w]$`: "a|Z|_|5|k|S", `^[^]\W]$`: "a|Z|_|5|k|S",
		`^[^\W_]$`: "a|Z|5|k|S", `^[^\w\s]$`: "-|~|\x7f|" + beyond, `^[^\D]$`: "5", `^[\W\d]$`: "5|-|~| |\t|\v|\x7f|" + beyond,
		`^[[:alpha:]]$`: "a|Z|k|S", `^[[:alpha:][:digit:]]$`: "a|Z|5|k|S", `^[[:upper:]_]+$`: "Z|_|S", `^[[:punct:]]+$`: "_|-|~|--",
		`^[[:^alpha:]]$`: "_|5|-|~| |\t|\v|\x7f|" + beyond, `^[[:^print:]]$`: "\t|\v|\x7f|" + beyond,
		`caf\b`: "café|écafé!", `caf\B`: "", `\bcaf`: "café|écafé!", `\Bcaf`: "", `na\b`: "naïve", `na\w`: "", `a\sb`: "", `x\dy`: "", `x\Dy`: "x٣y",
		`(?i)^É$`: "é|É", `(?i)^\w$`: "a|Z|_|5|k|S", `(?i)^[^\W_]$`: "a|Z|5|k|S|ſ|\u212a", `(?i)^[[:^upper:]]$`: "_|5|-|~| |\t|\v|\x7f|é|É|ß|Ω|日|٣|²|Ⅷ|\u00a0|€|😀|\u0301",
		`^\Qw\d\E$`: `w\d`, `^w\\d$`: `w\d`, `^\pL$`: "a|Z|k|S|é|É|ß|Ω|日|ſ|\u212a",
	} {
		for name, programs := range all {
			lines, r := found(t, Query{Root: dir, Pattern: pattern, Programs: programs})
			for i, line := range lines {
				lines[i] = strings.SplitN(line, ":", 3)[2]
			}
			if got := strings.Join(lines, "|"); got != want || r.Engine != name {
				t.Errorf("%s of %s: %q, and not %q", name, pattern, got, want)
			}
		}
	}
}

// What is no class of characters stays as it is.
func TestWhatIsNoClassIsNotSpelled(t *testing.T) {
	for _, pattern := range []string{
		"", "a", `\`, `\Q\w[\E`, `\Q\w`, `\\w`, `[\\w]`, `(?#\w [)`, `(?#\w`, `[a-z]`, `[\b]`, `\x{41}`, `\p{L}`, `\c\w`, `\c[`, `[:alpha:]`, `[[:none:]]`, `(?<w>a)\k<w>`,
	} {
		if got := spelled(pattern, true); got != pattern {
			t.Errorf("%q is spelled %q", pattern, got)
		}
	}
}

// A program that takes a pattern, but not as it is spelled, is passed over.
func TestAProgramThatCannotTakeWhatIsSpelled(t *testing.T) {
	dir := plant(t, map[string]string{
		"grep": "#!/bin/sh\nfor a; do case $a in *x{10ffff}*) exit 2;; esac; done\nexit 1\n",
		"text": "é\n",
	})
	grep := filepath.Join(dir, "grep")
	must(t, os.Chmod(grep, 0o755))
	if got, r := found(t, Query{Root: dir, File: "text", Pattern: `[\W]`, Programs: Programs{Grep: grep}}); r.Engine != "built-in" || len(got) != 1 {
		t.Errorf("%s has %q", r.Engine, got)
	}
	if _, r := found(t, Query{Root: dir, File: "text", Pattern: `\W`, Programs: Programs{Grep: grep}}); r.Engine != "grep" {
		t.Errorf("%s is asked", r.Engine)
	}
}
