// Package fetch reads what lies at an address that a model named. Since whoever
// writes what a model reads may choose that address, it reaches the open network
// alone: not this machine, not the networks that it is in, and not the services
// that clouds have for their machines. What counts is the address that is
// connected to, looked at in the moment of connecting, whatever a name was said
// to mean before. It takes no proxy, not even the user's: behind one nobody here
// sees what is connected to. It sends no cookies, no credentials and no word of
// where it comes from.
//
// A Client is safe for concurrent use and starts no goroutine that outlives a
// call.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	// maxRedirects is how often a server may point elsewhere on itself.
	maxRedirects = 5
	// maxAddress bounds an address in bytes: a person has to read it.
	maxAddress = 2000

	connectLimit = 10 * time.Second
	headerLimit  = 30 * time.Second
	maxHeaders   = 64 << 10
)

// Options of a Client. The zero Options reach the open network alone.
type Options struct {
	// Allow are exceptions: a host, HOST:PORT, or a network such as 10.0.0.0/8. A
	// host that is named is one whatever address it has.
	Allow []string
	// UserAgent is who is said to ask.
	UserAgent string
	// Lookup finds the addresses of a host; nil asks the system.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Client reads addresses.
type Client struct {
	allow  []exception
	agent  string
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	http   *http.Client
}

// New makes a client. Its error is about Options.Allow.
func New(o Options) (*Client, error) {
	c := &Client{agent: o.UserAgent, lookup: o.Lookup}
	if c.lookup == nil {
		c.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	for _, entry := range o.Allow {
		e, err := readException(entry)
		if err != nil {
			return nil, err
		}
		c.allow = append(c.allow, e)
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy: nil, DialContext: c.dial, DisableKeepAlives: true, DisableCompression: true, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: connectLimit, ResponseHeaderTimeout: headerLimit, MaxResponseHeaderBytes: maxHeaders,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Kind sorts errors by what they are about.
type Kind int

const (
	Refused  Kind = iota // the address may not be asked, or leads to one that may not
	Status               // the server answered with another status than 200
	TooLarge             // there are more bytes than were wanted
	Broken               // no connection, or it broke
)

// Error says why nothing was read. Its Text is one line for a model and a person.
type Error struct {
	Kind   Kind
	Status int // HTTP status, 0 if none
	Text   string
}

func (e *Error) Error() string { return e.Text }

func refused(format string, args ...any) error {
	return &Error{Kind: Refused, Text: fmt.Sprintf(format, args...)}
}

// Answer is what a server gave.
type Answer struct {
	Type string // as the server calls it, without parameters; "" if it does not
	Body []byte
}

// Check returns an address in the one way of writing in which it is shown and
// asked for, or an *Error that says what is wrong with it. It asks nobody: what
// a host's name means is looked at by Get.
func Check(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, refused("the address is longer than %d bytes", maxAddress)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, refused("it is no address: %v", errors.Unwrap(err))
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.Fragment, u.RawFragment, u.RawQuery = "", "", plainQuery(u.RawQuery)
	switch host := u.Hostname(); {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refused("only http and https addresses are read, not %q", u.Scheme)
	case host == "" || u.Opaque != "":
		return nil, refused("the address names no host")
	case u.User != nil:
		return nil, refused("an address with a name or a password is not asked for")
	default:
		return u, checkHost(host)
	}
}

// plainQuery writes what is not ASCII in a query as it is sent, so that no sign in
// it changes how the address looks.
func plainQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// checkHost refuses hosts that programs read in different ways.
func checkHost(host string) error {
	if strings.IndexFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`%\`, r) }) >= 0 {
		return refused("the host %q is not written in plain letters; write a name with others as xn--…", host)
	}
	if _, err := netip.ParseAddr(host); err == nil || strings.Contains(host, ":") {
		return nil
	}
	name := strings.TrimSuffix(host, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return refused("the host %q is no name, and no address as it is usually written", host)
	}
	return nil
}

// Get reads what lies at an address, at most limit bytes. It follows redirects
// within one host; one to another is an *Error that names the new address. Every
// error but the end of ctx is an *Error.
func (c *Client) Get(ctx context.Context, address, accept string, limit int64) (Answer, error) {
	u, err := Check(address)
	for redirects := 0; err == nil; redirects++ {
		var resp *http.Response
		if resp, err = c.ask(ctx, u, accept); err != nil {
			break
		}
		if next := resp.Header.Get("Location"); isRedirect(resp.StatusCode) && next != "" {
			resp.Body.Close()
			if redirects == maxRedirects {
				return Answer{}, refused("more than %d redirects", maxRedirects)
			}
			u, err = follow(u, next)
			continue
		}
		defer resp.Body.Close()
		return read(ctx, resp, limit)
	}
	return Answer{}, err
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (c *Client) ask(ctx context.Context, u *url.URL, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, refused("it is no address: %v", err)
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, broken(ctx, err)
	}
	return resp, nil
}

// broken is what a connection failed with. What refused it says so itself.
func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // the address is told by whoever asked
	}
	return &Error{Kind: Broken, Text: "download error: " + err.Error()}
}

// follow is where a server points to, if that is on itself and no less secret.
func follow(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, refused("it redirects to what is no address")
	}
	if to, err = Check(to.String()); err != nil {
		return nil, refused("it redirects to an address that is not asked for: %v", err)
	}
	switch {
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, refused("it redirects from https to http: %s", to)
	case plain(from.Hostname()) != plain(to.Hostname()) || portOf(from) != portOf(to) && !upgrade(from, to):
		return nil, refused("it redirects to another host: %s", to)
	}
	return to, nil
}

// upgrade says that a server sends to its own https.
func upgrade(from, to *url.URL) bool {
	return from.Scheme == "http" && portOf(from) == "80" && to.Scheme == "https" && portOf(to) == "443"
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func read(ctx context.Context, resp *http.Response, limit int64) (Answer, error) {
	if resp.StatusCode != http.StatusOK {
		return Answer{}, &Error{Kind: Status, Status: resp.StatusCode, Text: "HTTP " + status(resp.StatusCode)}
	}
	tooLarge := &Error{Kind: TooLarge, Text: fmt.Sprintf("it is larger than %d bytes", limit)}
	if resp.ContentLength > limit {
		return Answer{}, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return Answer{}, broken(ctx, err)
	case int64(len(body)) > limit:
		return Answer{}, tooLarge
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return Answer{Type: strings.ToLower(strings.TrimSpace(kind)), Body: body}, nil
}

// status is a number with its word, never with a server's own words.
func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// dial connects to a host, to none of its addresses if one of them is refused. An
// address is looked at once more when its connection is made.
func (c *Client) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	addrs, err := c.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := c.refuseAny(host, port, addrs); err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: connectLimit, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", address, err)
		}
		return c.refuseAny(host, port, []netip.Addr{at.Addr()})
	}}
	return connect(ctx, &d, network, port, addrs)
}

// refuseAny is why a host with these addresses is not asked; nil that it may be.
func (c *Client) refuseAny(host, port string, addrs []netip.Addr) error {
	if c.named(host, port) {
		return nil
	}
	for _, a := range addrs {
		if c.allowed(a) {
			continue
		}
		if err := refuse(host, a); err != nil {
			return err
		}
	}
	return nil
}

// Refuse is why Get would not ask for an address that Check returned, as far as the
// address itself tells, so that nobody has to be asked about it. Of a name it is nil:
// what that means is looked at by Get alone.
func (c *Client) Refuse(u *url.URL) error {
	return c.refuseAny(u.Hostname(), portOf(u), certain(u.Hostname()))
}

// certain are the addresses of a host that nobody needs to be asked for.
func certain(host string) []netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}
	}
	if name := plain(host); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	return nil
}

func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if addrs := certain(host); addrs != nil {
		return addrs, nil
	}
	addrs, err := c.lookup(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = errors.New("it has no address")
	}
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	return addrs, nil
}

// connect takes the first address that answers.
func connect(ctx context.Context, d *net.Dialer, network, port string, addrs []netip.Addr) (conn net.Conn, err error) {
	for _, a := range addrs {
		if conn, err = d.DialContext(ctx, network, net.JoinHostPort(a.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
