package config

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// changedAt is when a file was changed last, in whatever way: no program can set it.
func changedAt(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return time.Time{}
}

// beingWritten cannot be said here: that the file rests has to do.
func beingWritten(*os.File) bool { return false }
