package workspace

// SkipSync leaves out the fsync of a commit, so that a benchmark shows the
// rest.
func (w *Workspace) SkipSync() { w.durable = false }
