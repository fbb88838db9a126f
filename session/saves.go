package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"drawbridge/workspace"
)

// saveLimit is how long the editor may take to save what a command waits for.
const saveLimit = 5 * time.Second

// saveEdited sees to it that a command which starts next reads what this
// session wrote into open documents. It returns the names of those that stay
// unsaved: because that is not wished, or because the editor did not do it.
func (s *Session) saveEdited(ctx context.Context) []string {
	unsaved := s.unsaved(s.edited())
	if s.host.live().SaveBeforeCommands && len(unsaved) > 0 {
		s.save(ctx, unsaved)
		unsaved = s.unsaved(unsaved)
	}
	names := make([]string, len(unsaved))
	for i, p := range unsaved {
		names[i] = p.Rel
	}
	return names
}

// save has documents saved side by side, within one time limit.
func (s *Session) save(ctx context.Context, paths []workspace.Path) {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	var wg sync.WaitGroup
	for _, p := range paths {
		wg.Go(func() {
			if err := s.ws.Save(ctx, p); err != nil {
				s.log.Warn("not saved before a command", "err", err)
			}
		})
	}
	wg.Wait()
}

// edited are the paths that this session has changed, in its earlier runs too.
// A document that only its user typed in is not ours to save, and neither is
// one whose file the user did not want: saving would make it again.
func (s *Session) edited() []workspace.Path {
	var names []string
	for _, ch := range s.Changes() {
		switch name := ch.Summary.Path; {
		case ch.ByCommand: // it is on the disk
		case ch.State == ChangeReverted && ch.Summary.Kind == workspace.Create:
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		case ch.State != ChangeApplied && ch.State != ChangePartly && ch.State != ChangeReverted:
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	var paths []workspace.Path
	for _, name := range names {
		if p, err := s.ws.Resolve(name); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

func (s *Session) unsaved(paths []workspace.Path) []workspace.Path {
	var unsaved []workspace.Path
	for _, p := range paths {
		if s.ws.Unsaved(p) {
			unsaved = append(unsaved, p)
		}
	}
	return unsaved
}
