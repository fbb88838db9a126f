package main

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object; encoding/json sorts its keys, which keeps the
// output the same from run to run.
type object = map[string]any

// emitSchema writes JSON Schema 2020-12: a definition for each type, and the
// methods with references to them. Objects stay open, because both sides must
// ignore fields that they do not know.
func emitSchema(a *api) ([]byte, error) {
	defs := object{}
	for _, t := range a.Types {
		defs[t.Name] = schemaType(a, t)
	}
	bounds := object{}
	for _, b := range a.Bounds {
		bounds[b.Name] = b.Value
	}
	var methods []object
	for _, m := range a.Methods {
		methods = append(methods, schemaMethod(m))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object{
		"$schema":  "https://json-schema.org/draft/2020-12/schema",
		"$comment": header,
		"title":    "Drawbridge protocol",
		"version":  a.Version,
		"bounds":   bounds,
		"methods":  methods,
		"$defs":    defs,
	})
	return out.Bytes(), err
}

func schemaType(a *api, t *wireType) object {
	s := object{"description": t.Doc}
	switch t.Kind {
	case enumType:
		var words []string
		for _, v := range t.Values {
			words = append(words, v.Word)
		}
		s["type"], s["enum"] = "string", words
	case numberType:
		s["type"] = "integer"
	case choiceType:
		s["oneOf"] = []object{{"const": "all"}, {"type": "array", "items": object{"type": "string"}}}
	case unionType:
		var cases []object
		for _, c := range t.Cases {
			tag := field{Name: t.Tag.Name, Doc: c.Doc}
			one := schemaFields(append([]field{tag}, c.Fields...))
			one["title"] = c.Name
			one["properties"].(object)[tag.Name] = object{"const": c.Value}
			cases = append(cases, one)
		}
		s["oneOf"] = cases
	default:
		for k, v := range schemaFields(a.allFields(t)) {
			s[k] = v
		}
	}
	return s
}

// schemaFields is an object schema with the given properties.
func schemaFields(fields []field) object {
	properties := object{}
	required := []string{}
	for _, f := range fields {
		p := schemaShape(f.Shape)
		p["description"] = f.Doc
		properties[f.Name] = p
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func schemaShape(s shape) object {
	switch s.Kind {
	case boolShape:
		return object{"type": "boolean"}
	case intShape:
		if s.Max > 0 {
			return object{"type": "integer", "minimum": 0, "maximum": s.Max}
		}
		return object{"type": "integer"}
	case realShape:
		return object{"type": "number"}
	case objectShape:
		return object{"type": "object"}
	case listShape:
		return object{"type": "array", "items": schemaShape(*s.Elem)}
	case refShape:
		return object{"$ref": "#/$defs/" + s.Ref}
	}
	return object{"type": "string"}
}

func schemaMethod(m method) object {
	s := object{"name": m.Name, "direction": m.Direction, "kind": m.Kind, "description": m.Doc}
	if m.Policy != "" {
		s["policy"] = m.Policy
	}
	if m.When != "" {
		s["when"] = m.When
	}
	if len(m.Errors) > 0 {
		s["errors"] = m.Errors
	}
	for name, p := range map[string]payload{"params": m.Params, "result": m.Result} {
		switch {
		case p.Ref != "":
			s[name] = object{"$ref": "#/$defs/" + p.Ref}
		case p.LSP != "":
			s[name] = object{"lsp": p.LSP}
		}
	}
	return s
}
