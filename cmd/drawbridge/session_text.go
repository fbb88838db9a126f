package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"drawbridge/bridge/headless"
	"drawbridge/session"
)

// shownLines are the lines of a text that show prints; --json has the rest.
const shownLines = 40

// show prints what happened as it is read, however long the log is.
func (f sessionFlags) show(kept session.Storage, id string) (exit int, err error) {
	out := bufio.NewWriter(os.Stdout)
	err = kept.Entries(id, func(e session.Entry) error {
		if f.decisions && !e.Decides {
			return nil
		}
		if f.json {
			_, err := fmt.Fprintf(out, "%s\n", e.Raw)
			return err
		}
		if e.Text == "" && len(e.Details) == 0 {
			return nil // settings that were set to what they had been
		}
		_, err := out.WriteString(f.entryText(e))
		return err
	})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return 0, err
}

func (f sessionFlags) entryText(e session.Entry) string {
	var b strings.Builder
	where := strings.TrimSpace(e.Turn + " " + e.Call)
	fmt.Fprintf(&b, "%s  %-8s %s\n", e.Time.Format("2006-01-02 15:04:05"), oneLine(where), oneLine(e.Text))
	details := e.Details
	if f.decisions {
		details = append(e.About, details...)
	}
	for _, text := range details {
		b.WriteString(detailText(text))
	}
	return b.String()
}

// detailText is set in, so that none of its lines begins as one of ours does.
func detailText(text string) string {
	lines := strings.Split(strings.TrimRight(headless.Visible(text), "\n"), "\n")
	more := ""
	if n := len(lines) - shownLines; n > 1 {
		lines, more = lines[:shownLines], fmt.Sprintf("      (and %d lines; --json has them)\n", n)
	}
	return "      " + strings.Join(lines, "\n      ") + "\n" + more
}

// verified is what verify found, as a program reads it.
type verified struct {
	ID        string  `json:"id"`
	Whole     bool    `json:"whole"`
	Records   int64   `json:"records"`
	Unchained int64   `json:"unchained,omitempty"`
	Writing   bool    `json:"writing,omitempty"`
	Open      bool    `json:"open,omitempty"`
	Findings  []found `json:"findings,omitempty"`
	More      int     `json:"more,omitempty"`
}

type found struct {
	Line int64  `json:"line,omitempty"` // none: the whole log
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func (f sessionFlags) verify(kept session.Storage, ids []string) (exit int, err error) {
	list := []verified{}
	for _, id := range ids {
		v, err := kept.Verify(id)
		if err != nil {
			return 0, err
		}
		list = append(list, verifiedOf(v))
		if len(v.Findings) > 0 {
			exit = exitFault
		}
	}
	if f.json {
		return max(exit, showJSON(list)), nil
	}
	var b strings.Builder
	for _, v := range list {
		b.WriteString(v.text())
	}
	if len(list) == 0 {
		b.WriteString("no session\n")
	}
	return max(exit, show(b.String())), nil
}

func verifiedOf(v session.Verification) verified {
	out := verified{
		ID: v.ID, Whole: len(v.Findings) == 0, Records: v.Records, Unchained: v.Unchained,
		Writing: v.Writing, Open: v.Open, More: v.More,
	}
	for _, f := range v.Findings {
		out.Findings = append(out.Findings, found{f.Line, string(f.Kind), f.Text})
	}
	return out
}

func (v verified) text() string {
	var b strings.Builder
	word := "whole"
	if !v.Whole {
		word = "NOT as it was written"
	}
	fmt.Fprintf(&b, "%s  %s, %s\n", oneLine(v.ID), word, counted(v.Records, "record"))
	if v.Unchained > 0 {
		fmt.Fprintf(&b, "  %s from before records were chained: not checked\n", counted(v.Unchained, "record"))
	}
	if v.Writing {
		b.WriteString("  a record was being written: it is there, or not, or in part\n")
	}
	for _, f := range v.Findings {
		place := "the log"
		if f.Line > 0 {
			place = fmt.Sprintf("line %d", f.Line)
		}
		fmt.Fprintf(&b, "  %s: %s\n", place, oneLine(f.Text))
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "  and %d more\n", v.More)
	}
	return b.String()
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
