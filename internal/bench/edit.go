package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"drawbridge/rpc/protocol"
)

// wide is a text of 5 MB and 62,500 lines, long one of 100,000 lines.
func wide() []string {
	return numbered(62_500, func(n int) string { return fmt.Sprintf("%08d ", n) + strings.Repeat("abcdefghij", 7) })
}

func long() []string {
	return numbered(100_000, func(n int) string { return fmt.Sprintf("line %06d x", n) })
}

func numbered(n int, line func(int) string) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line(i)
	}
	return lines
}

// measureEdits also reads at the end of a large file, since it has a bridge.
func measureEdits(b *bench) error {
	s, err := b.up(cast{mode: protocol.ModeAllowAll})
	if err != nil {
		return err
	}
	defer s.strike()
	took, _, err := edited(s, "wide.txt", wide())
	if err != nil {
		return err
	}
	sync, err := oneSync(s, "wide.txt")
	if err != nil {
		return err
	}
	bare, err := bareEdit(s, "wide.txt")
	if err != nil {
		return err
	}
	b.add("edit.wide", ms(took-sync))
	b.add("edit.bare", ms(bare))
	b.add("edit.sync", ms(sync))
	took, sent, err := edited(s, "long.txt", long())
	if err != nil {
		return err
	}
	if sync, err = oneSync(s, "long.txt"); err != nil {
		return err
	}
	b.add("edit.long", ms(took-sync))
	b.add("edit.bytes", float64(sent)/1e3)
	if took, err = replacedAll(s, "often.txt"); err != nil {
		return err
	}
	if sync, err = oneSync(s, "often.txt"); err != nil {
		return err
	}
	b.add("edit.many", ms(took-sync))
	return b.addWindow(s)
}

// edited has one line in the middle of a file edited, and checks the file. It
// returns the time to the next request and the bytes that the client got.
func edited(s *stage, name string, lines []string) (time.Duration, int64, error) {
	if err := s.write(name, strings.Join(lines, "\n")+"\n"); err != nil {
		return 0, 0, err
	}
	// What is still to be written, this file and what earlier measurements left,
	// would be waited for by the edit's own sync.
	syscall.Sync()
	at := len(lines) / 2
	old := lines[at]
	lines[at] += " EDITED"
	// Some lines are read first, as a model would.
	if _, err := s.play(call("read_file", map[string]any{"file_path": name, "offset": at, "limit": 3}, 1)); err != nil {
		return 0, 0, err
	}
	before := s.wire.bytes.Load()
	log, err := s.play(call("edit_file", map[string]any{"file_path": name, "old_string": old, "new_string": lines[at]}, 1))
	if err != nil {
		return 0, 0, err
	}
	sent := s.wire.bytes.Load() - before
	now, err := os.ReadFile(filepath.Join(s.work, name))
	if err == nil && string(now) != strings.Join(lines, "\n")+"\n" {
		err = fmt.Errorf("%s is not as edited", name)
	}
	return gap(log, 0), sent, err
}

// replacedAll has a name that stands in every twentieth of 100,000 lines, 5 MB
// of them, replaced by one call, and checks the file.
func replacedAll(s *stage, name string) (time.Duration, error) {
	lines := numbered(100_000, func(n int) string {
		if n%20 == 0 {
			return fmt.Sprintf("line %06d has the old_name among others like it", n)
		}
		return fmt.Sprintf("line %06d of a file that is about as wide as code", n)
	})
	text := strings.Join(lines, "\n") + "\n"
	if err := s.write(name, text); err != nil {
		return 0, err
	}
	syscall.Sync()
	args := map[string]any{"file_path": name, "old_string": "old_name", "new_string": "new_names", "replace_all": true}
	log, err := s.play(call("edit_file", args, 1))
	if err != nil {
		return 0, err
	}
	now, err := os.ReadFile(filepath.Join(s.work, name))
	if err == nil && string(now) != strings.ReplaceAll(text, "old_name", "new_names") {
		err = fmt.Errorf("%s is not as edited", name)
	}
	return gap(log, 0), err
}

// bareEdit is the least that an edit takes here: read, find, write beside it,
// rename. Fresh memory is dear on some machines, so it is measured each time.
func bareEdit(s *stage, name string) (time.Duration, error) {
	start := time.Now()
	path := filepath.Join(s.work, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	old := " EDITED"
	at := strings.Index(string(text), old)
	changed := string(text[:at]) + " AGAIN" + string(text[at+len(old):])
	if err := os.WriteFile(path+".tmp", []byte(changed), 0o644); err != nil {
		return 0, err
	}
	err = os.Rename(path+".tmp", path)
	return time.Since(start), err
}

// oneSync is what bringing a file's bytes to the disk takes.
func oneSync(s *stage, name string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(s.work, "sync.txt"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return 0, err
	}
	start := time.Now()
	err = f.Sync()
	return time.Since(start), err
}
