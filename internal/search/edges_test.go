package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What cannot be read is reported, and what else matches is not lost.
func TestWhatIsUnreadableIsReported(t *testing.T) {
	dir := plant(t, map[string]string{"a": "foo\n", "z/b": "foo\n", "locked/c": "foo\n", "shut": "foo\n"})
	want := Names{2, []string{"locked/", "shut"}}
	if os.Getuid() == 0 { // who may read all, but not by a path that is too long
		if runtime.GOOS != "linux" {
			t.Skip("nothing is known here that root cannot read")
		}
		want = Names{1, []string{bury(t, dir)}}
		must(t, os.RemoveAll(filepath.Join(dir, "locked")))
		must(t, os.Remove(filepath.Join(dir, "shut")))
	} else {
		must(t, os.Chmod(filepath.Join(dir, "locked"), 0))
		must(t, os.Chmod(filepath.Join(dir, "shut"), 0))
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	}
	for name, programs := range engines(t) {
		got, r := found(t, Query{Root: dir, Pattern: "foo", Programs: programs})
		if !slices.Equal(got, []string{"a:1:foo", "z/b:1:foo"}) || r.Unread.Count != want.Count || !slices.Equal(r.Unread.First, want.First) {
			t.Errorf("%s: %q and %+v", name, got, r)
		}
	}
	g, err := Glob(t.Context(), GlobQuery{Root: dir, Pattern: "**/[ab]", Most: 9})
	if err != nil || g.Count != 2 || g.Unread.Count == 0 {
		t.Errorf("%+v, %v", g, err)
	}
}

// longestPath is how long a path may be, its end included.
const longestPath = 4096

// bury makes folders within folders until their path is too long, and returns the
// first that cannot be listed.
func bury(t *testing.T, dir string) string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	deep := ""
	for len(dir)+len(deep) < longestPath+500 {
		deep += strings.Repeat("d", 200) + "/"
	}
	must(t, root.MkdirAll(strings.TrimSuffix(deep, "/"), 0o755))
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := ""
	for len(dir)+1+len(path) < longestPath {
		path += strings.Repeat("d", 200) + "/"
	}
	return path
}

// What is not kept is neither looked at nor told of, whether it matches or not; and
// what is below a folder that is not kept is not asked about.
func TestWhatIsNotKeptIsLeftOut(t *testing.T) {
	dir := plant(t, map[string]string{"a": "foo\n", ".env": "foo\n", "keys/x": "foo\n", "keys/y/z": "foo\n", "other/.env": "bar\n"})
	keep := func(path string, folder bool) bool {
		return filepath.Base(path) != ".env" && (path != "keys" || !folder)
	}
	for name, programs := range engines(t) {
		for _, pattern := range []string{"foo", "nothing"} {
			got, r := found(t, Query{Root: dir, Pattern: pattern, Programs: programs, Keep: keep})
			if len(got) > 1 || !slices.Equal(r.LeftOut.First, []string{".env", "keys/", "other/.env"}) {
				t.Errorf("%s %s: %q and %+v", name, pattern, got, r)
			}
		}
		got, _ := found(t, Query{Root: dir, File: ".env", Pattern: "foo", Programs: programs, Keep: keep})
		if !slices.Equal(got, []string{".env:1:foo"}) {
			t.Errorf("%s: %q of a file that is named", name, got)
		}
	}
}

// A text that is not saved counts in place of its file, in the file's place.
func TestUnsavedTextsCount(t *testing.T) {
	dir := plant(t, map[string]string{"a": "foo\n", "b": "foo\n", "c": "none\n", "d/.env": "foo\n", ".git/x": "foo\n"})
	unsaved := map[string]string{"b": "none\n", "c": "one\nfoo", "d/.env": "foo\nfoo\n", ".git/x": "foo\n"}
	keep := func(path string, _ bool) bool { return filepath.Base(path) != ".env" }
	for name, programs := range engines(t) {
		got, _ := found(t, Query{Root: dir, Pattern: "foo", Programs: programs, Unsaved: unsaved, Keep: keep})
		if !slices.Equal(got, []string{"a:1:foo", "c:2:foo"}) {
			t.Errorf("%s: %q", name, got)
		}
		got, _ = found(t, Query{Root: dir, File: "b", Pattern: "foo|none", Programs: programs, Unsaved: unsaved})
		if !slices.Equal(got, []string{"b:1:none"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A search that is broken off says so, and what it has found by then counts.
func TestASearchCanBeEnded(t *testing.T) {
	dir := plant(t, map[string]string{"a": strings.Repeat("foo\n", 100_000), "b": strings.Repeat("foo\n", 100_000)})
	for name, programs := range engines(t) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		q := Query{Root: dir, Pattern: "foo", Programs: programs}
		if _, err := Lines(gone, q, func(Hit) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		enough, hits := errors.New("enough"), 0
		_, err := Lines(t.Context(), q, func(Hit) error {
			if hits++; hits == 3 {
				return enough
			}
			return nil
		})
		if err != enough || hits != 3 {
			t.Errorf("%s: %v after %d", name, err, hits)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Glob(gone, GlobQuery{Root: dir, Pattern: "*", Most: 9}); !errors.Is(err, context.Canceled) {
		t.Errorf("glob: %v", err)
	}
}

// A program that never ends is killed with the search.
func TestAProgramIsKilledWithTheSearch(t *testing.T) {
	dir := plant(t, map[string]string{"rg": "#!/bin/sh\nfor a; do last=$a; done\n[ \"$last\" = - ] && exit 1\nprintf './f\\0001:foo\\n'\nexec sleep 600\n", "f": "foo\n"})
	must(t, os.Chmod(filepath.Join(dir, "rg"), 0o755))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var lines []string
	_, err := Lines(ctx, Query{Root: dir, Pattern: "foo", Programs: Programs{Ripgrep: filepath.Join(dir, "rg")}}, func(h Hit) error {
		lines = append(lines, h.Path)
		return nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, found %q", err, lines)
	}
}

// What a program says is taken for a place only: text, links and files elsewhere
// are not told, whatever it says.
func TestAProgramIsNotBelieved(t *testing.T) {
	dir := plant(t, map[string]string{"real": "one\ntwo\n", "binary": "a\x00b\n"})
	must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	outside := plant(t, map[string]string{"rg": `#!/bin/sh
for a; do last=$a; done
[ "$last" = - ] && exit 1
printf './real\0002:lies\n./real\00099:lies\n./link\0001:root\n../x\0001:root\n/etc/passwd\0001:root\n./binary\0001:a\n./gone\0001:x\n'
`})
	must(t, os.Chmod(filepath.Join(outside, "rg"), 0o755))
	got, _ := found(t, Query{Root: dir, Pattern: "x", Programs: Programs{Ripgrep: filepath.Join(outside, "rg")}})
	if !slices.Equal(got, []string{"real:2:two"}) {
		t.Errorf("%q", got)
	}
}

// A program that cannot do what a pattern needs is passed over, one that could has
// the last word.
func TestTheFirstAbleEngineIsTaken(t *testing.T) {
	dir := plant(t, map[string]string{
		"old": "#!/bin/sh\necho 'grep: unknown option -- P' >&2\nexit 2\n",
		"strict": "#!/bin/sh\nfor a; do case $a in --regexp=a) exit 1;; --regexp=*) bad=1;; esac; done\n" +
			"[ $bad ] && echo 'strict: no such pattern' >&2 && exit 2\n",
		"text": "foo\n",
	})
	for _, name := range []string{"old", "strict"} {
		must(t, os.Chmod(filepath.Join(dir, name), 0o755))
	}
	old, strict := filepath.Join(dir, "old"), filepath.Join(dir, "strict")
	for _, p := range []Programs{{}, {Ripgrep: old}, {Grep: old}, {Ripgrep: filepath.Join(dir, "none")}} {
		if _, r := found(t, Query{Root: dir, Pattern: "foo", Programs: p}); r.Engine != "built-in" {
			t.Errorf("%+v: done by %s", p, r.Engine)
		}
	}
	_, err := Lines(t.Context(), Query{Root: dir, Pattern: "foo", Programs: Programs{Grep: strict}}, nil)
	if bad, ok := errors.AsType[*PatternError](err); !ok || bad.Engine != "grep" || bad.Text != "no such pattern" {
		t.Errorf("%v", err)
	}
	_, err = Lines(t.Context(), Query{Root: dir, Pattern: "foo(?=x)"}, nil)
	if bad, ok := errors.AsType[*PatternError](err); !ok || bad.Engine != "built-in" {
		t.Errorf("%v", err)
	}
}

// GNU grep ends at a line that takes it too long. That is told: what comes after it
// was not looked at. ripgrep leaves the file.
func TestAProgramThatGivesUpIsReported(t *testing.T) {
	dir := plant(t, map[string]string{"a": "foo\n", "b": strings.Repeat("a", 5000) + "b\n"})
	for name, programs := range engines(t) {
		if name == "built-in" {
			continue
		}
		got, r := found(t, Query{Root: dir, Pattern: "(?=a)(a+a+)+$|foo", Programs: programs})
		told := strings.HasPrefix(r.GaveUp, "grep: b: exceeded PCRE") || r.GaveUp == "ripgrep: b: match limit exceeded" && slices.Equal(got, []string{"a:1:foo"})
		if !told {
			t.Errorf("%s: %q %+v", name, got, r)
		}
	}
}

// PCRE sees lines that are not UTF-8 as well.
func TestLookaroundInWhatIsNotUTF8(t *testing.T) {
	dir := plant(t, map[string]string{"latin1": "caf\xe9 foo\nfoo bar\n"})
	for name, programs := range engines(t) {
		if name == "built-in" {
			continue
		}
		got, r := found(t, Query{Root: dir, Pattern: "foo(?= bar)|foo(?!.)", Programs: programs})
		if !slices.Equal(got, []string{"latin1:1:caf\xe9 foo", "latin1:2:foo bar"}) || r.Unread.Count > 0 {
			t.Errorf("%s: %q %+v", name, got, r)
		}
	}
}

// A line of any length is passed through in pieces: what is held of it is bounded.
func TestLongLinesTakeBoundedMemory(t *testing.T) {
	dir := plant(t, map[string]string{"after": "x\nfoo"})
	long := append(bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16), "foo\nnext foo\n"...)
	must(t, os.WriteFile(filepath.Join(dir, "long"), append([]byte("foo "), long...), 0o644))
	for name, programs := range engines(t) {
		var got []string
		r, err := Lines(t.Context(), Query{Root: dir, Pattern: "foo", Programs: programs}, func(h Hit) error {
			got = append(got, fmt.Sprintf("%s %d %d %v", h.Path, h.Line, len(h.Text), h.Cut))
			return nil
		})
		if err != nil || !slices.Equal(got, []string{"after 2 3 false", fmt.Sprintf("long 1 %d true", MaxLine), "long 2 8 false"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if name == "built-in" && r.Long != 1 {
			t.Errorf("%+v", r)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found(t, Query{Root: dir, Pattern: "nothing"})
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 6<<20*uint64(workers()) {
		t.Errorf("%d bytes for a line of %d", grown, len(long))
	}
}

// More than is sorted is passed on as it comes, and nothing of it is lost.
func TestManyLinesArePassedOn(t *testing.T) {
	files := map[string]string{}
	for n := range 40 {
		files[fmt.Sprintf("%02d", n)] = strings.Repeat("needle and something more\n", 10_000)
	}
	dir := plant(t, files)
	for name, programs := range engines(t) {
		next := map[string]int{}
		_, err := Lines(t.Context(), Query{Root: dir, Pattern: "needle", Programs: programs}, func(h Hit) error {
			if next[h.Path]++; next[h.Path] != h.Line {
				return fmt.Errorf("%s: line %d after %d", h.Path, h.Line, next[h.Path]-1)
			}
			return nil
		})
		if err != nil || len(next) != 40 || next["39"] != 10_000 {
			t.Errorf("%s: %v, %d files", name, err, len(next))
		}
	}
}

// A pattern with many stars ends.
func TestHostileGlobsEnd(t *testing.T) {
	files := map[string]string{}
	for n := range 300 {
		files[strings.Repeat("a/", n%12)+strings.Repeat("a", 60)+fmt.Sprint(n)] = ""
	}
	dir := plant(t, files)
	must(t, os.Symlink(".", filepath.Join(dir, "loop")))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, pattern := range []string{
		strings.Repeat("**/", 30) + "b", strings.Repeat("*a", 30) + "b", strings.Repeat("**/*a", 10) + "b",
		strings.Repeat("{a,aa}", 8) + "b", strings.Repeat("**/a/", 12) + "b", "**/**/**/**/loop/**/b",
	} {
		if why := CheckPattern(pattern); why != "" {
			t.Errorf("%s: %s", pattern, why)
		}
		g, err := Glob(ctx, GlobQuery{Root: dir, Pattern: pattern, Most: 9})
		if err != nil || g.Count > 0 {
			t.Errorf("%s: %+v, %v", pattern, g, err)
		}
	}
}

// A pattern that would not end is none.
func TestPatternsThatAreNone(t *testing.T) {
	for _, pattern := range []string{
		"[a", "{a", "a\\", strings.Repeat("{a,aa}", 9), strings.Repeat("{{a,b},{c,d}}", 3), strings.Repeat("a", 5000),
		strings.Repeat("{a,{a,{a,aa}}}", 9),
	} {
		if CheckPattern(pattern) == "" {
			t.Errorf("%s is one", pattern)
		}
	}
	if why := CheckPattern(`\{a,b,c` + strings.Repeat(",", 300) + "*.{go,md}"); why != "" {
		t.Error(why)
	}
}

// A folder of many names is listed in several pieces.
func TestFoldersOfManyNames(t *testing.T) {
	dir := plant(t, nil)
	for n := range 3000 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("a name that is not short %d", n)), nil, 0o644))
	}
	entries, err := list(dir)
	if err != nil || len(entries) != 3000 || entries[0].kind != file {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	g, err := Glob(t.Context(), GlobQuery{Root: dir, Pattern: "*9", Most: 50})
	if err != nil || g.Count != 300 || len(g.Paths) != 50 {
		t.Errorf("%d of %d, %v", len(g.Paths), g.Count, err)
	}
}
