package shell

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestASilentCommandIsLookedAtEverLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var looks []time.Duration
		w := newWaitWatch(func() bool { looks = append(looks, time.Since(began)); return false }, func(bool) {})
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() { defer close(ended); w.run(stop) }()
		for range 10 { // it prints for two seconds
			time.Sleep(200 * time.Millisecond)
			w.heard()
		}
		time.Sleep(6 * time.Second)
		close(stop)
		<-ended
		want := []time.Duration{2500, 2750, 3250, 4250, 6250}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if !slices.Equal(looks, want) {
			t.Errorf("looks at %v, want %v", looks, want)
		}
	})
}

func TestOutputEndsWaitingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waiting atomic.Bool
		w := newWaitWatch(func() bool { return true }, waiting.Store)
		stop := make(chan struct{})
		go w.run(stop)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if !waiting.Load() {
			t.Fatal("a command that is blocked in a read does not wait")
		}
		w.heard()
		synctest.Wait()
		if waiting.Load() {
			t.Fatal("a command that has printed waits")
		}
		time.Sleep(silence)
		synctest.Wait()
		if !waiting.Load() {
			t.Fatal("it does not wait after a silence")
		}
		close(stop)
	})
}

func TestOutputDuringALookIsHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waiting atomic.Bool
		var w *waitWatch
		w = newWaitWatch(func() bool { w.heard(); return true }, waiting.Store)
		stop := make(chan struct{})
		go w.run(stop)
		time.Sleep(silence)
		synctest.Wait()
		if waiting.Load() {
			t.Error("a command that printed during the look waits")
		}
		close(stop)
	})
}
