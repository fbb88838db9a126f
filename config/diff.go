package config

import "reflect"

// Changed is a setting that differs between two readings.
type Changed struct {
	Path string
	When When // from when on the new value counts
}

// Diff names the settings that hold something else in b than in a, in the order of
// the documentation. Where they stand in their files is no difference.
func Diff(a, b Config) []Changed {
	var all []Changed
	for _, s := range settings(Dirs{}) {
		if !same(s.get(&a), s.get(&b)) {
			all = append(all, Changed{s.path, s.when})
		}
	}
	return all
}

// same takes what is empty for what is not there, except where that is said.
func same(a, b any) bool {
	if empty(a) && empty(b) {
		return true
	}
	return reflect.DeepEqual(a, b)
}

func empty(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Slice, reflect.Map:
		return r.IsNil()
	}
	return false
}
