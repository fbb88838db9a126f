// Command wiregen writes everything that is derived from package
// rpc/protocol: docs/protocol.md, the JSON Schema (once for editors, once for
// the binary), and the TypeScript and Lua types. With -check it writes
// nothing and names the files that are stale.
//
// It works in three stages: load reads the Go source and the method table,
// the model is what they say free of Go, and one emit function a file renders
// it. It knows no method's behaviour; prose comes from protocol.md.tmpl. It
// starts no goroutine.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wiregen: ")
	check := flag.Bool("check", false, "write nothing; fail when a generated file is stale")
	flag.Parse()
	if err := run(*check); err != nil {
		log.Fatal(err)
	}
}

func run(check bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files, err := generate(root)
	if err != nil {
		return err
	}
	if check {
		return stale(root, files)
	}
	return write(root, files)
}

// generate renders every file, by its slash-separated path below root.
func generate(root string) (map[string][]byte, error) {
	api, err := load(root)
	if err != nil {
		return nil, err
	}
	schema, err := emitSchema(api)
	if err != nil {
		return nil, err
	}
	docs, err := emitDocs(api)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"docs/protocol.md":                         docs,
		"editors/protocol.json":                    schema,
		"rpc/protocol/protocol.json":               schema,
		"editors/vscode/src/protocol.gen.ts":       emitTypeScript(api),
		"editors/nvim/lua/drawbridge/protocol.lua": emitLua(api),
	}, nil
}

func write(root string, files map[string][]byte) error {
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stale is an error that names every file that differs from what is on disk.
func stale(root string, files map[string][]byte) error {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.Equal(have, files[name]) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("stale: %s; run go run ./internal/wiregen", strings.Join(names, ", "))
	}
	return nil
}

// moduleRoot is the nearest folder upwards that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("find module root: no go.mod upwards of the working directory")
		}
		dir = up
	}
}
