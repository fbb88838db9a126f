package fetch

import (
	"net/netip"
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

// What stands for an address is judged as that address.
func TestTheOpenNetworkIsOpen(t *testing.T) {
	for _, a := range []string{"8.8.8.8", "100.128.0.1", "172.32.0.1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111", "2001:4860:4860::8888"} {
		if why := closed(netip.MustParseAddr(a)); why != "" {
			t.Errorf("%s is closed: %s", a, why)
		}
	}
}
