package session

import (
	"cmp"
	"errors"
	"fmt"

	"drawbridge/tools"
)

const (
	// refusedAt is the identical failure at which the model is told to stop.
	refusedAt = 3
	// haltedAt is the one that ends the turn.
	haltedAt = 4
)

// failure is what became of a call that was made before in the turn.
type failure struct {
	times int
	text  string // of a plan that failed; "" when it failed later
}

func (c *call) key() string { return c.model.Name + "\x00" + c.model.Args }

// count halts the turn when the same call keeps failing.
func (t *running) count(c *call) {
	if !c.result.Failed {
		delete(t.fails, c.key())
		return
	}
	f := t.fails[c.key()]
	f.times, f.text = f.times+1, ""
	if fault, ok := errors.AsType[*tools.Failure](c.planErr); ok {
		f.text = fault.Text
	}
	t.fails[c.key()] = f
	if f.times == haltedAt {
		t.halt = fmt.Sprintf("stopped: the same %s call failed %d times", c.model.Name, haltedAt)
	}
}

// fault is why the plan of c failed. What was told before is not told again in
// full: a model that reads the same explanation once more repeats itself too.
// A call is still planned each time, since the files may have changed, and with
// them the reason.
func (t *running) fault(c *call) error {
	fault, ok := errors.AsType[*tools.Failure](c.planErr)
	before := t.fails[c.key()]
	if !ok || before.times == 0 || before.text != fault.Text {
		return c.planErr
	}
	said := cmp.Or(fault.Again, fault.Text)
	if before.times+1 < refusedAt {
		return tools.Failf("This same call failed before, and for the same reason. %s", said)
	}
	return tools.Failf("Refused: this same call has failed %d times for the same reason; sent once more, it ends the turn. %s", before.times+1, said)
}
