package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drawbridge/shell"
	"drawbridge/shell/sandbox/stage"
)

// landlocked runs a command through a stage of ours (see package stage). Where
// the system lets it have namespaces, mounts hold the files, and Landlock the
// rest: other processes, devices. Elsewhere, in most containers, Landlock holds
// alone, and since its rights add up on the way to a file, a folder with
// something protected in it is opened entry by entry: nothing new can be made
// directly in it.
type landlocked struct {
	policy  Policy
	options Options
	alone   bool // do without namespaces even where there are such
}

func openLandlock(p Policy, o Options) (backend, error) {
	switch abi := stage.ABI(); {
	case abi == 0:
		return nil, errors.New("this kernel has no Landlock, or it is switched off")
	case abi < stage.NeededABI:
		return nil, fmt.Errorf("this kernel's Landlock is version %d, which lets commands signal other processes; it takes version %d (Linux 6.12)", abi, stage.NeededABI)
	case !stageLinked():
		return nil, errors.New("this program cannot be the stage of a confined command, and there is no " + shell.GuardName + " beside it")
	}
	l := &landlocked{policy: p, options: o}
	return l, l.possible()
}

// possible refuses what cannot be held as it is asked for.
func (b *landlocked) possible() error {
	if b.policy.Network != Loopback || b.apart() {
		return nil
	}
	return fmt.Errorf("sandbox.network: loopback takes a network of the command's own, and this system refuses namespaces (%v)", namespaces())
}

// stageLinked reports whether there is a program that can be a stage.
func stageLinked() bool {
	path, err := shell.GuardPath()
	return err == nil && (stage.Linked() || filepath.Base(path) == shell.GuardName)
}

// namespaces says why a command cannot have mounts of its own, nil if it can.
var namespaces = sync.OnceValue(func() error {
	filter, err := filterProgram(calls{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), probeLimit)
	defer stop()
	return tryStage(ctx, stage.Spec{
		Namespaces: true, Reads: []string{"/"}, Filter: filter,
		Mounts: []stage.Mount{{Target: "/dev/shm", Kind: stage.Shared}, {Target: "/tmp", Source: "/tmp", Kind: stage.Bind}},
	})
})

func (b *landlocked) name() string { return LandlockLSM }

// apart reports whether commands have namespaces of their own.
func (b *landlocked) apart() bool { return !b.alone && namespaces() == nil }

func (b *landlocked) probe(ctx context.Context) error {
	spec, plan, err := b.spec()
	if err != nil {
		return err
	}
	_, release, err := b.hold(plan, nil)
	if err != nil {
		return err
	}
	defer release()
	return tryStage(ctx, spec)
}

// tryStage has a stage run a shell that does nothing.
func tryStage(ctx context.Context, spec stage.Spec) error {
	spec.Path, spec.Args, spec.Dir = "/bin/sh", []string{"sh", "-c", "exit 0"}, "/"
	file, err := spec.File()
	if err != nil {
		return err
	}
	defer file.Close()
	path, err := shell.GuardPath()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = []string{stage.Name, "3"}
	cmd.Env, cmd.Dir, cmd.ExtraFiles = []string{"PATH=/usr/bin:/bin"}, "/", []*os.File{file}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, probeLimit
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s (%w)", strings.TrimSpace(out.String()), err)
	}
	return nil
}

func (b *landlocked) wrap(l shell.Launch) (shell.Launch, error) {
	path, err := shell.GuardPath()
	if err != nil {
		return l, err
	}
	spec, plan, err := b.spec()
	if err != nil {
		return l, err
	}
	l.Env, spec.Env = forLoader(l.Env)
	spec.Path, spec.Args, spec.Dir = l.Path, l.Args, l.Dir
	file, err := spec.File()
	if err != nil {
		return l, err
	}
	env, unhold, err := b.hold(plan, l.Env)
	if err != nil {
		file.Close()
		return l, err
	}
	l.Env = env
	l.Release = afterAll(unhold, l.Release)
	l.Path, l.Args, l.Dir = path, []string{stage.Name, strconv.Itoa(3 + len(l.Files))}, "/"
	l.Files = append(slices.Clone(l.Files), file)
	return l, nil
}

// hold keeps stand-ins for what is missing where mounts need them.
func (b *landlocked) hold(p plan, env []string) (with []string, release func(), err error) {
	if !b.apart() {
		return env, func() {}, nil
	}
	return b.policy.hold(p, env)
}

// spec is the policy applied to the files as they are now. The command is not
// in it yet.
func (b *landlocked) spec() (stage.Spec, plan, error) {
	plan, err := b.policy.plan(b.options.Environ)
	if err != nil {
		return stage.Spec{}, plan, err
	}
	keep := calls{
		Inet: b.policy.Network == FullNetwork || b.apart(),
		Unix: b.apart() || stage.ABI() >= stage.SocketsABI,
		IPC:  b.apart(),
	}
	filter, err := filterProgram(keep)
	if err != nil {
		return stage.Spec{}, plan, err
	}
	spec := stage.Spec{
		Namespaces: b.apart(), HostNetwork: b.policy.Network == FullNetwork,
		Devices: slices.Clone(devices), Filter: filter,
	}
	if b.apart() {
		addMounts(&spec, plan)
	} else {
		addEntries(&spec, plan)
	}
	return spec, plan, nil
}

// devices are all that a command has of the machine's, beside its terminal.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// explain prints what holds, and what does not.
func (b *landlocked) explain(w io.Writer) {
	plan, err := b.policy.plan(b.options.Environ)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	plan.explain(w)
	if b.apart() {
		fmt.Fprintln(w, "processes: out of reach; queues and shared memory, the network but for network: full: of its own; devices: "+strings.Join(devices, " ")+"; no capabilities, no new namespaces")
		return
	}
	fmt.Fprintln(w, weaker)
}

func (b *landlocked) lacking() string {
	if b.apart() {
		return ""
	}
	return "this system refuses namespaces: nothing new can be made directly in the workspace or in .git, and permissions of files are " +
		"not held (drawbridge sandbox --explain says more); allow user namespaces and install bubblewrap, or, in a container that " +
		"is a sandbox of its own, set sandbox.backend: none"
}

// weaker is what differs where the system refuses namespaces.
const weaker = `this system refuses namespaces, so Landlock holds alone:
  nothing new can be made directly in a folder that holds something read-only, as the workspace and .git do; git commit needs that
  permissions, times and attributes of the user's own files can be changed everywhere
  names of files can be listed everywhere, /tmp is the machine's and read-only, only TMPDIR is writable
  no unix sockets, no shared memory, no new terminals`
