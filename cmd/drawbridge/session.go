package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drawbridge/bridge/headless"
	"drawbridge/session"
)

const sessionAbout = `Looks at what was recorded of sessions. It writes nothing, and the session may be open in an editor.

  list     the sessions, the newest first
  show     what happened in one: turns, calls, who or what decided about each, questions and
           changes; --decisions shows only what is about decisions
  verify   whether records are still what was written: each is chained to the one before, and
           where the log ends is kept apart

A session is named by its id or the beginning of it; without one the newest of the workspace is
meant. --json shows the records as they stand, one a line, and for list and verify one list.

Exit codes: 0 done, and nothing found; 1 an error, or verify has found something; 2 wrong usage or
settings.`

// sessionFlags are the flags of session.
type sessionFlags struct {
	workspace string
	all       bool
	decisions bool
	json      bool
}

func runSession(args []string) int {
	var f sessionFlags
	fs := newFlags("session", "list | show [ID] | verify [ID... | --all] [flags]", sessionAbout)
	fs.StringVar(&f.workspace, "workspace", "", "list: only the sessions of this `folder`; show and verify: whose newest session is meant")
	fs.BoolVar(&f.all, "all", false, "verify: all sessions")
	fs.BoolVar(&f.decisions, "decisions", false, "show: only what is about decisions")
	fs.BoolVar(&f.json, "json", false, "for programs")
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
	exit, err = f.run(rest[0], rest[1:], s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+headless.Visible(explained(err)))
		return exitFault
	}
	return exit
}

// usage says what is wrong with the words and flags.
func (f sessionFlags) usage(rest []string) error {
	word := ""
	if len(rest) > 0 {
		word = rest[0]
	}
	switch {
	case word == "":
		return errors.New("name what to do: list, show or verify; see drawbridge session --help")
	case !slices.Contains([]string{"list", "show", "verify"}, word):
		return fmt.Errorf("session takes list, show or verify, not %q", word)
	case word == "list" && len(rest) > 1:
		return fmt.Errorf("session list takes no argument %q", rest[1])
	case word == "show" && len(rest) > 2:
		return errors.New("session show shows one session")
	case f.all && word != "verify", f.all && len(rest) > 1:
		return errors.New("--all goes with session verify alone")
	case f.decisions && word != "show":
		return errors.New("--decisions goes with session show")
	case f.workspace != "" && (len(rest) > 1 || f.all):
		return errors.New("--workspace goes without an id and without --all")
	}
	return nil
}

func (f sessionFlags) run(word string, ids []string, s *setup) (exit int, err error) {
	kept, host := session.OpenStorage(s.dirs.State), session.NewHost(s.session())
	if word == "list" {
		return f.list(host)
	}
	if f.all {
		return f.verify(kept, kept.Recorded())
	}
	if ids, err = f.find(s, host, ids); err != nil {
		return 0, err
	}
	if word == "show" {
		return f.show(kept, ids[0])
	}
	return f.verify(kept, ids)
}

// find is the sessions that are meant.
func (f sessionFlags) find(s *setup, host *session.Host, named []string) (ids []string, err error) {
	if len(named) == 0 {
		id, err := newestOf(host, cmp.Or(f.workspace, "."))
		return []string{id}, err
	}
	for _, name := range named {
		id, err := s.sessionNamed(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// sessionNamed is the id of the one session that a person means.
func (s *setup) sessionNamed(name string) (string, error) {
	return abbreviated(session.OpenStorage(s.dirs.State).Recorded(), name)
}

// newestOf is the id of the newest session of a folder.
func newestOf(host *session.Host, workspace string) (string, error) {
	dir, err := filepath.Abs(workspace)
	if err != nil {
		return "", err
	}
	list, _, err := host.List("", "", 0)
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

// abbreviated is the one session whose id begins so, or is that.
func abbreviated(ids []string, name string) (string, error) {
	var found []string
	near, length := "", 0
	for _, id := range ids {
		if id == name {
			return id, nil
		}
		if strings.HasPrefix(id, name) {
			found = append(found, id)
		}
		if n := sharedPrefix(id, name); n > length {
			near, length = id, n
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%d sessions begin with %q: %s", len(found), name, strings.Join(firstFew(found), ", "))
	case length > 1:
		return "", fmt.Errorf("no session %q; did you mean %s? %s", name, near, sessionsHint)
	}
	return "", fmt.Errorf("no session %q; %s", name, sessionsHint)
}

const sessionsHint = "drawbridge session list names those that exist"

func sharedPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func firstFew(list []string) []string {
	if len(list) > 5 {
		return append(slices.Clone(list[:5]), "…")
	}
	return list
}

// listed is a session as a program reads it.
type listed struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Workspace string    `json:"workspace"`
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
	Mode      string    `json:"mode"`
	Preset    string    `json:"preset"`
}

func (f sessionFlags) list(host *session.Host) (exit int, err error) {
	infos, _, err := host.List("", "", 0)
	if err != nil {
		return 0, err
	}
	if f.workspace != "" {
		dir, err := filepath.Abs(f.workspace)
		if err != nil {
			return 0, err
		}
		infos = slices.DeleteFunc(infos, func(i session.Info) bool { return i.Dir != dir })
	}
	list := make([]listed, len(infos))
	var text strings.Builder
	for i, info := range infos {
		list[i] = listed{info.ID, info.Title, info.Dir, info.Created, info.Updated, string(info.Mode), string(info.Preset)}
		fmt.Fprintf(&text, "%s  %-7s  %s  %s\n", oneLine(info.ID), ageWord(time.Since(info.Updated)), oneLine(info.Dir), oneLine(info.Title))
	}
	if f.json {
		return showJSON(list), nil
	}
	return show(cmp.Or(text.String(), "no session\n")), nil
}

func showJSON(v any) int {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fail(err)
	}
	return show(string(text) + "\n")
}

// oneLine is a text as it may stand in a line of a terminal.
func oneLine(text string) string {
	return strings.NewReplacer("\n", "␊", "\t", "␉").Replace(headless.Visible(text))
}
