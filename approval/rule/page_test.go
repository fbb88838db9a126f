package rule

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updatePage = flag.Bool("update", false, "write docs/files.md from the tables")

const filesPreface = `<!-- Generated from the tables of approval/rule: go test ./approval/rule -run FilesPage -update -->
# Files that are not like others

Two kinds of files are asked about although the mode would let them pass. Which those are is told by their names, once as
they were asked for and once with links followed. A name in the tables is the end of a path; with ` + "`/`" + ` at its end it is a
folder and all that lies below it, with ` + "`/`" + ` at its beginning it starts at the root of the file system; ` + "`*`" + ` is anything within
a name. Case does not count, nor do the spellings that some file system takes for the same name (` + "`git~1`" + `, ` + "`.git.`" + `, characters
without width).

## Files that run code

To write one is to run a command later, without anyone asking for it. Whoever puts another folder in the place of one
(` + "`.github`" + `) has written what is in it. Such a write asks in every mode that allows one, by
whatever tool; no yes is remembered for it, and without a person it is denied. Only a rule of your own that names the very file allows it.

Of a command that is what it visibly writes: redirections, what it names to be written, copied, moved or unpacked, and what follows from
its words (` + "`sed 'w x'`, `curl -O`, `git restore x`" + `, a patch in a document, a link made on the same line). What a program of its own does
cannot be seen, nor what is in an archive: the sandbox is there for that.

A change of ` + "`package.json`" + ` or ` + "`composer.json`" + ` that is seen to touch only what describes the package, or the versions of published
packages that it needs, is a change like any other.

What a command reads that somebody names is not listed (` + "`Makefile`, `build.rs`, `setup.py`, `conftest.py`" + `, the settings of a
linter): who lets that command run lets it run what it reads.

`

const secretsPreface = `
## Files that hold secrets

To read one asks in every mode but ` + "`allow-all`" + `, and so does to edit one, since the question shows what it holds. What you put into a prompt
yourself is yours to show. A name alone does not tell: an example beside a secret (` + "`.env.example`" + `) is left out, and what is
listed without need costs one question.

`

const ignorePage = `
## ` + "`.drawbridgeignore`" + `

Which files of a workspace are asked about besides, a file of this name says, in any folder of it, in the syntax of
` + "`.gitignore`" + `: what git would ignore by its lines is not read without a question. Nothing below a folder that is named can be
taken out again, and where the file cannot be read, all that lies in its folder is asked about. It counts as it is on the disk, from the next call
on. It only adds questions; and to change it is asked about, since it steers what the agent may read.
`

func filesPage() string {
	return filesPreface + pageTable("runs code", runsCode) + secretsPreface + pageTable("holds", holdsSecrets) + ignorePage
}

func pageTable(head string, rows []fileRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| about | names | %s: |\n|---|---|---|\n", head)
	for _, row := range rows {
		names := "`" + strings.Join(row.names, "` `") + "`"
		if len(row.but) > 0 {
			names += "; but not `" + strings.Join(row.but, "` `") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.group, names, row.why)
	}
	return b.String()
}

func TestFilesPageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "files.md")
	if *updatePage {
		if err := os.WriteFile(path, []byte(filesPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || string(page) != filesPage() {
		t.Errorf("%s is stale (%v); run: go test ./approval/rule -run FilesPage -update", path, err)
	}
}
