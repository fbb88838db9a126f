package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/approval"
	"drawbridge/bridge/headless"
	"drawbridge/config"
	"drawbridge/internal/redact"
	"drawbridge/tools"
)

// settingShown is a setting as it holds for a workspace.
type settingShown struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	From  string `json:"from"`
}

func runConfigShow(args []string) int {
	fs := newFlags("config show", "[flags]", configAbout)
	workspace := fs.String("workspace", ".", "the workspace folder")
	asObject := fs.Bool("json", false, "print one JSON object")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("config show takes no argument %q", rest[0]))
	}
	s, err := newSetup()
	if err != nil {
		return fail(err)
	}
	dir, err := filepath.Abs(*workspace)
	if err != nil {
		return fail(err)
	}
	b, brings := s.trust.Look(dir)
	shown := s.shownSettings(b)
	switch {
	case *asObject:
		state := "none"
		if brings {
			state = trustState(b)
		}
		return printJSON(map[string]any{"settings": shown, "workspace": state})
	case brings && !b.Counts():
		return show(settingsText(shown) + "\n" + s.known.Text(trustText(b)))
	}
	return show(settingsText(shown))
}

// shownSettings are the user's with what a trusted workspace makes of them.
func (s *setup) shownSettings(b config.Brought) []settingShown {
	var all []settingShown
	for _, row := range s.cfg().Show() {
		shown := settingShown{row.Path, row.Value, row.From}
		if b.Counts() {
			shown = s.narrowedBy(b, shown)
		}
		if shown.From == "" {
			shown.From = "default"
		}
		shown.Value = s.withoutSecrets(shown.Value)
		all = append(all, shown)
	}
	return all
}

// narrowedBy is a setting with what a trusted workspace makes of it.
func (s *setup) narrowedBy(b config.Brought, own settingShown) settingShown {
	mode, preset := s.said.narrowed([]string{b.Root}, approval.Mode(s.cfg().Mode), approval.Preset(s.cfg().Preset))
	box := s.narrowedSandbox([]string{b.Root})
	switch own.Path {
	case "mode":
		return overruled(b, own, string(mode))
	case "preset":
		return overruled(b, own, string(preset))
	case "sandbox.backend":
		return overruled(b, own, box.Backend)
	case "sandbox.network":
		return overruled(b, own, box.Network)
	case "approval.tools":
		return withTools(b, own)
	case "approval.rules", "approval.denials.rules", "environment.set", "environment.secrets":
		return joinedBy(own, wordsIn(b.Said(own.Path)), b.Set[own.Path])
	}
	return own
}

// overruled is a setting of one word, which is the workspace's if that holds.
func overruled(b config.Brought, own settingShown, holds string) settingShown {
	if b.Said(own.Path) == holds && own.Value != holds {
		return settingShown{own.Path, holds, b.Set[own.Path]}
	}
	return own
}

// withTools adds what the tools of the workspace come to.
func withTools(b config.Brought, own settingShown) settingShown {
	own = joinedBy(own, wordsIn(b.Said(own.Path)), b.Set[own.Path])
	for _, path := range []string{"tools.builtin", "tools." + tools.ProfileAgent} {
		part := config.Tools{Replaced: b.Tools.Replaced, Builtin: b.Tools.Builtin}
		if path != "tools.builtin" {
			part = config.Tools{Agent: b.Tools.Agent}
		}
		var words []string
		for _, t := range narrowedTools(part) {
			words = append(words, t.Name+": "+t.Policy)
		}
		own = joinedBy(own, words, b.Set[path])
	}
	return own
}

// joinedBy is a list with what a workspace adds to it.
func joinedBy(own settingShown, words []string, place string) settingShown {
	if len(words) == 0 {
		return own
	}
	return settingShown{own.Path, slices.Concat(wordsIn(own.Value), words), strings.TrimPrefix(own.From+", "+place, ", ")}
}

func wordsIn(v any) []string {
	words, _ := v.([]string)
	return words
}

// withoutSecrets blanks what is known to be one, and what looks like one.
func (s *setup) withoutSecrets(v any) any {
	plain := redact.New(redact.Options{})
	switch v := v.(type) {
	case string:
		return plain.Text(s.known.Text(v))
	case []string:
		all := make([]string, len(v))
		for i, w := range v {
			all[i] = plain.Text(s.known.Text(w))
		}
		return all
	}
	return v
}

// settingsText lists what is set or has a default, a line each.
func settingsText(all []settingShown) string {
	var t strings.Builder
	for _, s := range all {
		text := config.Shown{Value: s.Value}.Text()
		if text == "" {
			continue
		}
		fmt.Fprintf(&t, "%s: %s  # %s\n", s.Path, oneLine(text), headless.Visible(s.From))
	}
	return t.String()
}
