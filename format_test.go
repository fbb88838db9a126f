package drawbridge_test

import (
	"bytes"
	"go/format"
	"os"
	"testing"
)

func TestFilesAreFormatted(t *testing.T) {
	for _, s := range goFiles() {
		text, err := os.ReadFile(s.path)
		if err != nil {
			continue // it went away since the tree was read
		}
		if want, err := format.Source(text); err == nil && !bytes.Equal(text, want) {
			t.Errorf("%s is not formatted; run: gofmt -w %s", s.path, s.path)
		}
	}
}
