package tools

import "slices"

// maxFates is how many commands' fates are known.
const maxFates = 256

// fates are what has befallen commands, as sentences by id. The oldest are forgotten. The zero value is ready for use.
type fates struct {
	text  map[string]string
	order []string
}

func (f *fates) add(id, text string) {
	if f.text == nil {
		f.text = map[string]string{}
	}
	if _, known := f.text[id]; !known {
		f.order = append(f.order, id)
	}
	f.text[id] = text
	if len(f.order) > maxFates {
		delete(f.text, f.order[0])
		f.order = f.order[1:]
	}
}

func (f *fates) of(id string) string { return f.text[id] }

// take is of, once.
func (f *fates) take(id string) string {
	text, known := f.text[id]
	if known {
		delete(f.text, id)
		f.order = slices.DeleteFunc(f.order, func(o string) bool { return o == id })
	}
	return text
}
