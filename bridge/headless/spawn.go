package headless

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Bridge is a bridge process and the pipe to it.
type Bridge struct {
	io.ReadCloser
	in  io.WriteCloser
	cmd *exec.Cmd
}

// Spawn starts a bridge. Its log goes to stderr.
func Spawn(program string, args, env []string, stderr io.Writer) (*Bridge, error) {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = env, stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the bridge: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("pipe from the bridge: %w", err)
	}
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the bridge: %w", err)
	}
	return &Bridge{ReadCloser: out, in: in, cmd: cmd}, nil
}

// Write sends to the bridge.
func (b *Bridge) Write(p []byte) (int, error) { return b.in.Write(p) }

// Close closes both pipes, which ends the bridge.
func (b *Bridge) Close() error {
	return errors.Join(b.in.Close(), ignoreClosed(b.ReadCloser.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// endLimit is how long a bridge may take to end once its pipe is closed. It
// promises two seconds.
const endLimit = 4 * time.Second

// Wait waits for the bridge's end; one that does not end is killed.
func (b *Bridge) Wait() error {
	kill := time.AfterFunc(endLimit, func() { _ = b.cmd.Process.Kill() })
	defer kill.Stop()
	return b.cmd.Wait()
}
