package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A session that an editor has open is shown at a command line, and rewound by
// nobody else. When it is closed the person is asked, may look first, and what
// is no word for yes is no.
func TestAPersonRewindsASession(t *testing.T) {
	t.Parallel()
	e := serve(t)
	e.handshake(os.Getpid())
	s := e.open("auto-edit", `call c1 write_file {"file_path":"a.txt","content":"new\n"}`+"\n----\ntext \"Done.\"")
	if got := e.stopReason(e.prompt(s, "make it")); got != "endTurn" {
		t.Fatal(got)
	}
	rewind := func(flags ...string) string {
		cmd := exec.Command("drawbridge", append([]string{"rewind"}, flags...)...)
		cmd.Dir = e.work
		cmd.Env = slices.Concat(hermetic(e.home), []string{"PATH=" + os.Getenv("PATH")})
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for flags, want := range map[string]string{
		"--list":    "k1   t1   now       1 file   make it\n",
		"--dry-run": "remove    a.txt (+0 −1)\n",
		"--yes":     "; rewind it there, or close it; --list and --dry-run show it here\n",
	} {
		if got := rewind(flags); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", flags, got, want)
		}
	}
	if got := e.content("a.txt"); got != "new\n" {
		t.Errorf("the file holds %q", got)
	}
	e.shutDown()

	p := sitAtHome(t, e.home, e.work, "rewind")
	p.sees("remove    a.txt (+0 −1)")
	p.sees("[y/N/d/?] ")
	p.types("?\r")
	p.sees("n  does nothing; so does Enter alone")
	p.sees("[y/N/d/?] ")
	p.types("d\r")
	p.sees("\x1b[31m-new")
	p.sees("[y/N/d/?] ")
	p.types("\r")
	p.sees("nothing was done")
	<-p.ended
	if got := e.content("a.txt"); got != "new\n" {
		t.Errorf("the file holds %q", got)
	}
	p = sitAtHome(t, e.home, e.work, "rewind")
	p.sees("[y/N/d/?] ")
	p.types("y\r")
	p.sees("undoes it")
	<-p.ended
	if _, err := os.Stat(e.work + "/a.txt"); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}
