package main

import (
	"os"
	"path/filepath"
	"strings"

	"drawbridge/internal/redact"
	"drawbridge/model/providers"
	"drawbridge/shell"
)

// secrets are the values that must not be written down: keys of the settings
// and of the environment, and the passwords in addresses of proxies.
func (s *setup) secrets() []string {
	var known []string
	for _, name := range providers.Names() {
		known = append(known, s.keys.Get(name))
	}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if redact.SecretName(name) {
			known = append(known, value)
		}
	}
	known = append(known, shell.SecretValues(os.Environ(), s.rule())...)
	for name, value := range s.cfg.Environment.Set {
		if redact.SecretName(name) {
			known = append(known, value)
		}
	}
	return known
}

// redactor is for text that the user may show to others.
func (s *setup) redactor() *redact.Redactor {
	home := os.Getenv("HOME")
	return redact.New(redact.Options{
		Secrets: s.secrets(), Home: home,
		Users: []string{os.Getenv("USER"), os.Getenv("LOGNAME"), filepath.Base(home)},
	})
}
