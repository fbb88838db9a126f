package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"drawbridge/approval"
	"drawbridge/approval/command"
	"drawbridge/checkpoint"
	"drawbridge/model"
	"drawbridge/tools"
	"drawbridge/workspace"
)

// Host keeps the sessions of one process and finds those on the disk. Safe for
// concurrent use.
type Host struct {
	o        Options
	watchers watchers
	// opening holds one token: sessions are opened from the disk one at a time.
	opening chan struct{}
	kept    *checkpoint.Store
	tidying tidying
	// changing are the options that may change meanwhile.
	changing atomic.Pointer[Live]
	turns    turns
	written  written

	mu   sync.Mutex // guards below
	open map[string]*Session
}

// NewHost makes a host. Nothing is touched on the disk before the first
// session.
func NewHost(o Options) *Host {
	if o.NewID == nil {
		o.NewID = newID
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Host{
		o: o, watchers: watchers{open: o.Watch}, opening: make(chan struct{}, 1), kept: checkpoint.Open(filepath.Join(o.StateDir, "checkpoints")),
		open: map[string]*Session{},
	}
	live := o.Live()
	h.changing.Store(&live)
	return h
}

// newID is sortable by time and unique without coordination.
func newID() string {
	var b [5]byte
	_, _ = rand.Read(b[:])
	tail := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
	return "s" + strconv.FormatInt(time.Now().UnixMilli(), 36) + strings.ToLower(tail)
}

func (h *Host) now() time.Time { return time.Now() }

func (h *Host) sessionsDir() string  { return filepath.Join(h.o.StateDir, "sessions") }
func (h *Host) dir(id string) string { return filepath.Join(h.sessionsDir(), id) }
func (h *Host) scratch(id string) string {
	return filepath.Join(h.o.StateDir, "scratch", id, "truncated-tool-output")
}

func (h *Host) tmp(id string) string { return filepath.Join(h.o.StateDir, "scratch", id, "tmp") }

// state is for what tools remember. It lies where no tool may read, and no command
// in a sandbox can: values of variables are in it.
func (h *Host) state(id string) string { return filepath.Join(h.dir(id), "tools") }

func (h *Host) logPath(id string) string  { return filepath.Join(h.dir(id), logName) }
func (h *Host) metaPath(id string) string { return filepath.Join(h.dir(id), "info.json") }
func (h *Host) textsDir(id string) string { return filepath.Join(h.dir(id), "changes") }
func (h *Host) keptPath(id string) string { return filepath.Join(h.dir(id), "checkpoints.jsonl") }

// New starts an empty session.
func (h *Host) New(set Settings) (*Session, error) {
	h.beginSession()
	set = set.over(h.live().Defaults)
	if h.o.Narrow != nil {
		set.Mode, set.Preset = h.o.Narrow(set.Roots, set.Mode, set.Preset)
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	full := ""
	if _, _, f, err := h.o.Models(set.Model); err == nil {
		full = f
	} else if set.Model != "" {
		return nil, &Error{Kind: "invalid", Message: err.Error(), Hint: hintOf(err)}
	}
	set.Title = redacted(set.Title, h.o.Redact)
	now := h.now()
	info := Info{
		ID: h.o.NewID(), Title: set.Title, Dir: set.Dir, Roots: set.Roots, Model: full, Mode: set.Mode,
		Preset: set.Preset, Profile: set.Profile, Thinking: set.Thinking, Created: now, Updated: now, State: StateIdle, Chained: true,
	}
	s, err := h.build(info, set, &past{}, nil)
	if err != nil {
		return nil, err
	}
	s.out.keep(record{Type: recSession, Info: &info})
	h.saveMeta(info)
	return s, nil
}

func hintOf(err error) string {
	var me *model.Error
	if errors.As(err, &me) {
		return me.Hint
	}
	return ""
}

// over fills what set leaves out from d.
func (set Settings) over(d Settings) Settings {
	set.Dir = cmp.Or(set.Dir, d.Dir)
	set.Model = cmp.Or(set.Model, d.Model)
	set.Mode = cmp.Or(set.Mode, d.Mode, approval.AlwaysAsk)
	set.Profile = cmp.Or(set.Profile, d.Profile, tools.ProfileDefault)
	set.Preset = cmp.Or(set.Preset, d.Preset, PresetOf(set.Profile))
	set.Thinking = cmp.Or(set.Thinking, d.Thinking)
	set.MaxSteps = cmp.Or(set.MaxSteps, d.MaxSteps)
	if len(set.Roots) == 0 && set.Dir == d.Dir {
		set.Roots = d.Roots
	}
	if len(set.Roots) == 0 || set.Roots[0] != set.Dir {
		set.Roots = slices.Concat([]string{set.Dir}, set.Roots)
	}
	return set
}

// PresetOf is the preset of a profile's sessions where nobody chose one.
func PresetOf(profile string) approval.Preset {
	if profile == tools.ProfileCompact {
		return approval.PresetReadOnly
	}
	return approval.PresetWorkspaceWrite
}

// build makes a new session, which may be a subagent's, and takes ownership of its
// folder.
func (h *Host) build(info Info, set Settings, p *past, under *subagent) (*Session, error) {
	if !h.o.Ephemeral {
		p.changes.shelf = openShelf(h.textsDir(info.ID), p.changes.shelves)
	}
	s, err := h.assemble(info, set, p)
	if err != nil {
		return nil, err
	}
	if under != nil {
		s.join(under)
	}
	hold, log, err := h.take(info.ID)
	if err != nil {
		return nil, err
	}
	h.adopt(s, hold, log)
	return s, nil
}

// adopt makes an assembled session one of the open ones.
func (h *Host) adopt(s *Session, hold *owner, log *logFile) {
	s.owner, s.out.log = hold, log
	s.watcher, s.unwatch = h.watchers.get(s.ws.Roots())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[s.id] = s
}

// take makes a session's folder this process's and opens its log.
func (h *Host) take(id string) (*owner, *logFile, error) {
	if h.o.Ephemeral {
		return nil, &logFile{nothing: true}, nil
	}
	if err := os.MkdirAll(h.dir(id), 0o700); err != nil {
		return nil, nil, fmt.Errorf("make session folder: %w", err)
	}
	hold, err := own(h.dir(id))
	if err != nil {
		return nil, nil, err
	}
	log, found, err := openLog(h.logPath(id), headPath(h.o.StateDir, id), id)
	if err != nil {
		hold.release()
		return nil, nil, err
	}
	if found != "" {
		h.o.Log.Warn("session log: "+found, "session", id)
	}
	return hold, log, nil
}

func (h *Host) assemble(info Info, set Settings, p *past) (*Session, error) {
	ws, err := workspace.Open(workspace.Options{
		Roots: info.Roots, Editor: h.o.Editor, Encodings: h.o.Encodings,
		Protected: append(ownFiles(h.o.StateDir), h.o.Protected...),
	})
	if err != nil {
		return nil, &Error{Kind: "invalid", Message: err.Error(), Hint: "cwd and roots must be absolute paths of folders"}
	}
	toolset, err := h.o.Tools(info.Profile)
	if err != nil {
		return nil, &Error{Kind: "invalid", Message: err.Error()}
	}
	s := &Session{
		host: h, id: info.ID, gone: make(chan struct{}), settling: make(chan struct{}, 1), ws: ws, sh: h.o.NewShell(), scratch: h.scratch(info.ID),
		log:  h.o.Log.With("session", info.ID),
		mark: info.mark(), desk: newDesk(p.questions, info.mark()), changes: &p.changes,
		terminals: &terminals{n: p.terminals, mark: info.mark()}, vigils: &vigils{},
		info: info, talk: p.talk, turns: p.turns, calls: p.calls, total: p.total, set: set,
		asked: p.asked, broke: p.stop == StopError, notices: p.notices, remarks: p.remarks, waiting: map[string]*call{}, asking: map[string]string{}, ordered: map[string]*call{},
		out: &stream{
			session: info.ID, origin: info.Origin, emit: h.o.Emit, now: h.now, redact: h.o.Redact, errs: h.o.Log, seq: p.seq,
		},
	}
	s.changes.mark, s.changes.turn = info.mark(), s.during
	s.draft.warn, s.draft.redact = s.log.Warn, h.o.Redact
	if !h.o.Ephemeral && !h.o.NoCheckpoints && info.Origin == nil {
		s.keeper = &keeper{store: h.kept, path: h.keptPath(info.ID)}
	}
	if !h.o.Ephemeral {
		s.draft.path = draftPath(h.dir(info.ID))
	}
	s.env = tools.Env{
		Workspace: ws, Shell: s.sh, Environ: h.environ(info.Roots), TTY: h.o.Terminals && !h.o.Pipes, Cols: 80, Rows: 24,
		StateDir: h.state(info.ID), Reads: tools.NewReads(), Confine: s.confine(), Commands: tools.NewCommands(tools.CommandsOptions{Now: h.now, OnEnd: s.commandEnded}),
	}
	s.env.Defines, s.env.MayRead = command.Defines, s.mayRead
	s.env.Fetch, s.env.Seer, s.env.Archives = h.o.Fetch, s.seer, s.archives
	s.env.Redact = h.o.Redact
	s.commands, s.gate = s.env.Commands, s.newGate(info)
	if info.Origin == nil {
		s.subs = newSubagents(s)
		s.subs.restore(slices.Collect(maps.Values(p.subagents)))
		s.env.Subagents = s.subs
	}
	s.useTools(toolset)
	return s, nil
}

// ownFiles are what decisions go by and what is recorded of them: no tool may
// touch it, whoever agrees.
func ownFiles(state string) []string {
	files := []string{headsDir(state)}
	for _, name := range []string{"sessions", "checkpoints", "grants", "trust.json"} {
		files = append(files, filepath.Join(state, name))
	}
	return files
}

func (s *Session) useTools(set tools.Toolset) {
	s.serial, s.env.NewFile, s.policies = set.Serial, set.NewFile, set.Policies
	if s.isChild() {
		set.Tools = withoutSubagents(set.Tools)
	}
	s.takes = tools.OffersOf(set.Tools)
	s.tools = make(map[string]tools.Tool, len(set.Tools))
	for _, t := range set.Tools {
		spec := t.Spec()
		s.tools[spec.Name] = t
		s.defs = append(s.defs, model.ToolDef{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
}

// Get finds an open session of this process.
func (h *Host) Get(id string) (*Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.open[id]; s != nil {
		return s, nil
	}
	return nil, &Error{
		Kind: "unknownSession", Message: "session " + strconv.Quote(id) + " is not open",
		Hint: "session/load opens one from the disk, session/list names them",
	}
}

// Load opens a session from its log and replays its events after fromSeq
// before it returns. A session that is open here is replayed only.
func (h *Host) Load(id string, fromSeq int64, replay func(Event)) (*Session, int64, error) {
	if !validID(id) {
		return nil, 0, unknown(id)
	}
	h.opening <- struct{}{}
	defer func() { <-h.opening }()
	_, closed := h.Get(id)
	s, p, err := h.find(id, fromSeq)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range p.replay() {
		if e.Seq > fromSeq {
			e.Origin = s.out.origin
			replay(s.withTexts(e))
		}
	}
	if closed != nil {
		s.Narrow() // by what was trusted meanwhile
	}
	return s, s.out.newest(), nil
}

// find returns an open session, or opens one from the disk, with its past. What
// is new gets numbers beyond seen, which the client may have of a bridge that
// was killed before its log had them.
func (h *Host) find(id string, seen int64) (*Session, *past, error) {
	if s, err := h.Get(id); err == nil {
		arriving := s.draft.shown() // before the log, which may have it by then
		p, err := h.past(id)
		if err == nil {
			p.addDraft(arriving)
		}
		return s, p, err
	}
	if _, err := os.Stat(h.logPath(id)); err != nil {
		return nil, nil, unknown(id)
	}
	// First the hold, then the reading: another owner may write until it lets go.
	hold, log, err := h.take(id)
	if err != nil {
		return nil, nil, err
	}
	s, p, err := h.reopen(id, seen)
	if err != nil {
		log.close()
		hold.release()
		return nil, nil, err
	}
	h.adopt(s, hold, log)
	s.out.recover(p.recovered)
	s.noteCut(p.cut, p.cutOff)
	sweepAside(h.dir(id))
	s.removeTmp() // of a bridge that was killed
	return s, p, nil
}

func (h *Host) past(id string) (*past, error) {
	p, skipped, err := readPast(h.logPath(id), id)
	if skipped > 0 {
		h.o.Log.Warn("session log: skipped lines that are no records", "session", id, "lines", skipped)
	}
	if p != nil && p.broken > 0 {
		h.o.Log.Warn("session log: it is not what was written; drawbridge session verify says where", "session", id, "places", p.broken)
	}
	return p, err
}

// reopen makes a session of its past.
func (h *Host) reopen(id string, seen int64) (*Session, *past, error) {
	p, err := h.past(id)
	if err != nil {
		return nil, nil, err
	}
	if seen < maxSeq/2 { // a client of ours has no such numbers
		p.seq = max(p.seq, seen)
	}
	p.changes.shelf = openShelf(h.textsDir(id), p.changes.shelves)
	p.closeOff(h.dir(id))
	set := Settings{
		Dir: p.info.Dir, Roots: p.info.Roots, Model: p.info.Model, Mode: p.info.Mode,
		Preset: p.info.Preset, Profile: p.info.Profile, MaxSteps: h.live().Defaults.MaxSteps,
	}
	s, err := h.assemble(p.info, set, p)
	return s, p, err
}

// validID keeps ids from being paths.
func validID(id string) bool {
	return id != "" && id != "." && id != ".." &&
		!strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == '/' || r == '\\' || r == utf8.RuneError })
}

func unknown(id string) error {
	return &Error{
		Kind: "unknownSession", Message: "no session " + strconv.Quote(id),
		Hint: "session/list names those that exist",
	}
}

// List names the sessions on the disk, newest first: people's, or those of the
// subagents of a session, its parent. cursor is what the last call returned; ""
// starts and ends a listing.
func (h *Host) List(parent, cursor string, limit int) (infos []Info, next string, err error) {
	entries, err := os.ReadDir(h.sessionsDir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("list sessions: %w", err)
	}
	for _, e := range entries {
		if info, ok := h.readInfo(e.Name()); ok && info.parent() == parent {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(b.ID, a.ID))
	})
	if cursor != "" {
		i := slices.IndexFunc(infos, func(i Info) bool { return i.ID == cursor })
		infos = infos[i+1:]
	}
	if limit > 0 && len(infos) > limit {
		infos = infos[:limit]
		next = infos[limit-1].ID
	}
	return infos, next, nil
}

// readInfo reads a session's summary; one that cannot be read is left out of
// the list, and out of nobody's way.
func (h *Host) readInfo(id string) (info Info, ok bool) {
	if s, err := h.Get(id); err == nil {
		return s.Info(), true
	}
	raw, err := os.ReadFile(h.metaPath(id))
	if err != nil || json.Unmarshal(raw, &info) != nil || info.ID != id {
		return Info{}, false
	}
	if info.Turn != "" { // its process ended before the turn did
		info.Unfinished, info.Turn = info.Turn, ""
	}
	info.State = StateIdle
	return info, true
}

// saveMeta keeps the summary beside the log, for listings. The log is the
// truth: a summary that cannot be written costs the listing only.
func (h *Host) saveMeta(info Info) {
	if h.o.Ephemeral {
		return
	}
	raw, err := json.Marshal(info)
	if err == nil {
		err = replaceFile(h.metaPath(info.ID), raw)
	}
	if err != nil {
		h.o.Log.Warn("session summary", "session", info.ID, "err", err)
	}
}

// replaceFile puts a private file in place whole. Writers at the same time do
// not disturb each other; the last one counts.
func replaceFile(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err = cmp.Or(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func (h *Host) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, id)
}

// Close closes every session, all at once; those of subagents that live close with
// the sessions that they work for.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	var all []*Session
	for _, s := range h.open {
		if s.under == nil {
			all = append(all, s)
		}
	}
	h.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() { errs[i] = s.Close(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// environ is the environment of the commands of a session with these folders.
func (h *Host) environ(roots []string) func(ctx context.Context, tty bool) []string {
	if h.o.Environ == nil {
		return nil
	}
	return func(ctx context.Context, tty bool) []string { return h.o.Environ(ctx, roots, tty) }
}
