package notebook_test

import (
	"strings"
	"testing"

	"drawbridge/workspace/notebook"
)

// cells makes a notebook of format 4 as Jupyter writes it.
func cells(minor string, list ...string) string {
	return "{\n \"cells\": [\n  " + strings.Join(list, ",\n  ") + "\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": " + minor + "\n}\n"
}

const (
	one = `{"cell_type": "code", "execution_count": 1, "id": "a1", "metadata": {},` +
		` "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}], "source": ["print(1)\n", "x = 1"]}`
	two  = `{"cell_type": "markdown", "id": "b2", "metadata": {}, "source": ["# Title"]}`
	bare = `{"cell_type": "code", "execution_count": null, "id": "c3", "metadata": {}, "outputs": [], "source": []}`
)

// unnamed takes the ids out: before 4.5 cells had none.
func unnamed(cell string) string {
	for _, id := range []string{"a1", "b2", "c3", "d4"} {
		cell = strings.Replace(cell, `"id": "`+id+`", `, "", 1)
	}
	return cell
}

func TestWhatLoads(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"as written by Jupyter":    {cells("5", one, two, bare), ""},
		"before there were ids":    {cells("2", unnamed(one), unnamed(two)), ""},
		"no cell":                  {`{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`, ""},
		"a byte order mark":        {"\uFEFF" + cells("5", one), ""},
		"nothing yet":              {" \n", ""},
		"format 3":                 {`{"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [{"cell_type": "code", "input": ["1"], "outputs": [], "metadata": {}}]}]}`, ""},
		"a comma too many":         {cells("5", one+",", two), "line 3: it is not valid JSON"},
		"cut off":                  {cells("5", one)[:60], "not valid JSON"},
		"more behind the end":      {cells("5", one) + "x", "after the end of the JSON"},
		"a list":                   {"[]", "line 1"},
		"no format":                {`{"cells": [], "metadata": {}}`, `no "nbformat"`},
		"a format in words":        {`{"cells": [], "metadata": {}, "nbformat": "4"}`, `"nbformat" cannot be a JSON string`},
		"no metadata":              {`{"cells": [], "nbformat": 4}`, `"metadata"`},
		"no cells":                 {`{"metadata": {}, "nbformat": 4}`, `no list of "cells"`},
		"a cell of no type":        {cells("5", `{"id": "a", "metadata": {}, "source": ""}`), `cell 1: it has no "cell_type"`},
		"a cell without source":    {cells("5", one, `{"cell_type": "raw", "id": "a", "metadata": {}}`), `cell 2: its "source"`},
		"a source of numbers":      {cells("5", `{"cell_type": "raw", "id": "a", "metadata": {}, "source": [1]}`), `cell 1: its "source"`},
		"code without outputs":     {cells("5", `{"cell_type": "code", "id": "a", "metadata": {}, "source": ""}`), `"outputs"`},
		"an output of no type":     {cells("5", `{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [{}], "source": ""}`), `output 1 has no "output_type"`},
		"metadata that is no such": {cells("5", `{"cell_type": "raw", "id": "a", "metadata": 1, "source": ""}`), `cell 1: its "metadata"`},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, notebook.Loads(c.text), c.want) })
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%v, want %q", err, want)
	}
}

func TestWhatACellKeeps(t *testing.T) {
	edit := strings.NewReplacer
	for name, c := range map[string]struct {
		from []string
		to   []string
		want string
	}{
		"its source changes":             {[]string{one, two}, []string{edit("x = 1", "y = 2").Replace(one), edit("# Title", "# Other").Replace(two)}, ""},
		"it goes":                        {[]string{one, two, bare}, []string{two}, ""},
		"another comes":                  {[]string{one}, []string{bare, one, two}, ""},
		"they change places":             {[]string{one, two, bare}, []string{bare, one, two}, ""},
		"blanks and order of members":    {[]string{one}, []string{edit(": ", ":", `"id": "a1", "metadata": {},`, `"metadata":{},"id":"a1",`).Replace(one)}, ""},
		"its output is cleared":          {[]string{two, one}, []string{two, edit(`[{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]`, "[]").Replace(one)}, `cell 2 (id "a1") would lose or change its outputs`},
		"its output is made up":          {[]string{one}, []string{edit(`["1\n"]`, `["2\n"]`).Replace(one)}, "outputs"},
		"its count changes":              {[]string{one}, []string{edit(`"execution_count": 1`, `"execution_count": null`).Replace(one)}, "outputs or its execution count"},
		"it becomes text":                {[]string{one}, []string{edit(`"a1"`, `"a1"`, `"code"`, `"markdown"`).Replace(one)}, "outputs"},
		"its id changes":                 {[]string{one, two}, []string{edit(`"a1"`, `"z9"`).Replace(one), two}, `the id of cell "a1" would become "z9"`},
		"its id goes":                    {[]string{one, two}, []string{one, unnamed(two)}, `cell 2 would have no "id"`},
		"another takes its id":           {[]string{one, two}, []string{one, two, edit("c3", "b2").Replace(bare)}, `cells 2 and 3 would have the same id "b2"`},
		"a new one has no id":            {[]string{one}, []string{one, unnamed(bare)}, `cell 2 would have no "id"`},
		"it would not load":              {[]string{one}, []string{one + ","}, "would not load: line 4"},
		"its attachment goes":            {[]string{edit(`"metadata"`, `"attachments": {"a.png": {"image/png": "xx"}}, "metadata"`).Replace(two)}, []string{two}, "attachments"},
		"all go":                         {[]string{one, two}, nil, ""},
		"another word with an output of": {[]string{one, bare}, []string{edit("x = 1", "y", `"a1"`, `"z9"`).Replace(one), bare}, `would become "z9"`},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, notebook.Check(cells("5", c.from...), cells("5", c.to...)), c.want)
		})
	}
}

func TestWhatACellWithoutIDKeeps(t *testing.T) {
	one, two, bare := unnamed(one), unnamed(two), unnamed(bare)
	other := strings.Replace(strings.Replace(one, "x = 1", "z", 1), `["1\n"]`, `["z\n"]`, 1)
	edited := strings.NewReplacer("x = 1", "y = 2").Replace(one)
	cleared := strings.NewReplacer(`"text": ["1\n"]`, `"text": []`).Replace(one)
	for name, c := range map[string]struct {
		from, to []string
		want     string
	}{
		"its source changes":           {[]string{one, two}, []string{edited, two}, ""},
		"source and neighbours change": {[]string{one, other, two}, []string{edited, strings.Replace(other, `"z"]`, `"zz"]`, 1), two}, ""},
		"it goes":                      {[]string{two, one, bare}, []string{two, bare}, ""},
		"another comes":                {[]string{one, two}, []string{one, bare, two}, ""},
		"one comes where one changes":  {[]string{one, two}, []string{bare, edited, two}, ""},
		"one goes where one changes":   {[]string{bare, one, two}, []string{edited, two}, ""},
		"its output is cleared":        {[]string{two, one}, []string{two, cleared}, "cell 2 would lose"},
		"cleared, source edited":       {[]string{two, one, bare}, []string{two, strings.Replace(cleared, "x = 1", "q", 1), bare}, "cell 2 would lose"},
		"cleared, and another comes":   {[]string{one, two}, []string{strings.Replace(cleared, "x = 1", "q", 1), bare, two}, "cell 1 would lose"},
		"an output is made up":         {[]string{two, bare}, []string{two, one}, "cell 2 would lose or change"},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, notebook.Check(cells("4", c.from...), cells("4", c.to...)), c.want)
		})
	}
}

func TestWhatWasBrokenMayBeMended(t *testing.T) {
	broken := cells("5", one+",", two)
	wantError(t, notebook.Check(broken, cells("5", one, two)), "")
	wantError(t, notebook.Check(broken, broken+"\n"), "")
	wantError(t, notebook.Check("", cells("5", one)), "")
	wantError(t, notebook.Check("", cells("5", unnamed(one))), `no "id"`)
	wantError(t, notebook.Check("", "{}"), "would not load")
	wantError(t, notebook.Check(cells("5", one), "\n"), "nothing would be left")
	wantError(t, notebook.Check(cells("5", one), cells("4", one)), "format would change from 4.5 to 4.4")
}

func TestNamesOfNotebooks(t *testing.T) {
	for name, want := range map[string]bool{"a.ipynb": true, "A.IPYNB": true, "a.ipynb.txt": false, "ipynb": false} {
		if notebook.Is(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
