package tools

import (
	"path/filepath"

	"drawbridge/workspace"
	"drawbridge/workspace/notebook"
)

// checkNotebook refuses a change of a notebook that it would not survive as
// one: what does not load, or takes from cells what a kernel gave them. It looks
// at what a model wants as a whole; what a person lets through of that is
// judged when it is committed, and by whether it loads alone.
func checkNotebook(env Env, name string, c workspace.Change) error {
	if !notebook.Is(filepath.Base(c.Path.Abs)) {
		return nil
	}
	if env.Workspace.ShownAsNotebook(c.Path) {
		return Failf("%q is open in the editor as a notebook, which would not see the change and could write over it. Nothing was changed. Ask the user to close it there (or to open it as text), or tell them what to change in which cell.", name)
	}
	if err := notebook.Check(c.Old, c.New); err != nil {
		return Failf("Nothing was changed in %q, because %v.\nIt is a notebook: JSON with a list of cells. Change the strings in a cell's \"source\", and add or take out cells as a whole.", name, err)
	}
	return nil
}
