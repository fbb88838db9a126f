package session

import "reflect"

// redactedBody is redacted for the body of an event. The texts of a change are a
// person's own file, which is shown and applied as it is.
func redactedBody(body any, redact func(string) string) any {
	if _, own := body.(ChangeUpdated); own || redact == nil {
		return body
	}
	v, changed := redactValue(reflect.ValueOf(body), redact)
	if !changed {
		return body
	}
	return v.Interface()
}

// redacted is v with every text in it put through redact. What is shared with v
// is not changed, but copied. A nil redact changes nothing.
func redacted[T any](v T, redact func(string) string) T {
	if redact == nil {
		return v
	}
	out, changed := redactValue(reflect.ValueOf(v), redact)
	if !changed {
		return v
	}
	return out.Interface().(T)
}

// redactValue looks into exported fields, lists and what pointers point to. What
// an interface holds has a life of its own and is left alone.
func redactValue(v reflect.Value, redact func(string) string) (out reflect.Value, changed bool) {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		clean := redact(text)
		if clean == text {
			return v, false
		}
		out = reflect.New(v.Type()).Elem()
		out.SetString(clean)
		return out, true
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		inner, changed := redactValue(v.Elem(), redact)
		if !changed {
			return v, false
		}
		out = reflect.New(v.Type().Elem())
		out.Elem().Set(inner)
		return out, true
	case reflect.Struct:
		return redactParts(v, v.NumField(), v.Field, reflect.Value.Field, redact)
	case reflect.Slice:
		return redactParts(v, v.Len(), v.Index, reflect.Value.Index, redact)
	}
	return v, false
}

// redactParts copies a struct or a list when one of its parts changes.
func redactParts(v reflect.Value, n int, part func(int) reflect.Value,
	at func(reflect.Value, int) reflect.Value, redact func(string) string,
) (out reflect.Value, changed bool) {
	for i := range n {
		if v.Kind() == reflect.Struct && !v.Type().Field(i).IsExported() {
			continue
		}
		clean, differs := redactValue(part(i), redact)
		if !differs {
			continue
		}
		if !changed {
			out, changed = clone(v), true
		}
		at(out, i).Set(clean)
	}
	if !changed {
		return v, false
	}
	return out, true
}

func clone(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Slice {
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		return out
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	return out
}
