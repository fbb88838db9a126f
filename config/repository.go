package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"gopkg.in/yaml.v3"
)

// RepositoryFile is where a workspace keeps settings of its own.
const RepositoryFile = ".drawbridge/config.yaml"

// Repository is what a workspace brings of settings, as it stood in its file at
// one moment. It says nothing about whether they count.
type Repository struct {
	Root   string // with links followed
	File   string // absolute
	Digest string // of the very bytes that the rest was read from
	// Fault is why nothing of it can count as it is: a file with one wrong word has
	// no settings. Then what follows is empty.
	Fault error

	Mode, Preset string
	Approval     Approval // its Denials are further ones
	Environment  Environment
	// Sandbox and Tools only narrow what the user's say.
	Sandbox Sandbox
	Tools   Tools
	// Set says where each of them stands (file:line:column), by its path.
	Set map[string]string
	// Items is everything that it would do, also what is not supported.
	Items []Item
	// Warnings are what does not count although it is trusted, a line each.
	Warnings []string
}

// Item is one thing that a workspace's settings would do.
type Item struct {
	Kind string // rule, tool, hook, mcpServer, model, environment, setting
	What string // one line
	// Command is what would be run, to the letter; "" where nothing is.
	Command string
}

// readRepository reads the file of the workspace at root, a path with links
// followed. ok is false when there is none.
func readRepository(root string) (text []byte, ok bool, err error) {
	text, err = readWithin(root, filepath.FromSlash(RepositoryFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fmt.Errorf("read the workspace's settings: %w", err)
	}
	return text, true, nil
}

// Bring reads what the workspace at root brings at this moment, whether it counts
// or not; ok is false when it brings nothing. A nil check finds nothing.
func Bring(root string, check Check) (r Repository, ok bool) {
	real := resolved(root)
	text, ok, err := readRepository(real)
	if !ok || err != nil {
		return Repository{Root: real, File: fileOf(real), Fault: err}, ok
	}
	return repositoryOf(real, text, check), true
}

func fileOf(root string) string { return filepath.Join(root, filepath.FromSlash(RepositoryFile)) }

// repositoryOf makes sense of what was read.
func repositoryOf(root string, text []byte, check Check) Repository {
	r := Repository{Root: root, File: fileOf(root), Digest: digest(text)}
	if err := r.parse(text, check); err != nil {
		return Repository{Root: r.Root, File: r.File, Digest: r.Digest, Fault: err}
	}
	return r
}

// InspectRepository is Inspect of what the workspace at root brings.
func InspectRepository(root string, doubts func(c *Config) []string, check Check) (warnings []string, faults error) {
	real := resolved(root)
	text, ok, err := readRepository(real)
	if !ok {
		return nil, fmt.Errorf("%s: %w", fileOf(real), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	r := Repository{Root: real, File: fileOf(real)}
	faults = r.parse(text, check)
	return append(r.Warnings, doubts(&Config{File: r.File, Approval: r.Approval})...), faults
}

// digest names the content of the one file that counts, under its name.
func digest(text []byte) string {
	sum := sha256.Sum256(append([]byte(RepositoryFile+"\x00"), text...))
	return hex.EncodeToString(sum[:])
}

// readWithin reads a file below root. A symbolic link on the way is an error, since
// what was looked at would lie elsewhere, and so is what is no plain file.
func readWithin(root, name string) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for part := name; part != "."; part = filepath.Dir(part) {
		if info, err := dir.Lstat(part); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s: a symbolic link, which does not count", filepath.Join(root, part))
		}
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // of a pipe nobody waits for a writer
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", filepath.Join(root, name))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: larger than %d bytes", filepath.Join(root, name), maxFile)
	}
	return text, err
}

// parse reads what it can. With an error r is half-filled: it must not count.
func (r *Repository) parse(text []byte, check Check) error {
	c := Config{File: r.File}
	var later []laterSetting
	errs := []error{decode(&c, repositoryTable(&later), r.File, text)}
	if check != nil {
		errs = append(errs, check(&c))
	}
	for _, l := range later {
		errs = append(errs, l.check(r.File))
	}
	r.Mode, r.Preset, r.Approval, r.Environment = c.Mode, c.Preset, c.Approval, c.Environment
	r.Sandbox, r.Tools, r.Set = c.Sandbox, c.Tools, c.Set
	r.Warnings = problems(c.Approval.Rules)
	r.list(later)
	return inOrder(errs...)
}

// laterSetting is one that a workspace may bring and that does not count. A
// person is shown all of it.
type laterSetting struct {
	path, kind string
	// why it does not count; "" where this version knows nothing of it.
	why  string
	node *yaml.Node
}

// check refuses references, behind which more may stand than is read.
func (l laterSetting) check(file string) error {
	if at := findAlias(l.node); at != nil {
		return &Problem{file, at.Line, at.Column, l.path + ": references are not taken here; write it out"}
	}
	return nil
}

func findAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, below := range n.Content {
		if at := findAlias(below); at != nil {
			return at
		}
	}
	return nil
}

// repositoryWords are the settings of the user's table that a workspace may
// have, too. Each is one that can only narrow, or that the trust in it is about.
var repositoryWords = []string{
	"mode", "preset", "environment.set", "environment.secrets", "sandbox.backend", "sandbox.network",
	"approval.rules", "approval.tools", "approval.denials.rules", "tools.builtin", "tools." + agentToolset,
}

const whereDataGoes = "it says where what you read and write is sent, which is yours to say"

// laterSettings are what a workspace may bring in vain.
func laterSettings() []laterSetting {
	return []laterSetting{
		{path: "hooks", kind: "hook"},
		{path: "mcp", kind: "mcpServer"},
		{path: "mcpServers", kind: "mcpServer"},
		{path: "model", kind: "model", why: whereDataGoes},
		{path: "providers", kind: "model", why: whereDataGoes},
		{path: "models", kind: "model", why: "what is known of models is yours to say"},
		{path: "visionModel", kind: "model", why: whereDataGoes},
		{path: "images", kind: "setting", why: "it opens your own network, which is yours to say"},
		{path: "profile", kind: "setting", why: "your policies name the tools of the profile that you chose"},
	}
}

// repositoryTable is what may stand in a workspace's settings. Everything else
// is the user's alone.
func repositoryTable(later *[]laterSetting) []setting {
	table := slices.DeleteFunc(settings(Dirs{}), func(s setting) bool { return !slices.Contains(repositoryWords, s.path) })
	for _, l := range laterSettings() {
		table = append(table, setting{path: l.path, doc: l.because(), read: func(_ *Config, n *yaml.Node) error {
			l.node = n
			*later = append(*later, l)
			return nil
		}})
	}
	return table
}

// because is why it does not count, as the end of a sentence about it.
func (l laterSetting) because() string {
	if l.why == "" {
		return "is not supported by this version and is ignored"
	}
	return "does not count in the settings of a workspace: " + l.why
}
