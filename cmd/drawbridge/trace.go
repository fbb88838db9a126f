package main

import (
	"bytes"
	"strings"

	"drawbridge/internal/redact"
)

const (
	// maxTraced bounds how much of a frame is written.
	maxTraced = 64 << 10
	// maxSecret is how long a secret across that bound may be.
	maxSecret = 4 << 10
)

// tracer writes frames to the log, without the secrets that we know: keys of
// the settings, of the environment, and those an editor hands over.
func (s *setup) tracer() func(dir string, frame []byte) {
	r := redact.New(redact.Options{Secrets: s.suspects()})
	return func(dir string, frame []byte) {
		s.log.Info("wire", "dir", dir, "bytes", len(frame), "frame", traced(frame, r))
	}
}

// traced is the frame as it is written. What is said stays readable: names and
// paths are part of it.
func traced(frame []byte, r *redact.Redactor) string {
	switch {
	case bytes.Contains(frame, []byte(`"model/key"`)):
		return `(model/key)`
	case len(frame) <= maxTraced:
		return r.Keys(string(frame))
	}
	text := r.Keys(string(frame[:min(len(frame), maxTraced+maxSecret)]))
	return strings.ToValidUTF8(text[:min(len(text), maxTraced)], "") + "…"
}
