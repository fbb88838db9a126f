package fetch

import (
	"net/url"
	"testing"
)

func TestARedirectIsNoLessSecret(t *testing.T) {
	for _, c := range []struct {
		from, to string
		passes   bool
	}{
		{"https://example.com/a", "/b", true},
		{"https://example.com/a", "https://EXAMPLE.com:443/b", true},
		{"http://example.com/a", "https://example.com/a", true},
		{"https://example.com/a", "http://example.com/a", false},
		{"https://example.com/a", "http://example.com:443/a", false},
		{"https://example.com/a", "https://example.com:8443/a", false},
		{"http://example.com:8080/a", "https://example.com/a", false},
		{"https://example.com/a", "//www.example.com/a", false},
		{"https://example.com/a", "https://example.com.evil.example/a", false},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		if to, err := follow(from, c.to); (err == nil) != c.passes {
			t.Errorf("%s to %s: %v, %v", c.from, c.to, to, err)
		}
	}
}
