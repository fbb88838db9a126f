package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"drawbridge/rpc/protocol"
)

// brood are sleeping processes that no other command line on the machine
// names: their lengths are unique.
type brood struct {
	names []string
	pids  []int
}

func newBrood(n int) brood {
	b := brood{}
	unique := 100_000 + rand.IntN(900_000)
	for i := range n {
		b.names = append(b.names, fmt.Sprintf("%d.%d", unique, i+1))
	}
	return b
}

// born waits until all are there, and settled.
func (b *brood) born() error {
	for start := time.Now(); time.Since(start) < 10*time.Second; time.Sleep(5 * time.Millisecond) {
		b.pids = nil
		for _, name := range b.names {
			if pid := withArgument(name); pid != 0 {
				b.pids = append(b.pids, pid)
			}
		}
		if len(b.pids) == len(b.names) {
			time.Sleep(calm)
			return nil
		}
	}
	return errors.New("the command did not start")
}

// brooding is a bridge in the middle of a command that has these children.
type brooding struct {
	*stage
	brood
	ended chan ending // of the turn
}

type ending struct {
	at   time.Time
	stop protocol.StopReason
	err  error
}

// hatch starts a command with n children that script, given their names,
// makes.
func (b *bench) hatch(n int, script func(names []string) string) (*brooding, error) {
	s, err := b.up(cast{mode: protocol.ModeAllowAll, terminals: true})
	if err != nil {
		return nil, err
	}
	h := &brooding{s, newBrood(n), make(chan ending, 1)}
	s.model.Push(command(script(h.names)))
	go func() { // ends with the turn, at the latest with the bridge
		stop, err := s.turn()
		h.ended <- ending{time.Now(), stop, err}
	}()
	if err := h.born(); err != nil {
		h.strike()
		return nil, err
	}
	return h, nil
}

func (h *brooding) strike() {
	killAll(h.pids)
	h.stage.strike()
}

// family has a child of each kind.
func family(names []string) string {
	return fmt.Sprintf("sleep %s &\nsetsid sleep %s &\nsleep %s\n", names[1], names[2], names[0])
}

// deaf is a child that ignores the polite signal, as its shell does.
func deaf(names []string) string { return fmt.Sprintf("trap '' TERM\nsleep %s\n", names[0]) }

func measureCancel(b *bench) error {
	if err := b.addCancel(family, "cancel.fore", "cancel.back", "cancel.setsid"); err != nil {
		return err
	}
	return b.addCancel(deaf, "cancel.deaf")
}

// addCancel has a row for each child. The turn's end counts where the children
// are obedient: it waits for their end.
func (b *bench) addCancel(script func([]string) string, ids ...string) error {
	h, err := b.hatch(len(ids), script)
	if err != nil {
		return err
	}
	defer h.strike()
	start := time.Now()
	go h.call("session/cancel", protocol.CancelParams{SessionID: h.session}, nil)
	ends, err := gone(h.pids, 8*time.Second)
	if err != nil {
		return err
	}
	for i, id := range ids {
		b.add(id, ms(ends[i].Sub(start)))
	}
	end := <-h.ended
	if end.err != nil || end.stop != protocol.StopCancelled {
		return fmt.Errorf("the cancelled turn ended: %s, %w", end.stop, end.err)
	}
	if len(ids) > 1 {
		b.add("cancel.turn", ms(end.at.Sub(start)))
	}
	return nil
}

// measureEnd closes the input of a bridge whose command runs.
func measureEnd(b *bench) error {
	h, err := b.hatch(3, family)
	if err != nil {
		return err
	}
	defer h.strike()
	all := tree(h.pid())[1:]
	closed := h.leave()
	ends, err := gone(append(h.pids, all...), 8*time.Second)
	if err != nil {
		return err
	}
	b.add("end.children", ms(latest(ends[:3]).Sub(closed)))
	select {
	case <-h.done:
	case <-time.After(8 * time.Second):
		return errors.New("the process is still there")
	}
	b.add("end.busy", ms(h.exited.Sub(closed)))
	b.add("end.tree", ms(latest(append(ends, h.exited)).Sub(closed)))
	return nil
}

func latest(times []time.Time) time.Time {
	last := times[0]
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
