package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"drawbridge/config"
	"drawbridge/model/providers"
)

const (
	reportLines = 200
	// reportLine bounds a line of the log, which may be a traced frame.
	reportLine = 2 << 10
	// reportBytes bounds what is read of the log and of stdin.
	reportBytes = 1 << 20
	// stdinPatience is for an editor that leaves our stdin open.
	stdinPatience = 3 * time.Second
)

const reportAbout = `Prints a problem report in Markdown: versions, what doctor finds, the settings, the end of the log,
and what stands on stdin, for example what an editor has to add. Keys, tokens, passwords, your home
folder and your user name are taken out. Read it before you pass it on.`

func runReport(args []string) int {
	fs := newFlags("report", "[--log FILE]", reportAbout)
	log := fs.String("log", "", "the log file (default: the bridge's own)")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("report takes no argument %q", rest[0]))
	}
	return show(newReport(*log, fromEditor()).text())
}

// report is what a problem report says, before anything is taken out of it.
type report struct {
	// setup is nil when the settings cannot be read; doctor says why.
	setup    *setup
	findings []finding
	logPath  string
	editor   string
}

func newReport(log, editor string) report {
	s, _ := newSetup() // nil with settings that cannot be read: doctor says why
	if dirs, err := config.FindDirs(os.Getenv); log == "" && err == nil {
		log = filepath.Join(dirs.State, "logs", "drawbridge.log")
	}
	return report{setup: s, findings: examine(), logPath: log, editor: editor}
}

// text is the whole report. Each part is redacted before it is cut or fenced,
// so that no cut leaves half a secret.
func (r report) text() string {
	s := r.setup
	if s == nil {
		s = &setup{keys: &providers.Keys{}}
	}
	clean := s.redactor().Text
	var b strings.Builder
	b.WriteString("# Drawbridge problem report\n\nSecrets, the home folder and the user name are taken out. " +
		"Read it before you pass it on.\n\n## What happened\n\n" +
		"(What did you do, what did you expect, and what came instead?)\n")
	section(&b, "Versions", clean(versions()))
	var findings strings.Builder
	for _, f := range r.findings {
		findings.WriteString(f.String())
	}
	section(&b, "Doctor", clean(findings.String()))
	section(&b, "Settings", clean(r.settings()))
	lines, err := logTail(r.logPath)
	if err != nil {
		lines = err.Error()
	}
	section(&b, fmt.Sprintf("Log, the last %d lines of %s", reportLines, clean(r.logPath)), lastLines(clean(lines)))
	if r.editor != "" {
		section(&b, "From the editor", clean(r.editor))
	}
	return b.String()
}

// section adds a part whose text stands as it is, whatever it holds.
func section(b *strings.Builder, title, text string) {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		text = "(nothing)"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n## %s\n\n%stext\n%s\n%s\n", title, fence, text, fence)
}

func versions() string {
	lines := []string{"drawbridge " + version + " on " + runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if name := systemName(); name != "" {
		lines = append(lines, name)
	}
	return strings.Join(lines, "\n")
}

// systemName is what the system calls itself, "" where it does not say.
func systemName() string {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

func (r report) settings() string {
	if r.setup == nil {
		return "(they cannot be read; see above)"
	}
	return r.setup.cfg().Summary()
}

// logTail is more than enough of the log's end, from the beginning of a line.
func logTail(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("no log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(fmt.Errorf("no log: %s is not a regular file", path), err)
	}
	from := max(0, info.Size()-reportBytes)
	text, err := io.ReadAll(io.NewSectionReader(f, from, reportBytes))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(text), err
}

// lastLines are the last lines, each of them bounded.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-reportLines):]
	for i, line := range lines {
		if len(line) > reportLine {
			lines[i] = strings.ToValidUTF8(line[:reportLine], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// fromEditor is what stands on stdin, as far as it comes in time: not every
// program that starts us closes it.
func fromEditor() string {
	if isTerminal(os.Stdin) {
		return ""
	}
	type piece struct {
		text string
		last bool
	}
	pieces := make(chan piece)
	go func() { // ends with the input, or with the program
		buf := make([]byte, 32<<10)
		for {
			n, err := os.Stdin.Read(buf)
			pieces <- piece{string(buf[:n]), err != nil}
			if err != nil {
				return
			}
		}
	}()
	var b strings.Builder
	late := time.After(stdinPatience)
	for b.Len() < reportBytes {
		select {
		case p := <-pieces:
			b.WriteString(p.text)
			if p.last {
				return b.String()
			}
		case <-late:
			return b.String()
		}
	}
	return b.String()[:reportBytes]
}
