package command

import "testing"

// TestNothingHidesBehindAHash: what bash runs behind a # that begins no comment
// is listed, or the text is doubted.
func TestNothingHidesBehindAHash(t *testing.T) {
	for _, in := range []string{"$x#y", "${x}#y", `""#y`, "''#y", "$1#", "$(id)#y", "a'b'#y", "b$x#y", "$x\\\n#y", "a#y", "a\\ #y", "$((1))#y", "{a,b}$x#y", "$'a'#y"} {
		for _, around := range [][2]string{{"", ""}, {"ls $(", ")"}, {`ls "$(`, `)"`}, {"ls `", "`"}, {"ls <(", ")"}, {"ls ${x:-$(", ")}"}, {"cat <<E\n$(", ")\nE"}, {"x=$(", ")"}, {"x=(", ")"}} {
			text := around[0] + "ls " + in + " z; rm q\n" + around[1]
			s, seen := Parse(text, "/ws", fixed{}), false
			for _, p := range s.Parts {
				seen = seen || len(p.Argv) > 0 && p.Argv[0].Text == "rm"
			}
			if !seen && len(s.Doubts) == 0 {
				t.Errorf("%q hides a command", text)
			}
		}
	}
	for _, text := range []string{"# a\nls", "ls # a", "ls;# a\nls", "ls $( # a\nls # b\n)", "ls | # a\nls", "case x in # a\nx) ls;; # b\nesac", "ls &# a\nls", "ls \\\n# a\nls", "x=$y#z; ls $x#y", "ls \"$(id)#y\" a#b"} {
		if s := Parse(text, "/ws", fixed{}); len(s.Doubts) > 0 {
			t.Errorf("%q: %v", text, s.Doubts)
		}
	}
}
