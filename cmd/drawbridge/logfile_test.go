package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogFileIsSetAside fills the log several times over: a record is never
// cut, the newest files stay, and all of them are private.
func TestLogFileIsSetAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	l, err := openLogFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	record := strings.Repeat("x", 1<<20-1) + "\n"
	for range (keptLogs + 3) * maxLogFile / len(record) {
		if _, err := l.Write([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != keptLogs+1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > maxLogFile || info.Size()%int64(len(record)) != 0 {
			t.Errorf("%s: %v, %d bytes, %v", f.Name(), info.Mode(), info.Size(), err)
		}
	}
	if _, err := l.Write([]byte("late")); err == nil {
		t.Error("a closed log takes records")
	}
}
