package wire

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"drawbridge/model"
)

const redacted = "[redacted]"

// keyShape matches what vendors' keys look like, for messages that quote
// another key than ours (a gateway's, a masked one).
var keyShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(sk|pk|key|xai|gsk)-[A-Za-z0-9_*-]{8,}`)
})

// Redact takes keys out of an error: services like to quote the key that they
// refuse, and errors end in logs. The cause is dropped if its text had one.
func Redact(err error, secret string) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	clean := *e
	clean.Message = redact(e.Message, secret)
	clean.Hint = redact(e.Hint, secret)
	if e.Err != nil && redact(e.Err.Error(), secret) != e.Err.Error() {
		clean.Err = nil
	}
	return &clean
}

func redact(text, secret string) string {
	if len(secret) >= 4 {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return keyShape().ReplaceAllString(text, redacted)
}
