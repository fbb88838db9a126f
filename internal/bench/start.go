package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"drawbridge/rpc/protocol"
)

// idle is how long a bridge is left alone before its memory is read, and
// again while its CPU time is.
const idle = 3 * time.Second

func measureStart(b *bench) error {
	s, err := b.raise()
	if err != nil {
		return err
	}
	defer s.strike()
	if err := s.spawn(b.bin); err != nil {
		return err
	}
	if err := s.initialize(s.work, true); err != nil {
		return err
	}
	initialized := time.Since(s.spawned)
	if err := s.newSession(s.work, protocol.ModeAllowAll, protocol.PresetFullAccess); err != nil {
		return err
	}
	b.add("start.session", ms(time.Since(s.spawned)))
	b.add("start.init", ms(initialized))
	time.Sleep(idle)
	all := tree(s.pid())
	b.add("start.pss", pss(all))
	before := busy(all)
	time.Sleep(idle)
	b.add("start.cpu", ms(busy(all)-before)/idle.Seconds())
	return b.addExit("end.exit", s)
}

// addExit closes the bridge's input and measures how long its end takes.
func (b *bench) addExit(id string, s *stage) error {
	closed := s.leave()
	select {
	case <-s.done:
	case <-time.After(10 * time.Second):
		return fmt.Errorf("the process is still there")
	}
	b.add(id, ms(s.exited.Sub(closed)))
	return nil
}

// measureSize counts all that is installed: the program and, beside it, the
// guard of commands.
func measureSize(b *bench) error {
	total := 0.0
	for _, file := range []string{b.bin, b.bin + "-guard"} {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		total += float64(info.Size()) / 1e6
	}
	b.add("size", total)
	return nil
}

// sessions is how many live in one process when their memory is measured.
const sessions = 50

func measureMany(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll})
	if err != nil {
		return err
	}
	defer s.strike()
	if err := s.write("small.txt", small(0)); err != nil {
		return err
	}
	for range sessions - 1 {
		if err := s.newSession(s.work, protocol.ModeAllowAll, protocol.PresetFullAccess); err != nil {
			return err
		}
		if _, err := s.play(read("small.txt", 1)); err != nil {
			return err
		}
	}
	time.Sleep(idle)
	b.add("many.pss", pss(tree(s.pid())))
	return nil
}

// frameText is what a frame of nearly the largest size carries.
const frameText = 63 << 20

// measureFrame sends a notification that nobody handles: what is left is the
// cost of the frame.
func measureFrame(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll})
	if err != nil {
		return err
	}
	defer s.strike()
	over, err := watchPeak(s.pid())
	if err != nil {
		return err
	}
	if err := s.conn.Notify("$/bench", map[string]string{"text": strings.Repeat("x", frameText)}); err != nil {
		return err
	}
	if err := s.call("session/list", protocol.SessionListParams{}, nil); err != nil { // it is behind the frame
		return err
	}
	b.add("frame.peak", over()*(1<<20)/frameText)
	return nil
}
