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

// What is readonly keeps its value, whatever a script does to it: its value is
// known until something seems to change it, and nowhere after.
func TestWhatIsReadonlyIsNotChanged(t *testing.T) {
	in := &Inherited{Exports: []string{"c=rm"}, Readonly: []string{"c"}}
	if s := ParseAfter("bash", "touch $c", "/ws", in, fixed{}); !s.Parts[0].Argv[1].Known || s.Parts[0].Argv[1].Text != "rm" {
		t.Errorf("%+v", s.Parts)
	}
	for _, set := range []string{
		"c=ok", "c+=ok", "declare c=ok", "declare -g c=ok", "typeset c=ok", "export c=ok", "readonly c=ok", "command declare c=ok", "builtin export c=ok",
		"f() { local c=ok; touch $c; }; f", "printf -v c ok", "read c <<<ok", "read -r c <<<ok", "IFS= read -r c < <(echo ok)", "for c in ok; do touch $c; done", "unset c; c=ok",
		"unset -v c", "getopts a c -a", "mapfile c <<<ok", "let c=1", "((c=1))", ": $((c=1))", ": ${c:=ok}", "declare -a c=(ok)", "c=(ok)", "select c in ok; do touch $c; done <<<1",
		"true && declare c=ok", "if true; then declare c=ok; else declare c=ok; fi", "{ declare c=ok; }", "(declare c=ok; touch $c)", "while :; do declare c=ok; break; done",
		"echo $(declare c=ok; touch $c)", "eval 'declare c=ok'", "declare -n r=c; r=ok", "export c=ok d=1", "case a in a) declare c=ok ;; esac", "wait -n -p c", "coproc c { :; }", "exec {c}>f",
		"trap 'declare c=ok; touch $c' EXIT", "c=ok sh -c 'touch $c'", "c=ok eval 'touch $c'", "c=ok command eval 'touch $c'",
	} {
		for _, text := range []string{set + "; touch $c", set + "\ntouch ${c}", set + "; touch \"${c[@]}\""} {
			s := ParseAfter("bash", text, "/ws", in, fixed{})
			for _, p := range s.Parts {
				if len(p.Argv) > 1 && p.Argv[0].Text == "touch" && p.Argv[1].Known && p.Argv[1].Text != "rm" && len(s.Doubts) == 0 {
					t.Errorf("%q: touches %+v", text, p.Argv[1])
				}
			}
		}
		if s := ParseAfter("bash", set+"; $c keep", "/ws", in, fixed{}); len(s.Doubts) == 0 && s.Parts[len(s.Parts)-1].Argv[0].Text != "rm" {
			t.Errorf("%q: runs %+v", set, s.Parts)
		}
		inOne := "readonly c; " + set + "; $c keep"
		if s := ParseAfter("bash", inOne, "/ws", &Inherited{Exports: in.Exports}, fixed{}); len(s.Doubts) == 0 && s.Parts[len(s.Parts)-1].Argv[0].Text != "rm" {
			t.Errorf("%q: runs %+v", inOne, s.Parts)
		}
	}
}

// What stands before eval holds for its text too.
func TestEvalHasWhatStandsBeforeIt(t *testing.T) {
	for _, text := range []string{"c=ok; c=rm eval '$c keep'", "c=ok; c=rm command eval '$c keep'", "c=ok; c+=rm builtin eval 'touch $c'"} {
		s := Parse(text, "/ws", fixed{})
		for _, p := range s.Parts {
			if strings.Contains(p.By, "eval") && len(s.Doubts) == 0 && p.Argv[0].Text != "rm" && p.Argv[1].Known {
				t.Errorf("%q: %+v", text, p)
			}
		}
	}
}

func TestDefinesNothingElse(t *testing.T) {
	for _, text := range []string{
		"f () \n{ \n    echo \"$1\"\n}", "f () \n{ \n    ( cd /; rm -rf x )\n}", "f () \n{ \n    cat <<EOF\n}; rm x\nEOF\n\n}", "f () \n{ \n    cat <<'EOF'\nx\nEOF\n\n}",
		"f () \n{ \n    cat <<END-OF.TEXT\n}; rm x\nEND-OF.TEXT\n\n}", "f () \n{ \n    cat <<-'END-OF'\nx\nEND-OF\n\n}",
		"f () \n{ \n    case $1 in \n        @(a|b))\n            echo ext\n        ;;\n    esac\n}", "f () \n{ \n    echo '\x1b[0m'\n}", "f () \n{ \n    :\n} > /dev/null",
	} {
		if !Defines(text, "f") {
			t.Errorf("%q is not seen to define f", text)
		}
	}
	for _, text := range []string{
		"", "rm x", "f () { :; }; rm x", "f () { :; }\nrm x", "rm x; f () { :; }", "f () { :; } & rm x", "f () { :; } && rm x", "f () { :; } | rm x", "! f () { :; }",
		"g () { :; }", "f () ( rm x )", "f () for i in a; do rm x; done", "f () { :; } # \\\nrm x", "$(rm x) () { :; }", "f () { :; }}", "f () { :; } >$(rm x); rm x",
		"f () { cat <<$'E'\nx\nE\n}", "f () { cat <<\"E F\"\nx\nE F\n}", "f () { cat <<E\\ F\nx\nE F\n}", "f () { cat <<-E-F\n-E-F\n}", "f () { cat <<- '-E'\n-E\n}", "f () { :; \r}", "f () {", "f () { echo \x00; }", "coproc f { rm x; }", "f() { ${ cat <}\n<EOF\n}; rm x\nEOF\n}", "alias f='rm x'",
	} {
		if Defines(text, "f") {
			t.Errorf("%q is seen to define f alone", text)
		}
	}
}
