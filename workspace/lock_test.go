package workspace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"drawbridge/workspace"
)

func lockable(t *testing.T) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(workspace.Options{Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestLockIsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lockable(t)
		release, _ := w.Lock(context.Background(), "/p")
		var order []int // only the holder appends
		for i := range 5 {
			go func() {
				release, err := w.Lock(context.Background(), "/p")
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i)
				release()
			}()
			synctest.Wait() // it queues before the next comes
		}
		release()
		synctest.Wait()
		for i, got := range order {
			if got != i || len(order) != 5 {
				t.Fatalf("order %v", order)
			}
		}
	})
}

func TestLocksOfOtherPathsAreFree(t *testing.T) {
	w := lockable(t)
	a, _ := w.Lock(context.Background(), "/a")
	defer a()
	b, err := w.Lock(context.Background(), "/b")
	if err != nil {
		t.Fatal(err)
	}
	b()
}

// L-QUE-01: whoever gives up is gone at once, and the next in the queue is served.
func TestOneWhoGivesUpLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lockable(t)
		release, _ := w.Lock(context.Background(), "/p")
		ctx, cancel := context.WithCancel(context.Background())
		gaveUp, got := make(chan error, 1), make(chan struct{})
		go func() {
			_, err := w.Lock(ctx, "/p")
			gaveUp <- err
		}()
		synctest.Wait()
		go func() {
			release, _ := w.Lock(context.Background(), "/p")
			release()
			close(got)
		}()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		release()
		release() // the second time is nothing
		<-got
	})
}

func TestLockWithEndedContext(t *testing.T) {
	w := lockable(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Lock(ctx, "/p"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The lock comes and ctx ends at the same time: whichever is seen first, the
// lock is not lost.
func TestALockGrantedTooLateIsHandedOn(t *testing.T) {
	for range 40 {
		synctest.Test(t, func(t *testing.T) {
			w := lockable(t)
			release, _ := w.Lock(context.Background(), "/p")
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				if release, err := w.Lock(ctx, "/p"); err == nil {
					release()
				}
			}()
			synctest.Wait()
			cancel()
			release()
			<-done
			release, err := w.Lock(t.Context(), "/p")
			if err != nil {
				t.Fatal(err)
			}
			release()
		})
	}
}
