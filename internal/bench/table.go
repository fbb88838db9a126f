package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// row is one number that is asked for. Floors have no target: they say what
// the machine itself takes for the same work.
type row struct {
	id, what, unit string
	target         float64
	atLeast        bool // the target is a lower bound
}

// rows is the table. Targets are explained in docs/performance.md.
var rows = []row{
	{id: "start.init", what: "spawn → initialize answered", unit: "ms", target: 35},
	{id: "start.session", what: "spawn → session ready", unit: "ms", target: 45},
	{id: "start.pss", what: "idle memory after a session (PSS, whole tree)", unit: "MB", target: 25},
	{id: "start.cpu", what: "idle CPU", unit: "ms/s", target: 0.5},
	{id: "loop.call", what: "200 small reads: per call, without the model's time", unit: "ms", target: 0.7},
	{id: "loop.cpu", what: "· CPU time of the bridge in it, per call", unit: "ms"},
	{id: "loop.flat", what: "2,000 small reads: last 20 ÷ first 20", unit: "×", target: 1.2},
	{id: "pipes.s", what: "100 MB of output over pipes → next request", unit: "s", target: 0.8},
	{id: "pipes.bare", what: "· the same command and a bare pipe", unit: "s"},
	{id: "pipes.peak", what: "· peak memory over before", unit: "MB", target: 32},
	{id: "terminal.ratio", what: "100 MB of output in a terminal ÷ a bare pty", unit: "×", target: 1.2},
	{id: "terminal.s", what: "· in seconds, to the next request", unit: "s"},
	{id: "terminal.bare", what: "· the same command in a bare pty", unit: "s"},
	{id: "terminal.peak", what: "· peak memory over before", unit: "MB", target: 32},
	{id: "stream.p50", what: "line of output → client, median of 20", unit: "ms", target: 1},
	{id: "stream.worst", what: "line of output → client, worst of 20", unit: "ms", target: 20},
	{id: "edit.wide", what: "edit one line of 5 MB, without one fsync", unit: "ms", target: 30},
	{id: "edit.long", what: "edit in 100,000 lines, without one fsync", unit: "ms", target: 25},
	{id: "edit.many", what: "5,000 places of 100,000 lines replaced by one call, without one fsync", unit: "ms", target: 100},
	{id: "edit.bare", what: "· the same read, match, write and rename of 5 MB, bare", unit: "ms"},
	{id: "edit.sync", what: "· one fsync of such a file", unit: "ms"},
	{id: "edit.bytes", what: "bytes to the client for the edit in 100,000 lines", unit: "kB", target: 8},
	{id: "approve.ask", what: "model's last byte → approval question", unit: "ms", target: 1.5},
	{id: "approve.run", what: "answer → command's first byte, without a bare shell's start", unit: "ms", target: 5},
	{id: "approve.bare", what: "· a bare shell's start to the same byte", unit: "ms"},
	{id: "spawn.over", what: "a command that does nothing, over a bare fork of it", unit: "ms", target: 5},
	{id: "spawn.bare", what: "· the bare fork, exec and wait", unit: "ms"},
	{id: "sandbox.over", what: "the same command in the sandbox, over one outside", unit: "ms", target: 30},
	{id: "cancel.turn", what: "cancel → turn ended", unit: "ms", target: 30},
	{id: "cancel.fore", what: "cancel → foreground child gone", unit: "ms", target: 60},
	{id: "cancel.back", what: "cancel → background child gone", unit: "ms", target: 60},
	{id: "cancel.setsid", what: "cancel → setsid child gone", unit: "ms", target: 60},
	{id: "cancel.deaf", what: "cancel → child that ignores TERM gone", unit: "ms", target: 250},
	{id: "end.exit", what: "stdin closed → idle process gone", unit: "ms", target: 50},
	{id: "end.busy", what: "stdin closed in a command → process gone", unit: "ms", target: 50},
	{id: "end.children", what: "stdin closed → its commands gone, setsid child too", unit: "ms", target: 150},
	{id: "end.tree", what: "stdin closed → the whole tree gone", unit: "ms", target: 500},
	{id: "size", what: "the program and its guard on disk", unit: "MB", target: 40},
	{id: "many.pss", what: "50 sessions in one process (PSS)", unit: "MB", target: 200},
	{id: "read.window", what: "read_file of a window at the end of 8 MiB", unit: "ms", target: 15},
	{id: "frame.peak", what: "memory for a frame of nearly 64 MiB ÷ its size", unit: "×", target: 3},
	{id: "rpc.notify", what: "small notifications through a real pipe", unit: "/s", target: 100_000, atLeast: true},
	{id: "rpc.call", what: "round trip over a child's stdio", unit: "µs", target: 150},
	{id: "mirror.edits", what: "10,000 random edits of a document of 1 MB", unit: "s", target: 1},
	{id: "plan.one", what: "plan of one edit of 100,000 lines, hunks too", unit: "ms", target: 20},
	{id: "plan.many", what: "plan of 5,000 edits of 100,000 lines, hunks too", unit: "ms", target: 50},
	{id: "commit.one", what: "commit of one edit of 100,000 lines, without the fsync", unit: "ms", target: 25},
	{id: "commit.many", what: "commit of 5,000 edits of 100,000 lines, without the fsync", unit: "ms", target: 25},
	{id: "diff.one", what: "diff of 100,000 lines, one edit", unit: "ms", target: 20},
	{id: "diff.many", what: "diff of 100,000 lines, 5,000 edits", unit: "ms", target: 250},
	{id: "diff.unrelated", what: "diff of unrelated files of 100,000 lines", unit: "ms", target: 2000},
	{id: "diff.git", what: "· the slowest of them ÷ git diff --no-index", unit: "×", target: 1.5},
	{id: "search.lines", what: "grep in 100,000 files, by ripgrep ÷ ripgrep alone", unit: "×", target: 1.2},
	{id: "search.rg", what: "· ripgrep alone", unit: "ms"},
	{id: "search.own", what: "grep in 100,000 files, built in ÷ GNU grep -P", unit: "×", target: 3},
	{id: "search.grep", what: "· GNU grep -P", unit: "ms"},
	{id: "search.names", what: "glob over 100,000 files ÷ rg --files, by time", unit: "×", target: 1.2},
	{id: "search.files", what: "· rg --files", unit: "ms"},
	{id: "judge.line", what: "a command of 200 bytes judged under 50 rules", unit: "µs", target: 50},
	{id: "judge.rules", what: "the same under 10,000 rules", unit: "ms", target: 1},
	{id: "judge.long", what: "a script of 64 KiB judged under 50 rules", unit: "ms", target: 20},
	{id: "log.append", what: "events appended to a session's log", unit: "/s", target: 10_000, atLeast: true},
	{id: "log.load", what: "load of a session of 50,000 events", unit: "ms", target: 500},
}

// table collects samples by row.
type table struct{ samples map[string][]float64 }

func newTable() *table { return &table{map[string][]float64{}} }

func (t *table) add(id string, value float64) {
	if !slices.ContainsFunc(rows, func(r row) bool { return r.id == id }) {
		panic("no row " + id)
	}
	t.samples[id] = append(t.samples[id], value)
}

// result is a row with its numbers, as -json prints it.
type result struct {
	ID      string    `json:"id"`
	What    string    `json:"what"`
	Unit    string    `json:"unit"`
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	Samples []float64 `json:"samples"`
	Target  float64   `json:"target,omitempty"`
	AtLeast bool      `json:"atLeast,omitempty"`
	// Ratio is above 1 where the target is missed, whichever way it points.
	Ratio float64 `json:"ratio,omitempty"`
}

func (t *table) results() []result {
	var all []result
	for _, r := range rows {
		if len(t.samples[r.id]) > 0 {
			all = append(all, r.result(t.samples[r.id]))
		}
	}
	return all
}

func (r row) result(samples []float64) result {
	res := result{
		ID: r.id, What: r.what, Unit: r.unit, Samples: samples, Target: r.target, AtLeast: r.atLeast,
		Median: median(samples), Min: slices.Min(samples), Max: slices.Max(samples),
	}
	switch {
	case r.target == 0:
	case r.atLeast:
		res.Ratio = r.target / res.Median
	default:
		res.Ratio = res.Median / r.target
	}
	return res
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func (t *table) json(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(t.results())
}

func (t *table) markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| what | median (min–max) | target | measured ÷ target |\n|---|--:|--:|--:|\n")
	for _, r := range t.results() {
		fmt.Fprintf(&b, "| %s | %s %s (%s–%s) | %s | %s |\n",
			r.What, figure(r.Median), r.Unit, figure(r.Min), figure(r.Max), r.wanted(), r.verdict())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r result) wanted() string {
	switch {
	case r.Target == 0:
		return ""
	case r.AtLeast:
		return "≥ " + figure(r.Target)
	}
	return "≤ " + figure(r.Target)
}

// verdict marks what misses its target, twice what misses it by far.
func (r result) verdict() string {
	switch text := strconv.FormatFloat(r.Ratio, 'f', 2, 64); {
	case r.Target == 0:
		return ""
	case r.Ratio > 2:
		return "**" + text + "** ‼"
	case r.Ratio > 1:
		return "**" + text + "** !"
	default:
		return text
	}
}

// figure prints three digits that count, all of a larger number.
func figure(v float64) string {
	digits := 2 - int(math.Floor(math.Log10(math.Max(math.Abs(v), 0.01))))
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), 2), 64)
}
