package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"drawbridge/workspace"
	"pgregory.net/rapid"
)

// returns checks what is meant by a text that came back for a proposal.
func returns(t *testing.T, proposal, text, want string) {
	t.Helper()
	c := workspace.Rewrite(content(proposal), proposal)
	got, _, _, err := c.Select(workspace.Acceptance{Text: &text})
	if err != nil || got != want {
		t.Errorf("%q came back as %q: %q (%v), want %q", proposal, text, got, err, want)
	}
}

func TestOwnTextKeepsWhatAnEditorDoesNotShow(t *testing.T) {
	// One kind of line end, where the file has several.
	returns(t, "a\r\nb\nc\r\n", "Za\nb\nc\n", "Za\r\nb\nc\r\n")
	returns(t, "a\r\nb\nc\r\n", "a\r\nb\r\nnew\r\nc\r\n", "a\r\nb\nnew\nc\r\n")
	returns(t, "a\r\nb\nc\r\n", "a\nB\nc\n", "a\r\nB\nc\r\n")
	returns(t, "a\rb\nc", "a\nb\nc\nd", "a\rb\nc\nd")
	returns(t, "a\r\nb\n", "first\na\nb\n", "first\r\na\r\nb\n")
	// Ends that the editor does show are the person's.
	returns(t, "a\nb\n", "a\r\nb\r\n", "a\r\nb\r\n")
	returns(t, "a\r\nb\nc\n", "a\nb\r\nc\n", "a\nb\r\nc\n")
	// The last line gets its end, or loses it.
	returns(t, "a\r\nb", "a\nb\n", "a\r\nb\r\n")
	returns(t, "a\r\nb\r\n", "a\nb", "a\r\nb")
	// Bytes that are not UTF-8.
	returns(t, "f\xfcr\nx\nw\xe4r\n", "f\ufffdr\nX\nw\ufffdr\n", "f\xfcr\nX\nw\xe4r\n")
	returns(t, "f\xfcr\r\nx\nw\xe4r", "new\nf\ufffdr\nx\nw\ufffdr\n", "new\r\nf\xfcr\r\nx\nw\xe4r\n")
	returns(t, "a\xfc\nb\n", "b\n", "b\n") // the line itself may go
	returns(t, "\ufffd\nb\n", "\ufffd!\nb\n", "\ufffd!\nb\n")
}

func TestOwnTextThatWouldLoseBytesIsRefused(t *testing.T) {
	proposal, text := "a\nf\xfcr\n", "a\nf\ufffdr dich\n"
	f := newFixture(t)
	f.write("a.txt", "A\nf\xfcr\n")
	out := f.commit(f.plan("a.txt", "A", "a"), workspace.Acceptance{Text: &text})
	if f.wantState(out, workspace.Rejected); !strings.Contains(out.Why, "line 2") {
		t.Errorf("refused because %q", out.Why)
	}
	c := workspace.Rewrite(content(proposal), proposal)
	if got, _, _, err := c.Select(workspace.Acceptance{Text: &text}); err == nil {
		t.Errorf("%q was taken", got)
	}
}

// Whatever the bytes are: a text that only went through an editor is what it
// was, and a line that is put in changes no other.
func TestOwnTextLeavesOtherLinesAlone(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "\xfc", "\xe2\x82", "\ufffd", "", "\r\n", "\n", "\r", "\r\n"})
	rapid.Check(t, func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		ends := strings.NewReplacer("\r\n", end, "\r", end, "\n", end)
		seen := strings.ToValidUTF8(ends.Replace(raw), "\ufffd")
		c := workspace.Rewrite(content(raw), raw)
		if !strings.Contains(raw, "\r") && end != "\n" {
			return // these ends are the person's
		}
		if got, _, _, err := c.Select(workspace.Acceptance{Text: &seen}); err != nil || got != raw {
			t.Fatalf("%q was shown as %q and is %q (%v)", raw, seen, got, err)
		}
		lines := strings.SplitAfter(seen, end)
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		with := strings.Join(slices.Insert(lines, at, "put in"+end), "")
		got, _, _, err := c.Select(workspace.Acceptance{Text: &with})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []string{"\r\n", "\n", "\r"} {
			if strings.Replace(got, "put in"+e, "", 1) == raw {
				return
			}
		}
		t.Fatalf("%q with a line put in is %q", raw, got)
	})
}
