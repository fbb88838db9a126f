package workspace

import "os"

// SkipSync leaves out the fsync of a commit, so that a benchmark shows the
// rest.
func (w *Workspace) SkipSync() { w.durable = false }

// StandsIn tells which hunks of c stand in a text.
func StandsIn(c Change, text string) (standing, missing []string) { return c.standsIn(text) }

// KeepAttributes gives f what like has, and says what it could not.
func KeepAttributes(f, like *os.File) string { return keepAttributes(f, like) }
