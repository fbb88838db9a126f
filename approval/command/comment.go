package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checkComments doubts a text in which the parser sees a comment and bash none:
// within a substitution it takes the # of $x#y, or of ""#y, for the start of one,
// so that what follows would run unseen.
func (w *walker) checkComments(file syntax.Node, text string) {
	if strings.IndexByte(text, '#') < 0 {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && !opensComment(text[:min(int(c.Hash.Offset()), len(text))]) {
			w.doubt(w.nodeSpan(c), "bash sees no comment behind this #")
		}
		return true
	})
}

// opensComment says that a # behind this text begins a word: it stands behind a
// blank or an operator. A bracket or a backquote may end a part of a word.
func opensComment(before string) bool {
	for strings.HasSuffix(before, "\\\n") {
		before = strings.TrimSuffix(before, "\\\n")
	}
	if before == "" {
		return true
	}
	at := len(before) - 1
	return strings.IndexByte(" \t\n;&|(<>", before[at]) >= 0 && (at == 0 || before[at-1] != '\\')
}
