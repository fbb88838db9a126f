package notebook

import (
	"errors"
	"fmt"
	"slices"
)

// Check says why a notebook must not become another one, as advice to whoever
// wants that: it would not load any more, or a cell that is in both would lose
// or change its id, its outputs or its attachments. Cells may come and go as a
// whole. Where before does not load there is nothing to be kept, and nil is
// returned.
func Check(before, after string) error {
	old, err := parse(before)
	if err != nil {
		return nil
	}
	now, err := parse(after)
	if err != nil {
		return fmt.Errorf("the notebook would not load: %w", err)
	}
	switch {
	case old.cells == nil:
		return now.wellNamed()
	case now.format == 0:
		return errors.New("nothing would be left of the notebook")
	}
	if old.format != now.format || old.minor != now.minor {
		return fmt.Errorf("the notebook's format would change from %d.%d to %d.%d", old.format, old.minor, now.format, now.minor)
	}
	if old.wellNamed() != nil || old.minor < 5 || old.format < 4 {
		return alike(old.cells, now.cells)
	}
	if err := now.wellNamed(); err != nil {
		return err
	}
	return sameByID(old.cells, now.cells)
}

// wellNamed checks that each cell has an id of its own where the format wants
// that, from 4.5 on.
func (b book) wellNamed() error {
	if b.format < 4 || b.format == 4 && b.minor < 5 {
		return nil
	}
	first := map[string]int{}
	for i, c := range b.cells {
		switch other, taken := first[c.id]; {
		case c.id == "":
			return fmt.Errorf("cell %d would have no \"id\": give each new cell one of its own, of letters, digits, - and _", i+1)
		case taken:
			return fmt.Errorf("cells %d and %d would have the same id %q: give each new cell one of its own", other, i+1, c.id)
		}
		first[c.id] = i + 1
	}
	return nil
}

// sameByID compares cells of the same id. A new id for what another cell said
// or was given is no new cell.
func sameByID(old, now []cell) error {
	byID := map[string]cell{}
	for _, c := range now {
		byID[c.id] = c
	}
	var gone []cell
	for i, c := range old {
		next, there := byID[c.id]
		if !there {
			gone = append(gone, c)
			continue
		}
		delete(byID, c.id)
		if what := c.lost(next); what != "" {
			return fmt.Errorf("cell %d (id %q) would lose or change %s: change its \"source\" only, or take the whole cell out", i+1, c.id, what)
		}
	}
	for _, c := range gone {
		for id, next := range byID {
			if c.source != "" && c.source == next.source || c.outputs != "" && c.outputs == next.outputs {
				return fmt.Errorf("the id of cell %q would become %q: a cell keeps its id", c.id, id)
			}
		}
	}
	return nil
}

// lost names what c has and next has not.
func (c cell) lost(next cell) string {
	switch {
	case c.outputs != next.outputs:
		return "its outputs or its execution count"
	case c.attachments != next.attachments:
		return "its attachments"
	}
	return ""
}

// alike compares cells that have no ids. Cells that say the same stand for each
// other; between two of those as many cells are new, or gone, as there are more
// or less, and all others must have what they were given.
func alike(old, now []cell) error {
	for i, j := 0, 0; i < len(old) || j < len(now); {
		if i < len(old) && j < len(now) && old[i].says(now[j]) {
			if what := old[i].lost(now[j]); what != "" {
				return fmt.Errorf("cell %d would lose or change %s: change its \"source\" only, or take the whole cell out", i+1, what)
			}
			i, j = i+1, j+1
			continue
		}
		m, n := nextSame(old[i:], now[j:])
		if err := sameGiven(old[i:i+m], now[j:j+n], i+1); err != nil {
			return err
		}
		i, j = i+m, j+n
	}
	return nil
}

func (c cell) says(other cell) bool {
	return c.kind == other.kind && c.source == other.source && c.id == other.id
}

// nextSame returns how many cells of either lie before the next that say the
// same: the fewest together.
func nextSame(old, now []cell) (m, n int) {
	m, n = len(old), len(now)
	for i, c := range old {
		if i >= m+n {
			break
		}
		j := slices.IndexFunc(now, c.says)
		if j >= 0 && i+j < m+n {
			m, n = i, j
		}
	}
	return m, n
}

// sameGiven checks that no more was lost than cells are gone, and no more was
// made up than cells are new.
func sameGiven(old, now []cell, first int) error {
	left := slices.Clone(now)
	var lost []int
	for i, c := range old {
		j := slices.IndexFunc(left, func(n cell) bool { return c.lost(n) == "" && c.id == n.id })
		if j < 0 {
			lost = append(lost, first+i)
			continue
		}
		left = slices.Delete(left, j, j+1)
	}
	if gone := max(0, len(old)-len(now)); len(lost) > gone {
		return fmt.Errorf("cell %d would lose or change its outputs, execution count, attachments or id: change its \"source\" only, or take the whole cell out", lost[0])
	}
	return nil
}
