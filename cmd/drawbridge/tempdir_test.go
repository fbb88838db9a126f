package main

import (
	"os"
	"testing"
	"time"
)

// tempDir is t.TempDir for folders into which a program that is leaving may still
// write its last lines: they are removed until they stay removed, for 10 s at most.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "drawbridge-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}
