package session

import "drawbridge/workspace"

// mayRead says of the files below a folder whether they may be read along with it,
// without a question of their own.
func (s *Session) mayRead(root workspace.Path) func(workspace.Path) bool {
	may := s.gate.Below(Target(root).Secret)
	return func(p workspace.Path) bool { return may(Target(p)) }
}
