package tools

import (
	"cmp"
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

	// beginMost is how long a shell may take before its command begins, and saveMost
	// how long it may take to tell its state: neither is the command's time. One that
	// does not keep to that is ended after stuckAfter.
	beginMost  = 10 * time.Second
	saveMost   = 5 * time.Second
	stuckAfter = 3 * saveMost

	// agentGap stands where more of a stream is missing than any file could hold.
	agentGap = "[output truncated]\n"
)

// errStuck is what is said of a shell that has to be ended while it tells its state.
var errStuck = Failf("The command has ended, but its shell has not: it was ended after %v. The exit code is not known, and this call's "+
	"shell state changes were dropped.", stuckAfter)

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
	b.limit = timeout
	plan := b.x.plan(b.run, timeout)
	plan.Command.Shell, plan.Command.Inherited = b.shell, b.begin.inherited()
	return plan, nil
}

// bashCall is a planned call of bash.
type bashCall struct {
	x       execution
	args    arguments
	restart bool
	shell   string // path of the program
	// home is the folder of a new shell. Every one is started there and goes to its
	// own, which may be one that only its sandbox has.
	home    string
	store   snapshots
	head    string   // the text of the snapshot that is the head
	begin   snapshot // what the shell begins with
	note    string   // of what could not be brought back
	limit   time.Duration
	report  *report
	errors  *aside // standard error, where it is a stream of its own
	stopped bool   // by a person
}

// readBash reads the arguments. A script of "" is a restart alone.
func readBash(env Env, raw json.RawMessage) (*bashCall, time.Duration, error) {
	a, err := parseCommand(env, raw)
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
	if b.home, err = workdir(env, nil); err != nil {
		return err
	}
	b.x.dir = b.home
	b.x.window, b.x.mute, b.x.told = 2*agentMaxTimeout, true, b.ended
	b.x.around, b.x.whole, b.x.gap = b.surround, b.join, agentGap
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
	b.begin, _ = head.checked(b.x.env.Defines)
	switch dir := b.begin.Dir; {
	case dir == "":
	case b.there(dir) && filepath.IsAbs(b.begin.Real):
		b.x.dir = b.begin.Real
	default:
		b.begin.Dir, b.begin.Real = "", ""
		b.note = "[the folder " + dir + " is gone: the command ran in " + b.x.dir + "]"
	}
}

// there says that a folder is not known to be gone.
func (b *bashCall) there(dir string) bool {
	info, err := os.Stat(dir)
	return filepath.IsAbs(dir) && (err == nil && info.IsDir() || b.unseen(dir))
}

// unseen says that only the sandbox knows what is in a folder.
func (b *bashCall) unseen(dir string) bool {
	return b.x.hold.by != nil && (strings.HasPrefix(dir, "/tmp/") || strings.HasPrefix(dir, "/var/tmp/"))
}

// surround gives the shell what it begins with and a way to report.
func (b *bashCall) surround(s *shell.Spec) {
	s.Shell, s.Args, s.Pipes = b.shell, bashArgs, []shell.Pipe{{Tap: b.report.tap}}
	if !s.TTY {
		b.errors = &aside{kept: &capture{}}
		s.Pipes = append(s.Pipes, shell.Pipe{Tap: b.errors.tap, Shown: true})
	}
	s.Env = append(s.Env, b.begin.environ(s.Script, cmp.Or(b.begin.Dir, b.home), b.begin.Real, !s.TTY)...)
	s.Dir = b.home
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

// leftNote tells of processes. No tool of the profile ends one, and the machine's
// number of it means nothing in a sandbox.
func (e commandEnd) leftNote() string {
	if e.left == 0 {
		return ""
	}
	names := make([]string, min(len(e.survivors), maxSurvivors))
	for i := range names {
		if names[i] = head(e.survivors[i].Name, maxTitle); strings.Contains(names[i], bashLine[:20]) {
			names[i] = "a part of the command itself"
		}
	}
	if more := e.left - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("[%s that it started still %s: %s]", processes(e.left), runs(e.left), strings.Join(names, ", "))
}

// renew is a restart alone.
func (b *bashCall) renew(ctx context.Context, _ Accepted, out Output) (Result, error) {
	out.Write("bash session restarted")
	note, err := b.reset(ctx, out)
	return Result{Note: note}, err
}

// reset forgets what the shell was, and ends what it left behind: a sandbox has
// processes that later commands cannot reach.
func (b *bashCall) reset(ctx context.Context, out Output) (note string, err error) {
	for _, c := range b.x.env.Commands.all() {
		if !c.gone() {
			note = lines(note, "[ended: "+c.title+"]")
		}
		endHeld(ctx, b.x.env.Commands, c, discarded{out})
	}
	b.head = ""
	return note, b.store.reset()
}

// discarded is an Output that takes no text.
type discarded struct{ Output }

func (discarded) Write(string) {}

func (b *bashCall) run(ctx context.Context, ok Accepted, out Output) (Result, error) {
	if err := b.store.still(b.head); err != nil {
		return Result{}, Failf("The shell's state has changed since this call was planned, and nothing was run. Call again.")
	}
	if b.restart {
		var err error
		if b.note, err = b.reset(ctx, out); err != nil {
			return Result{}, err
		}
	}
	b.report = b.timed(out)
	res, err := b.x.run(ctx, ok, out)
	if err == nil && ctx.Err() == nil && !b.stopped {
		b.note = lines(b.note, b.keep())
	}
	res.Note = lines(b.note, res.Note)
	return res, err
}

// timed is a report that has the time limit count for the command alone: not what
// comes before it, and not what its shell does afterwards. Whoever pretends to be
// that shell has less time for it.
func (b *bashCall) timed(out Output) *report {
	out.Limit(b.limit+beginMost, ErrTimeout)
	next := "begun"
	return &report{reached: func(what string) {
		switch {
		case what != next:
		case what == "begun":
			out.Limit(b.limit, ErrTimeout)
			next = "O"
		default:
			out.Limit(stuckAfter, errStuck)
			next = ""
		}
	}}
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
		if err != nil {
			return dropped(err)
		}
		next, lost := t.next(b.begin).checked(b.x.env.Defines)
		lost = append(lost, t.unnamed...)
		if err = b.store.commit(next, b.head); err == nil {
			return lines(willNotHave("functions", lost), willNotHave("aliases", t.unkeptAliases(next)), willNotHave("variables", t.unkeptExports()))
		}
	}
	if err != nil {
		return dropped(err)
	}
	return ""
}

func willNotHave(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "[" + what + " that later calls will not have: " + strings.Join(names, ", ") + "]"
}

func dropped(err error) string {
	return "[this call's shell state changes were dropped: " + err.Error() + "]"
}

// lostFolder is what is told of a shell that never began: only its folder can be
// the reason. The next one begins at home.
func (b *bashCall) lostFolder(t told) string {
	if t.began || len(t.optionsAt[0]) == 0 {
		return ""
	}
	next := b.begin
	next.Dir, next.Real = "", ""
	if err := b.store.commit(next, b.head); err != nil {
		return dropped(err)
	}
	return "[the folder " + b.begin.Dir + " is gone, and the command was not run; the next one runs in " + b.home + "]"
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
	if a.kept.length() > 0 && to.unended() {
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
