// Package redact takes secrets, and who the user is, out of text that a person
// may show to others: logs, traces, reports. It goes by values that it is told,
// by the shapes of keys and by the names that values go under, and would rather
// take out too much. It reads no file and no environment and starts no
// goroutine.
package redact

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "(secret)"

// minSecret keeps short values, which occur by chance, from blanking a text.
const minSecret = 8

// Options are what only the caller can know.
type Options struct {
	// Secrets are values that must not show wherever they stand.
	Secrets []string
	// Home is the user's home folder; it becomes ~.
	Home string
	// Users are names that the user goes by on this machine.
	Users []string
}

// Redactor is made once and safe for concurrent use.
type Redactor struct {
	known *strings.Replacer
	homes []string
	users []*regexp.Regexp
}

// New makes a Redactor. Values that are too short to be told from ordinary
// words are left to the names that they go under.
func New(o Options) *Redactor {
	r := &Redactor{known: known(o.Secrets), homes: homes(o.Home)}
	for _, name := range o.Users {
		if pattern := userPattern(name); pattern != nil {
			r.users = append(r.users, pattern)
		}
	}
	return r
}

// Keys takes out the known secrets and what looks like a key, and leaves the
// rest of the text as it is.
func (r *Redactor) Keys(text string) string { return Shapes(r.known.Replace(text)) }

// Text takes out whatever may be a secret or tells who the user is.
func (r *Redactor) Text(text string) string {
	text = names(r.Keys(privateKeys(text)))
	for _, home := range r.homes {
		text = replaceFolder(text, home, "~")
	}
	for _, user := range r.users {
		text = user.ReplaceAllString(text, "(user)")
	}
	return text
}

// known replaces values as they are, and as they stand in JSON and in URLs; a
// longer one first, since it may hold a shorter one.
func known(secrets []string) *strings.Replacer {
	var forms []string
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		quoted, _ := json.Marshal(s) // a string always encodes
		forms = append(forms, s, strings.Trim(string(quoted), `"`), url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, Mark)
	}
	return strings.NewReplacer(pairs...)
}

// homes are the spellings of the home folder, the longest first.
func homes(home string) []string {
	home = strings.TrimRight(home, "/")
	if home == "" {
		return nil
	}
	forms := []string{(&url.URL{Path: home}).EscapedPath(), home}
	return slices.Compact(forms)
}

// replaceFolder replaces a path and the beginning of the paths below it, but
// not of "/home/adam" for "/home/ada", nor within "/mnt/home/ada".
func replaceFolder(text, folder, with string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, folder)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(folder)
		b.WriteString(text[:i])
		if i > 0 && inName(text[i-1]) || end < len(text) && inName(text[end]) {
			b.WriteString(folder)
		} else {
			b.WriteString(with)
		}
		text = text[end:]
	}
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// everybody are names that tell nothing of who somebody is.
var everybody = []string{"root", "user", "admin", "node", "vscode", "coder", "ubuntu", "debian", "runner", "nobody"}

// userPattern is nil for a name that is an ordinary word or too short.
func userPattern(name string) *regexp.Regexp {
	if len(name) < 3 || slices.Contains(everybody, strings.ToLower(name)) {
		return nil
	}
	begin, end := `\b`, `\b`
	if name[0] >= 0x80 {
		begin = "" // the pattern's words are of ASCII
	}
	if name[len(name)-1] >= 0x80 {
		end = ""
	}
	return regexp.MustCompile(`(?i)` + begin + regexp.QuoteMeta(name) + end)
}
