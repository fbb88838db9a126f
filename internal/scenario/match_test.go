package scenario

import (
	"strings"
	"testing"
)

func TestEllipsesMatch(t *testing.T) {
	got := `a/b @1 {"list":[1,2,3],"n":1,"o":{"x":"1","y":"2"},"t":"one two three"}`
	for want, fits := range map[string]bool{
		got:                              true,
		`a/b @1 …`:                       true,
		`a/b @2 …`:                       false,
		`a/c @1 …`:                       false,
		`a/b @1 {…}`:                     true,
		`a/b @1 {"n":1,…}`:               true,
		`a/b @1 {"n":1}`:                 false,
		`a/b @1 {"n":2,…}`:               false,
		`a/b @1 {"m":…,…}`:               false,
		`a/b @1 {"n":…,…}`:               true,
		`a/b @1 {"o":{"x":…,"y":…},…}`:   true,
		`a/b @1 {"o":{"x":…},…}`:         false,
		`a/b @1 {"list":[1,…],…}`:        true,
		`a/b @1 {"list":[1,2,3,…],…}`:    true,
		`a/b @1 {"list":[1,2,…,…],…}`:    true,
		`a/b @1 {"list":[2,…],…}`:        false,
		`a/b @1 {"list":[1,2],…}`:        false,
		`a/b @1 {"t":"one …",…}`:         true,
		`a/b @1 {"t":"… two …",…}`:       true,
		`a/b @1 {"t":"… two",…}`:         false,
		`a/b @1 {"t":"one… two …ee",…}`:  true,
		`a/b @1 {"t":"…three… two …",…}`: false,
	} {
		if matches(want, got) != fits {
			t.Errorf("%s: %v", want, !fits)
		}
	}
}

func TestALineMayStandForMany(t *testing.T) {
	got := []string{"a", "b", "c"}
	for want, fits := range map[string]bool{
		"a b c": true, "a b": false, "…": true, "a …": true, "… c": true, "a … c": true, "a b c …": true,
		"… b": false, "b …": false, "a … b … c": true, "a c": false,
	} {
		if fit(strings.Fields(want), got) != fits {
			t.Errorf("%s: %v", want, !fits)
		}
	}
}

// check plays got against the transcript want and compares what the update
// makes of it.
func checkUpdate(t *testing.T, want, got, after string) {
	t.Helper()
	wire, err := parseWire(want)
	if err != nil {
		t.Fatal(err)
	}
	list := exchanges(wire)
	for i, part := range strings.Split(got, "<-") {
		if part = strings.TrimSpace(part); part != "" {
			list[i].got = strings.Split(part, "\n")
		}
	}
	if text := updated(list); text != after {
		t.Errorf("updated:\n%s", text)
	}
}

func TestUpdateRewritesOnlyWhatDiffers(t *testing.T) {
	checkUpdate(t,
		"# first\n<- !close\n-> a {\"n\":…}\n# why\n-> gone {}\n-> c {}\n\n<- !close\n-> d\n",
		"<-a {\"n\":1}\nb {}\nc {}\n<-d",
		"# first\n<- !close\n-> a {\"n\":…}\n# why\n-> b {}\n-> c {}\n\n<- !close\n-> d\n")
}

func TestUpdateFillsAnEmptyTranscript(t *testing.T) {
	checkUpdate(t, "<- !close\n", "<-a {}\nb {}", "<- !close\n-> a {}\n-> b {}\n")
}

func TestUpdateDropsWhatNeverCame(t *testing.T) {
	checkUpdate(t, "<- !close\n-> a {}\n-> b {}\n", "<-b {}", "<- !close\n-> b {}\n")
}

func TestReportShowsBothSides(t *testing.T) {
	wire, _ := parseWire("<- !close\n-> a {}\n-> b {}\n")
	list := exchanges(wire)
	list[1].got = []string{"b {}", "c {}"}
	if got := report(list); !strings.Contains(got, "- -> a {}\n  -> b {}\n+ -> c {}\n") {
		t.Error(got)
	}
}
