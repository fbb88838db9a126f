package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTableSaysWhatMissesItsTarget(t *testing.T) {
	tab := newTable()
	for _, ms := range []float64{80, 60, 70} {
		tab.add("start.init", ms) // at most 35
	}
	tab.add("start.session", 46)  // at most 45
	tab.add("start.pss", 25)      // at most 25
	tab.add("rpc.notify", 40_000) // at least 100,000
	tab.add("edit.sync", 4)       // no target
	var b strings.Builder
	if err := tab.markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| spawn → initialize answered | 70.0 ms (60.0–80.0) | ≤ 35.0 | **2.00** ! |",
		"| spawn → session ready | 46.0 ms (46.0–46.0) | ≤ 45.0 | **1.02** ! |",
		"| 25.0 MB (25.0–25.0) | ≤ 25.0 | 1.00 |",
		"| 40000 /s (40000–40000) | ≥ 100000 | **2.50** ‼ |",
		"| · one fsync of such a file | 4.00 ms (4.00–4.00) |  |  |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks\n%s\nit is\n%s", want, b.String())
		}
	}
}

func TestRowsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.id] {
			t.Errorf("two rows %s", r.id)
		}
		seen[r.id] = true
	}
	for _, m := range benchmarks {
		if !seen[m.id] {
			t.Errorf("benchmark %s is for no row", m.name)
		}
	}
}

// A benchmark that was renamed must not turn a row silent.
func TestPackagesHaveTheirBenchmarks(t *testing.T) {
	for _, m := range benchmarks {
		files, _ := os.ReadDir("../../" + m.pkg)
		found := slices.ContainsFunc(files, func(f os.DirEntry) bool {
			text, _ := os.ReadFile("../../" + m.pkg + "/" + f.Name())
			return strings.HasSuffix(f.Name(), "_test.go") && strings.Contains(string(text), "func "+m.name+"(b ")
		})
		if !found {
			t.Errorf("%s has no %s", m.pkg, m.name)
		}
	}
}

func TestResultsOfBenchmarksAreFound(t *testing.T) {
	out := "goos: linux\nBenchmarkCall-2   \t 100\t 31.5 ns/op\t 3 B/op\nBenchmarkCall-2 \t 90 \t 1200 ns/op\n" +
		"BenchmarkCallChild-2 \t 1 \t 7 ns/op\nPASS\n"
	if got := nanos([]byte(out), "BenchmarkCall"); !slices.Equal(got, []float64{31.5, 1200}) {
		t.Errorf("found %v", got)
	}
}

func TestUnknownGroupIsRefused(t *testing.T) {
	if _, err := choose("start, nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("error %v", err)
	}
	if got, err := choose("loop, start"); err != nil || len(got) != 2 {
		t.Errorf("chose %d groups, %v", len(got), err)
	}
}

// What the measurements of processes rest on, on a process of known fate.
func TestProcessesAreFoundAndSeenToEnd(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		t.Skipf("no Linux /proc here: %v", err)
	}
	b := newBrood(1)
	child := exec.Command("sleep", b.names[0])
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if err := b.born(); err != nil || b.pids[0] != child.Process.Pid {
		t.Fatalf("found %v, want %d: %v", b.pids, child.Process.Pid, err)
	}
	if !slices.Contains(tree(os.Getpid()), child.Process.Pid) {
		t.Error("the child is not in our tree")
	}
	if pss(b.pids) <= 0 || busy([]int{os.Getpid()}) <= 0 {
		t.Error("a living process has no memory, or we no CPU time")
	}
	if _, err := gone(b.pids, 20*time.Millisecond); err == nil {
		t.Error("a living process is taken to be gone")
	}
	killAll(b.pids)
	if _, err := gone(b.pids, 10*time.Second); err != nil { // though nobody has waited for it
		t.Error(err)
	}
	_ = child.Wait()
}
