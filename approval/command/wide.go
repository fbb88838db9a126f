package command

import "strings"

// More programs that run other commands. What is not in their tables of options
// is doubted.

// wide are plain wrappers beside those of wrap.go.
var wide = map[string]wrapper{
	"linux32 linux64 i386 i486 i586 i686 x86_64 uname26": {opt: personality},
	"numactl": {opt: options{flags: "sHalb", values: "imNCpPwfoLSFWM", longFlags: "show hardware localalloc all balancing",
		longValues: "interleave membind cpunodebind physcpubind preferred preferred-many weighted-interleave"}},
	"cgexec":                   {opt: options{values: "g", longFlags: "sticky"}},
	"firejail":                 {opt: options{anyLong: true}, moves: true},
	"torsocks torify":          {opt: options{flags: "iqd", values: "uaP", longFlags: "isolate quiet debug", longValues: "user pass address port"}},
	"proxychains proxychains4": {opt: options{flags: "q", values: "f"}},
	"unbuffer":                 {opt: options{flags: "p"}},
	"rlwrap":                   {opt: options{flags: "AacEiImnNorRvwWX1", values: "bCDfgHlOPqSstz", anyLong: true}},
	"faketime":                 {opt: options{flags: "fm", values: "p", longFlags: "exclude-monotonic", longValues: "date-prog"}, operands: 1},
	"fakeroot":                 {opt: options{flags: "u", values: "lisbf", longFlags: "unknown-is-real", longValues: "lib faked"}},
	"choom":                    {opt: options{values: "np", longValues: "adjust pid"}},
	"dbus-run-session":         {opt: options{longValues: "config-file dbus-daemon"}},
	"dbus-launch":              {opt: options{longFlags: "exit-with-session exit-with-x11 sh-syntax csh-syntax auto-syntax binary-syntax close-stderr", longValues: "autolaunch config-file"}},
	"xvfb-run": {opt: options{flags: "al", values: "efnpsw", longFlags: "auto-servernum auto-display listen-tcp",
		longValues: "auth-file error-file server-num server-args xauth-protocol wait"}},
	"systemd-run": {opt: options{flags: "dPtqGSr", values: "upEHM", longFlags: "user system scope no-block remain-after-exit wait pty pipe quiet collect shell send-sighup same-dir no-ask-password slice-inherit",
		longValues: "unit property description slice uid gid nice working-directory setenv service-type on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property path-property socket-property host machine expand-environment"},
		moves: true},
	"systemd-inhibit":     {opt: options{longFlags: "no-pager no-legend list", longValues: "what who why mode"}},
	"eatmydata catchsegv": {},
	"gosu su-exec":        {operands: 1},
	"tini dumb-init":      {opt: options{flags: "svgc", values: "pe"}},
	"valgrind":            {opt: options{flags: "qv", anyLong: true}},
	"sshpass":             {opt: options{flags: "eVv", values: "pfdP"}},
	"entr":                {opt: options{flags: "acdnprsxz"}},
	"capsh":               {opt: options{anyLong: true}},
	"softlimit chpst":     {opt: options{flags: "vP012", values: "uUbe/nlLmdofcrtpsa"}},
	"setuidgid envuidgid": {operands: 1},
	"caffeinate":          {opt: options{flags: "disum", values: "tw"}},
	"ld.so":               {opt: loader},
}

var (
	personality = options{flags: "BFILRSTXZv3", longFlags: "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts " +
		"read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose"}
	loader = options{longFlags: "list verify inhibit-cache", longValues: "library-path inhibit-rpath audit preload argv0 glibc-hwcaps-prepend glibc-hwcaps-mask"}
)

func initWide() {
	for names, r := range wide {
		for _, name := range strings.Fields(names) {
			runners[name] = r.run
		}
	}
	for name, run := range map[string]func(*call){
		"setarch": runSetarch, "prlimit": runPrlimit, "bwrap": runBwrap, "start-stop-daemon": runDaemon, "tmux": runTmux, "screen": runScreen,
		"at": runAt, "batch": runAt, "hyperfine": runTexts, "npx": runNpx, "bunx": runNpx, "pnpx": runNpx, "npm": runNpm, "pnpm": runNpm,
	} {
		runners[name] = run
	}
}

// loads says that a program is the loader of others: ld-linux-x86-64.so.2.
func loads(base string) bool {
	return strings.HasPrefix(base, "ld") && strings.Contains(base, ".so") && !strings.HasPrefix(base, "ldd") || strings.HasPrefix(base, "ld-musl-")
}

func runSetarch(c *call) {
	k := 1
	if k < len(c.Argv) && !c.Argv[k].Flag() { // the name of a machine comes first
		k++
	}
	k, _, ok := personality.skip(c.Argv, k)
	c.begin(k, ok)
}

// begin takes the command apart that begins at the word k, as far as that is
// certain.
func (c *call) begin(k int, ok bool) {
	if !ok {
		c.unsure("where the command that it runs begins is not known")
		return
	}
	if k < len(c.Argv) {
		c.inner(k, c.st, nil)
	}
}

// runPrlimit skips limits, whose values stand in the same word.
func runPrlimit(c *call) {
	k := 1
	for k < len(c.Argv) && c.Argv[k].Known && strings.HasPrefix(c.Argv[k].Text, "-") {
		k++
		switch c.Argv[k-1].Text {
		case "--":
			c.begin(k, true)
			return
		case "-p", "--pid", "-o", "--output":
			k++
		}
	}
	c.begin(k, k >= len(c.Argv) || c.Argv[k].Known)
}

// bwrapValues says how many words follow an option of bwrap, when it is not one.
var bwrapValues = map[string]int{}

func init() {
	for n, names := range []string{
		"unshare-all unshare-user unshare-user-try unshare-ipc unshare-pid unshare-net unshare-uts unshare-cgroup unshare-cgroup-try share-net die-with-parent new-session as-pid-1 clearenv disable-userns assert-userns-disabled",
		"",
		"bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try symlink setenv file bind-data ro-bind-data chmod",
		"overlay",
	} {
		for _, name := range strings.Fields(names) {
			bwrapValues["--"+name] = n
		}
	}
}

func runBwrap(c *call) {
	k := 1
	for k < len(c.Argv) && c.Argv[k].Known && strings.HasPrefix(c.Argv[k].Text, "-") {
		n, listed := bwrapValues[c.Argv[k].Text]
		if !listed && c.Argv[k].Text != "--" {
			n = 1
		}
		for _, word := range c.Argv[k:min(k+n+1, len(c.Argv))] {
			if word.Many {
				c.begin(0, false)
				return
			}
		}
		k += n + 1
	}
	c.unsure("what it runs sees other files")
	c.begin(k, k >= len(c.Argv) || c.Argv[k].Known)
}

// runDaemon is start-stop-daemon: the program stands behind --exec or --startas,
// its arguments behind --.
func runDaemon(c *call) {
	var argv []Word
	for i := 1; i < len(c.Argv); i++ {
		word := c.Argv[i]
		name, value, has := strings.Cut(word.Text, "=")
		switch {
		case !word.Known && word.Flag():
			c.unsure("its options are not known")
			return
		case word.Text == "--":
			argv, i = append(argv, c.Argv[i+1:]...), len(c.Argv)
		case name != "-x" && name != "--exec" && name != "-a" && name != "--startas":
		case has:
			word.Text = value
			argv = []Word{word}
		case i+1 < len(c.Argv):
			argv = []Word{c.Argv[i+1]}
		}
	}
	c.command(argv, "start-stop-daemon")
}

// command adds a command that this one puts together.
func (c *call) command(argv []Word, by string) {
	if len(argv) > 0 {
		c.add(c.part(Part{Argv: argv, Span: spanOf(argv, c.Part.Span), By: by, Fed: c.Fed, Remote: c.Remote}, c.st), c.st)
	}
}

// runTexts takes each word that is no option for a script.
func runTexts(c *call) {
	c.unsure("its options are not taken apart")
	for _, word := range c.Argv[1:] {
		if !word.Flag() && strings.ContainsAny(word.Text, " \t\n;") {
			c.posixText(word, c.name, c.st)
		}
	}
}

// tmuxRuns are the commands of tmux behind whose options a script stands.
var tmuxRuns = set("new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell if if-shell pipep pipe-pane popup display-popup send send-keys")

// runTmux takes for a script whatever it may run: one word, or all that follow
// the options.
func runTmux(c *call) {
	for i, word := range c.Argv[1:] {
		if !word.Known {
			c.unsure("what it runs is not known until it runs")
			return
		}
		if tmuxRuns[word.Text] {
			c.unsure("its options are not taken apart")
			c.tail(i+2, "acdefFhIlnsStTxy")
			return
		}
	}
}

func runScreen(c *call) {
	if len(c.Argv) > 1 {
		c.unsure("its options are not taken apart")
		c.tail(1, "cehpsStT")
	}
}

// tail takes what stands behind options for a command, and a single word for a
// script. values are the letters that take the next word.
func (c *call) tail(k int, values string) {
	for k < len(c.Argv) && strings.HasPrefix(c.Argv[k].Text, "-") {
		text := c.Argv[k].Text
		if k++; len(text) > 1 && strings.IndexByte(values, text[len(text)-1]) >= 0 && !strings.HasSuffix(text, "d") {
			k++
		}
	}
	switch {
	case k+1 == len(c.Argv):
		c.posixText(c.Argv[k], c.name, c.st)
	case k < len(c.Argv):
		c.command(c.Argv[k:], c.name)
	}
}

// runAt reads a script that runs later.
func runAt(c *call) {
	switch {
	case c.doc != nil && c.doc.Known:
		c.posixText(*c.doc, c.name, c.st.nowhere())
	case c.Piped || c.doc != nil:
		c.unsure("it runs what it reads")
		if c.st.feed != nil {
			c.posixText(*c.st.feed, c.name, c.st.nowhere())
		}
	}
}

var npxOptions = options{flags: "yq", values: "pcw", longFlags: "yes no quiet no-install ignore-existing workspaces include-workspace-root prefer-online prefer-offline offline silent",
	longValues: "package call workspace loglevel"}

// runNpx runs a program of a package, or a script behind -c.
func runNpx(c *call) { c.npx(1) }

func (c *call) npx(k int) {
	k, given, ok := npxOptions.skip(c.Argv, k)
	if !ok {
		c.unsure("where the command that it runs begins is not known")
		return
	}
	if f := get(given, "c", "call"); f != nil && f.value != nil {
		c.posixText(*f.value, c.name+" -c", c.st)
		return
	}
	c.begin(k, true)
}

// runNpm is npm exec and its other names.
func runNpm(c *call) {
	for i, word := range c.Argv[1:] {
		switch {
		case !word.Known:
			return
		case strings.HasPrefix(word.Text, "-"):
		case word.Text == "exec" || word.Text == "x" || word.Text == "dlx":
			c.npx(i + 2)
			return
		default:
			return
		}
	}
}
