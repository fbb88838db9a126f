package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// usuallyHidden are notifications that accompany everything and are the rule
// of few scenarios.
var usuallyHidden = []string{
	"state/changed", "session/updated", "usage/updated", "window/logMessage",
	"$/progress", "window/workDoneProgress/create",
}

// usuallyDropped are members that differ from run to run, or that say again
// what other members say.
var usuallyDropped = []string{
	"seq", "since", "createdAt", "updatedAt", "durationMs", "waitedMs", "digest",
	"usage", "options", "diff", "oldRange", "newRange", "header", "sessionId", "turnId", "cols", "rows", "unconfined",
	"preset", "cwd", "parts", "derivation",
}

// view says which messages of the bridge stand in the transcript and which of
// their members.
type view struct {
	only   []string // these notifications alone; nil: all that are not hidden
	hidden []string
	kept   []string // members that are not dropped
	split  bool     // pieces of a stream stand apart
}

func (v *view) set(key string, list []string) error {
	switch key {
	case "show":
		v.only = list
		return v.set("also", list)
	case "also":
		v.hidden = slices.DeleteFunc(v.hidden, func(m string) bool { return slices.Contains(list, m) })
	case "hide":
		v.hidden = append(v.hidden, list...)
	case "keep":
		v.kept = append(v.kept, list...)
	case "chunks":
		word, err := oneOf(strings.Join(list, ","), "split", "joined")
		v.split = word == "split"
		return err
	default:
		return fmt.Errorf("no such flag")
	}
	return nil
}

// shows decides about a message. Answers are always shown.
func (v *view) shows(method string, request bool) bool {
	switch {
	case method == "" || strings.HasPrefix(method, "!"):
		return true
	case slices.Contains(v.hidden, method):
		return false
	}
	return request || v.only == nil || slices.Contains(v.only, method)
}

// prune drops members wherever they stand. What a tool was called with and
// what a client may choose from keep all of theirs.
func (v *view) prune(value any) any {
	switch x := value.(type) {
	case map[string]any:
		for k, member := range x {
			switch {
			case slices.Contains(usuallyDropped, k) && !slices.Contains(v.kept, k):
				delete(x, k)
			case k != "args" && k != "range" && k != "experimental":
				x[k] = v.prune(member)
			}
		}
	case []any:
		for i := range x {
			x[i] = v.prune(x[i])
		}
	}
	return value
}
