package rule

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"drawbridge/approval/command"
)

// finding has a finder for each program that has effects to be found, made when
// it is first needed: it does not change.
var finding = sync.OnceValue(func() finders {
	f := finders{}
	f.named("sed gsed", (*effects).sed).named("awk gawk mawk nawk", (*effects).awk)
	f.named("find gfind", (*effects).findNames).named("time strace ltrace gtime", (*effects).outputs).named("script logsave", func(e *effects) { e.write(e.operands("-c -o")...) })
	f.named("vi vim nvim nano emacs pico micro", func(e *effects) { e.write(e.operands("-c --cmd -S -u -l -f --eval")...) })
	f.named("pre-commit lefthook husky mise", (*effects).hooks).named("ssh-keygen", func(e *effects) { e.write(e.values("-f")...) })
	f.named("hg svn", func(e *effects) { e.third("clone", "checkout", "co", "export") }).named("docker podman kubectl", func(e *effects) { e.third("cp") })
	f.named("uniq", func(e *effects) { e.second("-f -s -w") }).named("xxd", func(e *effects) { e.second("-c -g -l -o -s") })
	f.named("cp mv install ln link rsync scp gcp gmv", (*effects).copies).named("git", (*effects).git).named("patch", (*effects).patch)
	f.named("gunzip bunzip2 unxz unlzma unzstd uncompress unlz4 gzip bzip2 xz lzma zstd lz4", (*effects).unpacked)
	f.named("openssl", func(e *effects) { e.write(e.values("-out", "-keyout", "-writerand")...) })
	f.named("7z 7za 7zr 7zz", (*effects).sevenZip).named("tar bsdtar gtar", (*effects).tar).named("unzip", (*effects).unzip)
	f.named("zip", func(e *effects) { e.writeFirst(e.operands("-b -i -n -t -x")) })
	f.named("csplit", func(e *effects) { e.write(append(e.values("--prefix"), e.cluster("f")...)...) })
	f.named("tee touch truncate rm unlink chmod chown shred sponge", (*effects).open)
	f.named("mkfifo mknod", func(e *effects) { e.write(e.operands("-m --mode")...) })
	f.named("curl", (*effects).curl).named("wget", (*effects).wget).named("crontab", (*effects).crontab)
	f.named("npm pnpm yarn bun", (*effects).packages).named("python python2 python3", (*effects).jsonTool).named("node nodejs ruby perl php bun deno", (*effects).inline)
	f.named("yq", func(e *effects) { e.rewrites(e.has("-i", "--inplace"), "") })
	f.named("prettier", func(e *effects) { e.rewrites(e.has("-w", "--write"), "--config") })
	f.named("eslint biome ruff stylelint", func(e *effects) { e.rewrites(e.has("--fix", "--write", "--apply"), "-c --config") })
	f.named("shfmt gofmt goimports gofumpt dprint", func(e *effects) { e.rewrites(e.has("-w", "--write"), "") })
	f.named("clang-format autopep8 sd", func(e *effects) { e.rewrites(e.has("-i", "--in-place") || e.name == "sd", "") })
	f.named("black isort dos2unix unix2dos rustfmt", func(e *effects) { e.rewrites(!e.has("--check", "--diff", "--check-only", "-c"), "--config") })
	return f
})

// outputs are the values of flags that name a file to write, as most programs
// have them.
func (e *effects) outputs() {
	e.write(e.values("-o", "--output", "--out", "-out", "--output-file", "--outfile", "--out-file", "--output-dir", "--outdir", "--out-dir", "--dest")...)
}

// open are operands that are known only when it runs; the others are told by the
// tables.
func (e *effects) open() {
	for _, w := range e.operands("") {
		if !w.Known {
			e.write(w)
		}
	}
}

// findNames writes what it prints into; and what it looks for by name, where that
// is removed or changed in its place.
func (e *effects) findNames() {
	e.write(e.values("-fprint", "-fprint0", "-fls", "-fprintf")...)
	changes := e.has("-delete")
	runs := &effects{words: e.part.Argv} // with those of the commands that it runs
	for _, w := range runs.values("-exec", "-execdir", "-ok", "-okdir") {
		changes = changes || slices.Contains([]string{"sed", "perl", "rm", "mv", "tee", "truncate", "touch", "chmod", "ruby"}, baseName(begins(w)))
	}
	if !changes {
		return
	}
	for _, w := range e.values("-name", "-iname", "-path", "-wholename") {
		if w.Known && RunsCode(w.Text) != "" {
			e.writeNames(strings.TrimLeft(w.Text, "*/"))
		}
	}
}

// third is the word behind what is copied, where a subcommand copies.
func (e *effects) third(subs ...string) {
	if ops := e.operands("-r -b -n -c --namespace"); len(ops) > 2 && slices.Contains(subs, begins(ops[0])) {
		e.write(ops[2])
	}
}

// hooks are put where git, or a shell, runs them.
func (e *effects) hooks() {
	where := map[string]string{"pre-commit": ".git/hooks", "lefthook": ".git/hooks", "husky": ".husky", "mise": "mise.toml"}
	if ops := e.operands(""); len(ops) > 0 && slices.Contains([]string{"install", "init", "add", "set", "use", "autoupdate", "uninstall"}, begins(ops[0])) && (e.name != "mise" || begins(ops[0]) != "install") {
		e.writeNames(where[e.name])
	}
}

func (e *effects) second(valued string) {
	if ops := e.operands(valued); len(ops) > 1 {
		e.write(ops[1])
	}
}

func (e *effects) writeFirst(ops []command.Word) {
	if len(ops) > 0 {
		e.write(ops[0])
	}
}

// rewrites is a program that changes the files that it is given, where it does.
func (e *effects) rewrites(does bool, valued string) {
	if does {
		e.write(e.operands(valued)...)
	}
}

// scriptTexts are the texts that sed or awk run.
func (e *effects) scriptTexts(valued string, of ...command.Word) (all []command.Word) {
	if all = of; len(all) == 0 {
		if ops := e.operands(valued); len(ops) > 0 {
			all = ops[:1]
		}
	}
	return all
}

// sed writes what stands behind w or W, up to the end of the line.
func (e *effects) sed() {
	for _, w := range e.scriptTexts("-f --file -l --line-length", append(e.cluster("e"), e.values("--expression")...)...) {
		if !w.Known || plainSed(w.Text) {
			continue
		}
		for line := range strings.SplitSeq(w.Text, "\n") {
			for k := range len(line) {
				if (line[k] == 'w' || line[k] == 'W') && k+1 < len(line) {
					e.writeNames(strings.TrimSpace(line[k+1:]))
				}
			}
		}
	}
}

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// awk writes what stands in quotes behind >, or what a variable holds: where it
// writes at all, any of them may be it.
func (e *effects) awk() {
	valued := "-v -F -f -i -l --assign --field-separator --file --include"
	writes := false
	for _, w := range e.scriptTexts(valued, e.values("-e", "--source")...) {
		if !w.Known || !strings.ContainsAny(w.Text, ">|") && !strings.Contains(w.Text, "system") {
			continue
		}
		writes = true
		for _, m := range quoted.FindAllStringSubmatch(w.Text, most) {
			e.writeNames(strings.Fields(m[1])...)
		}
	}
	ops := e.operands(valued)
	if slices.ContainsFunc(e.values("-i", "--include"), func(w command.Word) bool { return begins(w) == "inplace" }) {
		e.write(ops...)
	}
	for _, w := range append(e.values("-v", "--assign"), ops...) {
		if _, value, ok := strings.Cut(w.Text, "="); ok && writes && w.Known {
			e.writeNames(value)
		}
	}
}

// copied are what is copied, moved or linked, and where to: a folder, or the
// name of the copy.
func (e *effects) copied() (from []command.Word, to command.Word) {
	valued := map[string]string{
		"install": "-m -o -g -S --mode --owner --group -t --target-directory", "rsync": "-e --rsh --exclude --include --filter -f --exclude-from --include-from",
		"scp": "-i -P -o -F -c -l -J -S",
	}[e.name]
	if valued == "" {
		valued = "-S --suffix -t --target-directory"
	}
	from = e.operands(valued)
	if e.name != "rsync" && e.name != "scp" {
		into := e.values("--target-directory", "--target-director", "--target-dir", "--target", "--targ", "--t")
		if into = append(into, e.cluster("t")...); len(into) > 0 {
			to = into[0]
			return slices.DeleteFunc(from, func(w command.Word) bool { return w.Text == to.Text && w.Span == to.Span }), within(to, "")
		}
	}
	switch n := len(from); {
	case n > 1:
		return from[:n-1], from[n-1]
	case n == 1 && e.name == "ln":
		return from, command.Word{Text: "./", Known: true}
	}
	return nil, to
}

// copies are written by the names of what is copied, where that is into a
// folder, and with all that lies below.
func (e *effects) copies() {
	from, to := e.copied()
	if len(from) == 0 || strings.Contains(to.Text, ":") && (e.name == "scp" || e.name == "rsync") {
		return
	}
	e.write(to)
	into := e.name != "ln" || strings.HasSuffix(to.Text, "/") || strings.HasSuffix(to.Text, ".") && lastName(to) == "" || len(from) > 1
	deep := e.name == "mv" || e.name == "ln" || e.has("-r", "-R", "-a", "--recursive", "--archive")
	for _, w := range from {
		base := lastName(w)
		if into && base != "" && !(e.name == "rsync" && strings.HasSuffix(w.Text, "/")) {
			at := within(to, base)
			at.Known = at.Known && (w.Known || !strings.ContainsAny(base, "*?["))
			e.write(at)
		}
		if deep {
			e.below(w, to, base)
		}
	}
}

// below writes what a folder that is copied holds, as far as it runs code.
func (e *effects) below(from, to command.Word, base string) {
	if !from.Known || e.part.Dir == "" {
		return
	}
	if e.judge.looks++; e.judge.looks > mostLooks {
		e.over = true
		return
	}
	folder := strings.TrimSuffix(from.Text, "/")
	for _, pattern := range []string{"/*", "/.[!.]*", "/*/*", "/*/.[!.]*", "/.[!.]*/*", "/.[!.]*/*/*"} {
		names, _ := e.judge.world.Glob(e.part.Dir, escapeGlob(folder)+pattern)
		for _, name := range names {
			rel := strings.TrimPrefix(strings.TrimPrefix(name, folder), "/")
			if RunsCode(rel) != "" && base != "" {
				e.write(within(to, base+"/"+rel))
			}
			if RunsCode(rel) != "" || RunsCode(begins(to)+"/"+rel) != "" {
				e.write(within(to, rel))
			}
		}
	}
}

// unpacked is a file without what its name ends in.
func (e *effects) unpacked() {
	packs := slices.Contains([]string{"gzip", "bzip2", "xz", "lzma", "zstd", "lz4"}, e.name)
	e.write(e.values("-o")...)
	if e.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list") || packs && !e.has("-d", "--decompress", "--uncompress") {
		return
	}
	for _, w := range e.operands("-S --suffix -o") {
		if end := path.Ext(w.Text); end != "" && w.Known {
			e.writeNames(strings.TrimSuffix(w.Text, end))
		}
	}
}

// sevenZip writes into the folder of -o.
func (e *effects) sevenZip() {
	ops := e.operands("")
	e.write(e.values("-o")...)
	if len(ops) > 2 && (ops[0].Text == "x" || ops[0].Text == "e") {
		e.write(ops[2:]...)
	}
}

// tar writes an archive, or those of its files that are named.
func (e *effects) tar() {
	if len(e.words) == 0 {
		return
	}
	mode := begins(e.words[0])
	old := !strings.HasPrefix(mode, "-")
	makes := e.has("-c", "-r", "-u", "--create", "--append", "--update") || old && strings.ContainsAny(mode, "cru")
	takes := e.has("-x", "--extract", "--get") || old && strings.Contains(mode, "x")
	e.write(e.values("-C", "--directory")...)
	archive := append(e.cluster("f"), e.values("--file")...)
	ops := e.operands("-f --file -C --directory -T -X --exclude")
	if old {
		archive, ops = append(archive, e.words[1:min(2, len(e.words))]...), ops[min(2, len(ops)):]
	}
	switch {
	case makes:
		e.write(archive...)
	case takes:
		for _, dir := range append(e.values("-C", "--directory"), command.Word{}) {
			for _, w := range ops {
				if w.Known {
					e.write(within(dir, w.Text))
				}
			}
		}
	}
}

// unzip writes the files that are named behind the archive.
func (e *effects) unzip() {
	if ops := e.operands("-d -x -P"); len(ops) > 1 && !e.has("-l", "-t", "-p", "-v", "-Z", "-z") {
		e.write(ops[1:]...)
	}
	e.write(e.cluster("d")...)
}

// fetched is the name that a file of the network is given, in a folder.
func (e *effects) fetched(dirs []command.Word, valued string) {
	for _, w := range e.operands(valued) {
		name, _, _ := strings.Cut(w.Text, "#")
		name, _, _ = strings.Cut(name, "?")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = path.Base(name); !w.Known || name == "/" || name == "." {
			continue
		}
		e.writeNames(name)
		for _, dir := range dirs {
			e.write(within(dir, name))
		}
	}
}

func (e *effects) curl() {
	e.write(e.cluster("o")...)
	e.write(e.cluster("D")...)
	e.write(e.cluster("c")...)
	e.write(e.values("--output", "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--etag-save", "--hsts", "--alt-svc", "--libcurl")...)
	dirs := e.values("--output-dir")
	for _, dir := range dirs {
		for _, w := range append(e.cluster("o"), e.values("--output")...) {
			e.write(within(dir, w.Text))
		}
	}
	if e.has("-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name") {
		e.fetched(dirs, "-H --header -A --user-agent -e --referer -d --data -X --request -u --user -x --proxy -o --output --output-dir -m --max-time --retry")
	}
}

func (e *effects) wget() {
	e.write(e.cluster("O")...)
	e.write(e.cluster("P")...)
	e.write(e.values("-o", "-a", "--output-document", "--output-file", "--append-output", "--directory-prefix", "--save-cookies", "--warc-file")...)
	if len(e.values("--output-document"))+len(e.cluster("O")) == 0 && !e.has("--spider") {
		e.fetched(append(e.cluster("P"), e.values("--directory-prefix")...), "-o -a -U --user-agent --header -t -T -w -i -e")
	}
}

// crontab changes a person's table of jobs.
func (e *effects) crontab() {
	if !e.has("-l") {
		e.writeNames("/var/spool/cron/" + "crontab")
	}
}

// packages are subcommands that write what describes a package, its scripts, or
// the settings of the program.
func (e *effects) packages() {
	ops := e.operands("--prefix -C --dir --cwd")
	if len(ops) == 0 {
		return
	}
	next := ""
	if len(ops) > 1 {
		next = begins(ops[1])
	}
	switch sub := begins(ops[0]); {
	case sub == "init", sub == "create", sub == "innit", sub == "set-script", sub == "pkg" && next != "get":
		for _, dir := range append(e.values("--prefix", "-C", "--dir", "--cwd"), command.Word{}) {
			e.write(within(dir, "package.json"))
		}
	case (sub == "config" || sub == "c") && slices.Contains([]string{"set", "delete", "unset", "edit", "rm", "fix"}, next), sub == "set":
		e.writeNames(".npmrc", ".yarnrc.yml")
	}
}

var (
	codeWrites  = regexp.MustCompile(`(?i)write|put_contents|append|rename|copy|symlink|unlink|remove|replace|dump|['"](w|a|x|wb|ab|w\+|a\+|r\+|>|>>)['"]`)
	codeStrings = regexp.MustCompile("[\"'`]([^\"'`\n]{1,200})[\"'`]")
)

// inline is code in the words of an interpreter, or in a document of the script:
// where it writes at all, any file that runs code and that it names may be
// written.
func (e *effects) inline() {
	var texts []string
	for _, w := range append(e.cluster("c"), slices.Concat(e.cluster("e"), e.cluster("r"), e.cluster("p"), e.values("--eval", "--print"))...) {
		texts = append(texts, w.Text)
	}
	if e.part.Piped && !e.judge.scanned {
		e.judge.scanned = true // once: it is the same text for all
		texts = append(texts, e.judge.script.Text)
	}
	for _, text := range texts {
		if !codeWrites.MatchString(text) {
			continue
		}
		for _, m := range codeStrings.FindAllStringSubmatch(text, 1024) {
			if RunsCode(m[1]) != "" {
				e.writeNames(m[1])
			}
		}
	}
}

// jsonTool writes its second file.
func (e *effects) jsonTool() {
	e.inline()
	if ops := e.operands("-m -W -X --indent"); len(ops) > 1 && slices.ContainsFunc(e.values("-m"), func(w command.Word) bool { return begins(w) == "json.tool" }) {
		e.write(ops[1])
	}
}
