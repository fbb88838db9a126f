package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/creack/pty"

	"drawbridge/rpc/protocol"
)

// flood prints 100 MB in lines, and newlines on top.
const flood = `head -c 100000000 /dev/zero | tr '\0' x | fold -w 100`

func measurePipes(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll})
	if err != nil {
		return err
	}
	defer s.strike()
	took, err := b.flooded(s, "pipes")
	if err != nil {
		return err
	}
	b.add("pipes.s", took.Seconds())
	bare, err := drained(s, func(c *exec.Cmd) (io.Reader, error) {
		out, err := c.StdoutPipe()
		if err != nil {
			return nil, err
		}
		return out, c.Start()
	})
	b.add("pipes.bare", bare.Seconds())
	return err
}

func measureTerminal(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll, terminals: true})
	if err != nil {
		return err
	}
	defer s.strike()
	took, err := b.flooded(s, "terminal")
	if err != nil {
		return err
	}
	bare, err := drained(s, func(c *exec.Cmd) (io.Reader, error) {
		return pty.StartWithSize(c, &pty.Winsize{Cols: 80, Rows: 24})
	})
	if err != nil {
		return err
	}
	b.add("terminal.s", took.Seconds())
	b.add("terminal.bare", bare.Seconds())
	b.add("terminal.ratio", float64(took)/float64(bare))
	return nil
}

// flooded is the time from the model's answer to the next request, which has
// what the model is shown of the output.
func (b *bench) flooded(s *stage, id string) (time.Duration, error) {
	over, err := watchPeak(s.pid())
	if err != nil {
		return 0, err
	}
	log, err := s.play(command(flood))
	if err != nil {
		return 0, err
	}
	b.add(id+".peak", over())
	return gap(log, 0), nil
}

// drained starts the flood and reads it as fast as it comes.
func drained(s *stage, start func(*exec.Cmd) (io.Reader, error)) (time.Duration, error) {
	c, err := bareShell(s, flood)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	out, err := start(c)
	if err != nil {
		return 0, err
	}
	buf, total := make([]byte, 64<<10), 0
	for err == nil { // a pty ends with an error of its own
		var n int
		n, err = out.Read(buf)
		total += n
	}
	took := time.Since(begin)
	if f, ok := out.(*os.File); ok {
		f.Close()
	}
	if err := c.Wait(); err != nil || total < 100_000_000 {
		return 0, fmt.Errorf("the bare command printed %d bytes: %w", total, err)
	}
	return took, nil
}

const (
	stampedLines = 20
	stamping     = `for i in $(seq 20); do date +STAMP%s%N; sleep 0.1; done`
)

func measureStream(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll, terminals: true})
	if err != nil {
		return err
	}
	defer s.strike()
	if _, err := s.play(command(stamping)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var late []float64
	for printed, seen := range s.stamps {
		late = append(late, float64(seen.UnixNano()-printed)/1e6)
	}
	if len(late) != stampedLines {
		return fmt.Errorf("%d of %d lines were seen", len(late), stampedLines)
	}
	b.add("stream.p50", median(late))
	b.add("stream.worst", slices.Max(late))
	return nil
}
