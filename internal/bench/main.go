// Command bench measures a built Drawbridge over its stdio, as an editor would,
// against a model on loopback that answers at once: what is left is the cost
// of the bridge itself. It prints a table of what was measured and what is
// asked for (docs/performance.md). It knows the wire and what the system tells
// of processes, never how the bridge works; the few rows about single packages
// come from their own benchmarks.
//
// Goroutines: those of the connections and of the model, one that waits for
// each process, all ended with the measurement that needed them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// group is a set of rows that one measurement yields.
type group struct {
	name    string
	once    bool // however many runs are asked for: it takes long and varies little
	measure func(*bench) error
}

// groups in the order in which they run; the table has its own.
var groups = []group{
	{"start", false, measureStart},
	{"loop", false, measureLoop},
	{"long", true, measureLongLoop},
	{"pipes", false, measurePipes},
	{"terminal", false, measureTerminal},
	{"stream", false, measureStream},
	{"edit", false, measureEdits},
	{"approve", false, measureApproval},
	{"spawn", false, measureSpawn},
	{"cancel", false, measureCancel},
	{"end", false, measureEnd},
	{"frame", false, measureFrame},
	{"many", true, measureMany},
	{"diff", false, measureDiffs},
	{"search", false, measureSearch},
	{"size", true, measureSize},
	{"packages", true, measurePackages},
}

// bench is what measurements are given.
type bench struct {
	bin  string // absolute
	dir  string // for what they leave behind
	runs int
	*table
}

func main() {
	bin := flag.String("bin", "bin/drawbridge", "the program to measure")
	runs := flag.Int("runs", 5, "how often each number is taken; the table has the median")
	only := flag.String("only", "", "only these groups, by comma: "+names())
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	dir := flag.String("dir", "", "work below this folder; default is the one for temporary files")
	flag.Parse()
	if err := run(*bin, *dir, *runs, *only, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func names() string {
	all := make([]string, len(groups))
	for i, g := range groups {
		all[i] = g.name
	}
	return strings.Join(all, ", ")
}

func run(bin, dir string, runs int, only string, asJSON bool) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		return errors.New("measuring needs a Linux with /proc")
	}
	if dir, err = os.MkdirTemp(dir, "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{bin: bin, dir: dir, runs: max(runs, 1), table: newTable()}
	failed := b.measure(chosen)
	if asJSON {
		return errors.Join(failed, b.json(os.Stdout))
	}
	return errors.Join(failed, b.markdown(os.Stdout))
}

func choose(only string) ([]group, error) {
	if only == "" {
		return groups, nil
	}
	var chosen []group
	for _, name := range strings.Split(only, ",") {
		n := len(chosen)
		for _, g := range groups {
			if g.name == strings.TrimSpace(name) {
				chosen = append(chosen, g)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("no group %q; there are %s", name, names())
		}
	}
	return chosen, nil
}

// measure goes round all groups once a run, so that a busy minute of the
// machine does not meet all samples of one row.
func (b *bench) measure(chosen []group) error {
	var failed []error
	for n := range b.runs {
		for _, g := range chosen {
			if g.once && n > 0 {
				continue
			}
			fmt.Fprintf(os.Stderr, "run %d of %d: %-10s\r", n+1, b.runs, g.name)
			if err := g.measure(b); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", g.name, err))
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%-40s\r", "")
	return errors.Join(failed...)
}
