package workspace_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/workspace"
)

func repacked(t interface{ Fatal(...any) }, c workspace.Change) workspace.Change {
	again, err := workspace.Unpack(c.Pack(), c.Old)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestAnyPackedChangeComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyChange(t)
		c.Path = workspace.Path{Abs: "/w/\xff", Lexical: "/l", Rel: "a", Inside: rapid.Bool().Draw(t, "inside")}
		c.Open, c.Version = rapid.Bool().Draw(t, "open"), rapid.Int32().Draw(t, "version")
		if len(c.Hunks) > 0 && rapid.Bool().Draw(t, "narrow") {
			c, _ = c.Narrow([]string{c.Hunks[len(c.Hunks)-1].ID})
		}
		if got := repacked(t, c); !reflect.DeepEqual(got, c) {
			t.Fatalf("came back as %+v, was %+v", got, c)
		}
	})
}

func TestPackedKindsComeBack(t *testing.T) {
	made := workspace.Rewrite(workspace.Content{}, "a\n")
	gone := workspace.Remove(content("a\nb\n"))
	for _, c := range []workspace.Change{made, gone, made.Reverse(nil), gone.Reverse(nil)} {
		if got := repacked(t, c); !reflect.DeepEqual(got, c) {
			t.Errorf("%s came back as %+v, was %+v", c.Kind, got, c)
		}
	}
}

func TestWhatIsNoPackedChangeIsRefused(t *testing.T) {
	c := workspace.Rewrite(content("a\nb\nc\n"), "a\nB\nc\nd\n")
	packed := c.Pack()
	for cut := range packed {
		if _, err := workspace.Unpack(packed[:cut], c.Old); err == nil {
			t.Errorf("cut at %d of %d it is taken", cut, len(packed))
		}
	}
	if _, err := workspace.Unpack(append(packed, 0), c.Old); err == nil {
		t.Error("with a byte more it is taken")
	}
	if _, err := workspace.Unpack(packed, "a\n"); err == nil {
		t.Error("with a shorter text it is taken")
	}
}

// FuzzUnpack reads anything as a change of anything.
func FuzzUnpack(f *testing.F) {
	f.Add(workspace.Rewrite(content("a\nb\n"), "a\nB\nc\n").Pack(), "a\nb\n")
	f.Add([]byte{}, "")
	f.Fuzz(func(t *testing.T, packed []byte, old string) {
		if c, err := workspace.Unpack(packed, old); err == nil {
			checkRead(t, c)
		}
	})
}

// checkRead looks at all of a change that came from bytes.
func checkRead(t *testing.T, c workspace.Change) {
	t.Helper()
	c.Stat()
	c.Unified(workspace.DiffOptions{Context: 3})
	if again := repacked(t, c); again.New != c.New || len(again.Hunks) != len(c.Hunks) {
		t.Errorf("%+v came back as %+v", c, again)
	}
}
