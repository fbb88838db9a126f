package rule

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// What denials see beyond a command's own words.

// fedWords are what xargs adds to a command, where an echo beside it shows that.
func (j *judge) fedWords(i int) []string {
	from, ok := j.outer[i]
	if !ok || from == 0 || !j.parts[i].Command.Fed {
		return nil
	}
	says, feeds := &j.parts[from-1].Command, &j.parts[from].Command
	if len(says.Argv) == 0 || says.Argv[0].Text != "echo" && says.Argv[0].Text != "printf" {
		return nil
	}
	a, b := says.Span.End, feeds.Span.Start
	if a > b || b > len(j.script.Text) || strings.Trim(j.script.Text[a:b], " \t\n&") != "|" {
		return nil
	}
	var words []string
	for _, w := range says.Argv[1:] {
		words = append(words, strings.Fields(strings.ReplaceAll(w.Text, `\n`, " "))...)
	}
	return words
}

// fedRemoval asks about an rm that is fed its words by a script that somewhere
// has the flags which are never run.
func (j *judge) fedRemoval(i int) string {
	part := &j.parts[i].Command
	if part.By != "xargs" || !j.set.denies(denyRemove) {
		return ""
	}
	if name, _ := denialWords(part); name == "rm" && j.hasRemoveFlags() {
		return "it may be fed what is denied for safety: " + denyRemove
	}
	return ""
}

// hasRemoveFlags reports whether somewhere in the script stand the flags which
// rm is never run with, looked for once for a judgement.
func (j *judge) hasRemoveFlags() bool {
	if j.searched {
		return j.removeFlags
	}
	recursive, force := false, false
	for _, word := range strings.Fields(normalised(j.script.Text)) {
		r, f := removeFlags(word)
		recursive, force = recursive || r, force || f
	}
	j.searched, j.removeFlags = true, recursive && force
	return j.removeFlags
}

// denies reports whether one of the factory's denials holds.
func (s *Set) denies(name string) bool {
	for _, d := range s.denying().List {
		if d.Name == name && d.Enabled && d.Problem == "" && d.Pattern == "" {
			return true
		}
	}
	return false
}

// amongDevices is a part as it is when the script has gone to the folder of
// devices before: its files by their whole names. Nil when it has not.
func (j *judge) amongDevices(i int, words []string) *command.Part {
	part := j.parts[i].Command
	dirs := append([]string{part.Dir}, part.Dirs...)
	at := slices.IndexFunc(dirs, func(dir string) bool { return dir == "/dev" || strings.HasPrefix(dir, "/dev/") })
	if at < 0 {
		return nil
	}
	dir := dirs[at]
	whole := func(name string) string {
		if key, value, ok := strings.Cut(name, "="); ok {
			return key + "=" + path.Join(dir, value)
		}
		return path.Join(dir, name)
	}
	out := command.Part{Argv: part.Argv[:min(1, len(part.Argv))]}
	for _, w := range words {
		out.Argv = append(out.Argv[:len(out.Argv):len(out.Argv)], command.Word{Text: whole(w), Known: true})
	}
	for _, r := range part.Redirects {
		r.File.Text = whole(r.File.Text)
		out.Redirects = append(out.Redirects, r)
	}
	return &out
}

func plainTexts(p *command.Part) []string {
	var words []string
	for k, w := range p.Argv {
		if k > 0 {
			words = append(words, w.Text)
		}
	}
	return words
}

var (
	function = regexp.MustCompile(`(?:function\s+)?([\w:.-]+)\s*\(\s*\)\s*[{(]|function\s+([\w:.-]+)\s*[{(]`)
	aside    = regexp.MustCompile(`(^|[^&>|<])&($|[^&>])|(^|[^|>])\|($|[^|])`)
	looping  = regexp.MustCompile(`\b(while|until|for)\b`)
)

const maxFunctions = 50

// bombsOf are the functions that call themselves more than once, aside of what
// they do themselves: by their letters, and by what their bodies run.
func (j *judge) bombsOf(text string) map[string]bool {
	found := bombs(text)
	if !strings.ContainsAny(text, "&|") || !strings.Contains(text, "()") && !strings.Contains(text, "function") && !strings.Contains(text, "( )") {
		return found
	}
	for _, at := range function.FindAllStringSubmatchIndex(text, maxFunctions) {
		from, to := at[2], at[3]
		if from < 0 {
			from, to = at[4], at[5]
		}
		name, end := text[from:to], closing(text, at[1])
		if body := text[at[1]:end]; !found[name] && aside.MatchString(body) && j.callsIn(name, at[1], end) >= callsOfABomb(body) {
			if found == nil {
				found = map[string]bool{}
			}
			found[name] = true
		}
	}
	return found
}

func callsOfABomb(body string) int {
	if looping.MatchString(body) {
		return 1
	}
	return 2
}

// closing is where the bracket before a place is closed, as far as that can be
// told without reading quotes.
func closing(text string, from int) int {
	depth := 1
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '{', '(':
			depth++
		case '}', ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// callsIn counts the commands of a name in a part of the text.
func (j *judge) callsIn(name string, from, to int) (n int) {
	for i := range j.parts {
		p := &j.parts[i].Command
		if len(p.Argv) > 0 && p.Argv[0].Text == name && p.Span.Start < to && p.Span.End > from {
			n++
		}
	}
	return n
}
