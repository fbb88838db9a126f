package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/bridge/headless"
	"drawbridge/config"
	"drawbridge/tools"
)

const configAbout = `check reads settings files and prints all that is wrong with them, a line each with its place: without a
FILE your own and that of the workspace. show prints what holds, and where each of it was written; keys and
the values of variables are not shown. schema prints the JSON Schema by which editors complete and check
the file; with --workspace that of the file that a workspace brings.

Exit codes: 0 nothing is wrong, or it was printed; 1 something is wrong; 2 wrong usage, or settings that
cannot be shown.`

func runConfig(args []string) int {
	if len(args) == 0 {
		return fail(errors.New("name what to do: check, show or schema; see drawbridge config --help"))
	}
	switch args[0] {
	case "check":
		return runConfigCheck(args[1:])
	case "show":
		return runConfigShow(args[1:])
	case "schema":
		return runConfigSchema(args[1:])
	}
	fs := newFlags("config", "check [FILE]... | show | schema", configAbout)
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	return fail(fmt.Errorf("config cannot %q; it can check, show and schema", rest[0]))
}

func runConfigCheck(args []string) int {
	fs := newFlags("config check", "[FILE]... [flags]", configAbout)
	workspace := fs.String("workspace", ".", "the workspace folder, when no file is named")
	asObject := fs.Bool("json", false, "print a JSON array of {file, line, column, message, warning}")
	files, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	dirs, err := config.FindDirs(os.Getenv)
	if err != nil {
		return fail(err)
	}
	found := []configFinding{}
	var fine strings.Builder
	for _, file := range checkedFiles(dirs, files, *workspace) {
		here, there := checkFile(dirs, file, len(files) > 0)
		switch {
		case !there:
			fmt.Fprintf(&fine, "%s: does not exist; the defaults hold\n", headless.Visible(file))
		case len(here) == 0:
			fmt.Fprintf(&fine, "%s: nothing is wrong\n", headless.Visible(file))
		}
		found = append(found, here...)
	}
	exit = boolExit(slices.ContainsFunc(found, func(f configFinding) bool { return !f.Warning }))
	if *asObject {
		return max(printJSON(found), exit)
	}
	return max(show(findingsText(found, fine.String())), exit)
}

// checkedFiles are those that were named, else the user's and the workspace's.
func checkedFiles(dirs config.Dirs, named []string, workspace string) []string {
	if len(named) > 0 {
		return named
	}
	if abs, err := filepath.Abs(workspace); err == nil {
		workspace = abs
	}
	return []string{config.FileOf(dirs), filepath.Join(realPath(workspace), filepath.FromSlash(config.RepositoryFile))}
}

// configFinding is one thing that is wrong with a settings file.
type configFinding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Warning bool   `json:"warning,omitempty"`
}

// findingsText is what was found, then fine. A file that could not be read is an
// error like any other command's.
func findingsText(found []configFinding, fine string) string {
	var t strings.Builder
	for _, f := range found {
		text := f.Message
		if f.Warning {
			text = "warning: " + text
		}
		p := config.Problem{File: f.File, Line: f.Line, Column: f.Column, Text: text}
		if f.File == "" && !f.Warning {
			t.WriteString("drawbridge: ")
		}
		fmt.Fprintln(&t, headless.Visible(p.Error()))
	}
	return t.String() + fine
}

// checkFile reads one file as what its name says that it is. One that nobody
// named need not be there.
func checkFile(dirs config.Dirs, file string, named bool) (found []configFinding, there bool) {
	warnings, faults := faultsOfFile(dirs, file)
	if errors.Is(faults, fs.ErrNotExist) && !named {
		return nil, false
	}
	for _, p := range config.ProblemsOf(faults) {
		found = append(found, findingOf(&p, false))
	}
	for _, w := range warnings {
		found = append(found, findingOf(config.Warning(w), true))
	}
	slices.SortStableFunc(found, func(a, b configFinding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found, true
}

func findingOf(p *config.Problem, warning bool) configFinding {
	return configFinding{File: p.File, Line: p.Line, Column: p.Column, Message: p.Text, Warning: warning}
}

func faultsOfFile(dirs config.Dirs, file string) (warnings []string, faults error) {
	if root, ok := ofWorkspace(file); ok {
		return config.InspectRepository(root, func(c *config.Config) []string { return unreadable(c.Approval) }, faultsOfTools)
	}
	return config.Inspect(dirs, file, doubtsOf, faultsOfTools)
}

// ofWorkspace is the folder whose settings a file holds, if it is where
// workspaces have theirs.
func ofWorkspace(file string) (root string, ok bool) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	root, ok = strings.CutSuffix(filepath.ToSlash(abs), "/"+config.RepositoryFile)
	return filepath.FromSlash(root), ok
}

func runConfigSchema(args []string) int {
	fs := newFlags("config schema", "[--workspace]", configAbout)
	workspace := fs.Bool("workspace", false, "of the settings that a workspace brings")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("config schema takes no argument %q", rest[0]))
	}
	names, err := namesOfTools()
	if err != nil {
		return fail(err)
	}
	if *workspace {
		return show(string(config.RepositorySchema(names)))
	}
	return show(string(config.Schema(names)))
}

func namesOfTools() (config.Names, error) {
	builtin, err := tools.Profile(tools.ProfileDefault)
	agent, err2 := tools.Profile(tools.ProfileAgent)
	return config.Names{Tools: tools.AllNames(), Builtin: builtin.Names(), Agent: agent.Names()}, errors.Join(err, err2)
}
