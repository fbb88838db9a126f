package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"drawbridge/internal/redact"
	"drawbridge/model/providers"
	"drawbridge/shell"
)

// secrets are the values that nobody is shown: keys that we were given, values
// of the environment whose names say so, and passwords in addresses.
func (s *setup) secrets() []string {
	var known []string
	for _, name := range providers.Names() {
		if key := s.keys.Get(name); shell.Recognizable(key) {
			known = append(known, key)
		}
	}
	o := s.rule()
	known = append(known, shell.SecretValues(os.Environ(), o)...)
	return append(known, shell.SecretValues(o.Set, o)...)
}

// learn keeps values from being shown from now on, as they are and as they
// stand in JSON.
func (s *setup) learn(values ...string) {
	var unknown []string
	for _, v := range values {
		if s.known.Text(v) == shell.Redacted {
			continue
		}
		unknown = append(unknown, v)
		if quoted, err := json.Marshal(v); err == nil && len(quoted) != len(v)+2 {
			unknown = append(unknown, string(quoted[1:len(quoted)-1]))
		}
	}
	if len(unknown) > 0 {
		s.known.Add(unknown...)
	}
}

// discreet is a log without the secrets that are known when a record is
// written. Handlers write each record at once.
type discreet struct {
	to    io.Writer
	known *shell.Secrets
}

func (d discreet) Write(p []byte) (int, error) {
	if _, err := io.WriteString(d.to, d.known.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// suspects are the secrets, and values whose names only sound like it: text
// that goes to others holds rather too little.
func (s *setup) suspects() []string {
	known := s.secrets()
	for _, kv := range append(os.Environ(), s.rule().Set...) {
		if name, value, _ := strings.Cut(kv, "="); redact.SecretName(name) {
			known = append(known, value)
		}
	}
	return known
}

// redactor is for text that the user may show to others.
func (s *setup) redactor() *redact.Redactor {
	home := os.Getenv("HOME")
	return redact.New(redact.Options{
		Secrets: s.suspects(), Home: home,
		Users: []string{os.Getenv("USER"), os.Getenv("LOGNAME"), filepath.Base(home)},
	})
}
