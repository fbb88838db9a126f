package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// hold has stand-ins where the plan needs them, which git does not see, until
// release is called.
func (p Policy) hold(plan plan, env []string) (with []string, release func(), err error) {
	unhold, err := plan.hold()
	if err != nil {
		return env, nil, err
	}
	with, forget, err := p.unseenByGit(env, plan.missing)
	if err != nil {
		unhold()
		return env, nil, err
	}
	return with, func() { forget(); unhold() }, nil
}

// unseenByGit has git ignore the folders that stand in for missing ones in the
// roots: it does not see empty folders, but would remove them where it cleans, or
// fail to. What the user ignores everywhere stays ignored. forget takes away the
// file that tells git.
func (p Policy) unseenByGit(env []string, missing []guarded) (with []string, forget func(), err error) {
	var text strings.Builder
	for _, g := range missing {
		if g.content == nil && filepath.Dir(g.path) == g.root {
			text.WriteString("/" + g.name() + "/\n")
		}
	}
	if text.Len() == 0 {
		return env, func() {}, nil
	}
	text.WriteString(p.ignoredEverywhere(env))
	file, err := os.CreateTemp(p.Tmp, ".git-ignores-")
	if err != nil {
		return env, nil, err
	}
	path := file.Name()
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(path)
		return env, nil, err
	}
	env = put(put(put(env, "GIT_CONFIG_COUNT", "1"), "GIT_CONFIG_KEY_0", "core.excludesFile"), "GIT_CONFIG_VALUE_0", path)
	return env, func() { os.Remove(path) }, nil
}

// ignoredEverywhere is what the user's own excludesFile says: the one that their
// settings name, else where git looks for one.
func (p Policy) ignoredEverywhere(env []string) string {
	config := lookup(env, "XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(p.Home, ".config")
	}
	path := filepath.Join(config, "git", "ignore")
	for _, settings := range []string{filepath.Join(config, "git", "config"), filepath.Join(p.Home, ".gitconfig")} {
		if named := excludesFile(settings, p.Home); named != "" {
			path = named
		}
	}
	return boundedText(path)
}

// excludesFile is what a settings file of git's names as such at last, "" for
// nothing.
func excludesFile(settings, home string) string {
	found := ""
	for _, value := range gitValues(boundedText(settings), "excludesFile") {
		found = value
	}
	if rest, ok := strings.CutPrefix(found, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return found
}

// boundedText is a file of the user's own, "" where there is none or it is no
// text of a sensible size.
func boundedText(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return ""
	}
	text, _ := os.ReadFile(path)
	return string(text)
}

// afterAll calls each of what is to be let go, in order; nil is nothing.
func afterAll(calls ...func()) func() {
	return func() {
		for _, call := range calls {
			if call != nil {
				call()
			}
		}
	}
}
