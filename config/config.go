// Package config reads the user's settings, and those that a workspace brings
// together with whether the user trusts them; it knows where the program keeps
// its own files. It is strict: a file with one wrong word yields no settings
// at all, and the error says where and what was meant. It refuses to know what
// any setting does, and starts no goroutine.
package config

import (
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Config is what the user has set, with defaults where a setting has one.
// Empty text means that nothing was said.
type Config struct {
	// File is where the settings were read, "" when there is no file.
	File string
	// Content stands for what the file held when it was read; see Follow.
	Content string
	// Warnings are faults that do not make the settings unusable, a line each.
	Warnings []string
	// Set says where each setting stands that is written in the file
	// (file:line:column), by its path; the others have their defaults.
	Set map[string]string

	Model       string // "provider:name"
	Mode        string
	Preset      string
	Profile     string
	Providers   map[string]Provider
	Models      map[string]Model // by "provider:name"
	VisionModel string           // "provider:name"
	Images      Images
	Tools       Tools
	Retry       Retry
	Stall       time.Duration
	Commands    Commands
	Environment Environment
	Sandbox     Sandbox
	// SaveBeforeCommands has documents that the agent changed saved before a
	// command starts.
	SaveBeforeCommands bool
	Checkpoints        Checkpoints
	Storage            Storage
	Approval           Approval
	Diagnostics        Diagnostics
	Log                Log
}

// Provider is how a model service is reached. Key and KeyEnv exclude each
// other; with neither, the service's usual variables count.
type Provider struct {
	BaseURL string
	Key     Secret
	KeyEnv  string // the variable that holds the key
	Model   string // its model when none is named
}

// Retry bounds how often a failed model request is tried again. 0 is never.
type Retry struct{ Attempts int }

// Commands says how commands are run and shown.
type Commands struct {
	Terminal     string // "auto": in a terminal where the client shows them; "never"
	LoginShell   bool   // each command reads the login profile
	FullTerminal bool   // no pager, prompt or colour is tamed
	WakeOnExit   bool   // the end of a background command starts a turn
}

// Environment says what commands see of the environment beyond the rule.
type Environment struct {
	Probe   bool     // the login shell is asked once
	Allow   []string // names kept although the rule removes them
	Set     map[string]string
	Secrets []string // names that hold secrets although they do not look it
}

// Sandbox says what holds commands and what they may reach in it.
type Sandbox struct {
	Backend  string   // "auto", "bubblewrap", "landlock", "sandbox-exec", "none"
	Network  string   // "none", "loopback", "full"
	Writable []string // absolute folders, cleaned, which need not exist
	Pass     []string // names of variables
}

// Diagnostics is what the model is told of what the editor says of its edits.
type Diagnostics struct{ Wait time.Duration } // 0 asks for none

// Log says what is written to the log file.
type Log struct {
	Level string
	Trace bool // every message of the wire, redacted
}

// Secret is text that does not show when it is printed or logged by accident.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// GoString keeps %#v silent as well.
func (s Secret) GoString() string { return s.String() }

// LogValue keeps structured logs silent as well.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps encoders silent as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Default is what holds without a file.
func Default() Config {
	return Config{
		Profile:   "default",
		Providers: map[string]Provider{},
		Retry:     Retry{Attempts: 5},
		Stall:     90 * time.Second,
		Commands:  Commands{Terminal: "auto", WakeOnExit: true},
		Sandbox:   Sandbox{Backend: "auto", Network: "none"},
		Log:       Log{Level: "info"},

		Environment:        Environment{Probe: true},
		SaveBeforeCommands: true,
		Checkpoints:        Checkpoints{Enabled: true, MaxBytes: 1 << 30},
		Storage:            defaultStorage(),
		Approval:           Approval{Remind: time.Minute, Denials: Denials{Enabled: true}},
		Diagnostics:        Diagnostics{Wait: time.Second},
	}
}

// maxFile bounds the settings file; a larger one is not a settings file.
const maxFile = 1 << 20

// FileOf is where the user's settings are.
func FileOf(d Dirs) string { return filepath.Join(d.Config, "config.yaml") }

// Check finds what else is wrong with settings than their words: what they mean is
// not known here. It is called for a file that has faults, too, so that all are told
// at once; c then lacks what could not be read, of which a check says nothing.
type Check func(c *Config) error

// Load reads the user's settings. No file is no error. Any fault in the file
// is one, and then nothing of it counts: the caller must not start a session
// on settings that the user did not write.
func Load(d Dirs, checks ...Check) (Config, error) { return lookAt(FileOf(d)).load(d, checks) }

// Inspect is all that is wrong with a file, as settings of the user with these
// folders: faults, and what does not keep it from counting, a line each, to which
// doubts adds. No file is an error that is fs.ErrNotExist.
func Inspect(d Dirs, path string, doubts func(c *Config) []string, checks ...Check) (warnings []string, faults error) {
	file := lookAt(path)
	if file.err != nil {
		return nil, fmt.Errorf("read settings: %w", file.err)
	}
	c, faults := file.fill(d, checks)
	return append(c.Warnings, doubts(&c)...), faults
}

// Parse reads settings from text, for a user without folders; path names them
// in errors.
func Parse(path string, text []byte) (Config, error) { return parse(Dirs{}, path, text) }

func parse(d Dirs, path string, text []byte) (Config, error) {
	c, err := fill(d, path, text, nil)
	if err != nil {
		return Config{}, err
	}
	return c, nil
}

// fill reads what it can. With an error c is half-filled: it must not count.
func fill(d Dirs, path string, text []byte, checks []Check) (c Config, err error) {
	c = Default()
	c.File = path
	errs := []error{decode(&c, settings(d), path, text)}
	for _, check := range checks {
		errs = append(errs, check(&c))
	}
	c.Warnings = problems(c.Approval.Rules)
	return c, inOrder(errs...)
}

// noteSet remembers where a setting stands.
func (c *Config) noteSet(path, where string) {
	if c.Set == nil {
		c.Set = map[string]string{}
	}
	c.Set[path] = where
}

// readSettings reads a file; written says that it is open somewhere to be written.
func readSettings(path string) (text []byte, mode fs.FileMode, written bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, false, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, false, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: larger than %d bytes", path, maxFile)
	}
	return text, info.Mode(), beingWritten(f), err
}

// exposed warns of a key that other users of the machine can read.
func (c *Config) exposed(mode fs.FileMode) []string {
	if mode.Perm()&0o077 == 0 {
		return nil
	}
	for _, p := range c.Providers {
		if p.Key != "" {
			return []string{c.File + " holds a key and can be read by other users; run: chmod 600 " + c.File}
		}
	}
	return nil
}
