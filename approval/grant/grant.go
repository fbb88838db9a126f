// Package grant keeps remembered yeses on the disk, outside any repository: a
// file of rules for the user and one for each workspace, a rule a line. A
// person may read and change them. It reads a file anew whenever it is asked,
// so that all bridges of a user go by the same; it decides nothing and starts
// no goroutine.
package grant

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"drawbridge/approval/rule"
	"drawbridge/internal/ownfile"
)

// maxFile bounds a file of grants; of a larger one nothing counts.
const maxFile = 1 << 20

// Store is the folder of files. Safe for concurrent use, also by several
// processes.
type Store struct {
	dir string

	mu    sync.Mutex // guards below
	read  map[fileKey]parsed
	reads int // of files that were not what they had been
}

// fileKey names what was read: relative paths in it are meant from root.
type fileKey struct{ path, root string }

type parsed struct {
	text    []byte
	rules   []rule.Rule
	version int
}

// Open makes a store of a private folder, which need not exist. Nothing is
// touched before the first use.
func Open(dir string) *Store { return &Store{dir: dir, read: map[fileKey]parsed{}} }

// file is where the grants of a source are kept; that of a workspace by its
// path with links followed, so that each name of a folder has the same.
func (s *Store) file(source rule.Source, root string) (string, error) {
	switch source {
	case rule.GrantUser:
		return filepath.Join(s.dir, "user"), nil
	case rule.GrantWorkspace:
		sum := sha256.Sum256([]byte(root))
		return filepath.Join(s.dir, hex.EncodeToString(sum[:16])), nil
	}
	return "", fmt.Errorf("%q is not kept on the disk", source)
}

func realRoot(workspace string) (string, error) {
	root, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return "", fmt.Errorf("find the workspace: %w", err)
	}
	return root, nil
}

// Rules are the remembered yeses that hold in a workspace, as they are on the
// disk now. A line that cannot be read, or a whole file, is a rule with its
// Problem and counts for nothing. version is the same as before when nothing
// has changed.
func (s *Store) Rules(workspace string) (rules []rule.Rule, version string) {
	root, err := realRoot(workspace)
	if err != nil {
		return nil, "" // a folder that is gone has none
	}
	for _, source := range []rule.Source{rule.GrantUser, rule.GrantWorkspace} {
		path, _ := s.file(source, root) // which both have
		p := s.readFile(path, source, root)
		rules = append(rules, p.rules...)
		version += "." + strconv.Itoa(p.version)
	}
	return rules, version
}

// readFile takes a file's rules in. The text decides whether it is still the
// same, never a clock.
func (s *Store) readFile(path string, source rule.Source, root string) parsed {
	text, err := load(path)
	if err != nil {
		text = []byte("\x00" + err.Error())
	}
	key := fileKey{path, root}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, known := s.read[key]; known && bytes.Equal(before.text, text) {
		return before
	}
	s.reads++
	p := parsed{text: text, version: s.reads}
	if err != nil {
		p.rules = []rule.Rule{{Verdict: rule.Allow, Source: source, Where: path, Problem: err.Error()}}
	} else {
		p.rules = parse(text, path, source, root)
	}
	s.read[key] = p
	return p
}

// load reads a file that only the user can have written; no file is empty.
func load(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // of a pipe nobody waits for a writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read remembered yeses: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read remembered yeses: %w", err)
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("other users can write it; look at it, then run: chmod 600 %s", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("larger than %d bytes", maxFile)
	}
	return text, err
}

// parse reads a rule a line. What cannot be read disables its line alone; it
// keeps its verdict, so that an unreadable denial closes what it may have meant.
func parse(text []byte, path string, source rule.Source, root string) []rule.Rule {
	var rules []rule.Rule
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r := parseLine(line, root)
		r.Source, r.Where = source, fmt.Sprintf("%s:%d", path, n)
		rules = append(rules, r)
	}
	return rules
}

func parseLine(line, root string) rule.Rule {
	word, text := line, ""
	if i := strings.IndexAny(line, " \t"); i > 0 {
		word, text = line[:i], strings.TrimSpace(line[i:])
	}
	switch v := rule.Verdict(word); v {
	case rule.Allow, rule.Ask, rule.Deny:
		r, err := rule.Parse(v, text, root)
		if err != nil {
			return rule.Rule{Verdict: v, Text: text, Problem: err.Error()}
		}
		return r
	}
	return rule.Rule{Verdict: meant(line), Text: line, Problem: "a line begins with allow, ask or deny"}
}

// meant is the verdict that a line was to give: one that looks like anything but
// an allow forbids what nobody knows.
func meant(line string) rule.Verdict {
	if letters := strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }); len(letters) >= len("allow") &&
		strings.EqualFold(letters[:len("allow")], "allow") {
		return rule.Allow
	}
	return rule.Deny
}

// Add keeps yeses. Each must be read again as what it is, else nothing is
// kept: a rule that another than the reader wrote never matches, or too much.
// Those that are there already are not doubled.
func (s *Store) Add(source rule.Source, workspace string, rules []rule.Rule, now time.Time) error {
	root, err := realRoot(workspace)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if err := readsAgain(r, root); err != nil {
			return fmt.Errorf("remember %q: %w", r.Text, err)
		}
	}
	return s.change(source, root, func(lines []string) []string {
		for _, r := range rules {
			line := string(r.Verdict) + " " + r.Text
			if !slices.Contains(lines, line) {
				lines = append(lines, "# added "+now.Format("2006-01-02 15:04"), line)
			}
		}
		return lines
	})
}

// readsAgain is the test of a rule before it is kept.
func readsAgain(r rule.Rule, root string) error {
	switch {
	case r.Verdict != rule.Allow || r.Problem != "":
		return errors.New("not a yes")
	case strings.ContainsAny(r.Text, "\n\r\x00"):
		return errors.New("more than one line")
	}
	again := parseLine(string(r.Verdict)+" "+r.Text, root)
	if again.Problem != "" {
		return errors.New(again.Problem)
	}
	if again.Text != r.Text || again.Verdict != r.Verdict {
		return fmt.Errorf("it would be read as %q", again.Text)
	}
	return nil
}

// Forget removes a yes, and says whether it was there. Lines that cannot be read
// are removed by the text that Rules gives them.
func (s *Store) Forget(source rule.Source, workspace, text string) (forgotten bool, err error) {
	root, err := realRoot(workspace)
	if err != nil {
		return false, err
	}
	err = s.change(source, root, func(lines []string) []string {
		var kept []string
		for _, line := range lines {
			if !isComment(line) && parseLine(strings.TrimSpace(line), root).Text == text {
				forgotten = true
				kept = withoutNote(kept)
				continue
			}
			kept = append(kept, line)
		}
		return kept
	})
	return forgotten && err == nil, err
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// withoutNote drops the remark that was written above a line of ours.
func withoutNote(lines []string) []string {
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "# added ") {
		return lines[:n-1]
	}
	return lines
}

// change rewrites a file while no other bridge does. Lines that nobody meant
// stay as they are. A file that cannot be read is left alone.
func (s *Store) change(source rule.Source, root string, f func(lines []string) []string) error {
	path, err := s.file(source, root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("keep remembered yeses: %w", err)
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		return fmt.Errorf("keep remembered yeses: %w", err)
	}
	release, err := ownfile.Lock(filepath.Join(s.dir, ".lock"))
	if err != nil {
		return fmt.Errorf("keep remembered yeses: %w", err)
	}
	defer release()
	text, err := load(path)
	if err != nil {
		return fmt.Errorf("keep remembered yeses: %s: %w", path, err)
	}
	before := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(text) == 0 {
		before = heading(source, root)
	}
	after := f(slices.Clone(before))
	if slices.Equal(before, after) {
		return nil
	}
	if err := ownfile.Replace(path, []byte(strings.Join(after, "\n")+"\n")); err != nil {
		return fmt.Errorf("keep remembered yeses: %w", err)
	}
	return nil
}

func heading(source rule.Source, root string) []string {
	where := "in any workspace"
	if source == rule.GrantWorkspace {
		where = "in " + strings.Map(plain, root)
	}
	return []string{"# What you allowed " + where + ". A rule a line; a line that you take out is forgotten."}
}

// plain keeps a folder's name on one line.
func plain(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}
