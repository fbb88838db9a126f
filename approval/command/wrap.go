package command

import "strings"

// runners are the programs that run other commands, by the name of their file.
var runners map[string]func(*call)

// builtins are the commands of the shell itself that run others or change its
// state; they are called by their bare name only.
var builtins map[string]func(*call) (ok, fail state)

func init() {
	runners = map[string]func(*call){
		"env": runEnv, "sudo": runSudo, "doas": wrapper{opt: options{flags: "Lns", values: "aCu"}}.run,
		"su": runSu, "runuser": runSu, "script": runScript, "flock": runFlock, "ssh": runSSH, "git": runGit,
		"xargs": runXargs, "find": runFind, "fd": runFd, "fdfind": runFd, "watch": runWatch, "busybox": runBusybox, "toybox": runBusybox,
		"parallel": runUnknown, "complete": runUnknown, "expect": runUnknown,
		"nohup": wrapper{}.run, "setsid": wrapper{opt: options{flags: "cfw", longFlags: "ctty fork wait"}}.run,
		"timeout": wrapper{opt: options{flags: "fpv", values: "ks", longFlags: "preserve-status foreground verbose", longValues: "kill-after signal"}, operands: 1}.run,
		"nice":    wrapper{opt: options{values: "n", longValues: "adjustment", numeric: true}}.run,
		"ionice":  wrapper{opt: options{flags: "t", values: "cnpPu", longFlags: "ignore", longValues: "class classdata pid pgid uid"}}.run,
		"chrt": wrapper{opt: options{flags: "abdfioRrv", values: "TPD", longFlags: "all-tasks batch deadline fifo idle other reset-on-fork rr verbose"},
			operands: 1}.run,
		"taskset": wrapper{opt: options{flags: "ac", longFlags: "all-tasks cpu-list"}, operands: 1}.run,
		"stdbuf":  wrapper{opt: options{values: "ioe", longValues: "input output error"}}.run,
		"time":    wrapper{opt: options{flags: "apqvV", values: "fo", longFlags: "append portability quiet verbose", longValues: "format output"}}.run,
		"chroot":  wrapper{opt: options{longFlags: "skip-chdir", longValues: "userspec groups"}, operands: 1, moves: true}.run,
		"unshare": wrapper{opt: options{flags: "muipnUCTrcf", values: "RwSG", longFlags: "mount uts ipc net pid user cgroup time map-root-user map-current-user fork mount-proc kill-child"},
			moves: true}.run,
		"nsenter": wrapper{opt: options{flags: "aFmuinpUCTrwZe", values: "tSGW", longFlags: "all no-fork mount uts ipc net pid user cgroup time preserve-credentials", longValues: "target"},
			moves: true}.run,
		"setpriv": wrapper{opt: options{flags: "d", longFlags: "clear-groups keep-groups init-groups reset-env no-new-privs nnp dump",
			longValues: "reuid regid ruid euid rgid egid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile landlock-access landlock-rule seccomp-filter"}}.run,
		"strace": wrapper{opt: options{flags: "fqvxyitTrdDcCwnNZz", values: "eopPsaIOSubE", longFlags: "follow-forks", longValues: "trace output"}}.run,
		"ltrace": wrapper{opt: options{flags: "fiSrtTcCL", values: "eopslnuxaD"}}.run,
		"pkexec": wrapper{opt: options{longFlags: "disable-internal-agent keep-cwd", longValues: "user"}, moves: true}.run,
	}
	for _, name := range strings.Fields("bash sh dash ash ksh mksh zsh fish csh tcsh rbash") {
		runners[name] = runShell
	}
	initBuiltins()
	initWide()
}

// wrapper is a program that runs the command behind its options and operands.
type wrapper struct {
	opt      options
	operands int
	moves    bool // the command may run in another folder
}

func (r wrapper) run(c *call) {
	k, _, ok := r.opt.skip(c.Argv, 1)
	for i := 0; ok && i < r.operands && k < len(c.Argv); i++ {
		ok = !c.Argv[k].Many
		k++
	}
	if !ok {
		c.unsure("where the command that it runs begins is not known")
		return
	}
	st := c.st
	if r.moves {
		st = st.nowhere()
	}
	c.inner(k, st, nil)
}

func runUnknown(c *call) { c.unsure("what it runs is not taken apart") }

var envOptions = options{flags: "i0v", values: "uCSa", longFlags: "ignore-environment null debug list-signal-handling",
	longValues: "unset chdir split-string argv0 default-signal ignore-signal block-signal"}

func runEnv(c *call) {
	k, given, ok := envOptions.skip(c.Argv, 1)
	if !ok {
		c.unsure("its options are not known")
		return
	}
	if k < len(c.Argv) && c.Argv[k].Known && c.Argv[k].Text == "-" {
		k++
	}
	if split := get(given, "S", "split-string"); split != nil {
		c.splitEnv(split, k)
		return
	}
	st := c.st
	if get(given, "C", "chdir") != nil {
		st = st.nowhere()
	}
	k, assigns, ok := leading(c.Argv, k)
	if !ok {
		c.unsure("whether a word is an assignment or the command is not known")
		return
	}
	c.inner(k, st, func(p *Part) { p.Assigns = assigns })
}

// splitEnv is env -S: a text that env splits by itself. Only one without any
// quoting is taken apart.
func (c *call) splitEnv(split *found, k int) {
	if split.value == nil || !split.value.Known || strings.ContainsAny(split.value.Text, "\\\"'$#") {
		c.unsure("how it splits its text is not taken apart")
		return
	}
	words := []Word{{Text: "env", Known: true, Span: split.value.Span}}
	for _, field := range strings.Fields(split.value.Text) {
		words = append(words, Word{Text: field, Known: true, Span: split.value.Span})
	}
	p := c.part(Part{Argv: append(words, c.Argv[k:]...), Span: c.Part.Span, By: "env -S", Fed: c.Fed}, c.st)
	c.add(p, c.st)
}

// leading reads NAME=VALUE words. ok is false when a word may be one or not.
func leading(argv []Word, i int) (next int, assigns []Assign, ok bool) {
	for ; i < len(argv); i++ {
		text := argv[i].Prefix
		if argv[i].Known {
			text = argv[i].Text
		}
		at := strings.IndexByte(text, '=')
		switch {
		case at > 0:
			value := argv[i]
			value.Prefix = strings.TrimPrefix(value.Prefix, text[:at+1])
			if value.Known {
				value.Text = text[at+1:]
			}
			assigns = append(assigns, Assign{Name: text[:at], Value: value, Exported: true})
			if argv[i].Many {
				return i, assigns, false
			}
		case argv[i].Known:
			return i, assigns, true
		default:
			return i, assigns, false
		}
	}
	return i, assigns, true
}

var sudoOptions = options{flags: "ABbEHknPSis", values: "CDghpRrTtuU", longFlags: "askpass bell background preserve-env set-home reset-timestamp non-interactive preserve-groups stdin login shell",
	longValues: "close-from chdir group host prompt chroot role command-timeout type user other-user preserve-env"}

func runSudo(c *call) {
	k, given, ok := sudoOptions.skip(c.Argv, 1)
	var assigns []Assign
	if ok {
		k, assigns, ok = leading(c.Argv, k)
	}
	if !ok {
		c.unsure("where the command that it runs begins is not known")
		return
	}
	st := c.st
	if get(given, "D", "chdir", "R", "chroot", "i", "login") != nil {
		st = st.nowhere()
	}
	c.inner(k, st, func(p *Part) { p.Assigns = assigns })
}

// runSu is su and runuser: a script behind -c, or a command behind --.
func runSu(c *call) {
	for i, word := range c.Argv[1:] {
		switch text := word.Text; {
		case !word.Known:
			c.unsure("its arguments are not known")
			return
		case text == "--" && c.name == "runuser":
			c.inner(i+2, c.st.nowhere(), nil)
			return
		case text == "-c" || text == "--command" || text == "--session-command":
			if i+2 < len(c.Argv) {
				c.posixText(c.Argv[i+2], c.name+" -c", c.st.nowhere())
			}
			return
		case strings.HasPrefix(text, "-c") || strings.HasPrefix(text, "--c") || strings.HasPrefix(text, "--s"):
			c.unsure("its script is not taken apart")
			return
		}
	}
	if c.name == "runuser" {
		c.unsure("what it runs is not taken apart")
	}
}

// posixText takes a script apart for which no one knows which shell reads it.
func (c *call) posixText(text Word, by string, st state) {
	c.shellText(text, by, st.inherited(), func(s *source) { s.posix = true })
}

func runScript(c *call) {
	o := options{flags: "aefqV", values: "cEIOBTmto", longFlags: "append return flush force quiet", longValues: "command echo log-in log-out log-io log-timing logging-format output-limit timing"}
	_, given, ok := o.skip(c.Argv, 1)
	if !ok {
		c.unsure("its options are not known")
	} else if f := get(given, "c", "command"); f != nil && f.value != nil {
		c.posixText(*f.value, "script -c", c.st)
	}
}

func runFlock(c *call) {
	o := options{flags: "senuxoFv", values: "wEc", longFlags: "shared exclusive unlock nonblock nb close no-fork verbose", longValues: "timeout wait conflict-exit-code command"}
	k, given, ok := o.skip(c.Argv, 1)
	if ok && get(given, "c", "command") == nil {
		k++ // the file
		if k < len(c.Argv) && c.Argv[k].Known && (c.Argv[k].Text == "-c" || c.Argv[k].Text == "--command") && k+1 < len(c.Argv) {
			c.posixText(c.Argv[k+1], "flock -c", c.st)
			return
		}
		c.inner(k, c.st, nil)
		return
	}
	c.unsure("its options are not known")
}

var sshOptions = options{flags: "46AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOopPQRSWw"}

// runSSH takes the command for the other machine apart, as its shell would.
func runSSH(c *call) {
	k, _, ok := sshOptions.skip(c.Argv, 1)
	if ok && k < len(c.Argv) { // options may stand behind the host too
		k, _, ok = sshOptions.skip(c.Argv, k+1)
	}
	if !ok {
		c.unsure("its options are not known")
		return
	}
	if k >= len(c.Argv) {
		return
	}
	c.Remote = true
	c.posixText(joined(c.Argv[k:]), "ssh", c.st.nowhere())
}

func runWatch(c *call) {
	o := options{flags: "bcCdegtrwxhv", values: "nq", longFlags: "beep color no-color differences errexit chgexit no-title no-rerun precise no-wrap exec", longValues: "interval equexit"}
	k, given, ok := o.skip(c.Argv, 1)
	c.dirty = true // it runs again and again
	switch {
	case !ok:
		c.unsure("its options are not known")
	case get(given, "x", "exec") != nil:
		c.inner(k, c.st, nil)
	case k < len(c.Argv):
		c.posixText(joined(c.Argv[k:]), "watch", c.st)
	}
}

func runBusybox(c *call) {
	if len(c.Argv) > 1 && c.Argv[1].Known && strings.HasPrefix(c.Argv[1].Text, "-") {
		return // --list and its like run nothing
	}
	c.inner(1, c.st, nil)
}
