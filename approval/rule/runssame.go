package rule

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

// RunsSame says that a change of a file that runs code was seen to leave alone
// what is run: of package.json and composer.json everything but what describes
// the package and which published packages it needs. Of any other file, or of
// texts that cannot be read, nothing is known: false.
func RunsSame(file, before, after string) bool {
	file = filepath.ToSlash(file)
	free := harmless[path.Base(file)]
	if free == nil || RunsCode(path.Dir(file)) != "" {
		return false
	}
	old, okOld := sections(before)
	new, okNew := sections(after)
	if !okOld || !okNew {
		return false
	}
	for key, value := range new {
		if !sameJSON(old[key], value) && (free[key] == nil || !free[key](value)) {
			return false
		}
	}
	for key := range old {
		if new[key] == nil && free[key] == nil {
			return false
		}
	}
	return true
}

// harmless are the sections of a file that run nothing, and what may stand in
// them.
var harmless = map[string]map[string]func(json.RawMessage) bool{
	"package.json": {
		"name": anything, "version": anything, "description": anything, "keywords": anything, "homepage": anything, "bugs": anything,
		"license": anything, "author": anything, "contributors": anything, "funding": anything, "repository": anything,
		"private": anything, "sideEffects": anything,
		"dependencies": published, "devDependencies": published, "peerDependencies": published, "optionalDependencies": published,
	},
	"composer.json": {
		"name": anything, "version": anything, "description": anything, "keywords": anything, "homepage": anything, "license": anything,
		"authors": anything, "support": anything, "funding": anything, "suggest": anything, "require": published, "require-dev": published,
	},
}

func anything(json.RawMessage) bool { return true }

// published says that a section names packages by their versions only, not by
// an address or a folder: those run what stands there.
func published(section json.RawMessage) bool {
	var needs map[string]string
	if json.Unmarshal(section, &needs) != nil {
		return false
	}
	for _, version := range needs {
		if strings.ContainsAny(version, ":/\\#") {
			return false
		}
	}
	return true
}

func sections(text string) (map[string]json.RawMessage, bool) {
	var all map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &all)
	return all, err == nil && all != nil
}

// sameJSON compares values but for the blanks between their words.
func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
