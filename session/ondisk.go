package session

import "drawbridge/workspace"

// maxLook is the largest file, in bytes, that is read only to be looked at.
const maxLook = 8 << 20

// OnDisk is the text that a file of the session holds on the disk, also while a
// document is open; false when that cannot be read, or is too much to be read
// only to be looked at.
func (s *Session) OnDisk(p workspace.Path) (text string, ok bool) {
	c, err := s.ws.OnDisk(p, maxLook)
	return c.Text, err == nil && c.Exists
}
