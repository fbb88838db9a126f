package workspace

import "path/filepath"

// IsTemp says that a file is, by its name, one that is written beside another
// until a commit puts it in its place.
func IsTemp(p Path) bool {
	name := filepath.Base(p.Abs)
	end := len(name) - len(tempTail) - tempRandom - 1
	return end > 0 && isTemp(name, name[1:end])
}
