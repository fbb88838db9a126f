package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// spot is a folder that the shell may be in: dir has links followed, pwd is the
// way by which it came there.
type spot struct{ dir, pwd string }

// maxSpots bounds the folders between which it is not known in which the shell
// is; beyond it nothing is known. Three changes of folder that may each fail
// are followed.
const maxSpots = 8

// spots are the folders that the shell may be in, none when it may be any.
func (st state) spots() []spot {
	if st.dir != "" {
		return []spot{{st.dir, st.pwd}}
	}
	return st.others
}

// among is the state in one of these folders.
func (st state) among(spots []spot) state {
	st = st.nowhere()
	var all []spot
	for _, s := range spots {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	switch {
	case len(all) == 1:
		st.dir, st.pwd = all[0].dir, all[0].pwd
	case len(all) <= maxSpots:
		st.others = all
	}
	return st
}

// either is the state in a folder of one of two states.
func (st state) either(a, b state) state {
	x, y := a.spots(), b.spots()
	if len(x) == 0 || len(y) == 0 {
		return st.nowhere()
	}
	if !slices.ContainsFunc(y, func(s spot) bool { return !slices.Contains(x, s) }) {
		return a
	}
	return st.among(slices.Concat(x, y))
}

// dazed is a state of which only the folder is known.
func (st state) dazed() state {
	out := st.lost()
	out.dir, out.pwd, out.others = st.dir, st.pwd, st.others
	return out
}

// place says where a Part runs.
func (p *Part) place(st state) {
	p.Dir, p.Dirs = st.dir, nil
	for _, s := range st.others {
		if !slices.Contains(p.Dirs, s.dir) {
			p.Dirs = append(p.Dirs, s.dir)
		}
	}
	if len(p.Dirs) == 1 {
		p.Dir, p.Dirs = p.Dirs[0], nil
	}
}

// unplaced says that a Part may run anywhere.
func (p *Part) unplaced() { p.Dir, p.Dirs = "", nil }

// in is the state where a Part runs.
func (st state) in(p Part) state {
	if p.Dir == "" && len(p.Dirs) == 0 {
		return st.nowhere()
	}
	return st
}

// strayed is the state in the folders to which cd goes from each that the shell
// may be in.
func (w *walker) strayed(to string, st state) state {
	from := st.spots()
	if filepath.IsAbs(to) {
		from = []spot{{"/", "/"}}
	}
	var all []spot
	for _, s := range from {
		pwd := filepath.Clean(to)
		if !filepath.IsAbs(to) {
			pwd = filepath.Join(s.pwd, to)
		}
		dir := w.world.Target(s.dir, pwd).Abs
		if dir == "" || s.pwd == "" {
			return st.nowhere()
		}
		all = append(all, spot{dir, pwd})
		if real := w.world.Target(s.dir, to).Abs; strings.Contains(to, "..") && real != dir {
			all = append(all, spot{real, real}) // should links on the way be followed
		}
	}
	if len(all) == 0 {
		return st.nowhere()
	}
	w.visit(st.spots())
	w.visit(all)
	st = st.among(all)
	st.moved = true
	return st
}

// visit keeps the folders in mind to which cd - and popd may come back.
func (w *walker) visit(spots []spot) {
	for _, s := range spots {
		if !slices.Contains(w.visited, s) {
			w.visited = append(w.visited, s)
		}
	}
	w.astray = w.astray || len(spots) == 0 || len(w.visited) > maxSpots
}

// back is the state after cd -, popd or pushd without a folder: in some folder
// that the shell was in before. cd - goes where the environment says, unless
// cd has said otherwise.
func (w *walker) back(st state) state {
	_, old := st.lookup("OLDPWD")
	_, stack := st.lookup("DIRSTACK")
	if old || stack || st.loose || w.astray {
		w.astray = true
		return st.nowhere()
	}
	return st.among(append(st.spots(), w.visited...))
}

// runMoved is pushd and popd.
func runMoved(c *call) (ok, fail state) {
	args := c.Argv[1:]
	switch {
	case c.name == "pushd" && len(args) == 1 && args[0].Known && args[0].Text != "" && !strings.ContainsAny(args[0].Text[:1], "-+"):
		return c.moved(args[0].Text), c.st
	case len(args) == 0:
		return c.back(c.st), c.st
	}
	c.astray = true
	return c.st.nowhere(), c.st.nowhere()
}

// unsettled is the state of which a function of the script may have changed all.
func (w *walker) unsettled(st state) state {
	if w.src.still {
		return st.dazed()
	}
	return st.lost()
}

// staysPut says that nothing in a script changes the folder of its shell, so
// that it is known even where nothing else is: in its functions, say.
func staysPut(n syntax.Node) bool {
	still := true
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			name := c.Args[0].Lit()
			still = still && name != "" && !strings.ContainsAny(name, "\\{~*?") && !movers[name]
		}
		return still
	})
	return still
}

// movers are the builtins that may change the folder, or run text that does.
var movers = set("cd pushd popd eval source . command builtin trap alias enable mapfile readarray complete compgen bind fc exec shopt")
