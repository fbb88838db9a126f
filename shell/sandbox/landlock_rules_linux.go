package sandbox

import (
	"os"
	"path/filepath"

	"drawbridge/shell/sandbox/stage"
)

// addMounts has p hold by mounts. What they leave writable Landlock allows as a
// whole.
func addMounts(s *stage.Spec, p plan) {
	// The command's own, so that it can make terminals and share memory, and
	// reach nobody else's.
	s.Mounts = append(s.Mounts, stage.Mount{Target: "/dev/pts", Kind: stage.Terminal}, stage.Mount{Target: "/dev/shm", Kind: stage.Shared})
	s.Devices = append(s.Devices, "/dev/pts")
	s.Writes = append(s.Writes, "/dev/shm")
	for _, r := range p.rules {
		if r.access == writable {
			s.Writes = append(s.Writes, r.path)
		}
		if r.path != "/" {
			s.Mounts = append(s.Mounts, stage.Mount{Target: r.path, Kind: kinds[r.access], Source: r.source, File: r.file})
		}
	}
	s.Reads = readable.places(withoutDevices(p))
}

var kinds = map[access]stage.Kind{concealed: stage.Conceal, readable: stage.Cover, writable: stage.Bind}

// addEntries has p hold by Landlock alone.
func addEntries(s *stage.Spec, p plan) {
	here := withoutDevices(p.inPlace())
	s.Reads, s.Writes = readable.places(here), writable.places(here)
}

// narrows says whether path lies in what the policy opens and Landlock alone
// cannot.
func (b *landlocked) narrows(path string) bool {
	p, err := b.policy.plan(b.options.Environ)
	if err != nil || b.apart() || p.at(path) != writable {
		return false
	}
	for _, place := range writable.places(p.inPlace()) {
		if within(path, place) {
			return false
		}
	}
	return true
}

// inPlace is p where one place cannot be seen as another.
func (p plan) inPlace() plan {
	here := plan{rules: make([]rule, 0, len(p.rules))}
	for _, r := range p.rules {
		if r.source != r.path {
			r.access = readable
		}
		here.rules = append(here.rules, r)
	}
	return here
}

// withoutDevices adds that /dev is hidden: devices are allowed by name.
func withoutDevices(p plan) plan {
	rules := []rule{{path: "/", access: readable}, {path: "/dev", access: concealed}}
	for _, r := range p.rules {
		if r.path != "/" {
			rules = append(rules, r)
		}
	}
	return plan{rules: rules}
}

// places are the fewest files and folders under which p allows a, each with all
// that lies below. A folder in which something is allowed less is not among
// them, but its entries are.
func (a access) places(p plan) []string {
	return a.below(nil, p, "/")
}

func (a access) below(found []string, p plan, path string) []string {
	more, less := p.at(path) >= a, p.at(path) < a
	for _, r := range p.rules {
		if r.path != path && within(r.path, path) {
			more, less = more || r.access >= a, less || r.access < a
		}
	}
	switch {
	case !more:
		return found
	case !less:
		return append(found, path)
	}
	entries, _ := os.ReadDir(path) // of what cannot be listed nothing is allowed
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink == 0 { // what a link names has a place of its own
			found = a.below(found, p, filepath.Join(path, entry.Name()))
		}
	}
	return found
}

// at is what p allows at a place: the deepest rule holds.
func (p plan) at(path string) access {
	found := rule{access: concealed}
	for _, r := range p.rules {
		if within(path, r.path) && len(r.path) >= len(found.path) {
			found = r
		}
	}
	return found.access
}
