package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// exception is one entry of Options.Allow: a network, or a host with its port.
type exception struct {
	network netip.Prefix
	host    string
	port    string // "" is any
}

// readException reads an entry as a person wrote it.
func readException(entry string) (exception, error) {
	if strings.Contains(entry, "/") {
		network, err := netip.ParsePrefix(entry)
		if err != nil {
			return exception{}, fmt.Errorf("%q is neither a host, nor HOST:PORT, nor a network such as 10.0.0.0/8", entry)
		}
		return exception{network: network.Masked()}, nil
	}
	host, port := entry, ""
	if h, p, err := net.SplitHostPort(entry); err == nil {
		host, port = h, p
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return exception{}, fmt.Errorf("%q: the port is no number from 1 to 65535", entry)
		}
	}
	host = plain(strings.Trim(host, "[]"))
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.String()
	} else if host == "" || strings.ContainsAny(host, ":@ \t*?") {
		return exception{}, fmt.Errorf("%q is neither a host, nor HOST:PORT, nor a network such as 10.0.0.0/8", entry)
	}
	return exception{host: host, port: port}, nil
}

// CheckAllow says what is wrong with an entry of Options.Allow, nil if nothing.
func CheckAllow(entry string) error {
	_, err := readException(entry)
	return err
}

// named says that a host is an exception whatever address it has.
func (c *Client) named(host, port string) bool {
	host = plain(host)
	for _, e := range c.allow {
		if e.host != "" && e.host == host && (e.port == "" || e.port == port) {
			return true
		}
	}
	return false
}

// allowed says that an address is an exception by its network.
func (c *Client) allowed(a netip.Addr) bool {
	a = a.Unmap()
	for _, e := range c.allow {
		if e.network.IsValid() && e.network.Contains(a) {
			return true
		}
	}
	return false
}

// plain is a host in the one way in which hosts are compared.
func plain(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
