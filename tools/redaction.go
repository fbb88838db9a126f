package tools

import (
	"unicode/utf8"

	"drawbridge/shell"
)

// heldBack is how many bytes of text wait for what follows them, so that no
// secret up to this length is passed on in parts.
const heldBack = 8 << 10

// redaction takes secrets out of a text that comes in pieces. The zero value
// knows none.
type redaction struct {
	redact func(string) string
	held   string // without secrets, but it may end within one
}

// pass returns what is certain.
func (r *redaction) pass(text string) string {
	if r.redact == nil {
		return text
	}
	if text == "" {
		return ""
	}
	text = r.redact(r.held + text)
	at := max(0, len(text)-heldBack)
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	r.held = text[at:]
	return text[:at]
}

// rest ends the text, or what of it is held back.
func (r *redaction) rest() string {
	rest := r.held
	r.held = ""
	return rest
}

// redactBehind returns text without its secrets, and without what comes of its
// first heldBack bytes, which may begin within one.
func redactBehind(redact func(string) string, text string) string {
	at := min(heldBack, len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	if redact == nil {
		return text[at:]
	}
	whole, before := redact(text), redact(text[:at])
	same := commonPrefix(whole, before)
	for same > 0 && same < len(whole) && !utf8.RuneStart(whole[same]) {
		same--
	}
	return whole[same:]
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// redactCut returns seen without its secrets. beyond is what follows it and is
// not shown: of a secret that begins in seen and ends there, no part stays.
func redactCut(redact func(string) string, seen, beyond string) string {
	if redact == nil {
		return seen
	}
	alone := redact(seen)
	if beyond == "" {
		return alone
	}
	whole := redact(seen + beyond)
	same := commonPrefix(alone, whole)
	if same == len(alone) {
		return alone
	}
	for same > 0 && !utf8.RuneStart(alone[same]) {
		same--
	}
	return alone[:same] + shell.Redacted
}
