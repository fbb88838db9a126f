package headless

import (
	"fmt"
	"strings"
)

// beyondPreset begins what is read of a call that its session's preset refused.
const beyondPreset = "Tool call denied by user.\ndenied by the preset read-only:"

const presetAdvice = "--preset workspace-write lets the workspace be changed, as far as the mode and you allow it"

// PresetAdvice says to a person by which flag a call would not have been refused;
// "" of a text that tells of no such refusal. A model is never told it. Only one
// preset refuses: the others leave it to a person.
func PresetAdvice(text string) string {
	if !strings.HasPrefix(text, beyondPreset) {
		return ""
	}
	return presetAdvice
}

// presetSummary tells of the calls that the preset refused.
func (v *TextView) presetSummary() {
	n := 0
	for _, one := range v.family() {
		n += one.beyond
	}
	if n > 0 {
		v.line(v.paint(dim, "refused  ") + fmt.Sprintf("%d by the preset read-only; %s", n, presetAdvice))
	}
}
