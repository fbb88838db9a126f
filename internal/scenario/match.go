package scenario

import (
	"reflect"
	"slices"
	"strings"
)

// matches says whether the bridge's line is the expected one. In the expected
// line … stands for any value, at the end of an object or a list for whatever
// else is in it, and within a string for any text.
func matches(want, got string) bool {
	if want == got {
		return true
	}
	wantHead, _ := split(want)
	gotHead, _ := split(got)
	w, errW := readBody(want)
	g, errG := readBody(got)
	return wantHead == gotHead && errW == nil && errG == nil && matchesValue(w, g)
}

func matchesValue(want, got any) bool {
	switch w := want.(type) {
	case string:
		g, ok := got.(string)
		return w == ellipsis || ok && matchesText(w, g)
	case map[string]any:
		g, ok := got.(map[string]any)
		return ok && matchesObject(w, g)
	case []any:
		g, ok := got.([]any)
		return ok && matchesList(w, g)
	}
	return reflect.DeepEqual(want, got)
}

func matchesObject(want, got map[string]any) bool {
	_, open := want[ellipsis]
	for k, w := range want {
		g, ok := got[k]
		if k != ellipsis && (!ok || !matchesValue(w, g)) {
			return false
		}
	}
	return open || len(want) == len(got)
}

func matchesList(want, got []any) bool {
	if n := len(want); n > 0 && want[n-1] == ellipsis && n-1 <= len(got) {
		return slices.EqualFunc(want[:n-1], got[:n-1], matchesValue)
	}
	return slices.EqualFunc(want, got, matchesValue)
}

// matchesText takes the parts around each … in order, the first and the last
// of them at the ends.
func matchesText(want, got string) bool {
	parts := strings.Split(want, ellipsis)
	if len(parts) == 1 {
		return want == got
	}
	got, ok := strings.CutPrefix(got, parts[0])
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(got, p)
		if !found {
			return false
		}
		got = after
	}
	return strings.HasSuffix(got, parts[len(parts)-1])
}
