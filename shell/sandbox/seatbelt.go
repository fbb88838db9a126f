package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// seatbelt is the plan in the profile's language, in which the last rule that
// fits decides: allowed first, protected after.
func (p plan) seatbelt(policy Policy) (string, error) {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n")
	b.WriteString(seatbeltOthers)
	b.WriteString(seatbeltNetwork[policy.Network])
	b.WriteString("(deny file-write*)\n(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") " +
		"(literal \"/dev/dtracehelper\") (regex #\"^/dev/ttys[0-9]+$\") (subpath \"/dev/fd\"))\n")
	for _, r := range p.rules {
		if r.path == "/" || r.source != r.path {
			continue // nothing is mounted: what is no place of its own keeps the rule above it
		}
		path, err := seatbeltString(r.path)
		if err != nil {
			return "", err
		}
		switch r.access {
		case writable:
			fmt.Fprintf(&b, "(allow file-write* (subpath %s))\n", path)
		case readable:
			fmt.Fprintf(&b, "(deny file-write* (subpath %s))\n", path)
		case concealed:
			fmt.Fprintf(&b, "(deny file-read* file-write* (subpath %s))\n(deny network-outbound (subpath %s))\n", path, path)
		}
	}
	return b.String() + p.seatbeltPins(), nil
}

// seatbeltOthers keeps a command from other processes and from services that
// would act for it. Lookups that ordinary programs need to start remain.
const seatbeltOthers = `(deny mach-lookup)
(allow mach-lookup (global-name "com.apple.system.notification_center") (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership") (global-name "com.apple.logd") (global-name "com.apple.diagnosticd")
  (global-name "com.apple.SecurityServer") (global-name "com.apple.trustd") (global-name "com.apple.trustd.agent"))
(deny process-info* (target others))
(allow process-info* (target same-sandbox))
(deny signal)
(allow signal (target same-sandbox))
(deny appleevent-send)
(deny iokit-open)
(deny system-socket)
`

var seatbeltNetwork = map[Network]string{
	NoNetwork: "(deny network*)\n",
	Loopback:  "(deny network*)\n(allow network-bind network-inbound (local ip \"localhost:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n",
	FullNetwork: "(allow network*)\n(allow system-socket)\n(allow mach-lookup (global-name \"com.apple.dnssd.service\") " +
		"(global-name \"com.apple.SystemConfiguration.configd\"))\n",
}

// seatbeltPins keeps the folders above a protected place from being moved
// aside: unlinking is asked for a rename too.
func (p plan) seatbeltPins() string {
	var b strings.Builder
	for _, dir := range p.pins() {
		path, err := seatbeltString(dir)
		if err == nil {
			fmt.Fprintf(&b, "(deny file-write-unlink (literal %s))\n", path)
		}
	}
	return b.String()
}

// seatbeltString quotes a path. One that cannot be quoted must not run with a
// profile that means another.
func seatbeltString(path string) (string, error) {
	if strings.ContainsAny(path, "\n\r\x00") {
		return "", errors.New("a path with a line break cannot be protected")
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, nil
}
