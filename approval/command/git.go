package command

import "strings"

var gitOptions = options{flags: "pPhv", values: "Cc", longFlags: "paginate no-pager no-replace-objects bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs " +
	"no-optional-locks no-lazy-fetch no-advice html-path man-path info-path version help exec-path",
	longValues: "git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds"}

// runGit takes apart what git runs: aliases that stand on the command line, and
// what some of its commands are told to run.
func runGit(c *call) {
	aliases := c.aliases()
	k, _, ok := gitOptions.skip(c.Argv, 1)
	if !ok || k >= len(c.Argv) || !c.Argv[k].Known {
		return // the options are the rules' to judge, which take git's commands apart themselves
	}
	name, args := c.Argv[k].Text, c.Argv[k+1:]
	if text, isAlias := aliases[strings.ToLower(name)]; isAlias {
		c.alias(text, k)
	}
	switch name {
	case "rebase":
		c.gitOption(args, "x", "exec")
	case "difftool":
		c.gitOption(args, "x", "extcmd")
	case "grep":
		c.gitOption(args, "O", "open-files-in-pager")
	case "filter-branch":
		for _, f := range strings.Fields("env tree index parent msg commit tag-name") {
			c.gitOption(args, "", f+"-filter")
		}
	case "submodule":
		c.foreach(k + 1)
	case "bisect":
		if len(args) > 1 && args[0].Known && args[0].Text == "run" {
			c.inner(k+2, c.st, nil)
		}
	}
}

// aliases are those of -c alias.NAME=TEXT, by their names in lower case. One for
// a shell is taken apart at once.
func (c *call) aliases() map[string]Word {
	found := map[string]Word{}
	for i := 1; i+1 < len(c.Argv); i++ {
		value := c.Argv[i+1]
		if c.Argv[i].Text != "-c" || !c.Argv[i].Known {
			continue
		}
		name, text, has := strings.Cut(value.Text, "=")
		switch {
		case !value.Known:
			c.doubt(value.Span, "git -c: the setting is not known until it runs")
		case !has || len(name) <= 6 || !strings.EqualFold(name[:6], "alias."):
		case strings.HasPrefix(text, "!"):
			value.Text = text[1:]
			c.shellText(value, "git alias", c.st.inherited(), func(s *source) { s.posix, s.fed = true, true })
		default:
			value.Text = text
			found[strings.ToLower(name[6:])] = value
		}
	}
	return found
}

// alias adds the command of git that an alias stands for. Its own text may be an
// alias again.
func (c *call) alias(text Word, k int) {
	if strings.ContainsAny(text.Text, "\\\"'") {
		c.unsure("how it splits its alias is not taken apart")
		return
	}
	argv := append([]Word(nil), c.Argv[:k]...)
	for _, field := range strings.Fields(text.Text) {
		argv = append(argv, Word{Text: field, Known: true, Span: text.Span})
	}
	c.command(append(argv, c.Argv[k+1:]...), "git alias")
}

// gitOption takes the script behind an option apart, wherever that stands.
func (c *call) gitOption(args []Word, letter, long string) {
	for i, word := range args {
		value, text := word, word.Text
		switch {
		case letter != "" && text == "-"+letter, text == "--"+long:
			if i+1 == len(args) || letter == "O" {
				continue
			}
			value = args[i+1]
		case strings.HasPrefix(text, "--"+long+"="):
			value.Text = text[len(long)+3:]
		case letter != "" && strings.HasPrefix(text, "-"+letter):
			value.Text = text[2:]
		default:
			continue
		}
		c.shellText(value, c.name+" --"+long, c.st.inherited().nowhere(), func(s *source) { s.posix, s.fed = true, true })
	}
}

// foreach is what git submodule runs in each submodule: one word is a script,
// several are a command.
func (c *call) foreach(k int) {
	seen := false
	for ; k < len(c.Argv) && c.Argv[k].Known; k++ {
		switch text := c.Argv[k].Text; {
		case text == "foreach" && !seen:
			seen = true
		case strings.HasPrefix(text, "-"):
		case !seen:
			return
		case k+1 == len(c.Argv):
			c.posixText(c.Argv[k], "git submodule foreach", c.st.nowhere())
			return
		default:
			c.inner(k, c.st.nowhere(), nil)
			return
		}
	}
	if seen && k < len(c.Argv) {
		c.unsure("what it runs is not known until it runs")
	}
}
