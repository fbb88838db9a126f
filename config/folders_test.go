package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that commands may write is never one that gives away the user's
// files or our own, by whatever path it is named.
func TestWritableFolders(t *testing.T) {
	base := t.TempDir()
	d := Dirs{
		Home: filepath.Join(base, "home", "ada"), Config: filepath.Join(base, "home", "ada", ".config", "drawbridge"),
		State: filepath.Join(base, "state", "drawbridge"), Cache: filepath.Join(base, "cache", "drawbridge"),
	}
	for _, dir := range []string{d.Config, d.State} { // the cache does not exist yet
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(filepath.Join(base, "home"), link); err != nil {
		t.Fatal(err)
	}
	const home, own = "is or holds your home folder", "gives away Drawbridge's own folder"
	for path, want := range map[string]string{
		"~/":                                  home,
		"~/.":                                 home,
		"~/../..":                             home,
		d.Home:                                home,
		filepath.Join(base, "home"):           home,
		link:                                  home,
		filepath.Join(link, "ada"):            home,
		"~/.config":                           own,
		d.Config:                              own,
		filepath.Join(d.State, "logs"):        own,
		filepath.Join(base, "cache"):          own,
		"/":                                   "is the whole file system",
		"~/.cache/tool":                       "",
		filepath.Join(base, "home", "adam"):   "",
		filepath.Join(d.State, "..", "other"): "",
		"~/.config/drawbridge-other":          "",
	} {
		c, err := parse(d, "f", []byte("sandbox: {writable: [\""+path+"\"]}\n"))
		switch {
		case want == "" && (err != nil || len(c.Sandbox.Writable) != 1 || !filepath.IsAbs(c.Sandbox.Writable[0])):
			t.Errorf("%s: %v, %v", path, c.Sandbox.Writable, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want that it %s", path, err, want)
		}
	}
}
