package session

import (
	"errors"
	"fmt"
	"time"

	"drawbridge/tools"
)

// Measured is how long one tool call took to carry out.
type Measured struct {
	// Tool is its name, as the model wrote it, at most 64 bytes.
	Tool string
	// Duration is of the execution alone; 0 of a call that was not carried out.
	Duration time.Duration
	// Failure is "" for a call that was completed, "tool_error" for one of which
	// the model reads that it was not, and a Go type for a fault of ours or of the
	// world.
	Failure string
}

// toolError is the failure that a model can act on.
const toolError = "tool_error"

// measure is the one place where calls are measured: those of unknown tools and
// those that were refused, too.
func (s *Session) measure(c *call, out tools.Outcome) {
	if s.host.o.Measure == nil {
		return
	}
	m := Measured{Tool: c.model.Name[:min(len(c.model.Name), 64)], Duration: out.Duration}
	if out.Status != tools.Completed {
		m.Failure = toolError
	}
	if out.Err != nil {
		m.Failure = fmt.Sprintf("%T", rootOf(out.Err))
	}
	s.host.o.Measure(m)
}

// rootOf is what an error was before others wrapped it.
func rootOf(err error) error {
	for {
		below := errors.Unwrap(err)
		if below == nil {
			return err
		}
		err = below
	}
}
