package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"drawbridge/bridge/headless"
	"drawbridge/session"
)

const rewindAbout = `Takes back what the last turn that changed files did to them, or with --to, --turn and
--session-start what was done since. What others changed in the files stays; where that is on the
same lines, or the file was removed since, it is left alone. Nothing else is touched, and git is
never run. A rewind makes a checkpoint of its own, by which it is undone.

It shows what it will do and asks; where nobody can be asked it does nothing without --yes. A
session that is open in an editor is rewound there; --list and --dry-run show it here, as far as it
is in files.

  restore    the file gets what it held, also one that was removed
  remove     the file was made, and goes
  merge      what others changed since stays, the rest gets what it held
  leave      nothing is done to the file, and it is said why
  unchanged  it holds already what it held

A file that changed while a command ran which does not name it may be somebody else's work; it is
left, unless --all is given.

Exit codes: 0 done, or nothing to do; 1 an error, a no, or some files were left alone; 2 wrong
usage or settings.`

// rewindFlags are the flags of rewind.
type rewindFlags struct {
	workspace, session string
	to, turn           string
	start, only        bool
	list, dryRun, yes  bool
	diff, all          bool
}

func runRewind(args []string) int {
	var f rewindFlags
	fs := newFlags("rewind", "[--to CHECKPOINT | --turn TURN | --session-start | --list] [flags]", rewindAbout)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder, whose newest session is meant")
	fs.StringVar(&f.session, "session", "", "this session, by its id or the beginning of it")
	fs.StringVar(&f.to, "to", "", "back to before this `checkpoint`, such as k3")
	fs.StringVar(&f.turn, "turn", "", "back to before this `turn`, such as t3")
	fs.BoolVar(&f.start, "session-start", false, "back to before the session's first change")
	fs.BoolVar(&f.only, "only", false, "take back that turn alone, and leave what later ones did")
	fs.BoolVar(&f.all, "all", false, "also what changed while a command ran and may be somebody else's work")
	fs.BoolVar(&f.list, "list", false, "list the checkpoints of the session, and do nothing")
	fs.BoolVar(&f.diff, "diff", false, "show what it does to each line")
	fs.BoolVar(&f.dryRun, "dry-run", false, "show what it would do, and do nothing")
	fs.BoolVar(&f.yes, "yes", false, "do it without asking")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if err := f.usage(rest); err != nil {
		return fail(err)
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	keepPrivate()
	exit, err = f.rewind(context.Background(), s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+headless.Visible(explained(err)))
		return exitFault
	}
	return exit
}

// usage says what is wrong with the flags.
func (f rewindFlags) usage(rest []string) error {
	named := 0
	for _, given := range []bool{f.to != "", f.turn != "", f.start, f.list} {
		if given {
			named++
		}
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("rewind takes no argument %q; name the checkpoint with --to", rest[0])
	case named > 1:
		return errors.New("give one of --to, --turn, --session-start and --list")
	case f.only && f.to == "" && f.turn == "":
		return errors.New("--only goes with --to or --turn")
	}
	return nil
}

// explained is an error with what to do about it at a command line.
func explained(err error) string {
	told := new(session.Error)
	if !errors.As(err, &told) {
		return err.Error()
	}
	hint := told.Hint
	switch told.Kind {
	case "unknownCheckpoint":
		hint = "drawbridge rewind --list names those that exist"
	case "unknownSession":
		hint = sessionsHint
	case "sessionBusy":
		hint = "rewind it there, or close it; --list and --dry-run show it here"
	case "stale":
		hint = "look at them again"
	}
	if hint == "" {
		return told.Message
	}
	return told.Message + "; " + hint
}

// kept is a session as far as a rewind looks at it.
type kept interface {
	Info() session.Info
	Checkpoints() ([]session.Checkpoint, error)
	PreviewRewind(ctx context.Context, what session.RewindChoice) (session.Rewind, error)
}

// rewind looks at the session, and opens it only to change files: no editor may
// have it open then.
func (f rewindFlags) rewind(ctx context.Context, s *setup) (exit int, err error) {
	host := session.NewHost(s.session())
	id, err := f.find(s, host)
	if err != nil {
		return 0, err
	}
	peek, err := host.Peek(id)
	if err != nil {
		return 0, err
	}
	if of := peek.Info().Origin; of != nil {
		return 0, fmt.Errorf("session %s is a subagent's: what it changed is kept with the session that it worked for; "+
			"drawbridge rewind --session %s rewinds that", id, of.Session)
	}
	if f.list {
		return f.showList(peek)
	}
	list, err := peek.Checkpoints()
	if err != nil {
		return 0, err
	}
	if len(list) == 0 && f.to == "" && f.turn == "" {
		return show(fmt.Sprintf("session %s: no file was changed\n", headless.Visible(id))), nil
	}
	if err := f.unknown(id, list); err != nil {
		return 0, err
	}
	what, err := f.choice(ctx, peek, list)
	if err != nil {
		return 0, err
	}
	if f.dryRun {
		_, exit, err := f.preview(ctx, peek, what)
		return exit, err
	}
	sess, _, err := host.Load(id, 0, func(session.Event) {})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, host.Close(ctx)) }()
	return f.carryOut(ctx, sess, what)
}

// find is the session that is meant.
func (f rewindFlags) find(s *setup, host *session.Host) (string, error) {
	if f.session != "" {
		return s.sessionNamed(f.session)
	}
	return newestOf(host, f.workspace)
}

// unknown says that a turn or checkpoint that is named is none of the session's.
func (f rewindFlags) unknown(id string, list []session.Checkpoint) error {
	named := func(c session.Checkpoint) bool { return c.ID == f.to || c.Turn != "" && c.Turn == f.turn }
	switch {
	case slices.ContainsFunc(list, named):
	case f.turn != "":
		return fmt.Errorf("session %s: turn %s has changed no file, or there is none; drawbridge rewind --list names the checkpoints", id, f.turn)
	case f.to != "":
		return fmt.Errorf("session %s: no checkpoint %s; drawbridge rewind --list names those that exist", id, f.to)
	}
	return nil
}

// choice is what the flags name, or the last turn of which there is anything
// left to take back.
func (f rewindFlags) choice(ctx context.Context, k kept, list []session.Checkpoint) (session.RewindChoice, error) {
	what := session.RewindChoice{To: f.to, Only: f.only, Doubtful: f.all}
	if f.to != "" || f.start {
		return what, nil
	}
	for i := len(list) - 1; i >= 0; i-- {
		if c := list[i]; c.Turn != "" && (f.turn == "" || c.Turn == f.turn) {
			what.To = c.ID
			if f.turn != "" {
				return what, nil
			}
			plan, err := k.PreviewRewind(ctx, what)
			if err != nil || leftToDo(plan.Files) {
				return what, err
			}
		}
	}
	return what, nil // all was taken back, which is shown
}

// leftToDo says that some file does not hold what it held.
func leftToDo(files []session.RewindFile) bool {
	for _, file := range files {
		if file.State != session.RewindUnchanged {
			return true
		}
	}
	return false
}

func (f rewindFlags) showList(k kept) (int, error) {
	list, err := k.Checkpoints()
	if err != nil {
		return 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "session %s: %s\n", k.Info().ID, k.Info().Title)
	if len(list) == 0 {
		b.WriteString("no file was changed\n")
	}
	newest := ""
	for _, c := range list {
		gone := ""
		age := ageWord(time.Since(c.Time))
		if c.Time.IsZero() { // not even that can be read
			age = "?"
		}
		if c.Damaged {
			gone = "  (damaged: the list of what was kept for it cannot be read)"
		} else if c.Gone {
			gone = "  (gone: what was kept for it was removed)"
		} else {
			newest = c.ID
		}
		fmt.Fprintf(&b, "%-4s %-4s %-9s %s  %s%s\n", c.ID, c.Turn, age, filesWord(len(c.Files)), c.Title, gone)
	}
	if newest != "" {
		fmt.Fprintf(&b, "drawbridge rewind --session %s --to %s goes back to before %s\n", k.Info().ID, newest, newest)
	}
	return show(headless.Visible(b.String())), nil
}

func filesWord(n int) string {
	if n == 1 {
		return "1 file "
	}
	return fmt.Sprintf("%d files", n)
}

// preview shows what a rewind would do.
func (f rewindFlags) preview(ctx context.Context, k kept, what session.RewindChoice) (plan session.Rewind, exit int, err error) {
	if plan, err = k.PreviewRewind(ctx, what); err != nil {
		return plan, 0, err
	}
	head := strings.ReplaceAll(headless.Visible(plan.Title()), "\n", " ") + "\n"
	return plan, show(head + f.filesText(k.Info().Dir, plan.Files)), nil
}

// carryOut shows what a rewind would do, asks, and does it.
func (f rewindFlags) carryOut(ctx context.Context, sess *session.Session, what session.RewindChoice) (int, error) {
	plan, exit, err := f.preview(ctx, sess, what)
	if exit != 0 || err != nil {
		return exit, err
	}
	dir := sess.Info().Dir
	if !anyEffective(plan.Files) {
		show("nothing was done\n")
		return left(plan.Files), nil
	}
	if !f.yes {
		if !personPresent() {
			fmt.Fprintln(os.Stderr, "drawbridge: nothing was done: nobody can be asked here; --yes does it without asking")
			return exitFault, nil
		}
		if !f.confirmed(dir, plan.Files) {
			return exitFault, nil
		}
	}
	id, files, err := sess.Rewind(ctx, what, plan.Digest)
	if err != nil {
		return 0, err
	}
	for i, file := range files {
		if file.State != plan.Files[i].State {
			show(f.fileText(dir, file))
		}
	}
	if id != "" {
		show(fmt.Sprintf("done; drawbridge rewind --session %s --to %s undoes it\n", headless.Visible(sess.Info().ID), id))
	}
	return left(files), nil
}

const confirmHelp = `  y  rewinds them
  n  does nothing; so does Enter alone
  d  shows what it does to each line
`

// confirmed asks the person at the terminal. Anything but yes is no, but for a
// wish to see more.
func (f rewindFlags) confirmed(dir string, files []session.RewindFile) bool {
	in := bufio.NewReader(os.Stdin)
	for {
		show("⟫ Rewind these files? [y/N/d/?] ")
		line, err := in.ReadString('\n')
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case err == nil && (word == "y" || word == "yes"):
			return true
		case err == nil && (word == "?" || word == "h" || word == "help"):
			show(confirmHelp)
			continue
		case err == nil && word == "d":
			f.diff = true
			show(f.filesText(dir, files))
			continue
		}
		show("nothing was done\n")
		return false
	}
}

func anyEffective(files []session.RewindFile) bool {
	for _, file := range files {
		if file.Effective() {
			return true
		}
	}
	return false
}

// left is the exit code that says whether files were left alone.
func left(files []session.RewindFile) int {
	for _, file := range files {
		if !file.Effective() && file.State != session.RewindUnchanged {
			return exitFault
		}
	}
	return 0
}
