package main

import (
	"bytes"
	"os"
	"strings"

	"drawbridge/model/providers"
)

// maxTraced bounds how much of a frame is written.
const maxTraced = 64 << 10

// tracer writes frames to the log, without the secrets that we know: keys of
// the settings, of the environment, and those an editor hands over.
func (s *setup) tracer() func(dir string, frame []byte) {
	known := s.secrets()
	return func(dir string, frame []byte) {
		s.log.Info("wire", "dir", dir, "bytes", len(frame), "frame", redact(frame, known))
	}
}

func (s *setup) secrets() []string {
	var known []string
	for _, name := range providers.Names() {
		known = append(known, s.keys.Get(name))
	}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if secretName(name) || s.holdsKey(name) {
			known = append(known, value)
		}
	}
	return known
}

func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// minSecret keeps short values, which occur by chance, from blanking a trace.
const minSecret = 8

func redact(frame []byte, secrets []string) string {
	if bytes.Contains(frame, []byte(`"model/key"`)) {
		return `(model/key)`
	}
	cut := ""
	if len(frame) > maxTraced {
		frame, cut = frame[:maxTraced], "…"
	}
	text := string(frame)
	for _, s := range secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, "(secret)")
		}
	}
	return text + cut
}
