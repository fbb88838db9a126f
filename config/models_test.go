package config

import "testing"

// What pictures may be fetched from is named without a scheme, a path or a
// wildcard, and a port is one.
func TestReachable(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1:8080": true, "wiki.example": true, "localhost:80": true, "a_b.c": true, "wiki.example.": true,
		"10.1.0.0/16": true, "fd00::/8": true, "::1": true, "[::1]": true, "[::1]:80": true, "fe80::1%eth0": true,
		"*.example": false, "x:0": false, "x:65536": false, "x:08": false, "10.0.0": false, "10.0.0.1/33": false,
		"x/y": false, "http://x": false, "a..b": false, "-a": false, "a b": false, "[fd00::]/8": false, ":80": false,
	} {
		if got := reachable(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
