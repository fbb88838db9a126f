package rule

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// git writes what its subcommands say, in the folder of -C.
func (e *effects) git() {
	var dir command.Word
	sub := ""
	for i := 0; i < len(e.words) && sub == ""; i++ {
		switch text := begins(e.words[i]); {
		case text == "-C" || text == "--work-tree":
			if i++; i < len(e.words) {
				dir = below(dir, e.words[i])
			}
		case text == "-c" || text == "--git-dir" || text == "--namespace" || text == "--config-env":
			i++
		case strings.HasPrefix(text, "--work-tree="):
			dir = below(dir, tail(e.words[i], len("--work-tree=")))
		case !strings.HasPrefix(text, "-"):
			sub, e.words = text, e.words[i+1:]
		}
	}
	e.gitWrites(sub)
	if dir.Text == "" {
		return
	}
	for i, w := range e.found {
		e.found[i] = below(dir, w)
	}
}

// below is a word within the folder that another one names.
func below(dir, w command.Word) command.Word {
	if dir.Text == "" || strings.HasPrefix(begins(w), "/") || strings.HasPrefix(begins(w), "~") {
		return w
	}
	w.Known = w.Known && dir.Known
	w.Text, w.Prefix = dir.Text+"/"+w.Text, ""
	return w
}

func (e *effects) gitWrites(sub string) {
	ops := e.operands("-b -B -c -s --source -m --message --orphan --depth --branch -o --origin --reference --template -j --jobs --conflict --pathspec-from-file")
	first := ""
	if len(ops) > 0 {
		first = begins(ops[0])
	}
	switch sub {
	case "archive", "format-patch", "diff", "log", "show":
		e.write(e.values("--output", "--output-directory")...)
		if sub == "archive" || sub == "format-patch" {
			e.write(e.values("-o")...)
		}
	case "clone":
		e.cloned(ops)
	case "bundle":
		e.write(ops[min(1, len(ops)):]...)
	case "worktree":
		if first == "add" || first == "move" {
			e.write(ops[1:]...)
		}
	case "submodule":
		if first == "add" {
			e.writeNames(".gitmodules")
			e.write(ops[1:]...)
		}
	case "lfs":
		if first == "track" || first == "untrack" {
			e.writeNames(".gitattributes")
		} else if first == "install" || first == "update" {
			e.writeNames(".git/hooks")
		}
	case "checkout", "rm":
		e.write(ops...)
	case "restore":
		if !e.has("-S", "--staged") || e.has("-W", "--worktree") {
			e.write(ops...)
		}
	case "mv":
		e.name = "mv"
		e.write(ops...)
		e.copies()
	case "config":
		e.gitConfig(ops)
	case "init":
		e.write(ops...)
	case "apply", "am":
		e.write(e.values("--directory")...)
		e.patch()
	}
}

// cloned is the folder that a clone is made in.
func (e *effects) cloned(ops []command.Word) {
	switch {
	case len(ops) > 1:
		e.write(ops[1])
	case len(ops) == 1 && ops[0].Known:
		name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(ops[0].Text, "/"), "/.git"), ".git")
		e.writeNames(path.Base(name[strings.LastIndexByte(name, ':')+1:]))
	}
}

// mildSettings are those of git that run nothing and lead nowhere.
var mildSettings = regexp.MustCompile(`^(?i:user\.(name|email)|init\.defaultbranch|pull\.(rebase|ff)|push\.default|(color|advice)\.[a-z]+|core\.(autocrlf|eol|filemode|ignorecase|quotepath|longpaths))$`)

// gitConfig writes settings, some of which name programs that git runs.
func (e *effects) gitConfig(ops []command.Word) {
	verbs := []string{"set", "unset", "rename-section", "remove-section", "edit"}
	changes := e.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section", "--edit") || slices.ContainsFunc(e.words, func(w command.Word) bool { return begins(w) == "-e" })
	files := append(e.values("--file"), e.values("-f")...)
	if len(files) > 0 {
		ops = slices.DeleteFunc(ops, func(w command.Word) bool { return w.Text == files[0].Text && w.Span == files[0].Span })
	}
	if len(ops) > 0 && slices.Contains(verbs, begins(ops[0])) {
		changes, ops = true, ops[1:]
	} else if len(ops) > 0 && (begins(ops[0]) == "get" || begins(ops[0]) == "list" || begins(ops[0]) == "get-color") {
		return
	}
	reads := slices.ContainsFunc(e.words, func(w command.Word) bool {
		return strings.HasPrefix(begins(w), "--get") || begins(w) == "--list" || begins(w) == "-l"
	})
	if !changes && (reads || len(ops) < 2) || len(ops) > 0 && ops[0].Known && mildSettings.MatchString(ops[0].Text) && len(files) == 0 {
		return
	}
	switch {
	case len(files) > 0:
		e.write(files...)
	case e.has("--global"):
		e.writeNames("~/.gitconfig")
	case e.has("--system"):
		e.writeNames("/etc/gitconfig")
	default:
		e.writeNames(".git/config")
	}
}

// headers name the files of a patch.
var headers = regexp.MustCompile(`(?:^|[\n'"])(?:\+\+\+ |--- |rename to |copy to |Index: |\*\*\* (?:Add|Update|Delete) File: |\*\*\* )"?([^\t\n'"]+)`)

// patch writes the files that a patch in the script's text names, with and
// without their first folder, which most patches have for a mark.
func (e *effects) patch() {
	text := e.judge.script.Text
	if e.judge.patched && !e.has("-d", "--directory") && !strings.Contains(text, "--directory=") {
		return // the same names, again
	}
	e.judge.patched = true
	if !strings.Contains(text, "+++ ") && !strings.Contains(text, "*** ") && !strings.Contains(text, "rename to ") && !strings.Contains(text, "Index: ") {
		return
	}
	dirs := append(e.values("-d", "--directory"), command.Word{})
	for _, m := range headers.FindAllStringSubmatch(strings.ReplaceAll(text, `\n`, "\n"), 1024) {
		name := strings.TrimSpace(m[1])
		_, inner, _ := strings.Cut(name, "/")
		for _, dir := range dirs {
			for _, name := range []string{name, inner} {
				if name != "" && !strings.HasPrefix("/"+name, "/dev/") && name != "dev/null" && name != "null" {
					e.write(within(dir, name))
				}
			}
		}
	}
}
