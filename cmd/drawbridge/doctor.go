package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"drawbridge/approval/grant"
	"drawbridge/approval/rule"
	"drawbridge/config"
	"drawbridge/shell"
)

// finding is one line of doctor's report. Advice says what to do; a finding
// that is bad keeps Drawbridge from working, and one that is unused is there to
// be known.
type finding struct {
	name, found, advice string
	bad, unused         bool
}

func runDoctor(args []string) int {
	fs := newFlags("doctor", "", "Checks what Drawbridge needs on this machine and says what to do. Exit code 1 when something\nit cannot do without is missing.")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("doctor takes no argument %q", rest[0]))
	}
	var report strings.Builder
	bad := false
	for _, f := range examine() {
		report.WriteString(f.String())
		bad = bad || f.bad
	}
	if exit := show(report.String()); exit != 0 || !bad {
		return exit
	}
	return exitFault
}

func (f finding) String() string {
	mark := "ok"
	switch {
	case f.bad:
		mark = "BAD"
	case f.advice != "":
		mark = "note"
	case f.unused:
		mark = "-"
	}
	line := fmt.Sprintf("%-4s  %-14s %s\n", mark, f.name, f.found)
	if f.advice != "" {
		line += fmt.Sprintf("      %-14s → %s\n", "", f.advice)
	}
	return line
}

func examine() []finding {
	fs := []finding{
		{name: "drawbridge", found: version + " on " + runtime.GOOS + "/" + runtime.GOARCH},
		checkShell(), checkProgram("git", "install git; diffs and many projects' tests need it"),
		checkCleanup(),
	}
	fs = append(append(fs, checkMetrics()), checkEnvironment()...)
	dirs, err := config.FindDirs(os.Getenv)
	if err != nil {
		return append(fs, finding{name: "own folders", found: err.Error(), advice: "set HOME to your home folder", bad: true})
	}
	fs = append(fs, checkSandbox(dirs), checkFolder("state folder", dirs.State), checkSettings(dirs))
	return append(fs, checkModels()...)
}

func checkShell() finding {
	path, err := shell.Find()
	if err != nil {
		return finding{name: "shell", found: err.Error(), advice: "install bash or sh, or set DRAWBRIDGE_SHELL to a shell", bad: true}
	}
	return finding{name: "shell", found: path}
}

func checkProgram(name, advice string) finding {
	path, ok := shell.Locate(name)
	if !ok {
		return finding{name: name, found: "not found", advice: advice}
	}
	return finding{name: name, found: path}
}

func checkCleanup() finding {
	rung := shell.CleanupRung()
	f := finding{name: "cleanup", found: "commands are ended by " + rung.String()}
	switch rung {
	case shell.GroupRung:
		f.advice = "a command that leaves its process group can outlive its session on this system"
	case shell.TreeRung:
		f.advice = "a command can outlive a bridge that is killed: put " + shell.GuardName + " beside drawbridge"
	}
	return f
}

// checkFolder tries what a session does: make the folder and a file in it.
func checkFolder(name, dir string) finding {
	err := config.Make(dir)
	if err == nil {
		probe := filepath.Join(dir, ".doctor")
		if err = os.WriteFile(probe, nil, 0o600); err == nil {
			err = os.Remove(probe)
		}
	}
	if err != nil {
		return finding{
			name: name, found: err.Error(), bad: true,
			advice: "make " + dir + " writable, or set XDG_STATE_HOME to a folder that is",
		}
	}
	return finding{name: name, found: dir}
}

func checkSettings(dirs config.Dirs) finding {
	path := filepath.Join(dirs.Config, "config.yaml")
	cfg, err := config.Load(dirs, faultsOfTools)
	switch {
	case err != nil:
		return finding{
			name: "settings", found: err.Error(), bad: true,
			advice: "mend " + path + "; nothing runs on settings that are half read",
		}
	}
	doubts := slices.Concat(cfg.Warnings, doubtsOf(&cfg), unreadableGrants(dirs))
	switch {
	case len(doubts) > 0:
		return finding{name: "settings", found: cmp.Or(cfg.File, "none"), advice: oneLine(strings.Join(doubts, "; "))}
	case cfg.File == "":
		return finding{name: "settings", found: "none (" + path + " does not exist; the defaults hold)"}
	}
	return finding{name: "settings", found: path}
}

// unreadableGrants are the lines of what is remembered, here and always, that do
// not count.
func unreadableGrants(dirs config.Dirs) []string {
	var lines []string
	here, _ := os.Getwd() // without one there is nothing that holds here
	rules, _ := grant.Open(filepath.Join(dirs.State, "grants")).Rules(here)
	for _, r := range rules {
		switch {
		case r.Problem == "":
		case r.Verdict == rule.Allow:
			lines = append(lines, r.Where+": this line does not count: "+r.Problem)
		default:
			lines = append(lines, r.Where+": this line cannot be read, and no rule of its kind allows anything while it is there: "+r.Problem)
		}
	}
	return lines
}
