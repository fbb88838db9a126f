package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"drawbridge/internal/fetch"
)

// TestMain names a proxy before anybody can look for one.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		if err := os.Setenv(name, "http://127.0.0.1:9"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func client(t *testing.T, o fetch.Options) *fetch.Client {
	t.Helper()
	c, err := fetch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// means is a resolver to which every name means these addresses.
func means(addrs ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) ([]netip.Addr, error) {
		var list []netip.Addr
		for _, a := range addrs {
			list = append(list, netip.MustParseAddr(a))
		}
		return list, nil
	}
}

// refusal wants an address refused, with these words.
func refusal(t *testing.T, c *fetch.Client, address string, words ...string) {
	t.Helper()
	_, err := c.Get(t.Context(), address, "*/*", 100)
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.Refused {
		t.Errorf("%s: %v", address, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(e.Text, w) {
			t.Errorf("%s: %q does not say %q", address, e.Text, w)
		}
	}
}

// serve starts a server on this machine, with its address as HOST:PORT.
func serve(t *testing.T, h http.HandlerFunc) (*httptest.Server, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, strings.TrimPrefix(s.URL, "http://")
}

func TestOnlyTheOpenNetworkIsAsked(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.255.0.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.192", "192.0.2.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "192.88.99.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
		"255.255.255.255", "168.63.129.16",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fec0::1",
		"fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2001::1",
		"2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1", "100::1", "4000::1", "5f00::1",
	} {
		refusal(t, client(t, fetch.Options{Lookup: means(a)}), "http://pictures.example/a.png", "not an address of the open network")
		host := a
		if strings.Contains(a, ":") {
			host = "[" + a + "]"
		}
		refusal(t, client(t, fetch.Options{}), "http://"+host+"/a.png")
	}
}

// Of several addresses one that is refused is enough.
func TestOneClosedAddressClosesAName(t *testing.T) {
	refusal(t, client(t, fetch.Options{Lookup: means("93.184.215.14", "127.0.0.1")}), "https://pictures.example/")
}

func TestWaysToWriteAnAddressAreNoWayRound(t *testing.T) {
	c := client(t, fetch.Options{})
	for _, host := range []string{
		"127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.1.", "1.2.3", "127.0.0.0x1",
		"[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "localhost", "LOCALHOST", "localhost.", "[fe80::1%25eth0]",
		"１２７.0.0.1", "①.1.1.1", "ﬁle.example", "exa%6dple.com%2f", "[::1]:80", "user@127.0.0.1", "a:b@example.com",
	} {
		refusal(t, c, "http://"+host+"/x")
	}
	for _, address := range []string{
		"ftp://example.com/a", "file:///etc/passwd", "gopher://example.com/", "//example.com/a", "example.com/a.png", "http:///a",
		"http:example.com", "https://", "javascript:1", "http://exa mple.com/", "http://example.com/\nHost: x", "data:image/png;base64,AA",
		"https://example.com/" + strings.Repeat("a", 2000),
	} {
		refusal(t, c, address)
	}
}

// A name that means something else when it is asked for again gets nobody in: the
// address that is connected to is the one that was looked at.
func TestANameThatChangesItsMeaningLeadsNowhere(t *testing.T) {
	var hits atomic.Int32
	_, at := serve(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, _ := net.SplitHostPort(at)
	var asked atomic.Int32
	c := client(t, fetch.Options{Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return means("192.0.2.1")(ctx, host)
		}
		return means("127.0.0.1")(ctx, host)
	}})
	for range 3 {
		refusal(t, c, "http://rebind.example:"+port+"/")
	}
	if hits.Load() > 0 {
		t.Errorf("%d requests reached this machine", hits.Load())
	}
}

func TestExceptionsAreHostsPortsAndNetworks(t *testing.T) {
	s, at := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") })
	_, port, _ := net.SplitHostPort(at)
	for _, c := range []struct {
		allow, address string
		passes         bool
	}{
		{"127.0.0.1", s.URL, true},
		{"127.0.0.1:" + port, s.URL, true},
		{"127.0.0.1:1", s.URL, false},
		{"127.0.0.0/8", s.URL, true},
		{"127.0.0.0/8", "http://pictures.example:" + port, true},
		{"10.0.0.0/8", s.URL, false},
		{"Pictures.Example", "http://pictures.example:" + port, true},
		{"pictures.example:" + port, "http://PICTURES.example.:" + port, true},
		{"example", "http://pictures.example:" + port, false},
		{"127.0.0.1", "http://pictures.example:" + port, false},
	} {
		got, err := client(t, fetch.Options{Allow: []string{c.allow}, Lookup: means("127.0.0.1")}).Get(t.Context(), c.address, "*/*", 100)
		if passes := err == nil && string(got.Body) == "ok"; passes != c.passes {
			t.Errorf("with %s, %s: %q, %v", c.allow, c.address, got.Body, err)
		}
	}
	for _, bad := range []string{"", "10.0.0.0/99", "a:b", "host:0", "host:99999", "*.example.com", "http://host", "a b"} {
		if fetch.CheckAllow(bad) == nil {
			t.Errorf("%q is taken for an exception", bad)
		}
	}
}

func TestRedirectsStayOnTheirHost(t *testing.T) {
	_, elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("another host was asked") })
	var s *httptest.Server
	s, at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if ref := r.Header.Get("Referer") + r.Header.Get("Cookie") + r.Header.Get("Authorization"); ref != "" {
			t.Errorf("told %q", ref)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		to := map[string]string{
			"/1": "/2", "/2": s.URL + "/end", "/away": "http://" + elsewhere + "/secret", "/round": "/round",
			"/file": "file:///etc/passwd", "/user": "http://a:b@127.0.0.1/", "/name": "http://localhost:" + portOf(s.URL) + "/end",
		}[r.URL.Path]
		if to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		fmt.Fprint(w, "end")
	})
	c := client(t, fetch.Options{Allow: []string{"127.0.0.1", "localhost"}})
	if got, err := c.Get(t.Context(), s.URL+"/1", "*/*", 10); err != nil || string(got.Body) != "end" {
		t.Errorf("%q, %v", got.Body, err)
	}
	refusal(t, c, "http://"+at+"/away", "another host", "http://"+elsewhere+"/secret")
	refusal(t, c, "http://"+at+"/name", "another host")
	refusal(t, c, "http://"+at+"/round", "more than 5 redirects")
	refusal(t, c, "http://"+at+"/file")
	refusal(t, c, "http://"+at+"/user")
}

func portOf(address string) string {
	u, _ := url.Parse(address)
	return u.Port()
}

func TestACertificateThatNobodyKnowsIsNone(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := client(t, fetch.Options{Allow: []string{"127.0.0.1"}}).Get(t.Context(), s.URL, "*/*", 10)
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.Broken || !strings.Contains(e.Text, "certificate") {
		t.Errorf("%v", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "Image/PNG; q=1")
		switch r.URL.Path {
		case "/said":
			w.Header().Set("Content-Length", "1000000000000")
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1000)); err != nil {
					return
				}
			}
		case "/short":
			w.Header().Set("Content-Length", "50")
			_, _ = w.Write(make([]byte, 10))
		case "/404", "/":
			w.WriteHeader(http.StatusNotFound)
		default:
			fmt.Fprint(w, strings.Repeat("x", 100))
		}
	})
	c := client(t, fetch.Options{Allow: []string{"127.0.0.1"}})
	if got, err := c.Get(t.Context(), s.URL+"/ok", "*/*", 100); err != nil || len(got.Body) != 100 || got.Type != "image/png" {
		t.Errorf("%v, %v", got, err)
	}
	for path, kind := range map[string]fetch.Kind{
		"/said": fetch.TooLarge, "/endless": fetch.TooLarge, "/more": fetch.TooLarge, "/short": fetch.Broken, "/404": fetch.Status,
	} {
		limit := int64(100)
		if path == "/more" {
			limit = 99
		}
		_, err := c.Get(t.Context(), s.URL+path, "*/*", limit)
		if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != kind {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAnEndIsAnEnd(t *testing.T) {
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := client(t, fetch.Options{Allow: []string{"127.0.0.1"}})
	cause := errors.New("enough")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer stop()
	if _, err := c.Get(ctx, s.URL, "*/*", 100); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

// What the environment says of proxies does not count: behind one nobody here
// sees what is connected to.
func TestNoProxyIsTaken(t *testing.T) {
	refusal(t, client(t, fetch.Options{Allow: []string{"127.0.0.1"}, Lookup: means("10.0.0.1")}), "http://pictures.example/", "10.0.0.1")
	s, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.UserAgent()) })
	got, err := client(t, fetch.Options{Allow: []string{"127.0.0.1"}, UserAgent: "Drawbridge/1"}).Get(t.Context(), s.URL, "*/*", 100)
	if err != nil || string(got.Body) != "Drawbridge/1" {
		t.Errorf("%q, %v", got.Body, err)
	}
}

func TestAnAddressIsShownAsItIsAskedFor(t *testing.T) {
	for address, want := range map[string]string{
		"HTTPS://Example.COM/Ä?q=\u202eä b#part": "https://example.com/%C3%84?q=%E2%80%AE%C3%A4%20b",
		"http://example.com":                     "http://example.com",
		"http://[2606:4700::1111]:8080/a":        "http://[2606:4700::1111]:8080/a",
	} {
		u, err := fetch.Check(address)
		if err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", address, u, err)
		}
	}
}

// What an address itself tells is known without asking anybody; exceptions count.
func TestWhatAnAddressTellsIsRefusedUnasked(t *testing.T) {
	c, err := fetch.New(fetch.Options{
		Allow:  []string{"127.0.0.1:8080", "10.1.0.0/16", "dev.localhost"},
		Lookup: func(context.Context, string) ([]netip.Addr, error) { t.Error("a name is looked up"); return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, refused := range map[string]bool{
		"http://127.0.0.1/": true, "http://127.0.0.1:8080/": false, "http://localhost/": true, "http://LOCALHOST./": true,
		"http://dev.localhost/": false, "http://10.1.2.3/": false, "http://10.2.0.1/": true, "http://[::1]/": true,
		"http://[::ffff:10.2.0.1]/": true, "http://169.254.169.254/latest": true, "http://192.0.2.1/": true,
		"http://93.184.216.34/": false, "https://a.example/": false, "https://intern/": false,
	} {
		u, err := fetch.Check(address)
		if err != nil {
			t.Fatal(err)
		}
		err = c.Refuse(u)
		if e, ok := errors.AsType[*fetch.Error](err); (err != nil) != refused || refused && (!ok || e.Kind != fetch.Refused) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
