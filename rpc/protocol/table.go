package protocol

import "drawbridge/rpc"

// Method is a row of the method table: everything a stranger must know of one
// method. Rows without Params take no params; requests without Result answer
// an empty object, or null where LSP says so.
type Method struct {
	Name      string
	Direction rpc.Direction
	Kind      rpc.Kind
	Policy    rpc.Policy
	// Params and Result are zero values of their structs, or the name of a
	// type of the Language Server Protocol.
	Params, Result any
	// Errors are the kinds of error answers beyond those that every request
	// may give: invalid, busy, panic, internal.
	Errors []ErrorKind
	// When says in which situations the method may be used; "" is: always
	// after initialized.
	When string
	Doc  string
}

// LSP names a type of the Language Server Protocol, whose shape is not ours.
type LSP string

// Table is the method table as package rpc wants it.
func Table() rpc.Table {
	t := make(rpc.Table, len(Methods))
	for _, m := range Methods {
		t[m.Name] = rpc.Method{Name: m.Name, Direction: m.Direction, Kind: m.Kind, Policy: m.Policy}
	}
	return t
}

// Lookup finds a row by the method's name.
func Lookup(name string) (Method, bool) {
	for _, m := range Methods {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}
