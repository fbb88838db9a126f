package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Definition is what a model is told of a tool in place of what the tool says
// itself, and the limits of its calls. The engine below stays the same.
type Definition struct {
	Name, Description string
	Parameters        json.RawMessage // JSON Schema
	// ReadOnly says that the tool only reads. It can be said of such tools alone; where
	// it is not said of one that reads what is the user's, each call of it asks.
	ReadOnly bool
	ForModel string
	Limits   Limits
	// CallDescription keeps the argument description that Parameters has.
	CallDescription bool
}

// readers are the tools that read and do nothing else. The others whose access
// is Read touch what the session itself started.
var readers = []string{"read_file", "read_image", "describe_image"}

// Misdefined is what is wrong with a definition.
type Misdefined struct {
	Index int // of the definition, from 0
	// Path is what is wrong in it: a key such as "permission", or what stands deeper,
	// as "parameters.properties.cmd" and "parameters.required.cmd".
	Path string
	Text string
}

func (m *Misdefined) Error() string { return m.Text }

// With is the toolset with exactly these tools, in this order, as they are
// defined. Names of tools that there are not are left out (see Doubts). All that
// is wrong with the definitions is one error, made of *Misdefined.
func (t Toolset) With(defs []Definition) (Toolset, error) {
	set := t
	set.Tools, set.Policies = nil, map[string]string{}
	var errs []error
	for i, d := range defs {
		tool := t.tool(d.Name)
		if tool == nil {
			continue
		}
		spec, wrong := d.over(tool.Spec())
		for _, w := range wrong {
			errs = append(errs, &Misdefined{i, w.path, d.Name + ": " + w.text})
		}
		if slices.Contains(readers, d.Name) && !d.ReadOnly {
			set.Policies[d.Name] = PolicyAsk
		}
		set.Tools = append(set.Tools, defined{tool, spec})
	}
	if err := errors.Join(errs...); err != nil {
		return Toolset{}, err
	}
	return set, nil
}

// Doubts are what does not count of definitions, or may not be meant: tools that
// there are not, and arguments that their tool does not know.
func (t Toolset) Doubts(defs []Definition) []Misdefined {
	var doubts []Misdefined
	for i, d := range defs {
		tool := t.tool(d.Name)
		if tool == nil {
			doubts = append(doubts, Misdefined{i, "name", fmt.Sprintf("there is no tool %q, and no model is given it; the tools are %s", d.Name, strings.Join(t.Names(), ", "))})
			continue
		}
		own, unknown := argumentsOf(tool.Spec().Schema)
		said, unread := argumentsOf(d.Parameters)
		if unknown != nil || unread != nil {
			continue // With says what is wrong
		}
		for _, name := range said.names() {
			if _, known := own.Properties[name]; !known {
				doubts = append(doubts, Misdefined{i, "parameters.properties." + name, fmt.Sprintf("%s does not know the argument %q and passes over it", d.Name, name)})
			}
		}
	}
	return doubts
}

func (t Toolset) tool(name string) Tool {
	i := slices.Index(t.Names(), name)
	if i < 0 {
		return nil
	}
	return t.Tools[i]
}

// defined is a tool as the settings have it.
type defined struct {
	Tool
	spec Spec
}

func (d defined) Spec() Spec { return d.spec }

// wrong is one thing that is, at a path of a definition.
type wrong struct{ path, text string }

// over is what a tool's own words become, and all that is wrong with them.
func (d Definition) over(own Spec) (Spec, []wrong) {
	var faults []wrong
	if d.ReadOnly && own.Access != Read {
		faults = append(faults, wrong{"permission", fmt.Sprintf("permission r is for tools that only read, and this one does not (%s); say rw", own.Access)})
	} else if d.ReadOnly && !slices.Contains(readers, own.Name) {
		faults = append(faults, wrong{"permission", "permission r is for tools that only read, and this one begins, guides or ends something; say rw"})
	}
	if d.Description == "" {
		faults = append(faults, wrong{"description", "has no description"})
	}
	for _, f := range checkArguments(d.Parameters, own.Schema) {
		faults = append(faults, wrong{f.path, "parameters: " + f.text})
	}
	if len(faults) > 0 {
		return Spec{}, faults
	}
	spec := own
	spec.Description, spec.Schema, spec.ForModel, spec.Limits = d.Description, slices.Clone(d.Parameters), d.ForModel, d.Limits
	if !d.CallDescription {
		spec.Schema = withoutArgument(spec.Schema, callDescription)
	}
	return spec, nil
}

// callDescription is the argument by which a model says what a call is for.
// Tools do without it.
const callDescription = "description"

// schemaOfArguments is what is known of a schema here.
type schemaOfArguments struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

func (s schemaOfArguments) names() []string {
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func argumentsOf(schema json.RawMessage) (schemaOfArguments, []wrong) {
	var s schemaOfArguments
	err := json.Unmarshal(schema, &s)
	if at, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && at.Field != "" {
		top, _, _ := strings.Cut(at.Field, ".")
		return s, []wrong{{"parameters." + top, "want a JSON Schema with type: object, properties and a list of those required"}}
	}
	if err != nil {
		return s, []wrong{{"parameters", "want a JSON Schema with type: object, properties and a list of those required"}}
	}
	if s.Type != "object" {
		return s, []wrong{{"parameters.type", "want type: object"}}
	}
	return s, nil
}

// checkArguments wants what a tool cannot do without: a model that is not told of
// it could never call the tool.
func checkArguments(said, own json.RawMessage) (faults []wrong) {
	s, unread := argumentsOf(said)
	needed, unknown := argumentsOf(own)
	if unread != nil || unknown != nil {
		return append(unread, unknown...)
	}
	for _, name := range s.names() {
		if first := bytes.TrimSpace(s.Properties[name]); first[0] != '{' && string(first) != "true" {
			faults = append(faults, wrong{"parameters.properties." + name, fmt.Sprintf("properties.%s is no schema", name)})
		}
	}
	for _, name := range needed.Required {
		if _, ok := s.Properties[name]; !ok && name != callDescription {
			faults = append(faults, wrong{"parameters.properties", fmt.Sprintf("properties.%s is missing, without which the tool cannot be called", name)})
		}
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok {
			faults = append(faults, wrong{"parameters.required." + name, fmt.Sprintf("required names %q, which is not among properties", name)})
		}
	}
	return faults
}

// member is one key of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members are those of an object in their order; nil of anything else.
func members(raw json.RawMessage) []member {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	var all []member
	for dec.More() {
		name, err := dec.Token()
		var m member
		if err != nil || dec.Decode(&m.value) != nil {
			return nil
		}
		m.name, _ = name.(string) // a key is text
		all = append(all, m)
	}
	return all
}

func objectOf(all []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // text can always be written
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// withoutArgument takes an argument out of a schema, and out of those that are
// required. All else keeps its order.
func withoutArgument(schema json.RawMessage, name string) json.RawMessage {
	top := members(schema)
	for i, m := range top {
		switch m.name {
		case "properties":
			top[i].value = objectOf(slices.DeleteFunc(members(m.value), func(p member) bool { return p.name == name }))
		case "required":
			top[i].value = withoutWord(m.value, name)
		}
	}
	return objectOf(top)
}

func withoutWord(list json.RawMessage, word string) json.RawMessage {
	var words []string
	if json.Unmarshal(list, &words) != nil {
		return list
	}
	left, _ := json.Marshal(slices.DeleteFunc(words, func(w string) bool { return w == word })) // texts can always be written
	return left
}
