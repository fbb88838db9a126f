package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"

	"drawbridge/rpc/protocol"
	"drawbridge/shell"
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

// bareShell runs a script as the bridge does, without the bridge.
func bareShell(s *stage, script string) (*exec.Cmd, error) {
	path, err := shell.Find()
	c := exec.Command(path, "-lc", script)
	c.Dir, c.Env = s.work, s.env
	return c, err
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

// approvals is how many commands are asked about in one turn.
const approvals = 5

func measureApproval(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAlwaysAsk, terminals: true})
	if err != nil {
		return err
	}
	defer s.strike()
	log, err := s.play(call("exec_command", map[string]any{"description": "Measure.", "cmd": "date +%s%N > stamp{n}"}, approvals))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) != approvals {
		return fmt.Errorf("%d questions, want %d", len(s.asked), approvals)
	}
	var ask, ran, bare []float64
	for n, q := range s.asked {
		wrote, err := stampOf(s, fmt.Sprintf("stamp%d", n))
		if err != nil {
			return err
		}
		direct, err := bareStart(s)
		if err != nil {
			return err
		}
		ask = append(ask, ms(q.at.Sub(log[n].LastByte)))
		ran = append(ran, ms(wrote.Sub(q.answered)))
		bare = append(bare, direct)
	}
	b.add("approve.ask", median(ask))
	b.add("approve.run", median(ran)-median(bare))
	b.add("approve.bare", median(bare))
	return nil
}

// bareStart is how long a shell of its own takes to the same stamp.
func bareStart(s *stage) (float64, error) {
	c, err := bareShell(s, "date +%s%N > bare")
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := c.Run(); err != nil {
		return 0, err
	}
	wrote, err := stampOf(s, "bare")
	return ms(wrote.Sub(start)), err
}

// stampOf is the time that a command wrote to a file. Without the monotonic
// clock, it is compared by the wall's.
func stampOf(s *stage, name string) (time.Time, error) {
	text, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil {
		return time.Time{}, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return time.Unix(0, n), err
}
