package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed demo
var demoFiles embed.FS

// demoScript is what the script provider plays as script:demo.
func demoScript() string {
	text, err := demoFiles.ReadFile("demo/script.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// demoNext says where to go from the demo.
const demoNext = "\nThe same in your editor, with native diffs and terminals: VS Code (docs/editors/vscode.md),\nNeovim (docs/editors/neovim.md).\n"

const demoPrompt = "The tests fail. Find out why and fix it."

func runDemo(args []string) int {
	fs := newFlags("demo", "[--yes]", "Plays a prompt on a sample project with a scripted model: failing tests, a fix of three\n"+
		"hunks, the tests again. Questions are asked when a person sits at the terminal.")
	yes := fs.Bool("yes", false, "answer every question with yes")
	keep := fs.String("workspace", "", "put the sample project here instead of a temporary folder, and leave it")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("demo takes no argument %q", rest[0]))
	}
	if err := settingsFault(); err != nil {
		return fail(err)
	}
	dir, cleanup, err := demoProject(*keep)
	if err != nil {
		return fail(err)
	}
	defer cleanup()
	note := ""
	if *keep == "" {
		note = " (a temporary folder)"
	}
	code := runWith(runFlags{
		workspace: dir, model: "script:demo", mode: "always-ask", prompt: demoPrompt,
		intro: fmt.Sprintf("The sample project is in %s%s\n> %s\n\n", dir, note, demoPrompt),
		yes:   *yes || !personPresent(),
	})
	if code != 0 {
		return code
	}
	return show(demoNext)
}

// demoProject copies the sample project to keep, or to a temporary folder.
func demoProject(keep string) (dir string, cleanup func(), err error) {
	cleanup = func() {}
	if found, err := os.ReadDir(keep); keep != "" && err == nil && len(found) > 0 {
		return "", nil, fmt.Errorf("%s is not empty: name a folder that is, or that does not exist", keep)
	}
	if dir, err = filepath.Abs(keep); keep == "" || err != nil {
		if dir, err = os.MkdirTemp("", "drawbridge-demo-"); err != nil {
			return "", nil, fmt.Errorf("make the sample project: %w", err)
		}
		cleanup = func() { os.RemoveAll(dir) }
	}
	project, err := fs.Sub(demoFiles, "demo/project")
	if err == nil {
		err = copyFiles(project, dir)
	}
	if err != nil {
		cleanup()
		return "", nil, fmt.Errorf("make the sample project: %w", err)
	}
	return dir, cleanup, nil
}

func copyFiles(from fs.FS, dir string) error {
	return fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		to := filepath.Join(dir, name)
		if err != nil || e.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o755))
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o755)
	})
}
