package main

import "strings"

// emitLua writes classes for the language server's annotations and a module
// with what a plugin needs at run time: version, bounds, words, methods.
func emitLua(a *api) []byte {
	w := &writer{}
	w.line("-- %s", header)
	for _, t := range a.Types {
		w.line("")
		w.luaType(t)
	}
	w.line("")
	w.line("local M = {}")
	w.line("")
	w.luaDoc("The protocol version of these types; of two peers the lower one counts.")
	w.line("M.version = %d", a.Version)
	w.line("")
	w.luaDoc("Bounds that both sides may rely on.")
	w.line("M.bounds = {")
	for _, b := range a.Bounds {
		for _, l := range wrap(upperFirst(b.Doc), 96) {
			w.line("  --- %s", l)
		}
		w.line("  %s = %d,", b.Name, b.Value)
	}
	w.line("}")
	w.luaWords(a)
	w.luaMethods(a)
	w.line("")
	w.line("return M")
	return w.buf.Bytes()
}

func (w *writer) luaDoc(doc string) {
	for _, l := range wrap(doc, 96) {
		w.line("%s", strings.TrimRight("--- "+l, " "))
	}
}

func (w *writer) luaType(t *wireType) {
	switch t.Kind {
	case enumType:
		w.luaDoc(t.Doc)
		w.line("---@alias %s", luaName(t.Name))
		for _, v := range t.Values {
			w.line("---| %q # %s", v.Word, upperFirst(v.Doc))
		}
	case numberType:
		w.luaDoc(t.Doc)
		w.line("---@alias %s integer", luaName(t.Name))
	case choiceType:
		w.luaDoc(t.Doc)
		w.line("---@alias %s \"all\"|string[]", luaName(t.Name))
	case unionType:
		w.luaUnion(t)
	default:
		w.luaDoc(t.Doc)
		var parents []string
		for _, e := range t.Extends {
			parents = append(parents, luaName(e))
		}
		extends := ""
		if len(parents) > 0 {
			extends = " : " + strings.Join(parents, ", ")
		}
		w.line("---@class (exact) %s%s", luaName(t.Name), extends)
		w.luaFields(t.Fields)
	}
}

func (w *writer) luaUnion(t *wireType) {
	var names []string
	for _, c := range t.Cases {
		names = append(names, luaName(c.Name))
		w.luaDoc(upperFirst(c.Doc))
		w.line("---@class (exact) %s", luaName(c.Name))
		w.line("---@field %s %q", t.Tag.Name, c.Value)
		w.luaFields(c.Fields)
		w.line("")
	}
	w.luaDoc(t.Doc)
	w.line("---@alias %s %s", luaName(t.Name), strings.Join(names, "|"))
}

func (w *writer) luaFields(fields []field) {
	for _, f := range fields {
		mark := ""
		if f.Optional {
			mark = "?"
		}
		w.line("---@field %s%s %s %s", f.Name, mark, luaShape(f.Shape), strings.ReplaceAll(f.Doc, "\n\n", " "))
	}
}

func luaShape(s shape) string {
	switch s.Kind {
	case boolShape:
		return "boolean"
	case intShape:
		return "integer"
	case realShape:
		return "number"
	case objectShape:
		return "table<string, any>"
	case listShape:
		return luaShape(*s.Elem) + "[]"
	case refShape:
		return luaName(s.Ref)
	}
	return "string"
}

func luaName(name string) string { return "drawbridge." + name }

func (w *writer) luaWords(a *api) {
	for _, t := range a.Types {
		if t.Kind != enumType {
			continue
		}
		w.line("")
		w.line("---@type %s[]", luaName(t.Name))
		w.line("M.%s = {", plural(t.Name))
		for _, v := range t.Values {
			w.line("  %q,", v.Word)
		}
		w.line("}")
	}
}

func (w *writer) luaMethods(a *api) {
	w.line("")
	w.line("---@class (exact) drawbridge.Method")
	w.line("---@field direction \"editor to bridge\"|\"bridge to editor\" Who sends it.")
	w.line("---@field kind \"request\"|\"notification\" Whether it is answered.")
	w.line("")
	w.luaDoc("Every native method by its name.")
	w.line("---@type table<string, drawbridge.Method>")
	w.line("M.methods = {")
	for _, m := range a.Methods {
		if m.native() {
			w.line("  [%q] = { direction = %q, kind = %q },", m.Name, m.Direction, m.Kind)
		}
	}
	w.line("}")
}
