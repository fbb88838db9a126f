package mirror

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A locator agrees with the editable text at every offset where both have one.
func TestLocatorAgreesWithText(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		s := randomText(rng) + randomText(rng) + "é\r\n😀x\ry\n" + randomText(rng)
		for _, enc := range []Encoding{UTF8, UTF16, UTF32} {
			text, l := NewText(s), NewLocator(s, enc)
			for i := 0; i <= len(s); i += 1 + rng.IntN(5) {
				if text.splits(i) || text.splitsCRLF(i) {
					continue
				}
				if got, want := l.Position(i), text.Position(i, enc); got != want {
					t.Fatalf("byte %d of %q: %v, want %v", i, s, got, want)
				}
			}
		}
	}
}

func BenchmarkLocator5MB(b *testing.B) {
	s := strings.Repeat("func example(a, b int) int { return a + b }\n", 5<<20/44)
	for b.Loop() {
		l := NewLocator(s, UTF16)
		l.Position(len(s) / 2)
		l.Position(len(s))
	}
}
