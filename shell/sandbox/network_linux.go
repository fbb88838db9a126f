package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The commands of one session share a network with nothing else in it, so that
// a server in the background is reached by the next command. A process that
// does nothing keeps it while there are commands, and for a while after: it ends
// with the pipe to the bridge, however the bridge ends.

// network is a user and a network namespace, by the process that keeps them.
type network struct {
	keeper int // in this machine's count; waited for by its parent alone
	input  io.Closer
	ended  <-chan struct{} // closed when the keeper is gone

	users int // guarded by networkMu, as is the timer
	timer *time.Timer
}

var (
	networkMu sync.Mutex              // guards networks
	networks  = map[string]*network{} // by the session's folder for temporary files
)

// nsenter puts a program into namespaces that exist; bubblewrap cannot.
var nsenterPlaces = []string{"/usr/bin/nsenter", "/bin/nsenter"}

// join returns what goes before bubblewrap's own command line, for a command to
// be in the session's network, and what lets go of it. Where the system has no
// nsenter the command gets a network of its own: own is true.
func (b *bubblewrap) join() (before []string, letGo func(), own bool, err error) {
	program := ""
	for _, path := range nsenterPlaces {
		if info, err := os.Stat(path); program == "" && err == nil && info.Mode().IsRegular() {
			program = path
		}
	}
	if program == "" {
		return nil, func() {}, true, nil
	}
	n, err := b.network(b.policy.Tmp)
	if err != nil {
		return nil, nil, false, err
	}
	spaces := "/proc/" + strconv.Itoa(n.keeper) + "/ns/"
	before = []string{program, "--preserve-credentials", "--user=" + spaces + "user", "--net=" + spaces + "net", "--"}
	return before, sync.OnceFunc(func() { n.letGo(b.policy.Tmp) }), false, nil
}

// network finds the session's or makes it.
func (b *bubblewrap) network(session string) (*network, error) {
	networkMu.Lock()
	defer networkMu.Unlock()
	n := networks[session]
	if n != nil && isClosed(n.ended) {
		n = nil
	}
	if n == nil {
		var err error
		if n, err = b.keep(); err != nil {
			return nil, fmt.Errorf("make a network: %w", err)
		}
		networks[session] = n
	}
	n.users++
	if n.timer != nil {
		n.timer.Stop()
	}
	return n, nil
}

// keep starts a keeper.
func (b *bubblewrap) keep() (*network, error) {
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer told.Close()
	cmd := exec.Command(b.program, "--unshare-user", "--unshare-net", "--cap-drop", "ALL", "--ro-bind", "/", "/",
		"--info-fd", "3", "--", "/bin/sh", "-c", "echo; exec /bin/cat")
	cmd.Env, cmd.Dir, cmd.ExtraFiles = []string{}, "/", []*os.File{tell}
	var said bytes.Buffer
	cmd.Stderr = &said
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { // ends with the keeper, which ends with its input
		defer close(ended)
		_ = cmd.Wait()
	}()
	n := &network{input: input, ended: ended}
	if n.keeper, err = keeperOf(told); err == nil {
		_, err = output.Read(make([]byte, 1)) // it runs, so its loopback is up
	}
	if err != nil {
		input.Close()
		_ = cmd.Process.Kill()
		<-ended
		return nil, fmt.Errorf("%s (%w)", strings.TrimSpace(said.String()), err)
	}
	return n, nil
}

// keeperOf reads what bubblewrap tells of its child.
func keeperOf(told *os.File) (int, error) {
	told.SetReadDeadline(time.Now().Add(probeLimit))
	var info struct {
		Child int `json:"child-pid"`
	}
	if err := json.NewDecoder(told).Decode(&info); err != nil {
		return 0, err
	}
	if info.Child <= 0 {
		return 0, errors.New("bubblewrap named no process")
	}
	return info.Child, nil
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// letGo counts a command out. The next one of the session comes soon, or not.
func (n *network) letGo(session string) {
	networkMu.Lock()
	defer networkMu.Unlock()
	if n.users--; n.users == 0 {
		n.timer = time.AfterFunc(lingerTime, func() { closeNetwork(session, n) })
	}
}

// closeNetwork ends a network that no command is in.
func closeNetwork(session string, n *network) {
	networkMu.Lock()
	defer networkMu.Unlock()
	if n.users > 0 {
		return
	}
	if networks[session] == n {
		delete(networks, session)
	}
	n.input.Close()
}

// closeNetworks ends those that no command is in, and waits for them.
func closeNetworks() {
	networkMu.Lock()
	all := make(map[string]*network, len(networks))
	for session, n := range networks {
		if n.users == 0 {
			all[session] = n
		}
	}
	networkMu.Unlock()
	for session, n := range all {
		closeNetwork(session, n)
		<-n.ended
	}
}
