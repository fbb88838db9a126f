package rpc

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A table that names $/cancelRequest as one of this end's methods does not keep
// this end from sending it.
func TestWithdrawalGoesBothWays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		table := tableOf(
			Method{Name: "ask", Direction: ToEditor, Policy: Async},
			Method{Name: cancelMethod, Direction: ToBridge, Kind: Notification, Policy: Preempt},
		)
		c, p := dial(t, Options{Table: table}, nil)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = c.Call(ctx, "ask", nil, nil)
		if first := <-p.got; !strings.Contains(first, `"ask"`) {
			t.Fatalf("first came %s", first)
		}
		if second := <-p.got; !strings.Contains(second, cancelMethod) {
			t.Errorf("then came %s", second)
		}
	})
}
