package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Shown is a setting as it holds, for a person.
type Shown struct {
	Path  string
	Value any // of what JSON can say; nil where nothing was said
	// From is where it was written, as file:line:column; "" is the default.
	From string
}

// Show lists what holds, in the order of the documentation. Keys, and the values
// of variables that are set for commands, are not in it.
func (c *Config) Show() []Shown {
	rows := settings(Dirs{})
	all := make([]Shown, len(rows))
	for i, s := range rows {
		all[i] = Shown{Path: s.path, Value: plain(s.show(c)), From: c.Set[s.path]}
	}
	return all
}

// plain is a value in what JSON and a person know.
func plain(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return orNothing(v)
	case Secret:
		return orNothing(v.String())
	case time.Duration:
		if v == 0 {
			return nil
		}
		return v.String()
	case []string:
		if v == nil {
			return nil
		}
		return v
	case []RuleText:
		return listed(v, func(r RuleText) string { return strings.TrimSpace(r.Verdict + ": " + r.Text) })
	case []ToolText:
		return listed(v, func(t ToolText) string { return t.Name + ": " + t.Policy })
	case []DenialText:
		return listed(v, DenialText.words)
	case AgentToolset:
		return v.plain()
	case map[string]Model:
		return modelsInWords(v)
	}
	return v
}

func orNothing(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func listed[T any](list []T, words func(T) string) any {
	if list == nil {
		return nil
	}
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = words(item)
	}
	return all
}

func (d DenialText) words() string {
	text := strings.TrimSuffix(d.Name+": "+d.Pattern, ": ")
	if !d.Enabled {
		text += " (switched off)"
	}
	return text
}

// plain lists what an entry says, a line for a tool; "default" is of all others.
func (a AgentToolset) plain() any {
	all := []string{}
	for _, t := range append([]AgentTool{a.Default}, a.Configs...) {
		var said []string
		if t.Enabled != nil {
			said = append(said, fmt.Sprintf("enabled: %v", *t.Enabled))
		}
		if t.Policy != "" {
			said = append(said, t.Policy)
		}
		if len(said) > 0 {
			all = append(all, namedOr(t.Name, "default")+": "+strings.Join(said, ", "))
		}
	}
	return all
}

func namedOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

func modelsInWords(models map[string]Model) any {
	if models == nil {
		return nil
	}
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		all = append(all, strings.TrimSuffix(name+": "+models[name].words(), ": "))
	}
	return all
}

func (m Model) words() string {
	var said []string
	if m.Context > 0 {
		said = append(said, fmt.Sprintf("context %d", m.Context))
	}
	if m.Vision != nil {
		said = append(said, fmt.Sprintf("vision %v", *m.Vision))
	}
	if m.Thinking != nil {
		said = append(said, fmt.Sprintf("thinking %v", m.Thinking))
	}
	if p := m.Price; p != nil {
		said = append(said, fmt.Sprintf("price %g in, %g out", p.Input, p.Output))
		if p.CacheRead != 0 || p.CacheWrite != 0 {
			said = append(said, fmt.Sprintf("cache %g read, %g written", p.CacheRead, p.CacheWrite))
		}
	}
	return strings.Join(said, ", ")
}

// IsDefault says that nobody wrote it.
func (s Shown) IsDefault() bool { return s.From == "" }

// Text is the value in one line; "" where there is none.
func (s Shown) Text() string {
	if s.Value == nil {
		return ""
	}
	if r := reflect.ValueOf(s.Value); r.Kind() == reflect.Slice {
		words := make([]string, r.Len())
		for i := range words {
			words[i] = fmt.Sprint(r.Index(i).Interface())
		}
		return "[" + strings.Join(words, "; ") + "]"
	}
	return fmt.Sprint(s.Value)
}

// Said is what a workspace says of a setting, as Show has it; nil where it says
// nothing.
func (r *Repository) Said(path string) any {
	if _, said := r.Set[path]; !said {
		return nil
	}
	c := Config{Mode: r.Mode, Preset: r.Preset, Approval: r.Approval, Environment: r.Environment, Sandbox: r.Sandbox, Tools: r.Tools}
	for _, s := range settings(Dirs{}) {
		if s.path == path {
			return plain(s.show(&c))
		}
	}
	return nil
}
