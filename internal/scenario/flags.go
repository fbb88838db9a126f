package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"drawbridge/model/script"
)

// flags are how a scenario differs from the usual: an editor that can do
// everything, with one session in which every effect is asked about.
type flags struct {
	caps      []string // what the client announces of our protocol; nil announces nothing at all
	client    []string // what it announces of the Language Server Protocol beyond the usual
	encodings []string
	applyEdit string
	sync      string // how the editor sends its changes
	versions  bool   // the client takes documentChanges
	handshake bool   // the runner initializes
	session   bool   // the runner makes session s1
	mode      string
	preset    string
	profile   string
	model     string
	steps     int
	roots     []string
	settle    time.Duration // passes before each line of the editor
	timeout   time.Duration // of a question
	remind    time.Duration // before the first reminder of one
	remembers bool          // yeses may hold longer than the session
	retries   int
	saves     bool // documents are saved before commands
	wake      bool // the end of a background command begins a turn
	pipes     bool // no command has a terminal
	sandbox   string
	secrets   []string
	vision    string // whether models take pictures: "yes", "no", "" is not known
	seer      string // the model that describes pictures; "" is none
	show      view
}

func defaults() flags {
	return flags{
		caps: []string{"approvals", "review", "terminals", "events"}, encodings: []string{"utf-16"},
		applyEdit: applyAll, sync: "incremental", versions: true, handshake: true, session: true,
		settle: time.Second, retries: 5, saves: true, wake: true, sandbox: sandboxNone, show: view{hidden: slices.Clone(usuallyHidden)},
	}
}

// parse reads KEY=VALUE words; what follows # on a line is a comment.
func (f *flags) parse(text string) error {
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(l, "#")
		for _, word := range strings.Fields(l) {
			key, value, _ := strings.Cut(word, "=")
			if err := f.set(key, value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}

func (f *flags) set(key, value string) (err error) {
	list := strings.Split(value, ",")
	switch key {
	case "caps":
		f.caps, err = parts(value, list)
	case "client":
		f.client, err = clientParts(list)
	case "encoding":
		f.encodings = list
	case "applyEdit":
		f.applyEdit, err = oneOf(value, applyModes...)
	case "sync":
		f.sync, err = oneOf(value, "incremental", "full")
	case "mode":
		f.mode = value
	case "preset":
		f.preset = value
	case "profile":
		f.profile = value
	case "model":
		f.model = value
	case "roots":
		f.roots = list
	case "max-steps":
		f.steps, err = strconv.Atoi(value)
	case "retries":
		f.retries, err = strconv.Atoi(value)
	case "settle":
		f.settle, err = time.ParseDuration(value)
	case "approval-timeout":
		f.timeout, err = time.ParseDuration(value)
	case "remind":
		f.remind, err = time.ParseDuration(value)
	case "sandbox":
		f.sandbox, err = oneOf(value, sandboxNone, sandboxYes, sandboxMissing)
	case "secret":
		f.secrets = list
	case "vision":
		f.vision, err = oneOf(value, "yes", "no")
	case "visionModel":
		f.seer = value
	case "documentChanges", "handshake", "session", "saveBeforeCommands", "wakeOnExit", "pipes", "remembers":
		err = f.switched(key, value)
	default:
		err = f.show.set(key, list)
	}
	return err
}

func (f *flags) switched(key, value string) error {
	word, err := oneOf(value, "yes", "no")
	on := map[string]*bool{
		"documentChanges": &f.versions, "handshake": &f.handshake, "session": &f.session,
		"saveBeforeCommands": &f.saves, "wakeOnExit": &f.wake, "pipes": &f.pipes, "remembers": &f.remembers,
	}
	*on[key] = word == "yes"
	return err
}

func parts(value string, list []string) ([]string, error) {
	if value == "none" {
		return nil, nil
	}
	for _, p := range list {
		if _, err := oneOf(p, "approvals", "review", "terminals", "events", "saves", "refreshes", "diagnostics", "trust", "only-version"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// clientParts are what clients differ in, in words of the Language Server
// Protocol.
func clientParts(list []string) ([]string, error) {
	for _, p := range list {
		if _, err := oneOf(p, "publishDiagnostics", "codeAction", "codeActionLiterals", "codeLens", "codeLensRefresh",
			"textDocumentContent", "noShowDocument"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func oneOf(word string, words ...string) (string, error) {
	if !slices.Contains(words, word) {
		return "", fmt.Errorf("%q is none of %s", word, strings.Join(words, ", "))
	}
	return word, nil
}

// spec is the model that a session of this scenario names.
func (f *flags) spec() string {
	if f.model == "" {
		return ""
	}
	return script.Name + ":" + f.model
}
