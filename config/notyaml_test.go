package config

import (
	"fmt"
	"strings"
	"testing"
)

// What is not YAML is told with the line that it stands in, and its column where
// that can be known.
func TestWhatIsNotYAMLHasAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"mode: plan\n\tlog:\n":                                    "f:2:1: not valid YAML: a tab in",
		"log:\n  trace: true\n  \tlevel: x\n":                     "f:3:3: not valid YAML: a tab in",
		"mode: plan\r\nlog:\r\n\tlevel: x\r\n":                    "f:3:1: not valid YAML: a tab in",
		"log:\n  level: info\n bad: x\n":                          "f:3:2: ",
		"a: b: c\n":                                               "f:1:1: ",
		"mode: plan\nlog: [\n":                                    "f:2:1: ",
		"mode: plan\nlog: {a: 1\nstall: 3\n":                      "f:2:1: ",
		"# é\nmode: *x\n":                                         "f:2:1: not valid YAML: unknown anchor 'x'",
		"log:\n  level: @x\n":                                     "f:2:10: ",
		"mode: plan\nlog: é\x01\n":                                "f:2:7: not valid YAML: control",
		"\xff\xfem\x00:\x00 \x001\x00":                            "f:1:1: the file is UTF-16; settings must be UTF-8",
		"\xfe\xff\x00m\x00:":                                      "f:1:1: the file is UTF-16; ",
		"m\x00o\x00d\x00e\x00":                                    "f:1:1: the file is UTF-16; ",
		"\x00m\x00o\x00d\x00e":                                    "f:1:1: the file is UTF-16; ",
		"mode: plan\nlog: \xff\n":                                 "f:2:6: ",
		"- a\nb: c\n":                                             "f:2:1: not valid YAML: did not find",
		"approval:\n  rules:\n    - allow: git\n     - deny: x\n": "f:4:6: ",
		"mode: plan\n---\nx: [\n":                                 "f:3:1: not valid YAML: did not find",
		"mode: [\n" + strings.Repeat("# a long file\n", 2000):     "f:2001:1: not valid YAML, here or before: ",
	} {
		_, err := Parse("f", []byte(text))
		if !strings.Contains("\n"+fmt.Sprint(err), "\n"+want) {
			t.Errorf("%.50q: %v, not %s", text, err, want)
		}
	}
}

// A file of many lines with many faults does not hold up a start: a line that takes
// too long to find is told roughly, and every fault stays one.
func TestTheSearchForWhatIsNotYAMLIsBounded(t *testing.T) {
	text := strings.Repeat("a: [\n"+strings.Repeat("1,\n", 600), maxBroken)
	left := maxWork
	docs, broken := documentsWithin("f", []byte(text), &left)
	if docs != nil || broken == nil || !strings.Contains(broken.Error(), "not valid YAML, here or before: ") {
		t.Errorf("%d documents, %v", len(docs), broken)
	}
	if left < -len(text) {
		t.Errorf("%d bytes were read beyond the %d that may be", -left, maxWork)
	}
}
