package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drawbridge/shell"
)

// bubblewrap runs a command in namespaces of its own, in which the file system
// is mounted as the plan says and no other process, socket or device of the
// machine is seen.
type bubblewrap struct {
	policy  Policy
	options Options
	program string
}

// bubblewrapPlaces are where the system's own is. A bwrap elsewhere in PATH may
// be the workspace's.
var bubblewrapPlaces = []string{"/usr/bin/bwrap", "/bin/bwrap"}

func openBubblewrap(p Policy, o Options) (backend, error) {
	for _, path := range bubblewrapPlaces {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return &bubblewrap{policy: p, options: o, program: path}, nil
		}
	}
	return nil, errors.New("there is no bwrap in /usr/bin or /bin")
}

func (b *bubblewrap) name() string { return Bubblewrap }

func (b *bubblewrap) probe(ctx context.Context) error {
	l, err := b.wrap(shell.Launch{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", "exit 0"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/"})
	if err != nil {
		return err
	}
	return tryOut(ctx, l)
}

// guardFolder is where a command finds its process 1.
const guardFolder = "/run/drawbridge"

// guarded puts a process 1 of ours above the command: without it the namespace
// would end with the leader.
func (b *bubblewrap) guarded(l shell.Launch) (shell.Launch, error) {
	return shell.GuardInit(l, filepath.Join(guardFolder, shell.GuardName))
}

func (b *bubblewrap) wrap(l shell.Launch) (shell.Launch, error) {
	plan, err := b.policy.plan(b.options.Environ)
	if err != nil {
		return l, err
	}
	options, err := b.arguments(plan, l)
	if err != nil {
		return l, err
	}
	before, leave, err := b.connect(&options)
	if err != nil {
		return l, err
	}
	filter, err := filterFile(calls{Inet: true, Unix: true, IPC: true, Others: true})
	if err != nil {
		leave()
		return l, err
	}
	env, unhold, err := b.policy.hold(plan, l.Env)
	if err != nil {
		filter.Close()
		leave()
		return l, err
	}
	l.Env = env
	l.Release = afterAll(leave, unhold, l.Release)
	options = append(options, "--seccomp", strconv.Itoa(3+len(l.Files)), "--chdir", l.Dir, "--", l.Path)
	l.Files = append(slices.Clone(l.Files), filter)
	l.Args = slices.Concat(before, []string{b.program}, options, l.Args[1:])
	l.Path, l.Dir = l.Args[0], "/"
	l.Env, _ = forLoader(l.Env)
	return l, nil
}

// connect puts a command into its network: the machine's, the session's, or one
// of its own.
func (b *bubblewrap) connect(options *[]string) (before []string, leave func(), err error) {
	if b.policy.Network == FullNetwork {
		return nil, func() {}, nil
	}
	before, leave, own, err := b.join()
	if own {
		*options = append(*options, "--unshare-net")
	}
	return before, leave, err
}

// arguments are the options that make the profile for l, up to its system call
// filter and program.
func (b *bubblewrap) arguments(p plan, l shell.Launch) ([]string, error) {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
	}
	var sealed []string
	for _, r := range p.rules {
		args = append(args, mount(r)...)
		if r.access == concealed && !r.file {
			sealed = append(sealed, "--remount-ro", r.path)
		}
	}
	if l.Inner {
		guard, err := shell.GuardPath()
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind", guard, l.Path, "--as-pid-1")
	}
	args = append(args, sealed...)
	_, inside := forLoader(l.Env)
	for _, kv := range inside {
		name, value, _ := strings.Cut(kv, "=")
		args = append(args, "--setenv", name, value)
	}
	return args, nil
}

// mount is the option for one rule. Devices of the machine are not among those
// of the command, and /proc shows its own processes alone. Settings of the
// kernel are covered here: bubblewrap leaves them to root.
func mount(r rule) []string {
	switch {
	case r.path == "/":
		return []string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"}
	case r.path == "/run":
		return append([]string{"--tmpfs", "/run"}, systemLinks()...)
	case r.access == concealed && r.file:
		return []string{"--ro-bind", "/dev/null", r.path}
	case r.access == concealed:
		return []string{"--tmpfs", r.path}
	case r.access == readable:
		return []string{"--ro-bind", r.source, r.path}
	}
	return []string{"--bind", r.source, r.path}
}

// systemLinks are links in /run by which some systems find their programs.
func systemLinks() []string {
	var args []string
	for _, path := range []string{"/run/current-system", "/run/booted-system", "/run/opengl-driver"} {
		if target, err := os.Readlink(path); err == nil {
			args = append(args, "--symlink", target, path)
		}
	}
	return args
}

// forLoader parts what the dynamic loader obeys from the rest: bubblewrap
// itself runs unconfined, and loads nothing that a command's environment names.
func forLoader(env []string) (outside, inside []string) {
	for _, kv := range env {
		if strings.HasPrefix(kv, "LD_") || strings.HasPrefix(kv, "GCONV_PATH=") || strings.HasPrefix(kv, "GLIBC_TUNABLES=") {
			inside = append(inside, kv)
		} else {
			outside = append(outside, kv)
		}
	}
	return outside, inside
}

func (b *bubblewrap) explain(w io.Writer) {
	plan, err := b.policy.plan(b.options.Environ)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	plan.explain(w)
	fmt.Fprintln(w, "processes, System V and POSIX queues, devices: the command's own; no capabilities, no new namespaces")
	args, err := b.arguments(plan, shell.Launch{})
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	if b.policy.Network != FullNetwork {
		fmt.Fprintln(w, "the network has nothing in it but what commands of this session start")
	}
	fmt.Fprintf(w, "\n%s %s --seccomp FD --chdir DIR -- PROGRAM\n", b.program, strings.Join(args, " "))
}
