package scenario

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestSectionsMayBeQuoted(t *testing.T) {
	s, err := Parse("x.txtar", []byte("A rule.\nMore of it.\n\n-- workspace/notes.md | --\n|-- a heading --\n|text\n"+
		"-- want/crlf.txt \" --\n\"one\\r\\n\"\n\"caf\\xe9\"\n-- wire --\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Rule != "A rule." || s.Name != "x" {
		t.Errorf("rule %q, name %q", s.Rule, s.Name)
	}
	if got := s.files["notes.md"]; got != "-- a heading --\ntext\n" {
		t.Errorf("with bars: %q", got)
	}
	if got := s.wants.files["crlf.txt"]; got != "one\r\ncaf\xe9" {
		t.Errorf("as strings: %q", got)
	}
}

func TestMistakesInAFileAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"no sections":                                   "no wire section",
		"-- wyre --\n":                                  "section \"wyre\"",
		"-- want --\n-- wire --\n":                      "KIND/PATH",
		"-- flags --\nspeed=9\n":                        "speed: no such flag",
		"-- flags --\napplyEdit=perhaps\n":              "perhaps",
		"-- flags --\nsession=maybe\n":                  "maybe",
		"-- shell --\nrun x jump\n":                     `unknown word "jump"`,
		"-- wire --\n<- a/b #1 {\n":                     "no JSON",
		"-- wire --\n-> a/b {\"x\":}\n":                 "no JSON",
		"-- wire --\n<- !dance\n":                       "no such action",
		"-- wire --\n<- !wait\n":                        "0 words, want 1",
		"-- wire --\nhello\n":                           "begins with",
		"-- workspace/a | --\nno bar\n":                 "without its bar",
		"-- workspace/a \" --\nno string\n":             "not a Go string",
		"-- document/a@99999999999 --\nx\n":             "out of range",
		"-- wire --\n<- !type a \"b c\n":                "does not end",
		"-- flags --\nsettle=soon\n":                    "settle: ",
		"-- flags --\ncaps=everything\n":                "everything",
		"-- flags --\nchunks=minced\n":                  "minced",
		"-- shell --\nrun x after 1s exit 2 after 2s\n": "of what",
		"-- shell --\nrun x times 3\n":                  "behind an output",
		"-- shell --\nrun x out \"a\" exit\n":           "invalid syntax",
	} {
		_, err := Parse("x.txtar", []byte("A rule.\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.txtar") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestCommandsAreReadInOrder(t *testing.T) {
	steps, err := parseCommands("# a remark\nrun \"go test\" out \"ok\\n\" exit 1 after 2s\n" +
		"run ask repeat out \"name? \" typed\n   out x times 3 after 1s deaf\nrun no fails \"no such shell\"\n" +
		"run serve out a after 3s asks exit 0 leaves \"sleep 9\" leaves node after 4s out b lives 5s\n")
	if err != nil || len(steps) != 4 {
		t.Fatal(steps, err)
	}
	if s := steps[0]; s.Match != "go test" || s.Out[0].Text != "ok\n" || s.After != 2*time.Second || s.Exit.Code != 1 {
		t.Errorf("%+v", s)
	}
	if s := steps[1]; !s.Repeat || s.Out[0].WaitInput || !s.Out[1].WaitInput || s.Out[1].Text != "xxx" ||
		s.WaitInput || s.After != time.Second || !s.Deaf {
		t.Errorf("%+v", s)
	}
	if s := steps[3]; s.After != 3*time.Second || !s.WaitInput || !s.Waiting || len(s.Out) != 1 || len(s.Survivors) != 2 ||
		s.Survivors[0] != "sleep 9" || len(s.Later) != 1 || s.Later[0].After != 4*time.Second || s.LiveFor != 5*time.Second {
		t.Errorf("%+v", s)
	}
	if steps[2].Err == nil {
		t.Error("the third starts")
	}
}

// The page that explains the grammar must not promise what the parser refuses.
func TestExamplesOfTheDocumentationAreRead(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		text := b[1]
		if !strings.Contains(text, "-- wire --") {
			text += "-- wire --\n"
		}
		if _, err := Parse("testing.txtar", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	for _, kind := range []string{"-- wire --", "`settle=", "`!stop-reading`"} {
		if !strings.Contains(string(page), kind) {
			t.Errorf("nothing about %s", kind)
		}
	}
	for name := range actions {
		if !strings.Contains(string(page), "`!"+name) {
			t.Errorf("nothing about the action %s", name)
		}
	}
}
