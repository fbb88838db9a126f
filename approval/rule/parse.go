package rule

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxRule bounds the text of a rule, in bytes.
const maxRule = 4 << 10

// token is a word of a rule about commands.
type token struct {
	text string
	wild wildcard // when it is set, text is empty
	home bool     // text is what follows ~
}

// wildcard is a word that stands for others.
type wildcard string

const (
	wildWord   wildcard = "<word>"   // one argument that is no flag
	wildPath   wildcard = "<path>"   // one path in the workspace, of an ordinary file
	wildNumber wildcard = "<number>" // one number
	wildAny    wildcard = "<any>"    // one argument
	wildEnd    wildcard = "<end>"    // no further argument
)

var wildcards = []wildcard{wildWord, wildPath, wildNumber, wildAny, wildEnd}

// entry is a rule as it is matched.
type entry struct {
	rule    Rule
	held    bool
	file    fileKind
	glob    string   // of a rule about files
	full    []string // the same as absolute patterns
	call    *call    // of a rule about commands, its words by what they are
	assigns []assign // of a rule about commands
	words   []token
	exact   bool   // nothing follows
	same    equals // flags of it that have several spellings
	sameAs  string // where those are listed
}

type assign struct {
	name  string
	value token
}

type fileKind string

const (
	commands fileKind = ""
	reads    fileKind = "read:"
	writes   fileKind = "write:"
)

const heldPrefix = "held:"

// Parse reads a rule. A rule that cannot be read comes back with its Problem
// set, and that as an error. root is the folder that relative paths in it are
// meant from; "" leaves only absolute ones.
func Parse(v Verdict, text, root string) (Rule, error) {
	r := Rule{Verdict: v, Text: strings.TrimSpace(text), Root: root}
	p, err := compile(r)
	if err != nil {
		r.Problem = err.Error()
		return r, err
	}
	r.Text = p.String()
	return r, nil
}

// compile takes a rule's text apart.
func compile(r Rule) (*entry, error) {
	text := strings.TrimSpace(r.Text)
	switch {
	case text == "":
		return nil, errors.New("a rule is empty")
	case len(text) > maxRule:
		return nil, fmt.Errorf("a rule is longer than %d bytes", maxRule)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\uFFFD' }):
		return nil, errors.New("a rule is one line of text without control characters")
	case r.Verdict != Allow && r.Verdict != Ask && r.Verdict != Deny:
		return nil, fmt.Errorf("a rule says allow, ask or deny, not %q", r.Verdict)
	}
	p := &entry{rule: r, file: kindOf(text)}
	if p.file != commands {
		return p, p.readGlob(strings.TrimPrefix(text, string(p.file)))
	}
	if rest, ok := strings.CutPrefix(text, heldPrefix); ok {
		p.held, text = true, rest
	}
	return p, p.readWords(text)
}

// kindOf tells what a text is about, also one that cannot be read.
func kindOf(text string) fileKind {
	text = strings.TrimSpace(text)
	for _, k := range []fileKind{reads, writes} {
		if strings.HasPrefix(text, string(k)) {
			return k
		}
	}
	return commands
}

func (p *entry) readGlob(glob string) error {
	glob = strings.TrimSpace(filepath.ToSlash(glob))
	if glob == "" || strings.HasPrefix(glob, "~") && glob != "~" && !strings.HasPrefix(glob, "~/") {
		return errors.New("name a file after " + string(p.file) + " src/**, an absolute path or ~/…")
	}
	folder := strings.HasSuffix(glob, "/")
	glob = path.Clean(glob)
	if folder && glob != "/" {
		glob += "/**"
	}
	relative := !path.IsAbs(glob) && !strings.HasPrefix(glob, "~")
	switch {
	case !doublestar.ValidatePattern(glob):
		return fmt.Errorf("%q is no pattern of paths", glob)
	case strings.HasPrefix(glob, "../") || glob == ".." || strings.HasPrefix(glob, "~/.."):
		return errors.New("a relative path stays in the workspace: write an absolute one")
	case relative && p.rule.Root == "":
		return errors.New("there is no folder that a relative path could be meant from: write an absolute one")
	}
	p.glob = glob
	return nil
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

func (p *entry) readWords(text string) error {
	words, err := splitWords(text)
	if err != nil {
		return err
	}
	for len(words) > 0 && words[0].assigns {
		name, _, _ := strings.Cut(words[0].text, "=")
		value, err := words[0].value(len(name) + 1)
		if err != nil {
			return err
		}
		p.assigns, words = append(p.assigns, assign{name, value}), words[1:]
	}
	for _, w := range words {
		t, err := w.value(0)
		if err != nil {
			return err
		}
		p.words = append(p.words, t)
	}
	return p.check()
}

// check looks at the words together.
func (p *entry) check() error {
	if n := len(p.words); n > 0 && p.words[n-1].wild == wildEnd {
		p.words, p.exact = p.words[:n-1], true
	}
	if len(p.words) == 0 {
		return errors.New("a rule names a command: git diff")
	}
	if first := p.words[0]; first.wild != "" || first.text == "" {
		return errors.New("a rule begins with the name of a command: nothing may stand for it")
	}
	for _, a := range p.assigns {
		if a.value.wild == wildEnd {
			return errors.New("<end> stands at the end of a rule")
		}
	}
	for _, w := range p.words {
		if w.wild == wildEnd {
			return errors.New("<end> stands at the end of a rule")
		}
	}
	return nil
}

// String is the rule's one spelling.
func (p *entry) String() string {
	if p.file != commands {
		return string(p.file) + p.glob
	}
	var words []string
	if p.held {
		words = append(words, heldPrefix)
	}
	for _, a := range p.assigns {
		words = append(words, a.name+"="+a.value.spelled(false))
	}
	for i, w := range p.words {
		words = append(words, w.spelled(i == 0))
	}
	if p.exact {
		words = append(words, string(wildEnd))
	}
	return strings.Join(words, " ")
}
