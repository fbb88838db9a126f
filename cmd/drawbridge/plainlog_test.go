package main

import (
	"strings"
	"testing"
)

func TestALogIsShownPlainly(t *testing.T) {
	var out strings.Builder
	p := &plainLog{to: &out}
	for _, piece := range []string{
		"time=2026-01-01T00:00:00Z level=WARN msg=\"a \\\"rule\\\" does not count\" where=x:1\npanic: ", "oh\n",
		"time=2026-01-01T00:00:00Z level=WARN msg=short\ntime=2026 level",
	} {
		if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if want := "drawbridge: a \"rule\" does not count where=x:1\npanic: oh\ndrawbridge: short\n"; out.String() != want {
		t.Errorf("shown is %q, want %q", out.String(), want)
	}
}
