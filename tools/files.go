package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/workspace"
)

// resolve turns the name a model gave into a path it may use that way.
func resolve(env Env, name string, access Access) (workspace.Path, error) {
	p, err := env.Workspace.Resolve(name)
	if err != nil {
		return p, fileFailure(name, err)
	}
	if access == Read && isArchive(env, p) {
		p.Protected, p.Inside = "", true // it came from one of these sessions: no question
	}
	if p.Protected != "" {
		return p, Failf("%q is off limits to tools: %s", name, p.Protected)
	}
	if access == Write && p.Holds {
		return p, Failf("%q is off limits to tools: %s", name, workspace.HoldsProtected)
	}
	return p, nil
}

// isArchive says that p is an output that a session of Env.Archives has archived.
// Those lie among our own state, and the model is told to read them there.
func isArchive(env Env, p workspace.Path) bool {
	if env.Archives == nil || !strings.HasSuffix(p.Abs, ".log") {
		return false
	}
	return slices.ContainsFunc(env.Archives(), func(lies string) bool {
		dir, err := filepath.EvalSymlinks(lies)
		return err == nil && filepath.Dir(p.Abs) == dir
	})
}

// fileFailure makes a fault of a file something the model can act on; what the
// machine fails at, and other errors, stay ours.
func fileFailure(name string, err error) error {
	fault, ok := errors.AsType[*workspace.FileError](err)
	if !ok {
		return err
	}
	switch fault.Kind {
	case workspace.Other:
		return err
	case workspace.IsDir:
		return Failf("%q is a directory, not a file. List it with a shell command (ls).", name)
	case workspace.NotRegular:
		return Failf("%q is not a regular file%s. Only regular files can be read or changed.", name, bracketed(fault.Detail))
	case workspace.OutOfStep:
		return Failf("%q is open in the editor, but what it shows there is not known here, since the editor sent an edit that does not fit. Ask the user to save or to reopen it, then try again.", name)
	case workspace.Unspellable:
		return Failf("Nothing was changed in %q: %s.", name, fault.Detail)
	case workspace.TooLarge:
		return Failf("%q is too large for this tool%s. Work on it with shell commands (grep, sed, split).", name, bracketed(fault.Detail))
	}
	return Failf("%q: %s", name, fault.Error())
}

// ofContent marks a failure that tells of what a file holds.
func ofContent(name string, err error) error {
	f, ok := err.(*Failure)
	if !ok {
		return err
	}
	told := *f
	told.Blind = fmt.Sprintf("Nothing was changed in %q: the change cannot be made to what it holds now. Why not is not told, since that would be to read the file, which is not allowed without asking. Read it first (the user is asked); the text to replace must then be copied exactly, and occur once.", name)
	return &told
}

// Unseen is a failure as it is told where nobody has allowed to read what the
// plan looked at. Any other error comes back as it is.
func Unseen(err error) error {
	if f, ok := err.(*Failure); ok && f.Blind != "" {
		return &Failure{Text: f.Blind}
	}
	return err
}

func bracketed(detail string) string {
	if detail == "" {
		return ""
	}
	return " (" + detail + ")"
}

// notFound is the failure for a missing file, with what is near it.
func notFound(env Env, name string, p workspace.Path, advice string) error {
	text := fmt.Sprintf("File not found: %q (looked at %s; absolute paths are taken as they are, relative ones start at the workspace root).", name, p.Lexical)
	if hint := env.Workspace.Hint(p); hint != "" {
		text += "\n" + hint
	}
	if advice != "" {
		text += "\n" + advice
	}
	return &Failure{Text: text}
}

// isBinary is the one rule by which all tools refuse a content as no text.
func isBinary(text string) bool { return strings.IndexByte(text, 0) >= 0 }

const bom = "\uFEFF"

func plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
