package drawbridge_test

import (
	"testing"

	"drawbridge/approval"
	"drawbridge/config"
)

// Settings spell modes and presets themselves, since config imports nothing of
// ours. Both sides must know the same words.
func TestSettingsKnowTheWordsOfApproval(t *testing.T) {
	words := map[string]bool{}
	for _, m := range approval.Modes() {
		words["mode: "+string(m)] = true
	}
	for _, p := range approval.Presets() {
		words["preset: "+string(p)] = true
	}
	for line := range words {
		if _, err := config.Parse("settings", []byte(line)); err != nil {
			t.Error(err)
		}
	}
	for _, other := range []string{"ask", "danger-full-access"} {
		if _, err := config.Parse("settings", []byte("mode: "+other)); err == nil {
			t.Errorf("settings accept the mode %q, approval does not know it", other)
		}
	}
}
