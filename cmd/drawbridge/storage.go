package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drawbridge/bridge/headless"
	"drawbridge/config"
	"drawbridge/session"
)

const storageAbout = `Shows what sessions have on the disk, by kind and by session; with prune it removes of it. Nothing
is removed of a session that is open in an editor.

Kinds: temporary (what commands left in their folder for temporary files), outputs (long output of
tools), checkpoints (what files held before a turn: without it the turn cannot be rewound), changes
(the texts of changes: without them a change is only summed up), sessions (the log: without it a
session is gone, with all that is its own).

drawbridge storage prune without flags removes what is older than the settings say (storage.*), as
a bridge does by itself once a day. With --older-than or --max-size it removes all kinds but
sessions, or those that --kind names. --max-size bounds all that is on the disk together: the kinds
in question go, the oldest first, until the rest fits or nothing of them is left. Everything of a
kind goes with --max-size 0 --kind changes.`

// storageFlags are the flags of storage prune.
type storageFlags struct {
	age    string
	size   string
	kinds  string
	dryRun bool
}

func runStorage(args []string) int {
	var f storageFlags
	fs := newFlags("storage", "[prune] [flags]", storageAbout)
	fs.StringVar(&f.age, "older-than", "", "prune: what was last changed longer ago than this `age`, such as 30d")
	fs.StringVar(&f.size, "max-size", "", "prune: the oldest until all fits into this `size`, such as 2GiB")
	fs.StringVar(&f.kinds, "kind", "", "prune: only these `kinds`, with commas between them")
	fs.BoolVar(&f.dryRun, "dry-run", false, "prune: say what would be removed, and remove nothing")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	kept := session.OpenStorage(s.dirs.State)
	switch {
	case len(rest) == 0 && f == storageFlags{}:
		return showStorage(kept, s.dirs.State)
	case len(rest) == 0:
		return fail(errors.New("the flags are those of drawbridge storage prune"))
	case len(rest) > 1 || rest[0] != "prune":
		return fail(fmt.Errorf("storage takes prune or nothing, not %q", strings.Join(rest, " ")))
	}
	p, err := f.pruning(*s.cfg())
	if err != nil {
		return fail(err)
	}
	return prune(kept, p)
}

// pruning is what the flags ask for.
func (f storageFlags) pruning(c config.Config) (session.Pruning, error) {
	p := session.Pruning{Bytes: -1, DryRun: f.dryRun, Now: time.Now()}
	kinds, err := f.chosen()
	if err != nil {
		return p, err
	}
	if f.age == "" && f.size == "" {
		if f.kinds != "" {
			return p, errors.New("--kind goes with --older-than or --max-size; everything of a kind goes with --max-size 0 --kind " + f.kinds)
		}
		p.Ages, p.CheckpointBytes = agesOf(c.Storage), c.Checkpoints.MaxBytes
		return p, nil
	}
	if f.age != "" {
		age, err := config.Age(f.age)
		switch {
		case strings.Trim(strings.TrimSuffix(f.age, "d"), "0") == "":
			return p, errors.New("--older-than: 0 days are refused, for that is all there is; want days such as 30d, or to remove all --max-size 0")
		case err != nil || age == 0:
			return p, fmt.Errorf("--older-than: want days such as 30d; have %q", f.age)
		}
		p.Ages = map[session.StoredKind]time.Duration{}
		for _, kind := range kinds {
			p.Ages[kind] = age
		}
	}
	if f.size != "" {
		p.Kinds = kinds
		if f.size == "0" {
			p.Bytes = 0
		} else if p.Bytes, err = config.Size(f.size); err != nil {
			return p, fmt.Errorf("--max-size: %w", err)
		}
	}
	return p, nil
}

func (f storageFlags) chosen() ([]session.StoredKind, error) {
	if f.kinds == "" {
		return slices.DeleteFunc(slices.Clone(session.StoredKinds), func(k session.StoredKind) bool { return k == session.StoredSessions }), nil
	}
	var kinds []session.StoredKind
	for word := range strings.SplitSeq(f.kinds, ",") {
		kind := session.StoredKind(strings.TrimSpace(word))
		if !slices.Contains(session.StoredKinds, kind) {
			return nil, fmt.Errorf("unknown --kind %q: choose %s", word, joinKinds())
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func joinKinds() string {
	words := make([]string, len(session.StoredKinds))
	for i, kind := range session.StoredKinds {
		words[i] = string(kind)
	}
	return strings.Join(words, ", ")
}

// agesOf are the ages that the settings give.
func agesOf(c config.Storage) map[session.StoredKind]time.Duration {
	ages := map[session.StoredKind]time.Duration{}
	for kind, age := range map[session.StoredKind]time.Duration{
		session.StoredTemporary: c.Outputs, session.StoredOutputs: c.Outputs, session.StoredCheckpoints: c.Checkpoints,
		session.StoredChanges: c.Changes, session.StoredSessions: c.Sessions,
	} {
		if age > 0 {
			ages[kind] = age
		}
	}
	return ages
}

func prune(kept session.Storage, p session.Pruning) int {
	removed, err := kept.Prune(p)
	exit := show(prunedText(removed, p.DryRun))
	if err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: some of it could not be removed: "+err.Error())
		return exitFault
	}
	return exit
}

func prunedText(removed []session.Removed, dryRun bool) string {
	if len(removed) == 0 {
		return "nothing to remove\n"
	}
	var b strings.Builder
	verb, total := "removed", int64(0)
	if dryRun {
		verb = "would remove"
	}
	for _, r := range removed {
		of := ""
		if r.Session != "" {
			of = " of " + headless.Visible(r.Session)
		}
		fmt.Fprintf(&b, "%s %9s  %s%s\n", verb, bytesWord(r.Bytes), r.Kind, of)
		total += r.Bytes
	}
	fmt.Fprintf(&b, "%s %9s  in all\n", verb, bytesWord(total))
	return b.String()
}

func showStorage(kept session.Storage, dir string) int {
	list, checkpoints, err := kept.Sessions()
	if err != nil {
		fmt.Fprintln(os.Stderr, "drawbridge: "+err.Error())
		return exitFault
	}
	total := map[session.StoredKind]int64{}
	for _, s := range list {
		for kind, n := range s.Bytes {
			total[kind] += n
		}
	}
	total[session.StoredCheckpoints] = checkpoints
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", headless.Visible(dir))
	sum := int64(0)
	for _, kind := range session.StoredKinds {
		fmt.Fprintf(&b, "%9s  %s\n", bytesWord(total[kind]), kind)
		sum += total[kind]
	}
	fmt.Fprintf(&b, "%9s  in all\n", bytesWord(sum))
	for i, s := range list {
		if i == 0 {
			fmt.Fprintf(&b, "\n%9s  %-9s %-24s %s\n", "size", "changed", "session", "title")
		}
		b.WriteString(storedLine(s, time.Now()))
	}
	return show(b.String())
}

func storedLine(s session.Stored, now time.Time) string {
	var sum int64
	for _, n := range s.Bytes {
		sum += n
	}
	title := s.Title
	if s.Open {
		title = strings.TrimSpace("(open) " + title)
	}
	line := fmt.Sprintf("%9s  %-9s %-24s %s", bytesWord(sum), ageWord(now.Sub(s.Updated)), s.ID, title)
	return strings.ReplaceAll(headless.Visible(strings.TrimRight(line, " ")), "\n", " ") + "\n"
}

// bytesWord is a size for people.
func bytesWord(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// ageWord is how long ago something was, for people.
func ageWord(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

const (
	// tidyEvery is how often what is too old is removed, by any bridge.
	tidyEvery = 24 * time.Hour
	// tidyAfter is how long a bridge leaves its start alone.
	tidyAfter = 3 * time.Second
	// tidyEnds is how long the end of a bridge waits for it.
	tidyEnds = time.Second / 2
)

// tidy removes what is older than the settings say, once a day among all
// bridges, behind the back of this one. The returned function waits for its end,
// but no longer than a bridge may take to end: a removal can be cut off anywhere,
// and the next one goes on.
func (s *setup) tidy(ctx context.Context) (wait func()) {
	done := make(chan struct{})
	go func() { // ends with ctx, or when it is through
		defer close(done)
		timer := time.NewTimer(tidyAfter)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		stamp := filepath.Join(s.dirs.State, "pruned")
		if !due(stamp, time.Now()) {
			return
		}
		removed, err := session.OpenStorage(s.dirs.State).Prune(session.Pruning{
			Ages: agesOf(s.cfg().Storage), Bytes: -1, CheckpointBytes: s.cfg().Checkpoints.MaxBytes, Now: time.Now(),
		})
		s.log.Info("storage was pruned", "removals", len(removed), "err", err)
	}()
	return func() {
		select {
		case <-done:
		case <-time.After(tidyEnds):
		}
	}
}

// due says that it is time again, and that this process is to do it.
func due(stamp string, now time.Time) bool {
	if st, err := os.Stat(stamp); err == nil && now.Sub(st.ModTime()) < tidyEvery {
		return false
	}
	if os.MkdirAll(filepath.Dir(stamp), 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(stamp, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return os.Chtimes(stamp, now, now) == nil
}
