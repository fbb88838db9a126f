package command

import "strings"

var xargsOptions = options{flags: "0rtxpo", values: "adEILnPs", longFlags: "null no-run-if-empty verbose exit interactive open-tty show-limits replace eof max-lines",
	longValues: "arg-file delimiter max-args max-chars max-procs max-lines replace eof process-slot-var"}

// runXargs adds arguments that it reads: at the end, or wherever its placeholder
// stands.
func runXargs(c *call) {
	k, given, ok := xargsOptions.skip(c.Argv, 1)
	if !ok {
		c.unsure("where the command that it runs begins is not known")
		return
	}
	if k >= len(c.Argv) { // it echoes
		if c.Fed {
			c.unsure("which command it runs is not known until it runs")
		}
		return
	}
	holder := ""
	if f := get(given, "I", "replace"); f != nil {
		holder = "{}"
		if f.value != nil {
			holder = f.value.Text
		}
	}
	c.dirty = true // it runs the command again and again
	c.Argv = filled(c.Argv, holder, "")
	c.inner(k, c.st, func(p *Part) {
		p.Piped = get(given, "a", "arg-file") != nil && p.Piped
		p.Fed = p.Fed || holder == ""
	})
}

// filled makes the words unknown in which a placeholder stands. start is what
// stands for it is known to begin with.
func filled(argv []Word, holder, start string) []Word {
	if holder == "" {
		return argv
	}
	out := append([]Word(nil), argv...)
	for i, word := range out {
		if at := strings.Index(word.Text, holder); at >= 0 && word.Known {
			out[i].Known, out[i].Prefix = false, word.Text[:at]+start
		}
	}
	return out
}

// runFind takes apart what find runs for each file that it finds.
func runFind(c *call) {
	start := findStart(c.Argv)
	for i := 1; i < len(c.Argv); i++ {
		word := c.Argv[i]
		if !word.Known && (word.Many || word.Flag() && !findValues[c.Argv[i-1].Text]) {
			c.unsure("whether it runs something is not known")
			return
		}
		if !word.Known || !findRuns[word.Text] {
			continue
		}
		end, ok := findEnd(c.Argv, i+1)
		if !ok {
			c.unsure("where the command that it runs ends is not known")
			return
		}
		i = c.found(i, end, start)
	}
}

var findRuns = set("-exec -execdir -ok -okdir")

// findValues are the tests of find behind which a word is no test.
var findValues = set("-name -iname -path -ipath -wholename -iwholename -regex -iregex -newer -size -mtime -mmin -ctime -atime " +
	"-type -maxdepth -mindepth -user -group -perm")

// found adds the command of one -exec, and comes back with the place of its end.
func (c *call) found(i, end int, start string) int {
	dir := strings.HasSuffix(c.Argv[i].Text, "dir")
	if dir {
		start = "./"
	}
	several := c.Argv[end].Text == "+"
	argv := filled(c.Argv[i+1:end], "{}", start)
	for k := range argv {
		if several && !argv[k].Known && c.Argv[i+1+k].Known {
			argv[k].Many = true
		}
	}
	if len(argv) == 0 {
		return end
	}
	if c.script.Parts[c.at].Wraps == 0 {
		c.script.Parts[c.at].Wraps = i + 1
	}
	c.dirty = true // it runs again and again
	p := c.part(Part{Argv: argv, Span: spanOf(argv, c.Part.Span), By: "find " + c.Argv[i].Text, Fed: start == "" && len(argv) > 0 || c.Fed}, c.st)
	if dir {
		p.unplaced()
	}
	p.Remote = p.Remote || c.Remote
	c.add(p, c.st)
	return end
}

// findStart is what all paths that find gives are known to begin with, "" when
// that may be a dash or several.
func findStart(argv []Word) string {
	if len(argv) < 2 || !argv[1].Known || argv[1].Text == "" || strings.ContainsAny(argv[1].Text[:1], "-()!,") {
		return "."
	}
	if len(argv) > 2 && (!argv[2].Known || !strings.HasPrefix(argv[2].Text, "-") && !strings.ContainsAny(argv[2].Text[:min(1, len(argv[2].Text))], "(!")) {
		return ""
	}
	return argv[1].Text
}

func findEnd(argv []Word, i int) (end int, ok bool) {
	for ; i < len(argv); i++ {
		word := argv[i]
		if !word.Known && (word.Many || word.Prefix == "") {
			return i, false
		}
		if word.Text == ";" || word.Text == "+" && argv[i-1].Text == "{}" {
			return i, word.Known
		}
	}
	return i, false
}

// runFd is fd: -x and -X take all words up to a semicolon.
func runFd(c *call) {
	for i := 1; i < len(c.Argv); i++ {
		word := c.Argv[i]
		switch text := word.Text; {
		case !word.Known:
			if word.Flag() {
				c.unsure("whether it runs something is not known")
				return
			}
		case text == "-x" || text == "-X" || text == "--exec" || text == "--exec-batch":
			end := i + 1
			for end < len(c.Argv) && c.Argv[end].Text != ";" {
				end++
			}
			argv := c.Argv[i+1 : end]
			for _, holder := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
				argv = filled(argv, holder, "")
			}
			if c.dirty = true; len(argv) > 0 {
				c.script.Parts[c.at].Wraps = i + 1
				c.add(c.part(Part{Argv: argv, Span: spanOf(argv, c.Part.Span), By: c.name + " -x", Fed: true}, c.st), c.st)
			}
			i = end
		case strings.HasPrefix(text, "--exec"), len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text, "xX"):
			c.unsure("what it runs is not taken apart")
		}
	}
}
