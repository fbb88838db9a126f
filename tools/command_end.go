package tools

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"drawbridge/shell"
)

// commandEnd is how a command's leader ended, and what is left of it.
type commandEnd struct {
	process   shell.Process
	exit      shell.Exit
	survivors []shell.Survivor // some of those that live on
	left      int              // how many live on
	killed    int              // survivors that were ended with it
	offers    Offers           // of the model that is told
	stopped   string           // what is told of the person who ended it
}

// endOf is called when the leader has ended, or is about to be told of.
func endOf(p shell.Process, env Env) commandEnd {
	<-p.Done()
	status, _ := p.Status()
	return commandEnd{
		process: p, exit: p.Exit(), survivors: status.Survivors, left: len(status.Survivors) + status.More,
		offers: env.Offers, stopped: env.Commands.takeStopped(p.ID()),
	}
}

// result tells the end to the model; output is what a sandbox may recognise its
// refusals in.
func (e commandEnd) result(output string) Result {
	res := Result{Note: lines(e.exitNote(), e.denied(output), e.survivorsNote())}
	if e.failed() {
		res.Status = Failed
	}
	if e.left > 0 {
		res.ProcessID = e.process.ID()
	}
	return res
}

func (e commandEnd) failed() bool { return e.exit.Code != 0 || e.exit.Signal != "" }

func (e commandEnd) exitNote() string {
	var note string
	switch {
	case e.exit.Signal != "":
		note = "[terminated by signal " + e.exit.Signal + "]"
	case e.exit.Code != 0:
		note = fmt.Sprintf("[exit code: %d]", e.exit.Code)
	}
	return lines(note, e.stopped)
}

func (e commandEnd) denied(output string) string {
	by := e.process.Spec().Confinement
	if by == nil || !e.failed() {
		return ""
	}
	denial := by.Denied(output, e.exit)
	if denial.Why == "" {
		return ""
	}
	way := "If the task needs it, tell the user"
	if e.offers.escalates() {
		way = `If the task needs it, make the call again with sandbox_permissions "require_escalated" and a justification, ` +
			"which asks for one run outside the sandbox"
	}
	if denial.ForGood != "" {
		way += "; for good, " + denial.ForGood
	}
	return denial.Why + " " + way + "."
}

// after tells what is left of a command whose end the model knows.
func (e commandEnd) after() Result {
	if e.left == 0 {
		return Result{Note: lines(e.stopped, "[what the command left behind has ended; its process_id is cleared]")}
	}
	return Result{ProcessID: e.process.ID(), Note: lines(e.stopped, e.survivorsNote())}
}

// maxSurvivors is how many processes are named.
const maxSurvivors = 10

func (e commandEnd) survivorsNote() string {
	switch n := e.left; {
	case e.killed > 0:
		return fmt.Sprintf("[%s that the command left behind %s ended with it]", processes(e.killed), was(e.killed))
	case n > 0:
		return fmt.Sprintf("[the command itself has ended; %s that it started still %s; process_id: %s]\n%s\n"+
			"input_command reads on and kill_command ends them; at the latest they end with the session.",
			processes(n), runs(n), e.process.ID(), survivorList(e.survivors, e.left))
	}
	return ""
}

// survivorList names the first of so many.
func survivorList(listed []shell.Survivor, left int) string {
	var b strings.Builder
	listed = listed[:min(len(listed), maxSurvivors)]
	for i, s := range listed {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "  %d %s", s.PID, head(s.Name, maxTitle))
	}
	if more := left - len(listed); more > 0 {
		fmt.Fprintf(&b, "\n  (+%d more)", more)
	}
	return b.String()
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func runs(n int) string {
	if n == 1 {
		return "runs"
	}
	return "run"
}

// yieldNote closes a call whose command runs on.
func yieldNote(p shell.Process, s shell.Status, waited time.Duration) string {
	return lines(
		fmt.Sprintf("[still running after %s; process_id: %s]", waited.Round(time.Millisecond), p.ID()),
		waitingNote(p, s),
		"It runs on in the background: input_command reads on or types, kill_command ends it. Do not start it a second time.",
	)
}

// followNote closes a call that read on from a command that still runs.
func followNote(p shell.Process, s shell.Status) string {
	return lines(fmt.Sprintf("[still running; process_id: %s]", p.ID()), waitingNote(p, s))
}

func waitingNote(p shell.Process, s shell.Status) string {
	switch {
	case !s.Waiting || s.Done:
		return ""
	case p.Spec().TTY:
		return "[it waits for typing: answer with input_command, or leave it to the user, who sees the terminal]"
	}
	return "[it waits for typing: answer with input_command]"
}

func backgroundNote(p shell.Process) string {
	return fmt.Sprintf("[running in the background; process_id: %s]\n"+
		"You are told when it ends. Until then input_command reads its output or types, and kill_command ends it.", p.ID())
}

func spawnNote(err error, script string) string {
	if spawn, ok := errors.AsType[*shell.SpawnError](err); ok {
		err = spawn.Err
	}
	if errors.Is(err, syscall.E2BIG) {
		return "[spawn error: " + tooLong(script) + "]"
	}
	return "[spawn error: " + err.Error() + "]"
}

// maxScript is how long a command may be where the system bounds each argument,
// in bytes. Elsewhere it shares 1 MiB with its environment.
const maxScript = 128<<10 - 1

// tooLong says in words that the system does not start a command for its
// length.
func tooLong(script string) string {
	limit := "1 MiB together with its environment"
	if runtime.GOOS == "linux" {
		limit = fmt.Sprintf("%d bytes", maxScript)
	}
	return fmt.Sprintf("the command has %d bytes, and the system takes at most %s: write it to a file and run that", len(script), limit)
}

// personNotes are what people did to a call, or should know of it.
func personNotes(ok Accepted, planned, what string) string {
	var changed, comment string
	if ok.Script != nil && *ok.Script != planned {
		changed = fmt.Sprintf("[the user changed the %s to: %s]", what, *ok.Script)
	}
	if ok.Comment != "" {
		comment = "The user says: " + ok.Comment
	}
	return lines(changed, comment, unsavedNote(ok.Unsaved))
}

// unsavedNote is for the person as well: it may be the reason why a test fails.
func unsavedNote(names []string) string {
	const most = 20
	if len(names) == 0 {
		return ""
	}
	list := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" (+%d more)", more)
	}
	return "[note: unsaved in the editor, the command found the text on the disk: " + list + "]"
}

// lines joins the parts that say something.
func lines(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
