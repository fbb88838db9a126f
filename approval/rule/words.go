package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ruleWord is a word of a rule as it was written: its text without quotes, and
// which bytes of that had none.
type ruleWord struct {
	text    string
	bare    []bool // by byte of text
	assigns bool   // it is NAME=VALUE, and the name has no quotes
}

// splitWords takes a rule apart at blanks, with quotes as in a shell. What a
// shell would expand or obey must be quoted: a rule is never wider than its
// words.
func splitWords(text string) ([]ruleWord, error) {
	var words []ruleWord
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		var w ruleWord
		rest, err := w.read(text)
		if err != nil {
			return nil, err
		}
		name := assignment.FindString(w.text)
		w.assigns = name != "" && !slices.Contains(w.bare[:len(name)], false)
		words, text = append(words, w), rest
	}
	return words, nil
}

// read takes one word off the text.
func (w *ruleWord) read(text string) (rest string, err error) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ':
			return text[i:], nil
		case '\'', '"':
			n := w.quoted(text[i+1:], c)
			if n < 0 {
				return "", fmt.Errorf("the quote %c is not closed", c)
			}
			i += n
		case '\\':
			if i++; i == len(text) {
				return "", errors.New(`nothing follows \`)
			}
			w.add(text[i], false)
		default:
			w.add(c, true)
		}
	}
	return "", nil
}

func (w *ruleWord) add(c byte, bare bool) {
	w.text, w.bare = w.text+string([]byte{c}), append(w.bare, bare)
}

// quoted reads up to the closing quote and says how many bytes that were, -1
// when there is none.
func (w *ruleWord) quoted(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case text[i] == '\\' && quote == '"' && i+1 < len(text) && strings.IndexByte(`"\$`+"`", text[i+1]) >= 0:
			i++
		case quote == '"' && (text[i] == '$' || text[i] == '`'):
			w.add(text[i], true) // a shell would expand it
			continue
		}
		w.add(text[i], false)
	}
	return -1
}

// value is the word from a byte on, or why a rule cannot have it.
func (w ruleWord) value(from int) (token, error) {
	text, bare := w.text[from:], w.bare[from:]
	if text != "" && bare[0] && text[0] == '<' && slices.Contains(wildcards, wildcard(text)) {
		return token{wild: wildcard(text)}, nil
	}
	home := text != "" && bare[0] && text[0] == '~'
	if home && text != "~" && text[1] != '/' {
		return token{}, fmt.Errorf("%s: write the folder of another user in full", text)
	}
	for i := range len(text) {
		if bare[i] && strings.IndexByte("|&;()<>$`*?#", text[i]) >= 0 {
			return token{}, refuse(text, text[i])
		}
	}
	if home {
		return token{home: true, text: text[1:]}, nil
	}
	return token{text: text}, nil
}

// refuse says what to write instead of a character that a shell would obey.
func refuse(word string, c byte) error {
	switch c {
	case '*', '?':
		return fmt.Errorf("%s: a rule covers further arguments without %c; for a %c itself write '%c'", word, c, c, c)
	case '<', '>':
		return fmt.Errorf("%s: known are <word>, <path>, <number>, <any> and <end>; for a file to write, a rule write:FILE", word)
	}
	return fmt.Errorf("%s: a rule is about one command; for a %c itself write '%c'", word, c, c)
}

// spelled is the one way to write the token; first says that it would be taken
// for an assignment.
func (t token) spelled(first bool) string {
	switch {
	case t.wild != "":
		return string(t.wild)
	case t.home && t.text == "":
		return "~"
	case t.home:
		return "~" + quote(t.text, false)
	}
	return quote(t.text, first)
}

// quote puts text in single quotes when it needs some.
func quote(text string, first bool) string {
	plain := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("-_./=:,+@%[]{}!^", c) >= 0 || c >= 0x80
	}
	need := text == "" || first && assignment.MatchString(text)
	for i := range len(text) {
		need = need || !plain(text[i])
	}
	if !need {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
