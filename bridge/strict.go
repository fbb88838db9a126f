package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// checkRequired says which member is missing that a value of into's type must
// have, by its exact name and not null. The decoder takes a missing member for
// false or "", and takes names in any case of letters: a yes or a no must not
// come about so. What is no object is left to the decoder.
func checkRequired(raw json.RawMessage, into any) error {
	return check(raw, reflect.TypeOf(into), "", false)
}

// readExactly reads an object with known members alone, none of them null:
// what an argument says in vain must not be taken for less.
func readExactly(raw json.RawMessage, into any) error {
	if !isObject(raw) {
		return fmt.Errorf("not an object")
	}
	if err := check(raw, reflect.TypeOf(into), "", true); err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func check(raw json.RawMessage, t reflect.Type, at string, exact bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return nil // it is strict itself
	case t.Kind() == reflect.Slice:
		return checkEach(raw, t.Elem(), at, exact)
	case t.Kind() == reflect.Struct:
		return checkObject(raw, t, at, exact)
	}
	return nil
}

func checkEach(raw json.RawMessage, t reflect.Type, at string, exact bool) error {
	var list []json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, one := range list {
		if err := check(one, t, fmt.Sprintf("%s[%d]", at, i), exact); err != nil {
			return err
		}
	}
	return nil
}

func checkObject(raw json.RawMessage, t reflect.Type, at string, exact bool) error {
	var sent map[string]json.RawMessage
	if isNull(raw) || len(raw) > 0 && json.Unmarshal(raw, &sent) != nil {
		sent = nil
	}
	for _, f := range members(t) {
		value, ok := sent[f.name]
		null := ok && isNull(value)
		switch {
		case (!ok || null) && !f.optional, null && exact:
			return fmt.Errorf("%s is missing", strings.TrimPrefix(at+"."+f.name, "."))
		case ok && !null:
			if err := check(value, f.t, at+"."+f.name, exact); err != nil {
				return err
			}
		}
		delete(sent, f.name)
	}
	if exact && len(sent) > 0 {
		name := slices.Min(slices.Collect(maps.Keys(sent)))
		return fmt.Errorf("%q is no member that is known here", strings.TrimPrefix(at+"."+name, "."))
	}
	return nil
}

// member is a field of a struct as it is named in JSON.
type member struct {
	name     string
	optional bool
	t        reflect.Type
}

// members are the fields of a struct, those of embedded structs among them.
func members(t reflect.Type) []member {
	var list []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			list = append(list, members(f.Type)...)
		case name != "" && name != "-":
			list = append(list, member{name, strings.Contains(options, "omit"), f.Type})
		}
	}
	return list
}

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }
