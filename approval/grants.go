package approval

import (
	"fmt"
	"path/filepath"
	"strings"
)

// grants are the remembered yeses of one session. Each was given by a person,
// which bounds them.
type grants map[grantKey]bool

// grantKey is the class that a yes covers: the same path for the same kind of
// access, the very same command in the same folder and held as it was, or
// whatever is typed into the same process.
type grantKey struct {
	access    Access
	what, dir string
	into      string
	loose     bool
}

// keysOf splits a request into the classes that must all be granted. Requests
// that name nothing have none and are never covered.
func keysOf(req Request) []grantKey {
	if req.Access == Execute {
		return commandKeys(req.Command)
	}
	var keys []grantKey
	for _, t := range req.Paths {
		keys = append(keys, grantKey{access: req.Access, what: t.Abs})
	}
	return keys
}

func commandKeys(c *Command) []grantKey {
	switch {
	case c == nil || c.Text == "" || c.Escalation != "":
		return nil
	case c.TypedInto == "":
		return []grantKey{{access: Execute, what: c.Text, dir: c.Dir, loose: c.Unconfined}}
	case c.Process == "":
		return nil
	}
	return []grantKey{{access: Execute, into: c.Process}}
}

func rememberable(req Request) bool { return len(keysOf(req)) > 0 }

func (g grants) add(req Request) {
	for _, k := range keysOf(req) {
		g[k] = true
	}
}

func (g grants) cover(req Request) bool {
	keys := keysOf(req)
	for _, k := range keys {
		if !g[k] {
			return false
		}
	}
	return len(keys) > 0
}

// describeGrant says in words what a yes for the session would cover.
func describeGrant(req Request) string {
	switch {
	case req.Access == Execute && req.Command != nil && req.Command.TypedInto != "":
		return "typing into this running command"
	case req.Access == Execute:
		return "exactly this command in this folder"
	}
	names := make([]string, len(req.Paths))
	for i, t := range req.Paths {
		names[i] = filepath.Base(t.Abs)
	}
	verb := map[Access]string{Write: "changes of", Read: "reads of"}[req.Access]
	return fmt.Sprintf("%s %s", verb, strings.Join(names, ", "))
}
