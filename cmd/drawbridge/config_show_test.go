package main

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/config"
)

// What looks like a secret is not shown, wherever in the settings it stands.
func TestShownSettingsHoldNoSecret(t *testing.T) {
	cfg, err := config.Parse("c.yaml", []byte(`providers: {openai: {baseUrl: "https://ai.example/v1?code=hunter2hunter2&v=1"}}
approval:
  rules:
    - allow: 'curl -H "Authorization: Bearer sk-proj-abcdefghijklmnopqrstuvwx0123456789"'
  denials: {rules: [{name: n, pattern: 'x ghp_abcdefghijklmnopqrstuvwxyz0123456789'}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{}
	s.settings.Store(&cfg)
	text := settingsText(s.shownSettings(config.Brought{})) + fmt.Sprint(cfg.Summary())
	for _, secret := range []string{"hunter2", "abcdefghij"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "https://ai.example/v1?code=") || !strings.Contains(text, "allow: curl") {
		t.Errorf("too little is shown:\n%s", text)
	}
}
