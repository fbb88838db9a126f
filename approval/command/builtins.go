package command

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func initBuiltins() {
	builtins = map[string]func(*call) (ok, fail state){
		"cd": runCd, "pushd": runMoved, "popd": runMoved, "exit": runExit, "return": runReturn,
		"eval": runEval, "trap": runTrap, "alias": runAlias, "command": runCommand, "builtin": runCommand, "exec": runExec,
		"read": runNames, "getopts": runNames, "unset": runNames, "wait": runNames, "printf": runPrintf, "test": runTest, "[": runTest,
		"mapfile": runMapfile, "readarray": runMapfile, "let": runLet, "compgen": runComplete, "complete": runComplete, "compopt": runComplete,
		"export": runDeclare, "declare": runDeclare, "typeset": runDeclare, "local": runDeclare, "readonly": runDeclare,
		"set": runSet, "source": runSource, ".": runSource, "shopt": runShopt, "unalias": runLost,
		"enable": runDoubted, "bind": runDoubted, "hash": runHash,
	}
}

func runLost(c *call) (ok, fail state) { return both(c.st.lost()) }

// runSource reads a file into this shell. It may change all; what it may do is
// up to whoever allows it, so that the folder counts as kept.
func runSource(c *call) (ok, fail state) {
	if len(c.inherited) > 0 {
		c.unsure("functions and aliases that earlier commands made may stand in for what it runs")
	}
	if len(c.Argv) > 1 && (!c.Argv[1].Known || descriptor(c.Argv[1].Text)) {
		c.unsure("which script it runs is not known")
		if c.st.feed != nil {
			c.shellText(*c.st.feed, c.name, c.st, nil)
		}
	}
	return both(c.st.dazed())
}

func runShopt(c *call) (ok, fail state) {
	c.st.loose = len(c.Argv) > 1
	return c.st, c.st
}

func runDoubted(c *call) (ok, fail state) {
	c.unsure("what it loads or binds is not taken apart")
	return runLost(c)
}

func runHash(c *call) (ok, fail state) {
	for _, word := range c.Argv[1:] {
		if word.Flag() && !(word.Known && word.Text == "-r") {
			c.unsure("it may change what a name runs")
			return runLost(c)
		}
	}
	return c.st, c.st
}

// runExit ends the shell, so that what follows is not reached.
func runExit(c *call) (ok, fail state) {
	gone := len(c.Argv) == 1 || len(c.Argv) == 2 && c.Argv[1].Known && dup(c.Argv[1].Text)
	if c.depth == 0 {
		c.st.gone = gone
	}
	return c.st, c.st
}

func runReturn(c *call) (ok, fail state) {
	if c.inFunc == 0 {
		return c.st, c.st
	}
	return runExit(c)
}

// runCd follows a change of folder as far as it is certain.
func runCd(c *call) (ok, fail state) {
	args := c.Argv[1:]
	for len(args) > 0 && args[0].Known && (args[0].Text == "--" || args[0].Text == "-L" || args[0].Text == "-P") {
		args = args[1:]
	}
	to := ""
	switch {
	case len(c.Assigns) > 0:
	case len(args) == 0:
		to, _, _ = c.lookup("HOME", c.st)
	case len(args) == 1 && args[0].Known && args[0].Text == "-" && c.st.moved:
		return c.back(c.st), c.st
	case len(args) == 1 && args[0].Known && !strings.HasPrefix(args[0].Text, "-"):
		to = args[0].Text
	}
	return c.moved(to), c.st
}

// moved is the state in the folder that cd goes to, "" for one that is not
// known.
func (c *call) moved(to string) state {
	_, search := c.st.lookup("CDPATH")
	if to == "" || c.st.loose || !filepath.IsAbs(to) && search && !dotted(to) {
		c.astray = true
		return c.st.nowhere()
	}
	return c.strayed(to, c.st)
}

func dotted(to string) bool {
	return to == "." || to == ".." || strings.HasPrefix(to, "./") || strings.HasPrefix(to, "../")
}

// runEval takes the words apart as one script of this very shell.
func runEval(c *call) (ok, fail state) {
	args := c.Argv[1:]
	if len(args) > 0 && args[0].Known && args[0].Text == "--" {
		args = args[1:]
	}
	if c.Fed {
		c.unsure("the script that it runs is not known until it runs")
	}
	inside := c.st
	for _, a := range c.Assigns {
		inside = inside.forget(a.Name)
	}
	st := c.shellText(joined(args), "eval", inside, nil)
	return both(st.either(st, c.st).dazed())
}

// runTrap takes the script apart that a signal, or the end, will run.
func runTrap(c *call) (ok, fail state) {
	args := c.Argv[1:]
	if len(args) > 0 && args[0].Known && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) < 2 && !(len(args) == 1 && args[0].Many) {
		return c.st, c.st
	}
	if args[0].Known && (args[0].Text == "-" || args[0].Text == "" || args[0].Text == "-l" || args[0].Text == "-p") {
		return c.st, c.st
	}
	c.shellText(args[0], "trap", c.st.lost(), nil)
	if len(args) == 2 && args[1].Known && (args[1].Text == "EXIT" || args[1].Text == "0") {
		return c.st, c.st
	}
	return runLost(c)
}

// runAlias takes what an alias stands for apart: a use of it adds words.
func runAlias(c *call) (ok, fail state) {
	for _, word := range c.Argv[1:] {
		name, text, has := strings.Cut(word.Text, "=")
		switch {
		case !word.Known:
			c.unsure("what it defines is not known until it runs")
		case has && name != "":
			word.Text = text
			c.shellText(word, "alias", c.st.lost(), func(s *source) { s.fed = true })
		}
	}
	return runLost(c)
}

// runCommand is command and builtin: the same command without functions.
func runCommand(c *call) (ok, fail state) {
	k, given, known := options{flags: "pvV"}.skip(c.Argv, 1)
	if c.name == "builtin" {
		k, given, known = options{}.skip(c.Argv, 1)
	}
	switch {
	case !known:
		c.unsure("its arguments are not known")
		return runLost(c)
	case get(given, "v", "V") != nil:
		return c.st, c.st
	}
	return c.inner(k, c.st, func(p *Part) { p.Assigns = c.Assigns })
}

func runExec(c *call) (ok, fail state) {
	k, _, known := options{flags: "cl", values: "a"}.skip(c.Argv, 1)
	if !known {
		c.unsure("its arguments are not known")
		return runLost(c)
	}
	c.inner(k, c.st, func(p *Part) { p.Assigns = c.Assigns })
	for _, r := range c.Redirects {
		c.input = c.input || r.Reads
	}
	c.input = c.input || c.doc != nil
	return c.st, c.st
}

// runNames are builtins that set or unset the variables that they name.
func runNames(c *call) (ok, fail state) {
	st := c.st
	for i, word := range c.Argv[1:] {
		switch {
		case c.name == "read" && takesText(c.Argv[i]), c.name == "wait" && strings.Trim(word.Text, `"`) == "$!":
		case !word.Known || strings.Contains(word.Text, "["):
			c.unsure("a subscript in a name that it is given would run")
			return runLost(c)
		case syntax.ValidName(word.Text):
			c.setsName(word.Text)
			st = st.forget(word.Text)
		case strings.HasPrefix(word.Text, "-f") && c.name == "unset":
			return runLost(c)
		}
	}
	return st, st
}

// setsName doubts a builtin that sets, or unsets, what others obey.
func (c *call) setsName(name string) {
	if !Ordinary(name) {
		c.unsure("it sets " + name + ", which may change what commands do")
	}
}

// takesText says that the word behind an option of read is no name: a prompt, or
// a delimiter.
func takesText(option Word) bool {
	return option.Known && len(option.Text) > 1 && option.Text[0] == '-' && strings.IndexByte("pdintuN", option.Text[len(option.Text)-1]) >= 0
}

// runPrintf sets a variable with -v.
func runPrintf(c *call) (ok, fail state) {
	if len(c.Argv) < 2 {
		return c.st, c.st
	}
	first := c.Argv[1]
	switch {
	case !first.Known && first.Flag():
		c.unsure("whether it sets a variable is not known")
	case !first.Known || !strings.HasPrefix(first.Text, "-v"):
		return c.st, c.st
	case first.Text == "-v" && len(c.Argv) > 2 && c.Argv[2].Known && syntax.ValidName(c.Argv[2].Text):
		c.setsName(c.Argv[2].Text)
		st := c.st.forget(c.Argv[2].Text)
		return st, st
	default:
		c.unsure("a subscript in a name that it is given would run")
	}
	return runLost(c)
}

// runTest doubts a subscript behind -v, and words that may turn out as one.
func runTest(c *call) (ok, fail state) {
	for i, word := range c.Argv[1:] {
		asked := i > 0 && c.Argv[i].Known && (c.Argv[i].Text == "-v" || c.Argv[i].Text == "-R")
		if word.Many || asked && (!word.Known || strings.Contains(word.Text, "[")) {
			c.unsure("a subscript in a name that it is given would run")
		}
	}
	return c.st, c.st
}

func runMapfile(c *call) (ok, fail state) {
	for _, word := range c.Argv[1:] {
		if !word.Known || strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "C") || strings.Contains(word.Text, "[") {
			c.unsure("what it runs for each line is not taken apart")
		}
		if syntax.ValidName(word.Text) {
			c.setsName(word.Text)
		}
	}
	return runLost(c)
}

func runLet(c *call) (ok, fail state) {
	c.unsure("arithmetic runs what its text says")
	return runLost(c)
}

func runComplete(c *call) (ok, fail state) {
	c.unsure("what it runs is not taken apart")
	return runLost(c)
}

// runDeclare is a declaration whose name is quoted or computed, so that its
// operands are ordinary words to the parser.
func runDeclare(c *call) (ok, fail state) {
	var assigns []Assign
	for _, word := range c.Argv[1:] {
		name, text, has := strings.Cut(word.Text, "=")
		switch {
		case !word.Known || strings.Contains(name, "["):
			c.unsure("what it declares is not known until it runs")
		case has && !strings.HasPrefix(word.Text, "-"):
			value := word
			value.Text = text
			assigns = append(assigns, Assign{Name: strings.TrimSuffix(name, "+"), Value: value, Append: strings.HasSuffix(name, "+"), Exported: c.name == "export"})
		}
	}
	if len(assigns) > 0 {
		c.script.Parts = append(c.script.Parts, c.part(Part{Assigns: assigns, Span: c.Part.Span, By: c.name}, c.st))
	}
	return both(c.st.dazed())
}

// runSet changes options of the shell: those that stop at faults or trace change
// no word.
func runSet(c *call) (ok, fail state) {
	for i, word := range c.Argv[1:] {
		switch {
		case word.Known && word.Text == "--":
			c.keep("@", c.Argv[i+2:])
			return c.st, c.st
		case !word.Known, strings.Contains(word.Text, "allexport"), strings.Contains(word.Text, "keyword"),
			word.Flag() && strings.ContainsAny(word.Text, "ak"):
			c.unsure("it may change what an assignment is")
			return both(c.st.dazed())
		case word.Text == "pipefail" || word.Text == "errexit" || word.Text == "nounset":
		case (word.Text[:min(1, len(word.Text))] == "-" || word.Text[:min(1, len(word.Text))] == "+") && strings.Trim(word.Text[1:], "euxo") == "":
		default:
			c.st.loose = true
		}
	}
	return c.st, c.st
}
