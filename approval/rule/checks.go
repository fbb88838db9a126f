package rule

import (
	"path"
	"regexp"
	"strings"

	"drawbridge/approval/command"
)

// Checks look at a call that has only harmless flags, and say why it does more
// than its flags show; "" when it does not.

func secondIsWritten(c *call) string {
	if ops := c.operands(); len(ops) > 1 && ops[1].named == unnamed {
		return c.name + " writes its second file"
	}
	return ""
}

func dateIsRead(c *call) string {
	for _, it := range c.operands() {
		if !strings.HasPrefix(it.word.Text, "+") && it.named != allNamed {
			return "date may set the clock"
		}
	}
	return ""
}

func cdNamesFolder(c *call) string {
	ops := c.operands()
	if len(ops) != 1 || ops[0].word.Text == "-" || strings.HasPrefix(ops[0].word.Text, "+") {
		return c.name + " does not say where it leads"
	}
	return ""
}

// optionsOfSet are those of set -o that change only how errors end a script, and
// what it tells.
var optionsOfSet = map[string]bool{"pipefail": true, "errexit": true, "nounset": true, "xtrace": true, "verbose": true, "noglob": true, "noclobber": true, "errtrace": true, "noexec": true}

func setIsMild(c *call) string {
	if len(c.items) == 0 {
		return "`set` alone prints every variable"
	}
	for _, it := range c.items {
		if it.has && !optionsOfSet[it.word.Text] {
			return "`set -o " + it.word.Text + "` is not known to be harmless"
		}
	}
	return ""
}

func printfPrints(c *call) string {
	ops := c.operands()
	if len(ops) == 0 || strings.HasPrefix(ops[0].word.Text, "-") || !ops[0].word.Known {
		return "printf may set a variable"
	}
	return ""
}

// testTests refuses subscripts: the shell runs what stands in one.
func testTests(c *call) string {
	for _, it := range c.operands() {
		w := it.word
		if w.Text == "-v" || w.Text == "-R" || w.Known && strings.Contains(w.Text, "[") && strings.ContainsAny(w.Text, "$`") {
			return "a subscript may run a command"
		}
	}
	return ""
}

// psShowsNoEnvironment refuses e among the flags without a dash, and columns that
// show what processes were given: passwords are handed on so.
func psShowsNoEnvironment(c *call) string {
	for _, it := range c.items {
		text := it.word.Text
		if it.flag == "" && (strings.ContainsAny(text, "eE") || !it.word.Known) || it.has && (strings.Contains(text, "env") || !it.word.Known) {
			return "ps may show the environment of programs"
		}
	}
	return ""
}

// signaturesAreNot refuses formats that have git run a program to check a
// signature.
func signaturesAreNot(c *call) string {
	for _, it := range c.items {
		if !it.has || it.named == allNamed {
			continue
		}
		shows := strings.HasPrefix(it.flag, "--format") || strings.HasPrefix(it.flag, "--pretty")
		if shows && !it.word.Known || strings.Contains(it.word.Text, "%G") || strings.Contains(it.word.Text, "%(signature") {
			return "`" + it.flag + "` may have git run a program that checks signatures"
		}
	}
	return ""
}

// wordsAreKnown wants each word of a call known, or named.
func wordsAreKnown(c *call) string {
	for _, it := range c.items {
		if (it.flag == "" || it.has) && !it.word.Known && it.named == unnamed || it.named >= wildNamed && !it.word.Known {
			return "`" + it.word.Text + "` is known only when it runs"
		}
	}
	return ""
}

// inputs are names of what a command has open already.
var inputs = regexp.MustCompile(`^(-|/dev/stdin|/dev/fd/.*|/proc/[^/]+/(task/[^/]+/)?fd/.*)$`)

// isInput reports whether a word stands for what a command reads.
func isInput(w command.Word) bool {
	return w.Known && w.Text != "" && inputs.MatchString(path.Clean(w.Text))
}

// runsInput reports whether an interpreter runs what it reads, and no rule says
// so.
func runsInput(c *call) bool {
	if c.inline() || c.prog.ops != opScript {
		return false
	}
	ops := c.operands()
	return len(ops) > 0 && isInput(ops[0].word) && ops[0].named != allNamed
}

// makeSwitch sets a variable to what can be no program and no path; makeObeys
// are those that make itself and compilers obey.
var (
	makeSwitch = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*:?=([0-9]+|y|n|yes|no|true|false|on|off|)$`)
	makeObeys  = regexp.MustCompile(`(?i)^(SHELL|\.SHELL|MAKE|GNUMAKE|VPATH|PATH|CC|CXX|LD|AR|AS|CPP|LEX|YACC|RM)[A-Z_]*:?=|FLAGS:?=|DIR:?=|PATH:?=|CMD:?=|EXEC:?=`)
)

func makeSetsNothing(c *call) string {
	for _, it := range c.operands() {
		if strings.Contains(it.word.Text, "=") && it.named != allNamed && !(it.word.Known && makeSwitch.MatchString(it.word.Text) && !makeObeys.MatchString(it.word.Text)) {
			return "`" + it.word.Text + "` sets a variable of make"
		}
	}
	return ""
}

func packagesAreNamed(c *call) string {
	for _, it := range c.operands() {
		if it.named == unnamed {
			return "`" + it.word.Text + "` is a package that no rule names"
		}
	}
	return ""
}

// scriptsOf are the texts that a filter runs as its program.
func scriptsOf(c *call) []item {
	var all []item
	for _, it := range c.items {
		if it.flag == "-e" || it.flag == "--expression" {
			all = append(all, it)
		}
	}
	if ops := c.operands(); len(all) == 0 && len(ops) > 0 {
		all = append(all, ops[0])
	}
	return all
}

// scripts says why one of the program's texts is not harmless.
func scripts(c *call, harmless func(string) bool, why string) string {
	for _, it := range scriptsOf(c) {
		if it.named != allNamed && (!it.word.Known || !harmless(it.word.Text)) {
			return why
		}
	}
	return ""
}

func sedIsPlain(c *call) string {
	return scripts(c, plainSed, "the script of sed may write a file or run a command")
}

func awkIsPlain(c *call) string {
	return scripts(c, plainAwk, "the script of awk may write a file or run a command")
}

func jqIsPlain(c *call) string {
	return scripts(c, func(s string) bool { return !jqReaches.MatchString(s) }, "the filter of jq may read other files")
}

var jqReaches = regexp.MustCompile(`\b(import|include|env|get_search_list|input_filename)\b|\$ENV|\$__`)

func yqIsPlain(c *call) string {
	return scripts(c, func(s string) bool { return !yqReaches.MatchString(s) }, "the expression of yq may read other files")
}

var yqReaches = regexp.MustCompile(`load|env|system|eval`)

// plainSed reports whether a script of sed only prints: addresses, p, d, q, n,
// = and the like, and s and y without a flag that writes or runs.
func plainSed(script string) bool {
	for script = strings.TrimLeft(script, " \t\n;{}"); script != ""; script = strings.TrimLeft(script, " \t\n;{}") {
		rest, ok := sedAddress(script)
		if !ok || rest == "" {
			return false
		}
		if script, ok = sedCommand(rest); !ok {
			return false
		}
	}
	return true
}

// sedAddress takes the lines off that a command of sed is about.
func sedAddress(s string) (rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t0123456789$,~+!")
		var delim byte
		switch {
		case strings.HasPrefix(s, "/"):
			delim, s = '/', s[1:]
		case strings.HasPrefix(s, `\`) && len(s) > 1:
			delim, s = s[1], s[2:]
		default:
			return strings.TrimLeft(s, " \t"), true
		}
		if s, ok = sedUntil(s, delim, true); !ok {
			return "", false
		}
		s = strings.TrimLeft(s, "IM")
	}
}

// sedUntil skips to behind the delimiter. In a pattern, programs do not agree on
// what ends one within brackets: such a pattern is not read.
func sedUntil(s string, delim byte, pattern bool) (rest string, ok bool) {
	if delim == '\n' || delim == '\\' {
		return "", false
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return "", false
		case delim:
			return s[i+1:], true
		case '[':
			n := 0
			if pattern {
				n = bracket(s[i:])
			}
			if n < 0 || strings.IndexByte(s[i+1:i+1+n], delim) >= 0 {
				return "", false
			}
			i += n
		}
	}
	return "", false
}

// bracket is how many bytes follow a [ up to and with its ], -1 when that is not
// plain to see.
func bracket(s string) int {
	begin := len(s) - len(strings.TrimPrefix(strings.TrimPrefix(s[1:], "^"), "]"))
	for i := begin; i < len(s); i++ {
		switch {
		case classes.MatchString(s[i:]):
			i += strings.Index(s[i:], ":]") + 1
		case s[i] == ']':
			return i
		case strings.IndexByte("[\\\n", s[i]) >= 0:
			return -1
		}
	}
	return -1
}

var classes = regexp.MustCompile(`^\[:[a-z]+:\]`)

var sedFlags = regexp.MustCompile(`^[gpiI0-9]*[ \t]*(\n|;|\}|$)`)

// sedCommand takes a command off that does no harm.
func sedCommand(s string) (rest string, ok bool) {
	if strings.HasPrefix(s, "{") {
		return s[1:], true
	}
	if s[0] != 's' && s[0] != 'y' {
		if strings.IndexByte("pdqQnNhHgGxDP=lz", s[0]) < 0 || !sedFlags.MatchString(s[1:]) {
			return "", false
		}
		return strings.TrimLeft(s[1:], "0123456789"), true
	}
	if len(s) < 2 {
		return "", false
	}
	if rest, ok = sedUntil(s[2:], s[1], true); !ok {
		return "", false
	}
	if rest, ok = sedUntil(rest, s[1], false); !ok || !sedFlags.MatchString(rest) {
		return "", false
	}
	return strings.TrimLeft(rest, "gpiI0123456789"), true
}
