package command

import "mvdan.cc/sh/v3/syntax"

// maxList bounds how many words of an array are kept in mind.
const maxList = 64

// keep notes the words of an array, or of the script's own arguments under "@".
// They may change unseen, so that whoever uses them is doubted all the same.
func (w *walker) keep(name string, words []Word) {
	for _, word := range words {
		if !word.Known || len(word.Text) > maxValue {
			words = nil
			break
		}
	}
	if w.lists == nil {
		w.lists = map[string][]Word{}
	}
	w.lists[name] = words[:min(len(words), maxList)]
}

// list is what a word that is "$@", "${a[@]}" or the same without quotes stands
// for, as far as the script shows.
func (w *walker) list(word *syntax.Word) (words []Word, ok bool) {
	if w.lists == nil || len(word.Parts) != 1 {
		return nil, false
	}
	part := word.Parts[0]
	if q, quoted := part.(*syntax.DblQuoted); quoted && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, isParam := part.(*syntax.ParamExp)
	if !isParam || p.Param == nil || p.Excl || p.Length || p.Slice != nil || p.Repl != nil || p.Exp != nil {
		return nil, false
	}
	name := p.Param.Value
	switch {
	case p.Index == nil && (name == "@" || name == "*"):
		words = w.lists["@"]
	case p.Index != nil && allIndices(p):
		words = w.lists[name]
	}
	if w.bytes += 16 * len(words); len(words) == 0 || w.bytes > maxValues {
		return nil, false
	}
	w.doubt(w.nodeSpan(word), "which words these are is not known until it runs")
	return words, true
}
