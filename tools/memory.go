package tools

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// muchMemory is how many bytes calls must have let go of before the system
	// gets them back.
	muchMemory = 2 << 20
	// restEvery is how long after one return of memory the next one may come.
	restEvery = 10 * time.Second
	// restAfter is how long after the last call memory is returned at the soonest.
	restAfter = time.Second
)

// memory returns what large outputs needed to the system, which Go itself would
// do much later. It does so between calls, on a timer's goroutine, which ends.
var memory = &lender{free: debug.FreeOSMemory}

type lender struct {
	free func()

	mu   sync.Mutex // guards below
	busy int        // calls that run
	owed int        // bytes that were let go of since the last return
	last time.Time  // when memory was returned
}

// owe says that so many bytes are needed no more.
func (l *lender) owe(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed += bytes
}

func (l *lender) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy++
}

func (l *lender) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	if l.busy > 0 || l.owed < muchMemory {
		return
	}
	wait := restAfter
	if since := time.Since(l.last); since >= 0 {
		wait = max(wait, restEvery-since)
	}
	time.AfterFunc(wait, l.giveBack)
}

// giveBack does nothing while calls are busy: the end of the last one sees to it.
func (l *lender) giveBack() {
	l.mu.Lock()
	due := l.busy == 0 && l.owed >= muchMemory
	if due {
		l.owed, l.last = 0, time.Now()
	}
	l.mu.Unlock()
	if due {
		l.free()
	}
}
