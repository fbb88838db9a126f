//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"drawbridge/shell"
)

// deniedWindow bounds how much of the end of an output is looked at, in bytes.
const deniedWindow = 64 << 10

// Denied explains the first limit that the output shows, for the model. See
// shell.Confinement.
func (s *Sandbox) Denied(output string, exit shell.Exit) shell.Denial {
	if exit.Code == 0 && exit.Signal == "" {
		return shell.Denial{}
	}
	if len(output) > deniedWindow {
		output = output[len(output)-deniedWindow:]
	}
	if path, ok := s.deniedWrite(output); ok {
		return s.explainWrite(path)
	}
	if s.policy.Network != FullNetwork && deniedNetwork.MatchString(output) {
		return s.explainNetwork()
	}
	if deniedService.MatchString(output) {
		return s.denial("agents and sockets of services on this machine (ssh, gpg, docker, D-Bus, displays) are hidden.", "")
	}
	return shell.Denial{}
}

func (s *Sandbox) denial(why, forGood string) shell.Denial {
	return shell.Denial{Why: fmt.Sprintf("[sandbox: %s, %s] %s", s.Backend(), s.Preset(), why), ForGood: forGood}
}

var (
	// readOnly are the words of a write to a place that is mounted read-only, which
	// nothing else says.
	readOnly = regexp.MustCompile(`(?i)read-only file ?system|\bEROFS\b|os error 30\b`)
	// refusedWrite may have other reasons: the place decides.
	refusedWrite = regexp.MustCompile(`(?i)device or resource busy|is a directory|file exists|cross-device link|` +
		`\bEBUSY\b|\bEISDIR\b|\bEXDEV\b|os error (?:16|18|21)\b`)
	// noPermission is how rules and rights refuse, where nothing is mounted.
	noPermission  = regexp.MustCompile(`(?i)permission denied|operation not permitted|\bEACCES\b|\bEPERM\b|os error (?:1|13)\b`)
	deniedNetwork = regexp.MustCompile(`(?i)could not resolve|couldn't resolve|temporary failure in name resolution|name or service not known|` +
		`network is unreachable|no such host|nodename nor servname|getaddrinfo|EAI_AGAIN|ENETUNREACH|ENOTFOUND|failed to lookup address|` +
		`couldn't connect to server|unable to resolve|no address associated with hostname|dial tcp|dial udp|failed to establish a new connection|` +
		`connect ECONNREFUSED|network access denied|socket: operation not permitted|socket: permission denied|could not connect to server`)
	deniedService = regexp.MustCompile(`(?i)cannot connect to the docker daemon|docker\.sock|could not open a connection to your authentication agent|` +
		`gpg failed to sign|can't connect to the agent|no secret key|failed to connect to bus|cannot open display|can't open display|podman\.sock`)
	quotedPath = regexp.MustCompile("['\"`‘“]([^'\"`’”\n]*/[^'\"`’”\n]*|\\.?[\\w][\\w.-]*)['\"`’”]")
	// byShell is how a shell begins what it says of a file: its own path is no part
	// of that.
	byShell  = regexp.MustCompile(`^\S*sh: (?:line )?\d+: (?:cannot create )?([^:\n]+): `)
	barePath = regexp.MustCompile(`(?:^|[\s:=(])((?:/|\.{1,2}/|\.[A-Za-z])[^\s:'"()]*)`)
)

// deniedWrite finds a write that the policy refused, and its path if the output
// tells it.
func (s *Sandbox) deniedWrite(output string) (path string, ok bool) {
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		sure := readOnly.MatchString(line)
		rights := s.Backend() != Bubblewrap && noPermission.MatchString(line)
		if !sure && !rights && !refusedWrite.MatchString(line) {
			continue
		}
		near := []string{line}
		if i > 0 {
			near = append(near, lines[i-1])
		}
		for _, text := range near {
			if path := s.refusedPath(text); path != "" && (!rights || mayWrite(path)) {
				return path, true
			}
		}
		if sure {
			return "", true
		}
	}
	return "", false
}

// mayWrite reports whether the user could write a path without a sandbox.
func mayWrite(path string) bool {
	if _, err := os.Lstat(path); err == nil {
		return unix.Access(path, unix.W_OK) == nil
	}
	return unix.Access(filepath.Dir(path), unix.W_OK|unix.X_OK) == nil
}

// refusedPath is the last path in a line that the policy does not let be
// written.
func (s *Sandbox) refusedPath(line string) string {
	found := ""
	line = byShell.ReplaceAllString(line, "'$1': ")
	for _, pattern := range []*regexp.Regexp{barePath, quotedPath} {
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			path := m[1]
			if !filepath.IsAbs(path) && len(s.policy.Roots) > 0 {
				path = filepath.Join(s.policy.Roots[0], path)
			}
			if path = filepath.Clean(path); filepath.IsAbs(path) && s.refuses(path) {
				found = path
			}
		}
	}
	return found
}

// refuses says whether the policy, and not the machine, keeps a command from
// writing a path.
func (s *Sandbox) refuses(path string) bool {
	p := s.policy
	if within(path, "/dev") || within(path, "/proc") {
		return false
	}
	for _, dir := range []string{p.Tmp, p.caches(), "/tmp", "/var/tmp"} {
		if within(path, dir) && dir != "" && !p.inRoot(path) {
			return false
		}
	}
	if p.Preset == ReadOnly {
		return true
	}
	if p.protects(path) {
		return true
	}
	for _, dir := range p.Writable {
		if within(path, dir) {
			return false
		}
	}
	return !p.inRoot(path) || p.inHome(path) || s.narrows(path)
}

// narrows says whether the backend opens less than the policy names, path not.
func (s *Sandbox) narrows(path string) bool {
	b, ok := s.backend.(interface{ narrows(path string) bool })
	return ok && b.narrows(path)
}

func (p Policy) inRoot(path string) bool {
	for _, root := range p.Roots {
		if within(path, root) {
			return true
		}
	}
	return false
}

// inHome says whether a path lies in no root but one that holds the home folder,
// and is read-only for that.
func (p Policy) inHome(path string) bool {
	found := false
	for _, root := range p.Roots {
		if within(path, root) && !p.holdsHome(root) {
			return false
		}
		found = found || within(path, root)
	}
	return found
}

// protects says whether a path is one that nobody may write although it lies in
// a writable folder.
func (p Policy) protects(path string) bool {
	for _, root := range p.Roots {
		if p.holdsHome(root) {
			continue
		}
		for _, g := range p.guard(root) {
			if within(path, lifted(root, g.path)) {
				return true
			}
		}
	}
	for _, dir := range p.Protected {
		if within(path, dir) {
			return true
		}
	}
	return false
}

func (s *Sandbox) explainWrite(path string) shell.Denial {
	p := s.policy
	what := "a write outside of what commands may write"
	if path != "" {
		what = "a write to " + path
	}
	if p.Preset == ReadOnly {
		return s.denial(what+" was refused: commands write nothing but their temporary files ($TMPDIR).", "")
	}
	if path != "" && p.inHome(path) {
		return s.denial(what+" was refused: the workspace is the home folder, or holds it, and that is read-only to commands. "+
			"Tell the user to open a folder below it as the workspace, or to name folders in sandbox.writable in the settings.", "")
	}
	if path != "" && p.protects(path) {
		return s.denial(what+" was refused: what git, editors or shells run by themselves stays read-only, and so do Drawbridge's own files.", "")
	}
	if path != "" && p.inRoot(path) && s.narrows(path) {
		return s.denial(what+" was refused: this system refuses namespaces, and without them nothing new can be made directly in a folder "+
			"that holds something protected, as the workspace and .git do. Folders below can be written, and files that are there.", "")
	}
	opened := slices.Concat(slices.DeleteFunc(slices.Clone(p.Roots), p.holdsHome), p.Writable, []string{"$TMPDIR"})
	held := fmt.Sprintf(" was refused: commands write %s.", strings.Join(opened, ", "))
	return s.denial(what+held, writableAdvice(path, p.Home))
}

// writableAdvice is the setting that would allow the write for good, where
// there is one.
func writableAdvice(path, home string) string {
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir = filepath.Dir(path)
	}
	for dir != "/" && dir != "." && !isFolder(dir) {
		dir = filepath.Dir(dir)
	}
	if slices.Contains(strings.Split(path, "/"), ".git") {
		return "the user opens the top folder of the repository as the workspace"
	}
	if path == "" {
		return "the user adds the folder to sandbox.writable in the settings"
	}
	if isSystem(dir) || within(home, dir) {
		return ""
	}
	return fmt.Sprintf("the user adds this to the settings: sandbox: {writable: [%q]}", dir)
}

// explainNetwork says what is easily missed: what listens on this machine is in
// another network, and so is what was started outside the sandbox.
func (s *Sandbox) explainNetwork() shell.Denial {
	inside := "the commands of this session have one of their own, with nothing in it but what they started in the sandbox."
	if s.Backend() != Bubblewrap {
		inside = "each command has one of its own at most: a server and what talks to it have to be started by one command."
	}
	return s.denial("the network was not reached: "+inside, "the user adds this to the settings: sandbox: {network: full}")
}
