package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// field is one key of a mapping that stands within a setting.
type field struct {
	name string
	need bool
	read func(n *yaml.Node) error
}

// object reads a mapping that holds these fields and nothing else, and reports
// all that is wrong with it; what says what it is.
func object(n *yaml.Node, what string, fields ...field) error {
	if n.Kind != yaml.MappingNode {
		return faultf(n, "want %s, have a %s", what, nodeWord(n))
	}
	var errs []error
	seen := map[string]bool{}
	for key, value := range pairs(n, &errs) {
		seen[key.Value] = true
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		if i < 0 {
			errs = append(errs, below("."+key.Value, unknownKey(key, fields)))
			continue
		}
		errs = append(errs, below("."+key.Value, fields[i].read(value)))
	}
	for _, f := range fields {
		if f.need && !seen[f.name] {
			errs = append(errs, faultf(n, "%s is missing", f.name))
		}
	}
	return errors.Join(errs...)
}

func unknownKey(key *yaml.Node, fields []field) error {
	valid := make([]string, len(fields))
	for i, f := range fields {
		valid[i] = f.name
	}
	if hint := meant(key.Value, valid); hint != "" {
		return faultf(key, "unknown key%s", hint)
	}
	return faultf(key, "unknown key; valid here: %s", strings.Join(valid, ", "))
}

// pairs goes through the keys of a mapping, each once.
func pairs(n *yaml.Node, errs *[]error) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		lines := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			line, twice := lines[key.Value]
			switch {
			case key.Kind != yaml.ScalarNode:
				*errs = append(*errs, faultf(key, "want a name, have a %s", nodeWord(key)))
			case twice:
				*errs = append(*errs, below("."+key.Value, faultf(key, "is set twice, first in line %d", line)))
			default:
				lines[key.Value] = key.Line
				if !yield(key, value) {
					return
				}
			}
		}
	}
}

// items reads a list entry by entry; what says what they are.
func items(n *yaml.Node, what string, read func(i int, item *yaml.Node) error) error {
	if n.Kind != yaml.SequenceNode {
		return faultf(n, "want a list of %s, have a %s", what, nodeWord(n))
	}
	var errs []error
	for i, item := range n.Content {
		errs = append(errs, below(fmt.Sprintf("[%d]", i), read(i, item)))
	}
	return errors.Join(errs...)
}

// below says that faults are about what stands further down.
func below(path string, err error) error {
	for _, f := range faultsIn(err) {
		f.path = path + f.path
	}
	return err
}

// faultsIn are the faults that an error is made of.
func faultsIn(err error) []*fault {
	switch e := err.(type) {
	case *fault:
		return []*fault{e}
	case interface{ Unwrap() []error }:
		var all []*fault
		for _, inner := range e.Unwrap() {
			all = append(all, faultsIn(inner)...)
		}
		return all
	}
	return nil
}
