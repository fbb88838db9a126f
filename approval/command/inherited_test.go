package command

import (
	"strings"
	"testing"
)

// Each line is doubted, or not, in a shell that has a function git, an alias ll,
// and the variables and options that are named.
func TestWhatAShellInheritsIsJudgedWithIt(t *testing.T) {
	has := Inherited{Functions: []string{"git", "/bin/ls", "-p"}, Aliases: []string{"ll"}}
	for _, c := range []struct {
		text   string
		in     Inherited
		doubts string // part of one; "" wants none
	}{
		{"git status", has, "git is a function"},
		{"'git' status", has, "git is a function"},
		{"g\\\nit status", has, "git is a function"},
		{"$(echo) ; x=1 git status >f", has, "git is a function"},
		{"echo $(git status) <(git log)", has, "git is a function"},
		{"for i in a b; do ! time git $i; done", has, "git is a function"},
		{"eval 'git status'", has, "git is a function"},
		{"trap 'git status' EXIT", has, "git is a function"},
		{"f() { git status; }", has, "git is a function"},
		{"coproc git status", has, "git is a function"},
		{"/bin/ls", has, "/bin/ls is a function"},
		{"-p", has, "-p is a function"},
		{"ll", has, "ll is an alias"},
		{"ll() { echo; }", has, "ll is an alias"},
		{"source ./x", has, "may stand in"},
		{"command . ./x", has, "may stand in"},
		{"command git status; env git status; xargs git status; /usr/bin/git status; echo git ll", has, ""},
		{"source ./x", Inherited{}, ""},
		{"ls", Inherited{Functions: []string{"command_not_found_handle"}}, "anywhere"},
		{"ls", Inherited{Functions: []string{"export"}}, "anywhere"},
		{"ls", Inherited{Aliases: []string{"then"}}, "anywhere"},
		{"ls", Inherited{Aliases: []string{"!"}}, "anywhere"},
		{"ls", Inherited{Exports: []string{"GIT_DIR=/x", "plain=1", "OLDPWD=/"}}, "GIT_DIR"},
		{"ls", Inherited{Exports: []string{"BASH_FUNC_f%%="}}, "BASH_FUNC_f"},
		{"ls", Inherited{Unset: []string{"PATH"}}, "PATH"},
		{"ls", Inherited{Exports: []string{"plain=1", "OLDPWD=/"}, Options: []string{"pipefail", "nullglob"}}, ""},
		{"ls", Inherited{Options: []string{"allexport"}}, "assignment"},
		{"$plain x", Inherited{Exports: []string{"plain=ls"}}, ""},
		{"$plain x", Inherited{}, "which command"},
	} {
		s := ParseAfter("bash", c.text, "/ws", &c.in, fixed{})
		all := ""
		for _, d := range s.Doubts {
			all += d.Why + "\n"
		}
		if c.doubts == "" && all != "" || !strings.Contains(all, c.doubts) {
			t.Errorf("%q with %+v: doubts %q, want %q", c.text, c.in, all, c.doubts)
		}
	}
}

// A value that the shell has is what the command is given; options that change
// words leave no pattern known.
func TestWhatIsExportedIsKnown(t *testing.T) {
	in := &Inherited{Exports: []string{"dir=/tmp/x"}}
	if s := ParseAfter("bash", "ls $dir/a", "/ws", in, fixed{}); len(s.Parts) != 1 || s.Parts[0].Argv[1].Text != "/tmp/x/a" || !s.Parts[0].Argv[1].Known {
		t.Errorf("%+v", s.Parts)
	}
	in = &Inherited{Exports: []string{"OLDPWD=/etc"}}
	if s := ParseAfter("bash", "cd -; ls", "/ws", in, fixed{}); s.Parts[1].Dir != "" {
		t.Errorf("cd - leads to %q", s.Parts[1].Dir)
	}
	in = &Inherited{Options: []string{"dotglob"}}
	if s := ParseAfter("bash", "ls *", "/ws", in, fixed{}); s.Parts[0].Argv[1].Known {
		t.Errorf("%+v", s.Parts[0].Argv)
	}
}

func TestDefinesNothingElse(t *testing.T) {
	for _, text := range []string{
		"f () \n{ \n    echo \"$1\"\n}", "f () \n{ \n    ( cd /; rm -rf x )\n}", "f () \n{ \n    cat <<EOF\n}; rm x\nEOF\n\n}", "f () \n{ \n    cat <<'EOF'\nx\nEOF\n\n}",
		"f () \n{ \n    case $1 in \n        @(a|b))\n            echo ext\n        ;;\n    esac\n}", "f () \n{ \n    echo '\x1b[0m'\n}", "f () \n{ \n    :\n} > /dev/null",
	} {
		if !Defines(text, "f") {
			t.Errorf("%q is not seen to define f", text)
		}
	}
	for _, text := range []string{
		"", "rm x", "f () { :; }; rm x", "f () { :; }\nrm x", "rm x; f () { :; }", "f () { :; } & rm x", "f () { :; } && rm x", "f () { :; } | rm x", "! f () { :; }",
		"g () { :; }", "f () ( rm x )", "f () for i in a; do rm x; done", "f () { :; } # \\\nrm x", "$(rm x) () { :; }", "f () { :; }}", "f () { :; } >$(rm x); rm x",
		"f () { cat <<$'E'\nx\nE\n}", "f () { cat <<\"E F\"\nx\nE F\n}", "f () { cat <<E\\ F\nx\nE F\n}", "f () { :; \r}", "f () {", "f () { echo \x00; }", "coproc f { rm x; }", "f() { ${ cat <}\n<EOF\n}; rm x\nEOF\n}", "alias f='rm x'",
	} {
		if Defines(text, "f") {
			t.Errorf("%q is seen to define f alone", text)
		}
	}
}
