package tools

import (
	"strings"
	"unicode"

	"drawbridge/shell"
)

// hold is what holds a command that is planned.
type hold struct {
	by shell.Confinement // nil: nothing
	// preset is what the plan was made under; see presetOf.
	preset     string
	escalation string // why it is to run outside of what would hold it
}

// planHold finds out what holds a command, and whether it asks to leave it.
// Under full access there is nothing to leave.
func planHold(env Env, a arguments) (hold, error) {
	reason, err := env.Offers.escalation(a)
	if err != nil {
		return hold{}, err
	}
	by, err := env.confinement()
	h := hold{by: by, preset: presetOf(by, err)}
	switch {
	case reason != "" && h.preset != unconfined:
		h.by, h.escalation = nil, reason
	case err != nil:
		return h, env.Offers.unavailableSandbox(err.Error())
	}
	return h, nil
}

func (o Offers) unavailableSandbox(why string) error {
	if !o.escalates() {
		return Failf("%s\nNothing was run: this tool runs nothing outside the sandbox. Tell the user.", why)
	}
	return Failf("%s\nNothing was run. A run without the sandbox can be asked for: "+
		"call again with sandbox_permissions \"require_escalated\" and a justification.", why)
}

// unavailableMark begins what a sandbox says that cannot hold a command.
const unavailableMark = "SANDBOX_UNAVAILABLE"

// refused is the failure of a start that the sandbox refused, nil for others.
func (h hold) refused(err error, o Offers) error {
	at := strings.Index(err.Error(), unavailableMark)
	if h.by == nil || at < 0 {
		return nil
	}
	return o.unavailableSandbox(err.Error()[at:])
}

// escalation is the justification of a call that wants to leave the sandbox. A tool
// whose schema has no word for that knows none.
func (o Offers) escalation(a arguments) (string, error) {
	if !o.escalates() {
		if a.has("sandbox_permissions") {
			return "", Failf("Unknown argument: sandbox_permissions. This tool runs nothing outside the sandbox. Nothing was run.")
		}
		return "", nil
	}
	permissions, reason := "use_default", ""
	var err error
	if a.has("sandbox_permissions") {
		if permissions, err = a.text("sandbox_permissions"); err != nil {
			return "", err
		}
	}
	if a.has("justification") {
		if reason, err = a.text("justification"); err != nil {
			return "", err
		}
		reason = strings.TrimSpace(reason)
	}
	switch {
	case permissions == "use_default" && reason != "":
		return "", Failf("A justification was given without sandbox_permissions \"require_escalated\". Nothing was run: give both, or neither.")
	case permissions == "use_default":
		return "", nil
	case permissions != "require_escalated":
		return "", Failf("Invalid argument sandbox_permissions: expected \"use_default\" or \"require_escalated\", got %s", a.shown("sandbox_permissions"))
	case !strings.ContainsFunc(reason, legible):
		return "", Failf("Missing required argument: justification. With sandbox_permissions \"require_escalated\" it tells the user why the command has to run outside the sandbox.")
	}
	return reason, nil
}

// legible says of a letter or digit that it shows: some letters are blank.
func legible(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func (e Env) confinement() (shell.Confinement, error) {
	if e.Confine == nil {
		return nil, nil
	}
	return e.Confine()
}

const (
	unconfined  = "full-access"
	unavailable = "a preset that cannot be enforced"
)

// presetOf names what a command would run under.
func presetOf(by shell.Confinement, err error) string {
	switch {
	case err != nil:
		return unavailable
	case by == nil:
		return unconfined
	}
	return by.Preset()
}

// still is a failure when what was planned, and perhaps agreed to, is no longer
// what would happen.
func (h hold) still(env Env) error {
	if now := presetOf(env.confinement()); now != h.preset {
		return Failf("The preset changed from %s to %s while the command waited. Nothing was run; call again if it is still wanted.", h.preset, now)
	}
	return nil
}

func (h hold) name() string { return sandboxName(h.by) }

func sandboxName(c shell.Confinement) string {
	if c == nil {
		return ""
	}
	return c.Backend()
}
