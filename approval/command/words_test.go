package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// disk is a World over a real folder.
type disk struct{ home string }

func (d disk) Target(dir, name string) Target {
	if !filepath.IsAbs(name) {
		name = dir + "/" + name
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return Target{Abs: real}
	}
	return Target{Abs: filepath.Clean(name)}
}

func (d disk) Program(string) (Target, bool) { return Target{}, false }

func (d disk) Glob(dir, pattern string) ([]string, bool) {
	if strings.Contains(pattern, "**") || strings.Contains(pattern, "[") {
		return nil, false
	}
	abs := pattern
	if !filepath.IsAbs(pattern) {
		abs = dir + "/" + pattern
	}
	found, err := filepath.Glob(abs)
	var names []string
	for _, f := range found {
		if !filepath.IsAbs(pattern) {
			f = strings.TrimPrefix(f, dir+"/")
			if strings.HasPrefix(pattern, "./") {
				f = "./" + f
			}
		}
		if !strings.Contains("/"+f, "/.") || strings.HasPrefix(pattern, "/") || strings.HasPrefix(f, "./") && !strings.Contains(f[2:], "/.") && f[2] != '.' {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names, err == nil
}

func (d disk) Home() string { return d.home }

// folder makes a workspace with a few files.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "b.go", "c d.txt", "x*y", "xzy", ".hidden", "sub/e.go"} {
		if err := os.WriteFile(dir+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// bash runs a script and splits what it prints: words that end in \x00, scripts
// in \x01.
func bash(t *testing.T, dir, home, script string) [][]string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the system has no bash to compare with")
	}
	cmd := exec.Command(path, "--norc", "--noprofile", "-c", script)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "LC_ALL=C", "PATH=/nowhere"}
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%v: %s", err, script)
	}
	var all [][]string
	for one := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x01\x02"), "\x01\x02") {
		words := strings.Split(one, "\x00")
		all = append(all, words[:len(words)-1])
	}
	return all
}

const setup = `x=rm
y='a b '
z='*.go'
e=
t='~'
bs='a\b'
both="$x$y"
more+=q
export x2=$x
show() { printf '%s\0' "$@"; printf '\1\2'; }
`

var fixedWords = []string{
	`ls`, `'l's`, `"l"s`, `\ls`, `l\s`, `l''s`, `l""s`, `$'\x6cs'`, `$'\154s'`, `$'l\
s'`, `$'a\'b'`, `$'\ca'x`, `$'a\tb\nc'`, "l\\\ns", "\"l\\\ns\"", "'l\\\ns'",
	`{l,x}s`, `l{s,}`, `{a,b}{c,d}`, `{a,{b,c}d}`, `{a}`, `{}`, `{,}`, `{a,b`, `a,b}`, `\{a,b}`, `{a\,b,c}`, `{"a,b",c}`, `{1..4}`, `{4..1}`, `{a..c}`,
	`{01..03}`, `{1..9..3}`, `{1..}`, `{a,b..c}`, `{1..2,3}`, `"{a,b}"`, `'{a,b}'`, `{$x,$y}`, `${x}{a,b}`, `x{$x}y`, `{a,b}}`, `{{a,b}`, `{{a,b}}`,
	`{a,b}{`, `a{b,c,}d`, `{-1..1}`, `{,a}b{,c}`, `{~,a}`, `~{/a,/b}`, `{a,~/b}`, `a{1..3}b`, `{a,'b c'}`, `{x,y}=~`, `{1..1}`, `{a..a}`, `$'{a,b}'`, `{$'a',b}`, `{a,b}$x`, `{a..b}{1..2}`,
	`~`, `~/a`, `~x`, `"~"`, `\~`, `~"/a"`, `~/"a b"`, `~$x`, `a=~`, `a=~/b:~/c`, `--a=~`, `a:~`, `~:a`, `~+`, `~-`, `'a'=~`, `a+=~`, `1a=~`, `~\/a`, `$t`, `a=b~`, `~/*`, `x~`, `~~`, `a=~:b`,
	`$x`, `"$x"`, `$y`, `"$y"`, `$z`, `"$z"`, `$e`, `"$e"`, `''$e`, `$e$e`, `a$y`, `${x}y`, `"${x}y"`, `$y$y`, `x$y"$y"`, `$y'a'`, `$bs`, `"$bs"`, `$both`, `"$both"`, `$x2`, `"$more"`,
	`*.go`, `"*".go`, `'*'.go`, `\*.go`, `*.no`, `?.go`, `[ab].go`, `[.go`, `[`, `]`, `a[`, `*`, `sub/*`, `*/e.go`, `./*.go`, `c*`, `"c "*`, `c\ *`, `"x*"*`, `x\**`, `x*`, `x\*?`, `*.{go,txt}`, `$z*`, `a*"$e"`,
	`${IFS}`, `a${IFS}b`, `"a${IFS}b"`, `a$IFS`, `$x${IFS}$y`, `"$IFS"`, `$HOME`, `"$HOME/a"`, `$PWD`, `~/$x`, `#a`, `a#b`, `a\ b`, `"a\"b"`, `"a\b"`, `"a\\b"`, `"a\$x"`, "\"a\\`b\"", `'a\b'`, `a\\b`,
	`"$x"'$x'\$x`, `!a`, `a!`, `%1`, `=a`, `-n`, `--`, `@`, `a@b`, `+x`, `^a`, `"'"`, `'"'`, `""`, `''`, `$''`, `a$`, `"a$"`, `$`, `a"b"'c'd\e`, `$'a\0b'c`, `$'\u0041'`, `$'\q'`, `$'\x'`, `$'\?'`,
	`~root/x`, `"${y}"$y`, `${y}${z}`, `$e"$e"`, `{$e,a}`, `{"",a}`, `""{a,b}`, `{a,b}""`, `$y{a,b}`, `a.{b,c}.*`,
}

func TestKnownWordsAreWhatBashMakesOfThem(t *testing.T) {
	dir, home := folder(t), "/home/me"
	sources := slices.Clone(fixedWords)
	random := rand.New(rand.NewPCG(1, 18))
	for range 3000 {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteString(fixedWords[random.IntN(len(fixedWords))])
		}
		sources = append(sources, b.String())
	}
	compareWords(t, dir, home, sources)
}

// compareWords checks what is said about each word against what bash makes of
// it.
func compareWords(t *testing.T, dir, home string, sources []string) {
	t.Helper()
	var script strings.Builder
	var kept []string
	var mine [][]Word
	script.WriteString(setup)
	for _, src := range sources {
		line := fmt.Sprintf("show %d %s\n", len(kept), src)
		s := Parse(setup+line, dir, disk{home})
		if len(s.Doubts) > 0 {
			continue
		}
		script.WriteString(line)
		kept = append(kept, src)
		last := s.Parts[len(s.Parts)-1]
		mine = append(mine, last.Argv[2:])
	}
	theirs := bash(t, dir, home, script.String())
	known := 0
	for i, src := range kept {
		if i >= len(theirs) || theirs[i][0] != strconv.Itoa(i) {
			t.Fatalf("bash did not run line %d: %s", i, kept[max(i-1, 0):min(i+2, len(kept))])
		}
		theirs[i] = theirs[i][1:]
		if !fits(mine[i], theirs[i]) {
			t.Errorf("%s\n bash: %q\n ours: %+v", src, theirs[i], mine[i])
		}
		if !slices.ContainsFunc(mine[i], func(w Word) bool { return !w.Known }) {
			known++
		}
	}
	if known < len(kept)/3 {
		t.Errorf("of %d words only %d are known", len(kept), known)
	}
}

// fits says that the words are what ours allow: a known one is itself, one that
// is not begins with its prefix, and Many may be any number.
func fits(ours []Word, theirs []string) bool {
	if len(ours) == 0 || len(theirs) == 0 && !ours[0].Many {
		return len(ours) == len(theirs)
	}
	w := ours[0]
	if !w.Many {
		ok := w.Known && w.Text == theirs[0] || !w.Known && strings.HasPrefix(theirs[0], w.Prefix)
		return ok && fits(ours[1:], theirs[1:])
	}
	for n := 0; n <= len(theirs); n++ {
		if n > 0 && !strings.HasPrefix(theirs[0], w.Prefix) {
			return false
		}
		if fits(ours[1:], theirs[n:]) {
			return true
		}
	}
	return false
}

func (disk) Secrets(string) ([]string, bool) { return nil, false }
