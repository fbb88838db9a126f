package rule

// RunsCode says who would run what is written to a path, without anyone asking
// for it: on opening the folder, on entering it, at the next commit, install,
// push or login. It is "" for ordinary files. Names are compared as a file
// system might that takes several spellings for one name.
func RunsCode(path string) string { return running.find(path) }

// HoldsSecrets says what a file holds that reading it should be asked about,
// by its name; "" for ordinary files. Names are compared as in RunsCode.
func HoldsSecrets(path string) string { return secret.find(path) }

// The tables, made once; they do not change.
var (
	running = newNames(runsCode).withWays(runsCode)
	secret  = newNames(holdsSecrets)
)
