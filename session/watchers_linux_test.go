package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"drawbridge/shell"
	"drawbridge/shell/shelltest"
)

// inotify counts this process's connections to the system's watcher, and the
// watches on all of them.
func inotify(t *testing.T) (open, watches int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to != "anon_inode:inotify" {
			continue
		}
		open++
		info, _ := os.ReadFile("/proc/self/fdinfo/" + fd.Name())
		watches += strings.Count(string(info), "inotify wd:")
	}
	return open, watches
}

// Whatever sessions watch they let go of, and while nobody does anything the
// watching costs nothing.
func TestAHundredSessionsLeaveNothingWatched(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Watch = WatchDisk
		o.NewShell = func() shell.Runner { return &shelltest.Fake{} }
	})
	for i := range 20 {
		if err := os.MkdirAll(filepath.Join(b.dir, fmt.Sprintf("d%d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.file(t, "a.txt", "1\n")
	openBefore, watchesBefore := inotify(t)
	before := runtime.NumGoroutine()
	stays := b.start(t)
	for i := range 100 {
		s := b.start(t)
		if i%10 == 0 {
			b.model.then(callTools("x", "exec_command", `{"cmd":"true a.txt"}`))
			prompt(t, s, "go")
		}
		_, stop := s.watcher.Follow(filepath.Join(b.dir, "a.txt"))
		stop()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if open, watches := inotify(t); open != openBefore+1 || watches-watchesBefore > 24 {
		t.Errorf("%d watchers with %d watches for one session of 21 folders", open-openBefore, watches-watchesBefore)
	}
	eventually(t, "no processor time is taken while nobody does anything", func() bool {
		return idle(t, 300*time.Millisecond) <= 30*time.Millisecond // but what is left of the work before
	})
	if err := stays.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no watcher, watch or goroutine is left", func() bool {
		open, watches := inotify(t)
		return open == openBefore && watches == watchesBefore && runtime.NumGoroutine() <= before
	})
}

// idle is the processor time that this process takes meanwhile.
func idle(t *testing.T, d time.Duration) time.Duration {
	t.Helper()
	runtime.GC() // what is left of the work before
	spent := func() time.Duration {
		var use syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
			t.Fatal(err)
		}
		return time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	start := spent()
	time.Sleep(d)
	return spent() - start
}
