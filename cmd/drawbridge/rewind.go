package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/bridge/headless"
	"drawbridge/session"
	"drawbridge/workspace"
)

const rewindAbout = `Gives the files that the agent changed what they held before a turn. What others changed in them
since is kept; where that is on the same lines, or the file was removed since, it is left alone.
Nothing else is touched, git is never run, and a rewind is undone by rewinding to its own
checkpoint. Without --to and --turn it lists the checkpoints of the session.

It shows what it will do and asks; where nobody can be asked it does nothing without --yes. A
session that is open in an editor is rewound there.

Exit codes: 0 done, or nothing to do; 1 an error, a no, or some files were left alone; 2 wrong
usage or settings.`

// rewindFlags are the flags of rewind.
type rewindFlags struct {
	workspace, session string
	to, turn           string
	only, dryRun, yes  bool
	diff               bool
}

func runRewind(args []string) int {
	var f rewindFlags
	fs := newFlags("rewind", "[--to CHECKPOINT | --turn TURN] [flags]", rewindAbout)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder, whose newest session is meant")
	fs.StringVar(&f.session, "session", "", "this session")
	fs.StringVar(&f.to, "to", "", "back to before this `checkpoint`, such as k3")
	fs.StringVar(&f.turn, "turn", "", "back to before this `turn`, such as t3")
	fs.BoolVar(&f.only, "only", false, "take back that turn alone, and leave what later ones did")
	fs.BoolVar(&f.diff, "diff", false, "show what it does to each line")
	fs.BoolVar(&f.dryRun, "dry-run", false, "show what it would do, and do nothing")
	fs.BoolVar(&f.yes, "yes", false, "do it without asking")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	switch {
	case len(rest) > 0:
		return fail(fmt.Errorf("rewind takes no argument %q; name the checkpoint with --to", rest[0]))
	case f.to != "" && f.turn != "":
		return fail(errors.New("give --to or --turn, not both"))
	case f.only && f.to == "" && f.turn == "":
		return fail(errors.New("--only goes with --to or --turn"))
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

// explained is an error with what to do about it.
func explained(err error) string {
	if told := new(session.Error); errors.As(err, &told) && told.Hint != "" {
		return told.Message + "; " + told.Hint
	}
	return err.Error()
}

// rewind opens the session, which no editor may have open then.
func (f rewindFlags) rewind(ctx context.Context, s *setup) (exit int, err error) {
	host := session.NewHost(s.session())
	id, err := f.find(host)
	if err != nil {
		return 0, err
	}
	sess, _, err := host.Load(id, 0, func(session.Event) {})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, host.Close(ctx)) }()
	to, err := f.checkpoint(sess)
	if err != nil {
		return 0, err
	}
	if to == "" {
		return f.list(sess)
	}
	return f.carryOut(ctx, sess, to)
}

// find is the session that is meant.
func (f rewindFlags) find(host *session.Host) (string, error) {
	if f.session != "" {
		return f.session, nil
	}
	dir, err := filepath.Abs(f.workspace)
	if err != nil {
		return "", err
	}
	list, _, err := host.List("", 0)
	if err != nil {
		return "", err
	}
	for _, info := range list {
		if info.Dir == dir {
			return info.ID, nil
		}
	}
	return "", fmt.Errorf("no session of %s; name one with --session, or its folder with --workspace", dir)
}

// checkpoint is the checkpoint that is meant, "" where none was named.
func (f rewindFlags) checkpoint(sess *session.Session) (string, error) {
	if f.turn == "" {
		return f.to, nil
	}
	list, err := sess.Checkpoints()
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if c.Turn == f.turn {
			return c.ID, nil
		}
	}
	return "", fmt.Errorf("turn %s has changed no file, or there is none; drawbridge rewind lists the checkpoints", f.turn)
}

func (f rewindFlags) list(sess *session.Session) (int, error) {
	list, err := sess.Checkpoints()
	if err != nil {
		return 0, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "session %s: %s\n", sess.Info().ID, sess.Info().Title)
	if len(list) == 0 {
		b.WriteString("no file was changed\n")
	}
	for _, c := range list {
		gone := ""
		if c.Gone {
			gone = "  (gone: it cannot be restored)"
		}
		fmt.Fprintf(&b, "%-4s %-4s %-9s %s  %s%s\n", c.ID, c.Turn, ageWord(time.Since(c.Time)), filesWord(len(c.Files)), c.Title, gone)
	}
	if len(list) > 0 {
		fmt.Fprintf(&b, "drawbridge rewind --session %s --to %s goes back to before it\n", sess.Info().ID, list[len(list)-1].ID)
	}
	return show(headless.Visible(b.String())), nil
}

func filesWord(n int) string {
	if n == 1 {
		return "1 file "
	}
	return fmt.Sprintf("%d files", n)
}

// carryOut shows what a rewind would do, asks, and does it.
func (f rewindFlags) carryOut(ctx context.Context, sess *session.Session, to string) (int, error) {
	plan, err := sess.PreviewRewind(ctx, to, f.only)
	if err != nil {
		return 0, err
	}
	if exit := show(f.filesText(plan.Files)); exit != 0 || f.dryRun {
		return exit, nil
	}
	if !anyEffective(plan.Files) {
		return left(plan.Files), nil
	}
	if !f.yes {
		if !personPresent() {
			fmt.Fprintln(os.Stderr, "drawbridge: nothing was done: nobody can be asked here; --yes does it without asking")
			return exitFault, nil
		}
		if !confirmed() {
			return exitFault, nil
		}
	}
	id, files, err := sess.Rewind(ctx, to, f.only, plan.Digest)
	if err != nil {
		return 0, err
	}
	for i, file := range files {
		if file.State != plan.Files[i].State {
			show(f.fileText(file))
		}
	}
	if id != "" {
		show(fmt.Sprintf("done; drawbridge rewind --session %s --to %s undoes it\n", headless.Visible(sess.Info().ID), id))
	}
	return left(files), nil
}

// confirmed asks the person at the terminal. Anything but yes is no.
func confirmed() bool {
	show("⟫ Rewind these files? [y/N] ")
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	show("nothing was done\n")
	return false
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
		if file.State == session.RewindConflict || file.State == session.RewindUnkept {
			return exitFault
		}
	}
	return 0
}

func (f rewindFlags) filesText(files []session.RewindFile) string {
	if len(files) == 0 {
		return "no file was changed\n"
	}
	var b strings.Builder
	for _, file := range files {
		b.WriteString(f.fileText(file))
	}
	return b.String()
}

// rewindWords say what is done to a file.
var rewindWords = map[session.RewindState]string{
	session.RewindRestore: "restore", session.RewindMerge: "merge", session.RewindConflict: "leave",
	session.RewindUnchanged: "as it was", session.RewindUnkept: "leave",
}

func (f rewindFlags) fileText(file session.RewindFile) string {
	word := rewindWords[file.State]
	switch {
	case file.State != session.RewindRestore:
	case file.Change.Kind == workspace.Delete:
		word = "remove"
	case file.Change.Kind == workspace.Create:
		word = "make"
	}
	line := fmt.Sprintf("%-9s %s", word, strings.ReplaceAll(headless.Visible(file.Path), "\n", "␊"))
	if file.Effective() {
		plus, minus := file.Change.Stat()
		line += fmt.Sprintf(" (+%d −%d)", plus, minus)
	}
	if file.Why != "" {
		line += ": " + strings.ReplaceAll(headless.Visible(file.Why), "\n", " ")
	}
	if f.diff && file.Effective() {
		line += "\n" + headless.Visible(strings.TrimRight(file.Change.Unified(workspace.DiffOptions{Context: 3, NoNewline: true, MaxBytes: 256 << 10}), "\n"))
	}
	return line + "\n"
}
