package fetch

import (
	"fmt"
	"net/netip"
)

// kept are the networks that are nobody's business to be asked for by a model,
// besides those that netip knows by name. What a network is said to be is for
// people.
var kept = []struct {
	network netip.Prefix
	what    string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared by a provider with its customers"},
	{netip.MustParsePrefix("168.63.129.16/32"), "a cloud's service for its machines"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "for examples"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a relay to another network"},
	{netip.MustParsePrefix("198.18.0.0/15"), "for measurements"},
	{netip.MustParsePrefix("198.51.100.0/24"), "for examples"},
	{netip.MustParsePrefix("203.0.113.0/24"), "for examples"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("2001::/23"), "reserved, or a tunnel to another network"},
	{netip.MustParsePrefix("2001:db8::/32"), "for examples"},
	{netip.MustParsePrefix("2002::/16"), "a tunnel to another network"},
	{netip.MustParsePrefix("3fff::/20"), "for examples"},
}

var (
	// global is all of IPv6 that may be somebody's in the open network.
	global = netip.MustParsePrefix("2000::/3")
	// translated addresses stand for the IPv4 address in their last four bytes: in
	// a network without IPv4 that is how the rest of the world is reached.
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

// closed says why an address is not in the open network; "" says that it is.
func closed(a netip.Addr) string {
	if a.Zone() != "" {
		return "of one link"
	}
	a = a.Unmap()
	if translated.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	switch {
	case !a.IsValid():
		return "no address"
	case a.IsUnspecified():
		return "this machine"
	case a.IsLoopback():
		return "this machine"
	case a.IsPrivate():
		return "of a private network"
	case a.IsLinkLocalUnicast():
		return "of one link, where clouds tell their machines secrets"
	case a.IsMulticast():
		return "of many machines"
	}
	for _, k := range kept {
		if k.network.Contains(a) {
			return k.what
		}
	}
	if a.Is6() && !global.Contains(a) {
		return "reserved"
	}
	return ""
}

// refuse is closed as an error, nil for what is open.
func refuse(host string, a netip.Addr) error {
	why := closed(a)
	if why == "" {
		return nil
	}
	what := host
	if host != a.String() {
		what = fmt.Sprintf("%s is %s, which", host, a)
	}
	return &Error{Kind: Refused, Text: fmt.Sprintf("%s is not an address of the open network (%s)", what, why)}
}
