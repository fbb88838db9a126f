package headless

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/visible"
)

func TestStrangersTextIsShownAsSigns(t *testing.T) {
	for text, want := range map[string]string{
		"plain – é 漢字 ✔️ 🙂\n\ttab": "plain – é 漢字 ✔️ 🙂\n\ttab",
		"\x1b[2J\x07\r\b\x00":      "␛[2J␇␍␈␀",
		"\x7f":                     "␡",
		"\u009b2J\u0085":           "⟨U+009B⟩2J⟨U+0085⟩",
		"a\u202eb\u2066c\u200bd":   "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d",
		"\ufeff\u00ad\u2028":       "⟨U+FEFF⟩⟨U+00AD⟩⟨U+2028⟩",
		"\U000e0041":               "⟨U+E0041⟩",
		"\u3164":                   "⟨U+3164⟩",
		"caf\xe9 \x9b2J\xc3":       "caf⟨E9⟩ ⟨9B⟩2J⟨C3⟩",
		"⟫ Allow? [y/n]":           "⟨U+27EB⟩ Allow? [y/n]",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// A command colours, and writes on its line; it does nothing else to the screen.
func TestCommandsWriteTextAndColours(t *testing.T) {
	for data, want := range map[string]string{
		"50%\r60%\b\b1\tok\r\n":              "50%\r60%\b\b1\tok\r\n",
		"\x1b[31mred\x1b[0m \x1b[38;5;9mx":   "\x1b[31mred\x1b[0m \x1b[38;5;9mx",
		"a\x1b[2Jb\x1b[1;1Hc\x1b[?25ld":      "abcd",
		"a\x1b]0;title\x07b\x1b]8;;u\x1b\\c": "abc",
		"a\x1bPq~\x1b\\b\x1b7c\x1b(Bd":       "abcd",
		"a\u009b2Jb\u009dx\u009cc":           "abc",
		"a\x07\x00\x0e\x7fb":                 "ab",
		"a\x1b[3\x18b\x1b[2\nKc":             "ab\nc",
		"a\x1b[>4mb\x1b[1$mc":                "abc",
		"⟫ Allow? \u202e":                    "⟨U+27EB⟩ Allow? ⟨U+202E⟩",
	} {
		for cut := range data {
			o := output{colours: true}
			if got := o.write(data[:cut]) + o.write(data[cut:]); got != want {
				t.Errorf("%q, cut at %d, is shown as %q, want %q", data, cut, got, want)
			}
		}
	}
}

func TestColoursEndWithTheirCommand(t *testing.T) {
	o := output{colours: true}
	o.write("\x1b[8mhidden")
	if got := o.rest() + o.rest(); got != "\x1b[0m" {
		t.Errorf("the rest is %q", got)
	}
	plain := output{}
	if got := plain.write("\x1b[8mseen") + plain.rest(); got != "seen" {
		t.Errorf("without colours it is %q", got)
	}
}

// Lines of --json say the same and hold nothing that acts on a terminal.
func TestJSONLinesHoldNoControls(t *testing.T) {
	var out strings.Builder
	text := "\u009b2J\u202e\U000e0041é\x7f"
	JSONView{Out: &out}.Event("message/chunk", json.RawMessage(`{"text":"`+text+`"}`))
	var line struct{ Params struct{ Text string } }
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil || line.Params.Text != text {
		t.Errorf("%s reads as %q, %v", out.String(), line.Params.Text, err)
	}
	if strings.ContainsFunc(strings.TrimSuffix(out.String(), "\n"), visible.Hidden) {
		t.Errorf("%q holds controls", out.String())
	}
}
