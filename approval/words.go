package approval

import (
	"fmt"
	"strings"
)

// Modes lists the modes from the strictest that still asks to the plainest.
func Modes() []Mode {
	return []Mode{AlwaysAsk, AutoEdit, ReadOnly, Plan, AllowAll, DenyAll}
}

// Presets lists the presets from the strictest.
func Presets() []Preset {
	return []Preset{PresetReadOnly, PresetWorkspaceWrite, PresetFullAccess}
}

// ParseMode reads a mode as people write it in flags and settings.
func ParseMode(s string) (Mode, error) { return parseWord("mode", s, Modes()) }

// ParsePreset reads a preset as people write it in flags and settings.
func ParsePreset(s string) (Preset, error) { return parseWord("preset", s, Presets()) }

func parseWord[W ~string](kind, s string, words []W) (W, error) {
	names := make([]string, len(words))
	for i, w := range words {
		if string(w) == s {
			return w, nil
		}
		names[i] = string(w)
	}
	hint := ""
	if near := nearest(s, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return "", fmt.Errorf("unknown %s %q: choose %s%s", kind, s, strings.Join(names, ", "), hint)
}

// nearest finds the word that begins most like s once case and separators are
// dropped ("AutoEdit", "deny"), or that s contains ("danger-full-access").
func nearest(s string, words []string) string {
	best, length := "", 1 // one common letter is chance
	folded := fold(s)
	for _, w := range words {
		f := fold(w)
		if strings.Contains(folded, f) {
			return w
		}
		if n := commonPrefix(folded, f); n > length {
			best, length = w, n
		}
	}
	return best
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
