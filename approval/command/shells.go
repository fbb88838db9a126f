package command

import "strings"

// shellFlags are the options of shells that take no value.
const shellFlags = "abcefhiklmnprstuvxBCDEHPT"

// runShell is bash and its like: a script behind -c, a file, or what they read.
func runShell(c *call) {
	script, k, found, ok := c.shellScript()
	switch {
	case !ok:
		c.unsure("its options are not known")
	case found && k < len(c.Argv):
		c.scriptOf(script, c.name+" -c")
	case found:
		if c.Fed {
			c.unsure("the script that it runs is not known until it runs")
		}
	case k < len(c.Argv) && !c.Argv[k].Known:
		c.unsure("which script it runs is not known")
	case k < len(c.Argv) && !c.readsInput(k):
	case c.doc != nil && c.doc.Known && (k >= len(c.Argv) || c.Argv[k].Text == "/dev/stdin"):
		c.scriptOf(*c.doc, c.name)
	case c.Piped || c.doc != nil || k < len(c.Argv):
		c.unsure("it runs what it reads")
		if c.st.feed != nil {
			c.scriptOf(*c.st.feed, c.name)
		}
	}
}

// shellScript finds the first word that is no option: the script when -c is
// given, else the file. found says that -c is given.
func (c *call) shellScript() (script Word, k int, found, ok bool) {
	for k = 1; k < len(c.Argv); k++ {
		word := c.Argv[k]
		text := word.Text
		switch {
		case !word.Known && (word.Many || word.Flag()):
			return word, k, found, found && !word.Many
		case !word.Known || text == "" || text[0] != '-' && text[0] != '+':
			return word, k, found, true
		case text == "--" || text == "-":
			if k++; k < len(c.Argv) {
				script = c.Argv[k]
			}
			return script, k, found, true
		case strings.HasPrefix(text, "--"):
			if listed("--rcfile --init-file", text) {
				k++
			}
		default:
			values, known := shellLetters(text)
			if !known {
				return word, k, found, false
			}
			found = found || text[0] == '-' && strings.Contains(text, "c")
			k += values
		}
	}
	return script, k, found, true
}

// shellLetters says how many values the letters of an option word take.
func shellLetters(text string) (values int, ok bool) {
	for _, letter := range text[1:] {
		switch {
		case letter == 'o' || letter == 'O':
			values++
		case !strings.ContainsRune(shellFlags, letter):
			return 0, false
		}
	}
	return values, true
}

// readsInput says that the shell reads its script from standard input although
// an argument follows: -s.
func (c *call) readsInput(k int) bool {
	for _, word := range c.Argv[1:k] {
		if len(word.Text) > 1 && word.Text[0] == '-' && word.Text[1] != '-' && strings.Contains(word.Text, "s") {
			return true
		}
	}
	return descriptor(c.Argv[k].Text)
}

// descriptor is the name of a file that a shell has open already.
func descriptor(name string) bool {
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// scriptOf takes the script of a shell apart.
func (c *call) scriptOf(text Word, by string) {
	if text.Known {
		c.ownWay(c.name, text.Text, text.Span)
	}
	st := c.st.inherited()
	for _, a := range c.Assigns {
		st = st.assigned(a)
	}
	c.shellText(text, by, st, func(s *source) { s.posix = c.name != "bash" && c.name != "rbash" })
}
