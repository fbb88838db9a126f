package command

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/parts.txt anew")

// fixed is a World of which little is known: /ws, /ws/sub and the home /home/me.
type fixed struct{}

func (fixed) Target(dir, name string) Target {
	if !strings.HasPrefix(name, "/") {
		name = dir + "/" + name
	}
	for strings.Contains(name, "/..") && !strings.HasPrefix(name, "/..") {
		at := strings.Index(name, "/..")
		name = name[:strings.LastIndex(name[:at], "/")] + name[at+3:]
	}
	return Target{Abs: strings.TrimSuffix(strings.ReplaceAll(name, "/./", "/"), "/.")}
}

func (fixed) Program(string) (Target, bool) { return Target{}, false }

func (fixed) Glob(dir, pattern string) ([]string, bool) {
	return map[string][]string{"*.go": {"a.go", "b.go"}, "l?": {"ls"}}[pattern], dir == "/ws"
}

func (fixed) Home() string { return "/home/me" }

// TestScriptsAreTakenApart compares what each script of testdata/parts.txt is
// taken apart into with what stands under it.
func TestScriptsAreTakenApart(t *testing.T) {
	const file = "testdata/parts.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || line == "\n" {
			out.WriteString(line)
		} else if script, ok := strings.CutPrefix(line, "$ "); ok {
			out.WriteString(line)
			out.WriteString(render(strings.ReplaceAll(strings.TrimSuffix(script, "\n"), "⏎", "\n")))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := strings.SplitAfter(string(text), "\n"), strings.SplitAfter(out.String(), "\n")
	script := ""
	for i := range max(len(want), len(got)) {
		if i < len(want) && strings.HasPrefix(want[i], "$ ") {
			script = want[i]
		}
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("line %d, under %sgot  %q\nwant %q", i+1, script, at(got, i), at(want, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// render writes a script's parts a line each, then its doubts.
func render(script string) string {
	s := Parse(script, "/ws", fixed{})
	var out strings.Builder
	for _, p := range s.Parts {
		fmt.Fprintf(&out, "\t%s\n", strings.Join(renderPart(p), " "))
	}
	for _, d := range s.Doubts {
		fmt.Fprintf(&out, "\t? %s\n", strings.ReplaceAll(d.Why, "\n", "⏎"))
	}
	return out.String()
}

func renderPart(p Part) (out []string) {
	for _, a := range p.Assigns {
		mark := map[bool]string{true: "export:"}[a.Exported] + a.Name + map[bool]string{true: "+"}[a.Append]
		out = append(out, mark+"="+renderWord(a.Value))
	}
	for _, w := range p.Argv {
		out = append(out, renderWord(w))
	}
	for _, r := range p.Redirects {
		mark := map[bool]string{true: "r"}[r.Reads] + map[bool]string{true: "w"}[r.Writes]
		out = append(out, "["+mark+r.Op+renderWord(r.File)+"]")
	}
	if p.By != "" {
		out = append(out, "by:"+p.By)
	}
	if p.Wraps > 0 {
		out = append(out, fmt.Sprintf("wraps:%d", p.Wraps))
	}
	if p.Dir != "/ws" {
		out = append(out, "in:"+cmp.Or(p.Dir, strings.Join(p.Dirs, "|")))
	}
	if p.Fed {
		out = append(out, "fed")
	}
	if p.Piped {
		out = append(out, "piped")
	}
	if p.Remote {
		out = append(out, "remote")
	}
	return out
}

func renderWord(w Word) string {
	text := w.Text
	if text == "" || strings.ContainsAny(text, " \t\n\"'?[") {
		text = strconv.Quote(text)
	}
	if w.Known {
		return text
	}
	return fmt.Sprintf("?%s(%s%s)", text, w.Prefix, map[bool]string{true: "…"}[w.Many])
}

func TestLimits(t *testing.T) {
	for name, script := range map[string]string{
		"too long":        "ls " + strings.Repeat("a", MaxBytes),
		"brackets":        strings.Repeat("(", MaxNesting+1) + "ls" + strings.Repeat(")", MaxNesting+1),
		"keywords":        strings.Repeat("if ls; then ", 3000) + "ls" + strings.Repeat("; fi", 3000),
		"wrappers":        strings.Repeat("env ", 2000) + "ls",
		"scripts":         nestedScripts(MaxScripts + 1),
		"braces":          "ls " + strings.Repeat("{a,b}", 12000),
		"patterns":        strings.Repeat("ls *.go;", 100),
		"sums":            "echo $((" + strings.Repeat("1+", 1000) + "1))",
		"control":         "ls \x1b[0m",
		"carriage return": "ls\r\nid",
		"no text":         "ls \xff",
		"zero":            "ls\x00id",
	} {
		s := Parse(script, "/ws", fixed{})
		if len(s.Doubts) == 0 && name != "braces" && name != "patterns" {
			t.Errorf("%s: no doubt", name)
		}
		for _, p := range s.Parts {
			for _, w := range p.Argv {
				if name == "braces" && w.Known && strings.Contains(w.Text, "{") {
					t.Errorf("%s: %.20s is known", name, w.Text)
				}
			}
		}
	}
}

func nestedScripts(n int) string {
	script := "ls"
	for range n {
		script = "bash -c " + "'" + strings.ReplaceAll(script, "'", `'\''`) + "'"
	}
	return script
}

func TestScriptsWithinTheLimits(t *testing.T) {
	for _, script := range []string{
		strings.Repeat("(", MaxNesting-5) + "ls" + strings.Repeat(")", MaxNesting-5),
		nestedScripts(MaxScripts - 3),
		"ls " + strings.Repeat("a", MaxBytes-10),
	} {
		if s := Parse(script, "/ws", fixed{}); len(s.Doubts) > 0 {
			t.Errorf("%.40s: %v", script, s.Doubts)
		}
	}
}

func TestOtherShellsAreDoubtedWhereTheyDiffer(t *testing.T) {
	for _, test := range []struct {
		shell, script string
		doubted       bool
	}{
		{"/bin/sh", "ls -l && git diff 'a b' | head", false},
		{"/bin/sh", `echo $'\''; rm x #'`, true},
		{"/bin/dash", "ls &> f", true},
		{"/usr/bin/zsh", "ls -l && git diff | head", false},
		{"/usr/bin/zsh", "ls *(e:x:)", true},
		{"/usr/bin/fish", "ls (rm x)", true},
		{"/bin/bash", "ls &> f", false},
	} {
		if s := ParseFor(test.shell, test.script, "/ws", fixed{}); len(s.Doubts) > 0 != test.doubted {
			t.Errorf("%s: %s: %v", test.shell, test.script, s.Doubts)
		}
	}
}

func TestSpansAreWhereThingsStand(t *testing.T) {
	const text = `ls 'a b' > f; x= y=1; env rm "$z"; bash -c 'id; pwd' <<< in; cat <<E
$(date)
E
`
	want := []string{`ls 'a b' > f`, `x= y=1`, `env rm "$z"`, `rm "$z"`, `bash -c 'id; pwd' <<< in`, `'id; pwd'`, `'id; pwd'`, `cat <<E`, `date`}
	s := Parse(text, "/ws", fixed{})
	var got []string
	for _, p := range s.Parts {
		got = append(got, text[p.Span.Start:p.Span.End])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if at := s.Parts[1].Assigns[0].Value.Span; at.Start != strings.Index(text, "= y")+1 || at.End != at.Start {
		t.Errorf("an empty value stands at %v", at)
	}
}

func TestTooManyWordsAreDoubted(t *testing.T) {
	script := strings.Repeat("ls {1..999};", 100)
	if s := Parse(script, "/ws", fixed{}); len(s.Doubts) == 0 {
		t.Error("no doubt")
	}
}

// checkShape is what holds for every script.
func checkShape(t *testing.T, text string, s Script) {
	t.Helper()
	inside := func(at Span) {
		if at.Start < 0 || at.End < at.Start || at.End > len(text) {
			t.Errorf("%q: a span of %v", text, at)
		}
	}
	for i, p := range s.Parts {
		inside(p.Span)
		for _, w := range p.Argv {
			inside(w.Span)
			if w.Known && w.Many {
				t.Errorf("%q: a known word is several", text)
			}
		}
		if p.Wraps > 0 && (p.Wraps >= len(p.Argv) || i+1 >= len(s.Parts)) {
			t.Errorf("%q: part %d wraps %d of %d words", text, i, p.Wraps, len(p.Argv))
		}
		if len(p.Argv) > 0 && !p.Argv[0].Known && len(s.Doubts) == 0 {
			t.Errorf("%q: an unknown command without a doubt", text)
		}
	}
	for _, d := range s.Doubts {
		inside(d.Span)
		if d.Why == "" {
			t.Errorf("%q: a doubt without a reason", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/parts.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if script, ok := strings.CutPrefix(line, "$ "); ok {
			f.Add(strings.ReplaceAll(strings.TrimSuffix(script, "\n"), "⏎", "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, script string) { checkShape(t, script, Parse(script, "/ws", fixed{})) })
}

func (fixed) Secrets(string) ([]string, bool) { return nil, false }
