package tools

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"drawbridge/shell/shelltest"
)

func TestMemoryIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex // guards freed
		var freed []time.Duration
		l := lender{free: func() {
			mu.Lock()
			defer mu.Unlock()
			freed = append(freed, time.Since(began))
		}}
		check := func(what string, want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(freed) != len(want) || len(want) > 0 && freed[len(freed)-1] != want[len(want)-1] {
				t.Errorf("%s: memory was returned after %v, want %v", what, freed, want)
			}
		}
		call := func(bytes int) { l.begin(); l.owe(bytes); l.end() }

		call(muchMemory - 1)
		time.Sleep(time.Minute)
		check("a small call")
		call(1)
		call(1) // one more call does not put it off, or double it
		time.Sleep(3 * time.Second)
		check("enough of them", 61*time.Second)
		call(muchMemory)
		time.Sleep(2 * time.Second)
		check("soon again", 61*time.Second)
		time.Sleep(7 * time.Second)
		check("not so soon", 61*time.Second, 71*time.Second)
		call(muchMemory)
		l.begin()
		time.Sleep(time.Minute)
		check("while a call is busy", 61*time.Second, 71*time.Second)
		l.end()
		time.Sleep(time.Minute)
		check("after it", 61*time.Second, 71*time.Second, 133*time.Second)
	})
}

// A call gives back what it kept of an output, whether it was needed or not.
func TestCallsGiveMemoryBack(t *testing.T) {
	usual := memory
	defer func() { memory = usual }()
	steps := []shelltest.Step{{Out: []shelltest.Piece{{Text: strings.Repeat("x", 2*muchMemory)}}, Repeat: true}}
	for name, limit := range map[string]int{"whole": -1, "cut": 100} {
		t.Run(name, func(t *testing.T) {
			scripted(t, steps, func(t *testing.T, r *room, _ *shelltest.Fake) {
				var freed atomic.Int32
				memory = &lender{free: func() { freed.Add(1) }}
				r.env.Limits = Limits{MaxOutput: limit}
				r.do(t, "exec_command", `{"cmd":"x"}`)
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := freed.Load(); n != 1 {
					t.Errorf("memory was returned %d times", n)
				}
			})
		})
	}
}
