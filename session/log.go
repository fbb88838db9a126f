package session

import (
	"drawbridge/model"
	"drawbridge/tools"
)

// record is a line of a session's log. Type says which fields count. The log
// is append-only; a session is what its records say in order.
//
// Behind the members below stands chain, the record's link: the hash of the link
// before it and of all bytes of the record but that member.
type record struct {
	Seq  int64  `json:"seq"`
	N    int64  `json:"n,omitempty"` // of the records of the chain, from 1
	Time int64  `json:"time"`        // unix milliseconds
	Type string `json:"type"`
	Turn string `json:"turn,omitempty"`
	Call string `json:"call,omitempty"`

	Info   *Info   `json:"info,omitempty"`   // session, configure
	Blocks []Block `json:"blocks,omitempty"` // turn, steer
	// Background turns were begun by the end of a command. Of a background
	// command the model was promised to be told the end.
	Background bool `json:"background,omitempty"` // turn, opened
	// Notices are ends of background commands: those that wait to be told
	// (ended), those that the model was told of (notified), and those that a call
	// has told instead (told).
	Notices []Notice `json:"notices,omitempty"`
	// Remarks are words to the model that wait (remark) and that it was told
	// (notified).
	Remarks []string `json:"remarks,omitempty"`
	// Continues and Replaces name turns, Nudge is what the model is told when
	// one is taken up.
	Continues string `json:"continues,omitempty"` // turn
	Replaces  string `json:"replaces,omitempty"`
	Nudge     string `json:"nudge,omitempty"`

	Parts []model.Part `json:"parts,omitempty"` // message
	Usage *model.Usage `json:"usage,omitempty"` // message, subagent
	// TextSeq and ThoughtSeq are the numbers of the message's last chunks.
	TextSeq    int64 `json:"textSeq,omitempty"`
	ThoughtSeq int64 `json:"thoughtSeq,omitempty"`
	// Cut says that the answer broke off: of its parts the model gets the text.
	Cut bool `json:"cut,omitempty"`

	ID     string         `json:"id,omitempty"`   // started: the call's id in the message; asked: the question's
	Name   string         `json:"name,omitempty"` // started, approval
	Title  string         `json:"title,omitempty"`
	Access tools.Access   `json:"access,omitempty"`
	Result *model.Result  `json:"result,omitempty"` // call
	Done   *CallCompleted `json:"done,omitempty"`

	Decision *decisionRecord   `json:"decision,omitempty"` // approval
	Resolved *ApprovalResolved `json:"resolved,omitempty"`
	Change   *changeRecord     `json:"change,omitempty"`
	Trust    *TrustAnswer      `json:"trust,omitempty"`

	Opened   *TerminalOpened  `json:"opened,omitempty"`
	Updated  *TerminalUpdated `json:"updated,omitempty"`
	Terminal *TerminalClosed  `json:"terminal,omitempty"`

	End *TurnCompleted `json:"end,omitempty"`

	Forgot *forgotRecord `json:"forgot,omitempty"`

	// Subagent is one of the session's, as it is now; Background says that the model
	// was promised to be told its answer, Usage what it has cost since the record
	// before.
	Subagent *Subagent `json:"subagent,omitempty"`

	Gap     *gapRecord     `json:"gap,omitempty"`
	Skipped *skippedRecord `json:"skipped,omitempty"` // any
}

const (
	recSession   = "session"
	recConfigure = "configure"
	recTurn      = "turn"
	recSteer     = "steer"
	recEnded     = "ended"
	recNotified  = "notified"
	recTold      = "told"
	recRemark    = "remark"
	recMessage   = "message"
	recStarted   = "started"
	recCall      = "call"
	recAsked     = "asked"
	recRetitled  = "retitled"
	recApproval  = "approval"
	recResolved  = "resolved"
	recChange    = "change"
	recTrust     = "trust"
	recOpened    = "opened"
	recUpdated   = "updated"
	recTerminal  = "terminal"
	recEnd       = "end"
	recForgot    = "forgot"
	recSubagent  = "subagent"
	recGap       = "gap"
)

// decisionRecord is who decided about an effect, and how it was derived.
type decisionRecord struct {
	Allowed bool   `json:"allowed"`
	By      string `json:"by"`
	Cause   string `json:"cause,omitempty"`
	Comment string `json:"comment,omitempty"`
	Scope   string `json:"scope,omitempty"`
	// Command, Hunks and Text say what was allowed where that is not all that
	// the digest names: another command, some hunks, the hash of another text.
	Command    string   `json:"command,omitempty"`
	Hunks      []string `json:"hunks,omitempty"`
	Text       string   `json:"text,omitempty"`
	Digest     string   `json:"digest"`
	Derivation []string `json:"derivation,omitempty"`
	// Rules are what a yes left behind; Mode and Preset were in force.
	Rules  []string `json:"rules,omitempty"`
	Mode   string   `json:"mode,omitempty"`
	Preset string   `json:"preset,omitempty"`
}

type changeRecord struct {
	ID        string      `json:"id"`
	State     ChangeState `json:"state"`
	Edited    bool        `json:"edited,omitempty"`
	Why       string      `json:"why,omitempty"`
	Back      []string    `json:"back,omitempty"` // hunks taken back since it was applied
	Kept      []string    `json:"kept,omitempty"` // hunks that a person said shall stand
	ByCommand bool        `json:"byCommand,omitempty"`
	Under     string      `json:"under,omitempty"` // the turn that a rewind takes a subagent's change back with
	// Texts is which of the change's texts it is of: each text of a person's own is
	// another.
	Texts   int           `json:"texts,omitempty"`
	Summary ChangeSummary `json:"summary"`
}
