package approval

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"drawbridge/approval/rule"
)

// ruling is what is said of an effect before anyone is asked. The zero value
// refuses.
type ruling int

const (
	refuse   ruling = iota
	question        // a person decides
	pass
)

// verdict is a ruling with its reason, one line.
type verdict struct {
	ruling ruling
	why    string
	// keeps says that a yes may be remembered.
	keeps bool
	// ruled says that rules, a tool's policy or a remembered yes decided.
	ruled bool
	// grant is how long the yes holds that decided, "" when none did.
	grant Scope
	// ground is what refuses; of other verdicts it says nothing.
	ground ground
}

func (v verdict) String() string {
	word := map[ruling]string{refuse: "refused", question: "ask", pass: "pass"}[v.ruling]
	if v.why == "" {
		return word
	}
	return word + " (" + v.why + ")"
}

// limits says what no answer lifts. Its pass means "no objection".
func limits(req Request, preset Preset) verdict {
	switch preset {
	case PresetReadOnly:
		return readOnlyLimits(req)
	case PresetWorkspaceWrite:
		return workspaceLimits(req)
	case PresetFullAccess:
		return verdict{ruling: pass}
	}
	return verdict{why: fmt.Sprintf("unknown preset %q", preset)}
}

// readOnlyLimits refuses a command that nothing holds to the preset: whoever
// set "nothing may be written" did not mean "except by sh".
func readOnlyLimits(req Request) verdict {
	switch {
	case req.Access == Read:
		return verdict{ruling: pass}
	case req.Access == Write:
		return verdict{why: "preset read-only: nothing may be written"}
	case escalates(req):
		return verdict{ruling: question, why: escalation(req)}
	case unconfined(req) && req.Command != nil && req.Command.TypedInto != "":
		return verdict{why: "preset read-only: nothing holds the running command to reading"}
	case unconfined(req):
		return verdict{why: "preset read-only: the command is unconfined, so it cannot be held to reading"}
	}
	return verdict{ruling: pass}
}

// workspaceLimits sends a write outside the workspace to a person, whatever
// the mode, and a command that wants to leave the sandbox; the yes holds for
// that one effect.
func workspaceLimits(req Request) verdict {
	switch {
	case req.Access == Write && !inside(req):
		return verdict{ruling: question, why: "outside the workspace: " + pathList(req.Paths)}
	case escalates(req):
		return verdict{ruling: question, why: escalation(req)}
	}
	return verdict{ruling: pass}
}

// escalates says that a command asks to leave the sandbox, or is typed into one
// that has. No mode lifts a preset: that takes a person, each time.
func escalates(req Request) bool {
	return req.Access == Execute && req.Command != nil && req.Command.Escalation != ""
}

func escalation(req Request) string {
	if req.Command.TypedInto != "" {
		return "types into a command that runs outside the sandbox: " + oneLine(req.Command.Escalation)
	}
	return "asks to run outside the sandbox: " + oneLine(req.Command.Escalation)
}

// byMode is the table of who answers what no rule covers.
//
//	             read inside · other, or a URL     write inside · secret   execute   own
//	always-ask   pass          ask                 ask            ask      ask       pass
//	auto-edit    pass          ask                 pass           ask      ask       pass
//	read-only    pass          ask                 ask            ask      ask       pass
//	plan         pass          ask                 refuse         refuse   refuse    pass
//	allow-all    pass          pass                pass           pass     pass      pass
//	deny-all     refuse        refuse              refuse         refuse   refuse    refuse
//
// Reading what is open in the editor anyway is no news to anyone, so it never
// asks. What is remembered in plan mode would answer nothing there.
func byMode(req Request, mode Mode) verdict {
	switch mode {
	case AllowAll:
		return verdict{ruling: pass, why: "mode allow-all"}
	case DenyAll:
		return verdict{why: "mode deny-all: every effect is denied"}
	case Plan:
		if req.Access != Read {
			return verdict{why: "mode plan: nothing is changed or run; propose it instead"}
		}
		v := workVerdict(req, mode)
		v.keeps = false
		return v
	case AlwaysAsk, AutoEdit, ReadOnly:
		return workVerdict(req, mode)
	}
	return verdict{why: fmt.Sprintf("unknown mode %q", mode)}
}

func workVerdict(req Request, mode Mode) verdict {
	switch {
	case own(req):
		return verdict{ruling: pass, why: "own command"}
	case req.Access == Execute || !inside(req) || secretReason(req) != "":
	case req.Access == Read:
		return verdict{ruling: pass, why: "a read inside the workspace"}
	case mode == AutoEdit:
		return verdict{ruling: pass, why: "mode auto-edit: edits inside the workspace apply"}
	}
	return verdict{ruling: question, why: toKnow(req, "mode "+string(mode)), keeps: req.URL == ""}
}

// toKnow gathers what a person should know before they answer.
func toKnow(req Request, first string) string {
	why := []string{first}
	if r := codeReason(req); r != "" {
		why = append(why, "runs code: "+r)
	}
	if r := secretReason(req); r != "" {
		why = append(why, "holds secrets: "+r)
	}
	switch {
	case req.URL != "":
		why = append(why, "over the network: "+host(req.URL)+" learns this address")
	case req.Access != Execute && !inside(req):
		why = append(why, "outside the workspace: "+pathList(req.Paths))
	}
	if req.Access == Execute && unconfined(req) {
		why = append(why, "unconfined")
	}
	if req.Justification != "" {
		why = append(why, "the agent says: "+oneLine(req.Justification))
	}
	return strings.Join(why, "; ")
}

// inside says that every path lies in the workspace. An effect that names no
// path is not known to.
func inside(req Request) bool {
	outside := func(t Target) bool { return !t.Inside }
	return len(req.Paths) > 0 && req.URL == "" && !slices.ContainsFunc(req.Paths, outside)
}

// online is the narrow reading of what is read over the network: an address and
// nothing else.
func online(req Request) bool {
	return req.URL != "" && req.Access == Read && len(req.Paths) == 0 && req.Command == nil
}

// host is whom an address asks.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "its server"
	}
	return u.Host
}

// own is the narrow reading of what a session may do to what it started.
func own(req Request) bool {
	return req.Own && req.Access == Read && req.URL == "" && len(req.Paths) == 0 && req.Command == nil
}

// unconfined is the safe reading: what is not known to be held is not.
func unconfined(req Request) bool {
	return req.Command == nil || req.Command.Unconfined
}

// codeReason explains the first target that runs code, "" if none does.
func codeReason(req Request) string {
	if req.Access != Write {
		return ""
	}
	for _, t := range req.Paths {
		if r := runsCode(t); r != "" {
			return r
		}
	}
	return ""
}

func runsCode(t Target) string {
	if t.Plain {
		return ""
	}
	if r := rule.RunsCode(t.Abs); r != "" {
		return r
	}
	return rule.RunsCode(t.Lexical)
}

// secretReason explains the first target that holds secrets, "" if none does:
// who changes a file is shown it too.
func secretReason(req Request) string {
	for _, t := range req.Paths {
		if t.Secret != "" {
			return t.Secret
		}
	}
	return ""
}

func pathList(targets []Target) string {
	if len(targets) == 0 {
		return "no path is named"
	}
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Abs
	}
	return strings.Join(names, ", ")
}
