package main

import (
	"fmt"
	"strings"
	"time"

	"drawbridge/internal/fakemodel"
	"drawbridge/rpc/protocol"
)

const (
	loopCalls = 200
	longCalls = 2000
	edge      = 20 // calls at each end of the long loop that are compared
)

// small is the content of file n; all differ, as in a real workspace.
func small(n int) string {
	return fmt.Sprintf("file %d\n", n) + strings.Repeat("hello from a small file\n", 9)
}

func read(name string, repeat int) fakemodel.Step {
	return call("read_file", map[string]any{"file_path": name}, repeat)
}

// looped is a turn of many reads.
type looped struct {
	log       []fakemodel.Request
	took, cpu time.Duration // the turn, and of the bridge
}

// loop plays a turn of that many reads, one a step.
func (b *bench) loop(calls int) (l looped, err error) {
	s, err := b.up(cast{mode: protocol.ModeAllowAll})
	if err != nil {
		return l, err
	}
	defer s.strike()
	for n := range calls {
		if err := s.write(fmt.Sprintf("f/%d.txt", n), small(n)); err != nil {
			return l, err
		}
	}
	start, before := time.Now(), busy([]int{s.pid()})
	l.log, err = s.play(read("f/{n}.txt", calls))
	l.took, l.cpu = time.Since(start), busy([]int{s.pid()})-before
	return l, err
}

func measureLoop(b *bench) error {
	l, err := b.loop(loopCalls)
	if err != nil {
		return err
	}
	for _, r := range l.log {
		l.took -= r.LastByte.Sub(r.FirstByte)
	}
	b.add("loop.call", ms(l.took)/loopCalls)
	b.add("loop.cpu", ms(l.cpu)/loopCalls)
	return nil
}

// measureLongLoop compares gaps, which end with the first byte of the next
// request: that a longer body takes longer to send does not count.
func measureLongLoop(b *bench) error {
	l, err := b.loop(longCalls)
	if err != nil {
		return err
	}
	var first, last []float64
	for n := range edge {
		first = append(first, ms(gap(l.log, n)))
		last = append(last, ms(gap(l.log, longCalls-1-n)))
	}
	b.add("loop.flat", median(last)/median(first))
	return nil
}

// The file for read.window: a window of its end is scanned for from its start.
const (
	windowLine  = "one of very many lines that a file of this size has, as wide as code is\n"
	windowLines = (8<<20 - 64<<10) / len(windowLine)
)

// addWindow measures a read at the end of a file of nearly 8 MiB.
func (b *bench) addWindow(s *stage) error {
	if err := s.write("window.txt", strings.Repeat(windowLine, windowLines)); err != nil {
		return err
	}
	step := call("read_file", map[string]any{"file_path": "window.txt", "offset": windowLines - 20, "limit": 20}, 1)
	log, err := s.play(step)
	if err != nil {
		return err
	}
	b.add("read.window", ms(gap(log, 0)))
	return nil
}
