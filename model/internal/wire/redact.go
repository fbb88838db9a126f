package wire

import (
	"errors"
	"strings"

	"drawbridge/internal/redact"
	"drawbridge/model"
)

// Redact takes keys out of an error: services like to quote the key that they
// refuse, and errors end in logs. The cause is dropped if its text had one.
func Redact(err error, secret string) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	clean := *e
	clean.Message = without(e.Message, secret)
	clean.Hint = without(e.Hint, secret)
	if e.Err != nil && without(e.Err.Error(), secret) != e.Err.Error() {
		clean.Err = nil
	}
	return &clean
}

// without also takes out keys that are not ours: a gateway's, a masked one.
func without(text, secret string) string {
	if len(secret) >= 4 {
		text = strings.ReplaceAll(text, secret, redact.Mark)
	}
	return redact.Shapes(text)
}
