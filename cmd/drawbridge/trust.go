package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drawbridge/bridge/headless"
	"drawbridge/config"
)

const trustAbout = `Shows the settings that a workspace brings (` + config.RepositoryFile + `), everything that they would do,
and whether they count. They do not count before you trust exactly their content; one byte more or less
asks again. --yes trusts what is shown, --no declines it for good, --forget takes every answer about the
workspace back.

Exit codes: 0 it was shown, or the answer was kept; 1 there is nothing to answer about, or it cannot count;
2 wrong usage or settings.`

// trustFlags are the flags of drawbridge trust.
type trustFlags struct {
	workspace, digest         string
	yes, no, forget, asObject bool
}

func runTrust(args []string) int {
	var f trustFlags
	fs := newFlags("trust", "[--yes | --no | --forget] [flags]", trustAbout)
	fs.StringVar(&f.workspace, "workspace", ".", "the workspace folder")
	fs.BoolVar(&f.yes, "yes", false, "trust exactly what is there now")
	fs.BoolVar(&f.no, "no", false, "decline it, and do not ask again until it changes")
	fs.BoolVar(&f.forget, "forget", false, "forget every answer about the workspace")
	fs.StringVar(&f.digest, "digest", "", "with --yes or --no: only if the content has this `DIGEST`")
	fs.BoolVar(&f.asObject, "json", false, "print one JSON object")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if err := f.check(rest); err != nil {
		return fail(err)
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	dir, err := filepath.Abs(f.workspace)
	if err != nil {
		return fail(err)
	}
	return s.trustCommand(f, dir)
}

func (f trustFlags) check(rest []string) error {
	said := 0
	for _, b := range []bool{f.yes, f.no, f.forget} {
		if b {
			said++
		}
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("trust takes no argument %q; name the folder with --workspace", rest[0])
	case said > 1:
		return errors.New("give one of --yes, --no and --forget")
	case f.digest != "" && !f.yes && !f.no:
		return errors.New("--digest goes with --yes or --no")
	}
	if st, err := os.Stat(f.workspace); err != nil || !st.IsDir() {
		return fmt.Errorf("workspace %s is not a folder", f.workspace)
	}
	return nil
}

// trustCommand shows first what it does next, from one look at the file.
func (s *setup) trustCommand(f trustFlags, dir string) int {
	if f.forget {
		return s.forgetTrust(dir)
	}
	b, ok := s.trust.Look(dir)
	if !ok {
		return s.nothingBrought(f, dir)
	}
	var fault error
	if f.yes || f.no {
		fault = s.answerTrust(f, &b)
	}
	exit := 0
	if f.asObject {
		exit = printJSON(s.trustObject(b))
	} else {
		exit = show(s.known.Text(trustText(b)))
	}
	if fault != nil && exit == 0 {
		fmt.Fprintln(os.Stderr, "drawbridge: "+s.known.Text(fault.Error()))
		exit = exitFault
	}
	return exit
}

// answerTrust keeps the answer about what was looked at, and notes it there.
func (s *setup) answerTrust(f trustFlags, b *config.Brought) error {
	switch {
	case b.Fault != nil:
		return b.Fault
	case f.digest != "" && f.digest != b.Digest:
		return config.ErrChanged
	}
	say := config.Declined
	if f.yes {
		say = config.Trusted
	}
	if err := s.trust.Answer(b.Root, b.Digest, say, time.Now()); err != nil {
		return err
	}
	b.Standing = say
	return nil
}

func (s *setup) forgetTrust(dir string) int {
	forgotten, err := s.trust.Forget(dir)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitFault
	case !forgotten:
		return show("there was no answer about this workspace\n")
	}
	return show("the answers about this workspace are forgotten\n")
}

func (s *setup) nothingBrought(f trustFlags, dir string) int {
	if f.asObject {
		return max(printJSON(trustShown{Workspace: realPath(dir), State: "none", Items: []trustItem{}}), boolExit(f.yes || f.no))
	}
	if exit := show(headless.Visible(realPath(dir)) + " brings no settings of its own\n"); exit != 0 || !f.yes && !f.no {
		return exit
	}
	return exitFault
}

func boolExit(fault bool) int {
	if fault {
		return exitFault
	}
	return 0
}

// trustShown is what --json prints.
type trustShown struct {
	Workspace string      `json:"workspace"`
	File      string      `json:"file,omitempty"`
	Digest    string      `json:"digest,omitempty"`
	State     string      `json:"state"` // none, unanswered, trusted, declined, invalid
	Changed   bool        `json:"changed,omitempty"`
	Fault     string      `json:"fault,omitempty"`
	Items     []trustItem `json:"items"`
}

type trustItem struct {
	Kind    string `json:"kind"`
	What    string `json:"what"`
	Command string `json:"command,omitempty"`
}

func (s *setup) trustObject(b config.Brought) trustShown {
	o := trustShown{
		Workspace: b.Root, File: b.File, Digest: b.Digest, State: trustState(b), Changed: b.Changed,
		Items: []trustItem{},
	}
	if b.Fault != nil {
		o.Fault = s.known.Text(b.Fault.Error())
	}
	for _, i := range b.Items {
		o.Items = append(o.Items, trustItem{i.Kind, s.known.Text(i.What), s.known.Text(i.Command)})
	}
	return o
}

func trustState(b config.Brought) string {
	if b.Fault != nil {
		return "invalid"
	}
	return map[config.Standing]string{config.Unanswered: "unanswered", config.Trusted: "trusted", config.Declined: "declined"}[b.Standing]
}

// trustText is what the settings would do and whether they do, for a person.
func trustText(b config.Brought) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s\n", headless.Visible(b.File))
	for _, i := range b.Items {
		fmt.Fprintf(&t, "  %-11s  %s\n", i.Kind, oneLine(i.What))
		if i.Command != "" {
			fmt.Fprintf(&t, "  %-11s  runs: %s\n", "", strings.ReplaceAll(headless.Visible(i.Command), "\n", "\n                     "))
		}
	}
	for _, w := range slices.Concat(b.Warnings, unreadable(b.Approval)) {
		fmt.Fprintf(&t, "  note: %s\n", oneLine(w))
	}
	t.WriteString(trustVerdict(b))
	return t.String()
}

func trustVerdict(b config.Brought) string {
	switch {
	case b.Fault != nil:
		return "They can never count, for not all of it can be understood:\n  " + oneLine(b.Fault.Error()) + "\n"
	case b.Standing == config.Trusted:
		return "They count: you trust exactly this content.\n"
	case b.Standing == config.Declined:
		return "They do not count: you declined them. drawbridge trust --yes trusts them.\n"
	case b.Changed:
		return "They do not count: they changed since you trusted them. drawbridge trust --yes trusts them as they are now.\n"
	}
	return "They do not count: nobody has answered. drawbridge trust --yes trusts them.\n"
}
