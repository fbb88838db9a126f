package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"drawbridge/workspace"
)

// benchmark is one of a package's own, and the row it is for.
type benchmark struct {
	id, pkg, name string
	value         func(nanos float64) float64 // of one operation
}

var benchmarks = []benchmark{
	{"rpc.notify", "./rpc", "BenchmarkNotifySmall", func(ns float64) float64 { return 1e9 / ns }},
	{"rpc.call", "./rpc", "BenchmarkCallChildStdio", func(ns float64) float64 { return ns / 1e3 }},
	{"mirror.edits", "./internal/mirror", "BenchmarkEdits10000Of1MB", func(ns float64) float64 { return ns / 1e9 }},
	{"plan.one", "./workspace", "BenchmarkReplaceOne", func(ns float64) float64 { return ns / 1e6 }},
	{"plan.many", "./workspace", "BenchmarkReplace5000", func(ns float64) float64 { return ns / 1e6 }},
	{"commit.one", "./workspace", "BenchmarkCommitOne", func(ns float64) float64 { return ns / 1e6 }},
	{"commit.many", "./workspace", "BenchmarkCommit5000", func(ns float64) float64 { return ns / 1e6 }},
	{"judge.line", "./approval/rule", "BenchmarkJudge50", func(ns float64) float64 { return ns / 1e3 }},
	{"judge.rules", "./approval/rule", "BenchmarkJudge10000", func(ns float64) float64 { return ns / 1e6 }},
	{"judge.long", "./approval/rule", "BenchmarkJudge64KiB", func(ns float64) float64 { return ns / 1e6 }},
	{"log.append", "./session", "BenchmarkLogAppend", func(ns float64) float64 { return 1e9 / ns }},
	{"log.load", "./session", "BenchmarkLoad50000Events", func(ns float64) float64 { return ns / 1e6 }},
}

// measurePackages runs the benchmarks of single packages.
func measurePackages(b *bench) error {
	byPackage := map[string][]string{}
	var order []string
	for _, m := range benchmarks {
		if byPackage[m.pkg] == nil {
			order = append(order, m.pkg)
		}
		byPackage[m.pkg] = append(byPackage[m.pkg], m.name)
	}
	for _, pkg := range order {
		if err := b.runBenchmarks(pkg, byPackage[pkg]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) runBenchmarks(pkg string, names []string) error {
	pattern := "^(" + strings.Join(names, "|") + ")$"
	c := exec.Command("go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "300ms",
		"-count", strconv.Itoa(b.runs), pkg)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, out)
	}
	for _, m := range benchmarks {
		if m.pkg != pkg {
			continue
		}
		all := nanos(out, m.name)
		if len(all) == 0 {
			return fmt.Errorf("%s printed no %s:\n%s", c, m.name, out)
		}
		for _, ns := range all {
			b.add(m.id, m.value(ns))
		}
	}
	return nil
}

// nanos finds a benchmark's results in what go test prints.
func nanos(out []byte, name string) []float64 {
	line := regexp.MustCompile(`(?m)^` + name + `(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)
	var all []float64
	for _, m := range line.FindAllSubmatch(out, -1) {
		ns, _ := strconv.ParseFloat(string(m[1]), 64)
		all = append(all, ns)
	}
	return all
}

// measureDiffs compares our diff with git's, which has to start first and
// need not find hunks that can be taken one by one.
func measureDiffs(b *bench) error {
	old := strings.Join(wideLines(), "\n") + "\n"
	slowest := 0.0
	for id, text := range map[string]string{
		"diff.one":       strings.Replace(old, "line 050000", "LINE", 1),
		"diff.many":      strings.Replace(old, "0 of", "0 OF", 5000),
		"diff.unrelated": strings.ReplaceAll(old, "line 0", "LINE 1"),
	} {
		start := time.Now()
		ch := workspace.Rewrite(workspace.Content{Text: old, Exists: true}, text)
		took := time.Since(start)
		if len(ch.Hunks) == 0 {
			return fmt.Errorf("%s: no difference found", id)
		}
		b.add(id, ms(took))
		git, err := b.git(old, text)
		if err != nil {
			return err
		}
		slowest = max(slowest, float64(took)/float64(git))
	}
	b.add("diff.git", slowest)
	return nil
}

func wideLines() []string {
	return numbered(100_000, func(n int) string {
		return fmt.Sprintf("line %06d of a file that is about as wide as code", n)
	})
}

func (b *bench) git(old, new string) (time.Duration, error) {
	s := stage{work: b.dir}
	if err := s.write("old.txt", old); err != nil {
		return 0, err
	}
	if err := s.write("new.txt", new); err != nil {
		return 0, err
	}
	c := exec.Command("git", "diff", "--no-index", "--no-color", filepath.Join(b.dir, "old.txt"), filepath.Join(b.dir, "new.txt"))
	c.Env = environment(b.dir, "")
	start := time.Now()
	out, err := c.Output() // it exits with 1 where there is a difference
	took := time.Since(start)
	if !bytes.HasPrefix(out, []byte("diff ")) {
		return 0, fmt.Errorf("git diff: %w", err)
	}
	return took, nil
}
