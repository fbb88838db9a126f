package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemPlaces hold what a profile finds by its name.
var systemPlaces = []string{
	"/usr", "/bin", "/sbin", "/opt", "/nix", "/snap", "/run/current-system", "/var/lib/flatpak", "/etc/profiles", "/home/linuxbrew",
	"/Library", "/System",
}

// loginHost is an environment as a login begins with it: PATH has the system's
// folders alone. Those of a project come before them where direnv or npm run put
// them, and a profile runs id or uname by name: whoever may write the project
// would have it run here, where no sandbox holds it.
func loginHost(host []string) []string {
	path := slices.DeleteFunc(filepath.SplitList(valueIn(host, "PATH")), func(dir string) bool { return !isSystems(dir) })
	if len(path) == 0 {
		path = []string{"/usr/local/bin", "/usr/bin", "/bin"}
	}
	return override(slices.Clone(host), []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator))})
}

// isSystems reports whether a folder of PATH is one of the system's, with links
// followed, and not in the folder where the bridge runs.
func isSystems(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) {
		return false
	}
	if here, err := os.Getwd(); err == nil {
		if here, _ = filepath.EvalSymlinks(here); here != "/" && beneath(real, here) {
			return false
		}
	}
	return slices.ContainsFunc(systemPlaces, func(place string) bool { return beneath(real, place) })
}

// beneath reports whether a path without links is a folder or lies in it.
func beneath(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// withFolders puts back what the login shell was not told of PATH: each folder
// before the one that it stands before there.
func withFolders(theirs []string, host string) []string {
	path, before := folders(valueIn(theirs, "PATH")), ""
	for _, dir := range slices.Backward(folders(host)) {
		switch at := slices.Index(path, before); {
		case slices.Contains(path, dir):
		case at < 0:
			path = append(path, dir)
		default:
			path = slices.Insert(path, at, dir)
		}
		before = dir
	}
	return override(slices.Clone(theirs), []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator))})
}
