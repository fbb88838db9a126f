package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"drawbridge/shell"
)

var (
	//go:embed agent_bash.md
	agentBashPage string
	//go:embed agent_bash.json
	agentBashSchema string
)

const (
	agentTimeout    = 2 * time.Minute
	agentMaxTimeout = 10 * time.Minute
)

// agentBash runs a command in a shell that begins with the state in which the one
// before has ended.
type agentBash struct{}

func (agentBash) Spec() Spec {
	return Spec{
		Name: "bash", Description: description(agentBashPage), Schema: schema(agentBashSchema),
		Access: Execute, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentBashStyle,
	}
}

func (agentBash) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	if env.Shell == nil {
		return Plan{}, Failf("There is no shell to run commands with.")
	}
	b, timeout, err := readBash(env, raw)
	if err != nil {
		return Plan{}, err
	}
	if b.x.script == "" {
		// Nothing but the session's own state changes: there is nothing to ask.
		return Plan{Title: "Restart the shell", Access: Read, Own: true, Run: b.renew}, nil
	}
	if err := b.plan(); err != nil {
		return Plan{}, err
	}
	env.Shell.Ready()
	return Plan{
		Title: CommandTitle(b.x.script), Access: Execute, Timeout: timeout, Run: b.run,
		Command: &Command{
			Script: b.x.script, Dir: b.x.dir, Sandbox: b.x.hold.name(), Escalation: b.x.hold.escalation,
			Shell: b.shell, Inherited: b.begin.inherited(),
		},
	}, nil
}

// bashCall is a planned call of bash.
type bashCall struct {
	x       execution
	args    arguments
	restart bool
	shell   string // path of the program
	store   snapshots
	head    string   // the text of the snapshot that is the head
	begin   snapshot // what the shell begins with
	note    string   // of what could not be brought back
	report  *report
	errors  *aside // standard error, where it is a stream of its own
	stopped bool   // by a person
}

// readBash reads the arguments. A script of "" is a restart alone.
func readBash(env Env, raw json.RawMessage) (*bashCall, time.Duration, error) {
	a, err := parse(raw)
	if err != nil {
		return nil, 0, err
	}
	b := &bashCall{x: execution{env: env}, args: a, store: snapshots{env.StateDir}}
	var fault error
	b.restart, fault = a.flag("restart")
	ms, err := a.number("timeout_ms", 0)
	if fault = errors.Join(fault, err); a.has("command") {
		_, err = a.text("command")
		fault = errors.Join(fault, err)
	}
	if fault != nil {
		return nil, 0, Failf("invalid bash input: %s", strings.ReplaceAll(fault.Error(), "\n", "; "))
	}
	switch given, _ := a.text("command"); {
	case strings.TrimSpace(given) != "":
		b.x.script, err = a.script("command")
	case !b.restart:
		err = Failf("command is required")
	}
	return b, agentLimit(ms), err
}

// agentLimit is a time limit in milliseconds as it counts.
func agentLimit(ms int) time.Duration {
	if ms <= 0 {
		return agentTimeout
	}
	return min(time.Duration(ms)*time.Millisecond, agentMaxTimeout)
}

// plan finds out where the shell begins and what holds it.
func (b *bashCall) plan() (err error) {
	env := b.x.env
	if b.shell, err = bash(env.Workspace.Roots()); err != nil {
		return err
	}
	if b.x.hold, err = planHold(env, b.args); err != nil {
		return err
	}
	if b.x.dir, err = workdir(env, nil); err != nil {
		return err
	}
	b.x.window, b.x.mute, b.x.told = 2*agentMaxTimeout, true, b.ended
	b.x.around, b.x.whole = b.surround, b.join
	head, text, err := b.store.head()
	b.head = text
	switch {
	case b.restart:
	case err != nil:
		b.note = "[the shell began anew: its state could not be read]"
	default:
		b.resume(head)
	}
	return nil
}

// resume has the shell begin where another has ended. A folder that is known to
// be gone is replaced before anybody judges the command; below /tmp a sandbox
// has its own.
func (b *bashCall) resume(head snapshot) {
	var lost []string
	b.begin, lost = head.checked(b.x.env.Defines)
	if len(lost) > 0 {
		b.note = "[functions that could not be kept: " + strings.Join(lost, ", ") + "]"
	}
	dir := b.begin.Dir
	if info, err := os.Stat(dir); dir == "" || !filepath.IsAbs(dir) || (err != nil || !info.IsDir()) && !b.unseen(dir) {
		if dir != "" {
			b.note = lines(b.note, "[the folder "+dir+" is gone: the command ran in "+b.x.dir+"]")
		}
		return
	}
	b.x.dir = dir
}

// unseen says that only the sandbox knows what is in a folder.
func (b *bashCall) unseen(dir string) bool {
	return b.x.hold.by != nil && (strings.HasPrefix(dir, "/tmp/") || strings.HasPrefix(dir, "/var/tmp/"))
}

// surround gives the shell what it begins with and a way to report.
func (b *bashCall) surround(s *shell.Spec) {
	b.report = &report{}
	s.Shell, s.Args, s.Pipes = b.shell, bashArgs, []shell.Pipe{{Tap: b.report.tap}}
	if !s.TTY {
		b.errors = &aside{kept: &capture{}}
		s.Pipes = append(s.Pipes, shell.Pipe{Tap: b.errors.tap, Shown: true})
	}
	s.Env = append(s.Env, b.begin.environ(s.Script, s.Dir, !s.TTY)...)
	s.Dir = b.home()
}

// home is the folder in which the program is started: it goes to its own from
// there, which may be one that only its sandbox has.
func (b *bashCall) home() string {
	dir, err := workdir(b.x.env, nil)
	if err != nil {
		return b.x.dir
	}
	return dir
}

// join puts what was written to standard error behind the output.
func (b *bashCall) join(t *take) {
	if b.errors != nil {
		b.errors.pour(t)
	}
}

// ended tells how the command ended.
func (b *bashCall) ended(e commandEnd, output string) Result {
	b.stopped = e.stopped != ""
	res := Result{Note: lines(e.denied(output), e.leftNote(), e.stopped)}
	if e.failed() {
		res.Status, res.Note = Failed, lines(res.Note, fmt.Sprintf("exit code: %d", e.exit.Code))
	}
	if e.left > 0 {
		res.ProcessID = e.process.ID()
	}
	return res
}

// leftNote tells of processes that no tool of the profile knows by an id.
func (e commandEnd) leftNote() string {
	if e.left == 0 {
		return ""
	}
	return fmt.Sprintf("[%s that it started still %s]\n%s", processes(e.left), runs(e.left), survivorList(e.survivors, e.left))
}

// renew is a restart alone.
func (b *bashCall) renew(_ context.Context, _ Accepted, out Output) (Result, error) {
	if err := b.store.reset(); err != nil {
		return Result{}, err
	}
	out.Write("bash session restarted")
	return Result{}, nil
}

func (b *bashCall) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	if err := b.store.still(b.head); err != nil {
		return Result{}, Failf("The shell's state has changed since this call was planned, and nothing was run. Call again.")
	}
	if b.restart {
		if err := b.store.reset(); err != nil {
			return Result{}, err
		}
		b.head = ""
	}
	res, err := b.x.run(ctx, ok, out)
	if err == nil && ctx.Err() == nil && !b.stopped && b.report != nil {
		b.note = lines(b.note, b.keep())
	}
	res.Note = lines(b.note, res.Note)
	return res, err
}

// keep makes what the shell reported the beginning of the next one. A shell that
// did not come to the end of its report leaves what was there before.
func (b *bashCall) keep() string {
	words, err := b.report.take()
	if err == nil {
		var t told
		if t, err = readReport(words); errors.Is(err, errReport) {
			return b.lostFolder(t)
		}
		if err == nil {
			err = b.store.commit(t.next(b.begin), b.head)
		}
	}
	if err != nil {
		return "[this call's shell state changes were dropped: " + err.Error() + "]"
	}
	return ""
}

// lostFolder is what is told of a shell that never began: only its folder can be
// the reason. The next one begins at home.
func (b *bashCall) lostFolder(t told) string {
	if t.began || len(t.optionsAt[0]) == 0 {
		return ""
	}
	next := b.begin
	next.Dir = ""
	if err := b.store.commit(next, b.head); err != nil {
		return "[this call's shell state changes were dropped: " + err.Error() + "]"
	}
	return "[the folder " + b.x.dir + " is gone, and the command was not run; the next one runs in " + b.home() + "]"
}

// aside keeps a second stream of a command until it can be put behind the first.
type aside struct {
	mu   sync.Mutex // guards below
	kept *capture   // nil once it was put there
}

func (a *aside) tap(p []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept != nil {
		a.kept.write(p)
	}
}

// pour hands over what was written by now, on a line of its own. What comes later
// is read by nobody.
func (a *aside) pour(to *take) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept == nil {
		return
	}
	if last, ok := to.last(); ok && last != '\n' && a.kept.length() > 0 {
		to.tap([]byte{'\n'})
	}
	buf := make([]byte, forwardPiece)
	for at, n := int64(0), 1; n > 0; at += int64(n) {
		var from int64
		if from, n = a.kept.read(at, buf); from > at {
			to.tap([]byte(gapMarker))
		}
		to.tap(buf[:n])
		at = from
	}
	a.kept.drop()
	a.kept = nil
}
