package tools

import (
	"os"
	"strings"
	"testing"

	"drawbridge/workspace"
)

const book = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "a1",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
   ],
   "source": [
    "x = 1\n",
    "print(x)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestNotebooks(t *testing.T) {
	for name, c := range map[string]struct {
		tool     string
		old, new string // or the content, with write_file
		says     []string
		ok       bool
	}{
		"a line of a source": {"edit_file", `"x = 1\n"`, `"x = 2\n"`, nil, true},
		"a string not closed": {
			"edit_file", `"x = 1\n"`, `"x = 2\n`,
			[]string{`Nothing was changed in "a.ipynb", because the notebook would not load: line 12`, "Change the strings in a cell's"},
			false,
		},
		"an output is taken away": {
			"edit_file", `    {"name": "stdout", "output_type": "stream", "text": ["1\n"]}` + "\n", "",
			[]string{`cell 1 (id "a1") would lose or change its outputs`},
			false,
		},
		"an id is changed":  {"edit_file", `"a1"`, `"b2"`, []string{"keeps its id"}, false},
		"rewritten as text": {"write_file", "", "x = 1\n", []string{"would not load: line 1"}, false},
		"rewritten whole":   {"write_file", "", strings.Replace(book, "x = 1", "x = 2", 1), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, "a.ipynb", book)
			given := args(t, "file_path", "a.ipynb", "content", c.new)
			if c.tool == "edit_file" {
				given = args(t, "file_path", "a.ipynb", "old_string", c.old, "new_string", c.new)
			}
			o := r.do(t, c.tool, given)
			if !c.ok {
				checkSays(t, o, Failed, c.says...)
				checkNotebookFile(t, r, book)
				return
			}
			checkSays(t, o, Completed)
			checkNotebookFile(t, r, strings.Replace(book, "x = 1", "x = 2", 1))
		})
	}
}

func TestANewNotebookLoads(t *testing.T) {
	r := newRoom(t)
	checkSays(t, r.do(t, "write_file", args(t, "file_path", "a.ipynb", "content", "print(1)\n")), Failed, "would not load")
	if _, err := os.Stat(r.path("a.ipynb")); err == nil {
		t.Error("it was written")
	}
	checkSays(t, r.do(t, "write_file", args(t, "file_path", "a.ipynb", "content", book)), Completed, "Created")
}

// TestPartOfAChangeOfANotebook accepts one of two hunks that only together are
// JSON again.
func TestPartOfAChangeOfANotebook(t *testing.T) {
	more := strings.NewReplacer(
		`   ]
  }
 ],`, `   ]
  },
  {
   "cell_type": "raw", "id": "b2", "metadata": {}, "source": [
   "x"]
  }
 ],`, `"x = 1\n",`, `"x = 2\n",`).Replace(book)
	part := strings.Replace(book, "x = 1", "x = 2", 1)
	broken := strings.Replace(book, `"nbformat": 4,`, "", 1)
	for name, c := range map[string]struct {
		accept workspace.Acceptance
		after  string
	}{
		"a hunk that stands alone": {workspace.Acceptance{Hunks: []string{"h1"}}, part},
		"the user's own text":      {workspace.Acceptance{Text: &part}, part},
		"a text that is none":      {workspace.Acceptance{Text: &broken}, book},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, "a.ipynb", book)
			r.accept = &Accepted{Change: c.accept}
			o := r.do(t, "write_file", args(t, "file_path", "a.ipynb", "content", more))
			if c.after == book {
				checkSays(t, o, Failed, "Nothing was changed", "with this alone the notebook would not load")
			}
			checkNotebookFile(t, r, c.after)
		})
	}
	t.Run("a hunk that needs another", func(t *testing.T) {
		r := newRoom(t, "a.ipynb", book)
		r.accept = &Accepted{Change: workspace.Acceptance{Hunks: []string{"h2"}}}
		apart := strings.NewReplacer("{\n \"cells\": [", "{\n \"metadata\": {},\n \"cells\": [", "\n ],\n \"metadata\": {},", "\n ],").Replace(book)
		o := r.do(t, "write_file", args(t, "file_path", "a.ipynb", "content", apart))
		checkSays(t, o, Failed, `would not load: its "metadata"`)
		checkNotebookFile(t, r, book)
	})
}

func checkNotebookFile(t *testing.T, r *room, want string) {
	t.Helper()
	if got := r.content(t, "a.ipynb"); got != want {
		t.Errorf("the file holds\n%s\nwant\n%s", got, want)
	}
}
