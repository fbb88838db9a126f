package mirror

// Lost reports whether the path is open, and what its document holds is not
// known since an impossible edit.
func (d *Documents) Lost(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.findLocked(path) != nil {
		return false
	}
	return len(d.byPath[path]) > 0
}
