package main

import (
	"encoding/json"
	"strings"
)

// api is the whole wire, free of Go.
type api struct {
	Version int
	Bounds  []bound
	Types   []*wireType // in source order
	Methods []method
}

// bound is a number that both sides may rely on.
type bound struct {
	Name  string // camelCase
	Value int64
	Doc   string
}

type typeKind int

const (
	structType typeKind = iota
	enumType            // a closed list of strings
	unionType           // one struct a value of its tag
	numberType          // a number with a meaning of its own
	choiceType          // "all" or a list of ids
)

// wireType is a named shape.
type wireType struct {
	Name    string
	Doc     string
	Kind    typeKind
	Extends []string // embedded structs
	Fields  []field  // of structs and unions, without the embedded ones
	Values  []value  // of enums
	Tag     field    // of unions: the field that tells the variants apart
	Cases   []variant
}

// variant is one struct of a union.
type variant struct {
	Name   string // for example TextBlock
	Value  string // of the tag
	Doc    string
	Fields []field
}

// value is one word of an enum.
type value struct {
	Word, Doc string
}

// field is a member of a struct.
type field struct {
	Name     string
	Doc      string
	Optional bool
	Shape    shape
	// of lists the variants of a union that have the field.
	of []membership
}

type membership struct {
	value    string
	optional bool
}

type shapeKind int

const (
	stringShape shapeKind = iota
	boolShape
	intShape
	realShape
	objectShape // any JSON object
	listShape
	refShape
)

// shape is what a field or a method holds.
type shape struct {
	Kind shapeKind
	Ref  string // of refs: the type's name
	Elem *shape // of lists
	Max  int64  // of unsigned ints; 0 for signed ones
}

// method is one row of the table.
type method struct {
	Name, Direction, Kind, Policy string
	Params, Result                payload
	Errors                        []string
	When, Doc                     string
	Examples                      []example
}

// payload is what a method carries: a type of ours, one of LSP's, or nothing.
type payload struct {
	Ref, LSP string
}

// example is a message as it could be on the wire.
type example struct {
	Name, Text string
	Params     json.RawMessage
	Result     json.RawMessage
}

func (m method) native() bool { return m.Params.LSP == "" && m.Params.Ref != "" }

// find returns a type by name; names come from the model itself.
func (a *api) find(name string) *wireType {
	for _, t := range a.Types {
		if t.Name == name {
			return t
		}
	}
	panic("wiregen: no type " + name)
}

// allFields are a struct's fields with those of its embedded structs first.
func (a *api) allFields(t *wireType) []field {
	var all []field
	for _, e := range t.Extends {
		all = append(all, a.allFields(a.find(e))...)
	}
	return append(all, t.Fields...)
}

// lowerFirst makes a Go name a wire name: MaxFrame, maxFrame.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// upperFirst makes a word a type's name: resourceLink, ResourceLink.
func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
