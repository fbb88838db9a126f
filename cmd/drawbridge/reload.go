package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/bridge"
	"drawbridge/config"
	"drawbridge/session"
)

// reloader has settings that are changed while the program runs count from the
// next turn on. Safe for concurrent use.
type reloader struct {
	setup *setup
	steps int // the limit that a flag sets
	file  *config.Follower

	mu   sync.Mutex // guards below
	tell func(bridge.SettingsChange)
	next *config.Config // that no turn has begun with yet
	bad  bool           // the file was told to have a fault
}

func newReloader(s *setup, steps int) *reloader {
	file := config.Follow(s.dirs, *s.cfg())
	file.Check = faultsOfTools
	return &reloader{setup: s, steps: steps, file: file}
}

// follow tells of changes when they are made, until ctx ends. Where the system
// cannot, they are told of when they count.
func (r *reloader) follow(ctx context.Context, tell func(bridge.SettingsChange)) {
	r.mu.Lock()
	r.tell = tell
	r.mu.Unlock()
	if err := r.file.Watch(ctx, r.look); err != nil {
		r.setup.log.Info("the settings are looked at when a turn begins", "err", err)
	}
}

// begin is session.Options.Begin.
func (r *reloader) begin() (session.Live, bool) {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		return session.Live{}, false
	}
	r.setup.use(*r.next)
	r.next = nil
	live := r.setup.session().Live()
	live.Defaults.MaxSteps = r.steps
	return live, true
}

// look reads the file if it has changed. again is when it has to be looked at again,
// since it does not rest yet.
func (r *reloader) look() (again time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cfg, changed, again, err := r.file.Look()
	if !changed {
		return again
	}
	if err != nil {
		r.bad = true
		r.tellLocked(bridge.SettingsChange{Problems: config.ProblemsOf(err)})
		return 0
	}
	cfg.Warnings = append(cfg.Warnings, doubtsOf(&cfg)...)
	before := r.setup.cfg()
	if r.next != nil {
		before = r.next
	}
	r.next = &cfg
	r.setup.coming.Store(&cfg)
	if c := changeOf(before, &cfg); r.bad || len(c.Changed) > 0 || !slices.Equal(before.Warnings, cfg.Warnings) {
		r.tellLocked(c)
	}
	r.bad = false
	return 0
}

// changeOf says what became of settings.
func changeOf(before, now *config.Config) bridge.SettingsChange {
	c := bridge.SettingsChange{Applied: true, Warnings: now.Warnings}
	for _, d := range config.Diff(*before, *now) {
		c.Changed = append(c.Changed, d.Path)
		if d.When != config.AtOnce {
			c.Later = append(c.Later, d.Path+": "+string(d.When))
		}
	}
	if len(now.Set) == 0 && len(before.Set) > 0 {
		c.Warnings = append(slices.Clone(c.Warnings), before.File+": there is no setting in it any more; the defaults count")
	}
	return c
}

func (r *reloader) tellLocked(c bridge.SettingsChange) {
	for _, p := range c.Problems {
		r.setup.log.Warn("the settings as they were go on to count", "fault", p.Error())
	}
	if len(c.Changed) > 0 {
		r.setup.log.Info("settings changed", "settings", strings.Join(c.Changed, ", "))
	}
	if r.tell != nil {
		r.tell(c)
	}
}
