package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFindDirs(t *testing.T) {
	under := func(home, base, config, state, cache string) Dirs {
		return Dirs{home, filepath.Join(base, config), filepath.Join(base, state), filepath.Join(base, cache)}
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want Dirs
	}{
		"home": {
			map[string]string{"HOME": "/h"},
			under("/h", "/h", ".config/drawbridge", ".local/state/drawbridge", ".cache/drawbridge"),
		},
		"xdg": {
			map[string]string{"XDG_CONFIG_HOME": "/x/c", "XDG_STATE_HOME": "/x/s", "XDG_CACHE_HOME": "/x/k"},
			under("", "/x", "c/drawbridge", "s/drawbridge", "k/drawbridge"),
		},
		"relative is ignored": {
			map[string]string{"HOME": "/h", "XDG_STATE_HOME": "state"},
			under("/h", "/h", ".config/drawbridge", ".local/state/drawbridge", ".cache/drawbridge"),
		},
	} {
		d, err := FindDirs(func(k string) string { return c.env[k] })
		if err != nil || d != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, d, err, c.want)
		}
	}
}

func TestNoHomeIsAnError(t *testing.T) {
	for _, home := range []string{"", "relative"} {
		env := map[string]string{"HOME": home, "XDG_CONFIG_HOME": "/c"}
		if d, err := FindDirs(func(k string) string { return env[k] }); err == nil || d != (Dirs{}) {
			t.Errorf("HOME=%q: %+v, %v", home, d, err)
		}
	}
}

func TestOwnFoldersAreTheUsersAlone(t *testing.T) {
	wide := filepath.Join(t.TempDir(), "wide")
	if err := os.Mkdir(wide, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{wide, filepath.Join(t.TempDir(), "a", "b")} {
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestOwnFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"relative", file, filepath.Join(file, "below")} {
		if err := Make(dir); err == nil {
			t.Errorf("Make(%q) gave no error", dir)
		}
	}
}

func TestEveryOwnFolderIsProtected(t *testing.T) {
	d := Dirs{"/h", "/c", "/s", "/k"}
	if got := d.Protected(); len(got) != 3 || got[0] != d.Config || got[1] != d.State || got[2] != d.Cache {
		t.Errorf("protected: %v", got)
	}
}
