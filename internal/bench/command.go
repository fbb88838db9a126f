package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drawbridge/rpc/protocol"
	"drawbridge/shell"
)

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

// bareShell runs a script as the bridge does, without the bridge.
func bareShell(s *stage, script string) (*exec.Cmd, error) {
	path, err := shell.Find()
	c := exec.Command(path, "-c", script)
	c.Dir, c.Env = s.work, s.env
	return c, err
}

// spawns is how many commands that do nothing run in one turn.
const spawns = 30

// measureSpawn compares commands that do nothing: bare, unconfined, confined.
func measureSpawn(b *bench) error {
	free, bare, err := b.spawned(protocol.PresetFullAccess)
	if err != nil {
		return err
	}
	held, _, err := b.spawned(protocol.PresetWorkspaceWrite)
	if err != nil {
		return err
	}
	b.add("spawn.over", free-bare)
	b.add("spawn.bare", bare)
	b.add("sandbox.over", held-free)
	return nil
}

// spawned is the time from one request to the next for a command that does
// nothing, and what a fork, exec and wait of the same shell takes alone.
func (b *bench) spawned(preset protocol.Preset) (took, bare float64, err error) {
	s, err := b.up(cast{mode: protocol.ModeAllowAll, preset: preset})
	if err != nil {
		return 0, 0, err
	}
	defer s.strike()
	log, err := s.play(call("exec_command", map[string]any{"description": "Do nothing.", "cmd": "true"}, spawns))
	if err != nil {
		return 0, 0, err
	}
	var gaps, forks []float64
	for n := range spawns {
		gaps = append(gaps, ms(gap(log, n)))
		c, err := bareShell(s, "true")
		if err != nil {
			return 0, 0, err
		}
		start := time.Now()
		if err := c.Run(); err != nil {
			return 0, 0, err
		}
		forks = append(forks, ms(time.Since(start)))
	}
	return median(gaps), median(forks), nil
}
