package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/tools"
)

// maxSubagents is how many subagents a session has at a time.
const maxSubagents = 8

// scripted is the provider of scripts. They lie in files, which a model of its
// own could have read by naming one.
const scripted = "script"

// subagents are those of a session. It implements tools.Subagents.
type subagents struct {
	of *Session

	mu     sync.Mutex        // guards below
	list   []*subagent       // that the model can talk to, oldest first
	places int               // taken by those that are about to be in the list
	fates  map[string]string // by id, of those that are gone
	told   map[string]int    // by id, how many of its answers the model knows
	gone   []string          // the sessions of those
	closed bool
}

func newSubagents(of *Session) *subagents {
	return &subagents{of: of, fates: map[string]string{}, told: map[string]int{}}
}

// all are those that live, oldest first. The nil subagents are none.
func (as *subagents) all() []*subagent {
	if as == nil {
		return nil
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	return slices.Clone(as.list)
}

// Check says whether the model can be used.
func (as *subagents) Check(s tools.SubagentStart) error {
	_, err := as.model(s)
	return err
}

// model is the full name of a subagent's model.
func (as *subagents) model(s tools.SubagentStart) (full string, err error) {
	spec := as.of.Info().Model
	if s.Model == "" && as.of.host.o.NoInherit {
		return "", tools.Failf("Missing required arguments: model_id and provider. There is no model here for a subagent to inherit. No subagent was started.")
	}
	if s.Model != "" {
		if s.Provider == scripted && !strings.HasPrefix(spec, scripted+":") {
			return "", tools.Failf("Invalid argument provider: %q plays scripts and is no model. No subagent was started.", s.Provider)
		}
		spec = s.Provider + ":" + s.Model
	}
	if _, _, full, err = as.of.host.o.Models(spec); err != nil {
		return "", tools.Failf("The model %s cannot be used: %s. No subagent was started.", spec, joined(err.Error(), hintOf(err)))
	}
	return full, nil
}

func joined(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + " (" + hint + ")"
}

// Start makes a session for the subagent and gives it its prompt.
func (as *subagents) Start(start tools.SubagentStart) (tools.Subagent, error) {
	full, err := as.model(start)
	if err != nil {
		return nil, err
	}
	leave, err := as.place()
	if err != nil {
		return nil, err
	}
	a := newSubagent(as, start)
	if err = as.of.host.newChild(a, start, full); err != nil {
		leave()
		return nil, err
	}
	if !as.enter(a) {
		as.dismiss(a.child.Close) // it has done nothing yet
		return nil, errNoMoreSubagents
	}
	if err = a.begin(start.Prompt); err != nil {
		a.unawaited() // the call does not come to wait
	}
	return a, err
}

var errNoMoreSubagents = tools.Failf("The session is closing: no subagent can be started.")

// place takes a place for a new subagent. The oldest idle one gives way where all
// are taken.
func (as *subagents) place() (leave func(), err error) {
	old, err := as.take()
	if err != nil {
		return nil, err
	}
	if old != nil {
		as.dismiss(func(ctx context.Context) error { return old.End(ctx, gaveWay) })
	}
	return func() {
		as.mu.Lock()
		defer as.mu.Unlock()
		as.places--
	}, nil
}

// dismissTime is how long is waited for the end of a subagent that does nothing any
// more, but may have commands.
const dismissTime = 5 * time.Second

func (as *subagents) dismiss(end func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), dismissTime)
	defer cancel()
	if err := end(ctx); err != nil {
		as.of.log.Warn("a subagent that gave way does not end in time", "err", err)
	}
}

const gaveWay = cancelledFor("it was idle and gave way to a new one")

func (as *subagents) take() (old *subagent, err error) {
	or := ""
	if as.of.offers().Has("kill_subagent") {
		or = ", or end one with kill_subagent"
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.closed {
		return nil, errNoMoreSubagents
	}
	if len(as.list)+as.places >= maxSubagents {
		i := slices.IndexFunc(as.list, (*subagent).mayGiveWay)
		if i < 0 {
			return nil, tools.Failf("Too many background subagents: %d are running, and no more can be. "+
				"Wait until one has answered%s. No subagent was started.", maxSubagents, or)
		}
		old = as.list[i]
		as.list = slices.Delete(as.list, i, i+1)
	}
	as.places++
	return old, nil
}

// enter gives a subagent the place that was taken for it; false when the session
// closes.
func (as *subagents) enter(a *subagent) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.places--
	if as.closed {
		return false
	}
	as.list = append(as.list, a)
	return true
}

// Find finds one that lives.
func (as *subagents) Find(id string) tools.Subagent {
	if a := as.find(id); a != nil {
		return a
	}
	return nil
}

func (as *subagents) find(id string) *subagent {
	for _, a := range as.all() {
		if a.id == id {
			return a
		}
	}
	return nil
}

// Fate says why one is gone.
func (as *subagents) Fate(id string) string {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.fates[id]
}

// leave takes one that ends out of the list.
func (as *subagents) leave(a *subagent, why string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	as.list = slices.DeleteFunc(as.list, func(o *subagent) bool { return o == a })
	as.fates[a.id] = "It is gone: " + why + ". What it changed stays."
	as.gone = append(as.gone, a.child.id)
}

// tell notes that the model knows of the first n answers of a subagent; false
// when it did before.
func (as *subagents) tell(id string, n int) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.told[id] >= n {
		return false
	}
	as.told[id] = n
	return true
}

// knows says that the model has been told of what a notice is about.
func (as *subagents) knows(n Notice) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.told[n.Subagent] >= n.Answer
}

// close ends all of them with their session. What the model was promised to be
// told is then told when the session is loaded again.
func (as *subagents) close(ctx context.Context) {
	if as == nil {
		return
	}
	as.mu.Lock()
	as.closed = true
	list := slices.Clone(as.list)
	as.mu.Unlock()
	var wg sync.WaitGroup
	for _, a := range list {
		wg.Go(func() {
			a.owe("the session")
			_ = a.End(ctx, errInterrupted)
		})
	}
	wg.Wait()
}

// sessionsGone are the sessions of those that are gone, oldest first.
func (as *subagents) sessionsGone() []string {
	if as == nil {
		return nil
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	return slices.Clone(as.gone)
}

// sessions are those of all that were ever started, but for some that did nothing.
func (as *subagents) sessions() []string {
	ids := as.sessionsGone()
	for _, a := range as.all() {
		ids = append(ids, a.child.id)
	}
	return ids
}

// restore takes in the subagents of an earlier run, none of which lives.
func (as *subagents) restore(list []Subagent) {
	for _, a := range list {
		as.fates[a.ID] = "It ended with the run of the bridge that it was started in. What it changed stays; run_subagent starts another."
		as.gone = append(as.gone, a.Session)
	}
}

// Subagents lists the subagents that live, oldest first.
func (s *Session) Subagents() []Subagent {
	all := s.subs.all()
	list := make([]Subagent, len(all))
	for i, a := range all {
		list[i] = redacted(a.shownNow(), s.host.o.Redact)
	}
	return list
}

// KillSubagent ends a subagent for a person, and returns when nothing of it runs
// any more or ctx is done. The session's model is told.
func (s *Session) KillSubagent(ctx context.Context, id string) error {
	a := (*subagent)(nil)
	if s.subs != nil {
		a = s.subs.find(id)
	}
	if a == nil {
		return &Error{Kind: "unknownSubagent", Message: "no subagent " + id, Hint: "subagent/list names those that live"}
	}
	if !a.attended() {
		s.remark(fmt.Sprintf("The user has ended the subagent %s (%s). What it changed stays.", a.id, a.title))
	}
	return a.End(ctx, endedByUser)
}

const endedByUser = cancelledFor("ended by the user")

// family are a session, or the one that it works for, and all that work for that
// one.
func (s *Session) family() []*Session {
	root := s.root()
	list := []*Session{root}
	for _, a := range root.subs.all() {
		list = append(list, a.child)
	}
	return list
}

// root is the session that this one works for, or itself.
func (s *Session) root() *Session {
	if s.under == nil {
		return s
	}
	return s.under.of()
}

// busy names a subagent that works, "" if none does.
func (s *Session) busy() string {
	for _, a := range s.subs.all() {
		if !a.idle() {
			return a.id
		}
	}
	return ""
}
