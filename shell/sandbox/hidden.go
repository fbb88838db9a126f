package sandbox

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// credentials are places below a home folder that hold keys to other machines.
// A command has no use for them without a network, and what it prints goes to
// the model's service.
var credentials = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/hub",
	".netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".pgpass", ".my.cnf", ".vault-token",
	".cargo/credentials", ".cargo/credentials.toml", ".password-store", ".local/share/keyrings", ".Xauthority",
	".config/containers/auth.json", ".terraform.d/credentials.tfrc.json", ".gem/credentials",
}

// sockets are services that would act for a command outside, below a home
// folder; those of the system lie in /run and /tmp, which are hidden whole.
var sockets = []string{
	".colima", ".orbstack", ".rd", ".lima", ".local/share/containers/podman", ".1password",
}

// socketVariables name sockets, or what opens one.
var socketVariables = []string{
	"SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "XDG_RUNTIME_DIR", "PULSE_SERVER",
	"PIPEWIRE_REMOTE", "TMUX", "STY",
}

// hidden lists what exists of what a command shall not see.
func (p Policy) hidden() []string {
	var paths []string
	if p.Home != "" {
		for _, name := range slices.Concat(credentials, sockets) {
			paths = append(paths, filepath.Join(p.Home, name))
		}
	}
	return existing(append(paths, p.Hidden...))
}

// services lists what exists of sockets that a command shall not reach.
func (p Policy) services(environ []string) []string {
	paths := namedSockets(environ)
	if p.Network != FullNetwork {
		if file, err := os.Open("/proc/net/unix"); err == nil {
			paths = append(paths, settled(boundSockets(file))...)
			file.Close()
		}
	}
	return existing(paths)
}

func existing(paths []string) []string {
	var there []string
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil && filepath.Dir(path) != path {
			there = append(there, followed(path))
		}
	}
	return there
}

// namedSockets are the paths that the environment gives to services.
func namedSockets(environ []string) []string {
	var paths []string
	for _, name := range socketVariables {
		value := lookup(environ, name)
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
			if i := strings.IndexByte(part, '/'); i >= 0 {
				paths = append(paths, filepath.Clean("/"+strings.TrimLeft(part[i:], "/")))
			}
		}
	}
	return paths
}

// boundSockets reads the paths of sockets from the kernel's table of those that
// this network has: services of which nobody has heard are hidden as well.
func boundSockets(table io.Reader) []string {
	var paths []string
	for lines := bufio.NewScanner(table); lines.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		fields := strings.SplitN(strings.TrimSpace(lines.Text()), " ", 8)
		if i := strings.IndexByte(lines.Text(), '/'); len(fields) == 8 && i >= 0 && !strings.Contains(lines.Text()[:i], "@") {
			paths = append(paths, lines.Text()[i:])
		}
	}
	return paths
}

// settling is how old a socket is that is taken for a service's. What comes and
// goes faster could be gone when a mount is to hide it, which would keep the
// command from starting; and what comes later is not hidden in any case.
const settling = 5 * time.Second

func settled(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || time.Since(info.ModTime()) < settling
	})
}

// lookup is the value of a variable; the last one of a name holds.
func lookup(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}
