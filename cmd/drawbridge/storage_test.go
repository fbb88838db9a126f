package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is too old is removed by one bridge, once a day.
func TestStorageIsTidiedOnceADay(t *testing.T) {
	stamp := filepath.Join(t.TempDir(), "state", "pruned")
	now := time.Now()
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {time.Minute, false}, {23 * time.Hour, false}, {25 * time.Hour, true}, {26 * time.Hour, false}} {
		if got := due(stamp, now.Add(step.after)); got != step.want {
			t.Errorf("after %v it is due: %v", step.after, got)
		}
	}
	if info, err := os.Stat(stamp); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
