package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Scenario is one file, read.
type Scenario struct {
	Name string // of the file, without its ending
	Rule string // the first line: what the scenario guards

	path      string
	parts     []part
	flags     flags
	files     map[string]string // in the workspace, by relative path
	links     map[string]string // symbolic links, to their target
	web       web
	documents []openText
	commands  string
	said      saidBefore
	models    map[string]string // scripts by name; "" is the default one
	wire      []line
	wants     wants
}

// openText is a document as the editor has it open at the beginning.
type openText struct {
	path    string
	version int32
	text    string
}

// wants is what must hold at the end.
type wants struct {
	files     map[string]string
	links     map[string]string
	absent    []string
	documents map[string]string
	commands  *string
}

// Load reads every scenario of a folder.
func Load(dir string) ([]*Scenario, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	var all []*Scenario
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read scenario: %w", err)
		}
		s, err := Parse(name, data)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Parse reads one scenario. An error names the file and the section.
func Parse(path string, data []byte) (*Scenario, error) {
	s := &Scenario{
		Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, parts: cut(string(data)),
		flags: defaults(), files: map[string]string{}, links: map[string]string{}, web: web{}, models: map[string]string{},
		wants: wants{files: map[string]string{}, links: map[string]string{}, documents: map[string]string{}},
	}
	s.Rule, _, _ = strings.Cut(s.parts[0].text, "\n")
	for _, p := range s.parts[1:] {
		if err := s.section(p); err != nil {
			return nil, fmt.Errorf("%s: section %q: %w", path, p.name, err)
		}
	}
	if s.wire == nil {
		return nil, fmt.Errorf("%s: there is no wire section", path)
	}
	return s, nil
}

func (s *Scenario) section(p part) (err error) {
	name, text, err := p.unquoted()
	if err != nil {
		return err
	}
	kind, rest, _ := strings.Cut(name, "/")
	if slices.Contains([]string{"flags", "rules", "shell", "wire", "want-shell"}, kind) != (rest == "") && kind != "model" {
		return fmt.Errorf("a section is KIND or KIND/PATH")
	}
	switch kind {
	case "flags":
		return s.flags.parse(text)
	case "workspace":
		s.files[rest] = text
	case "link":
		s.links[rest] = strings.TrimSpace(text)
	case "web":
		s.web[rest] = text
	case "document":
		return s.document(rest, text)
	case "shell":
		s.commands = text
		_, err = parseCommands(text)
	case "rules":
		s.said, err = parseRules(text)
	case "model":
		s.models[rest] = text
	case "wire":
		s.wire, err = parseWire(text)
	default:
		return s.wants.section(kind, rest, text)
	}
	return err
}

func (w *wants) section(kind, rest, text string) error {
	switch kind {
	case "want":
		w.files[rest] = text
	case "want-link":
		w.links[rest] = strings.TrimSpace(text)
	case "want-absent":
		w.absent = append(w.absent, rest)
	case "want-document":
		w.documents[rest] = text
	case "want-shell":
		w.commands = &text
	default:
		return fmt.Errorf("no such kind of section")
	}
	return nil
}

var atVersion = regexp.MustCompile(`^(.*)@(\d+)$`)

func (s *Scenario) document(name, text string) error {
	d := openText{path: name, version: 1, text: text}
	if m := atVersion.FindStringSubmatch(name); m != nil {
		v, err := strconv.ParseInt(m[2], 10, 32)
		if err != nil {
			return err
		}
		d.path, d.version = m[1], int32(v)
	}
	s.documents = append(s.documents, d)
	return nil
}

// unquoted is a section's name and text without the quoting that its name
// announces: behind NAME | each line begins with a bar, behind NAME " each line
// is a Go string and the line ends of the file do not count.
func (p part) unquoted() (name, text string, err error) {
	if name, ok := strings.CutSuffix(p.name, " |"); ok {
		var b strings.Builder
		for l := range strings.Lines(p.text) {
			rest, ok := strings.CutPrefix(l, "|")
			if !ok {
				return "", "", fmt.Errorf("a line without its bar: %q", l)
			}
			b.WriteString(rest)
		}
		return name, b.String(), nil
	}
	if name, ok := strings.CutSuffix(p.name, ` "`); ok {
		var b strings.Builder
		for l := range strings.Lines(p.text) {
			line, err := strconv.Unquote(strings.TrimSpace(l))
			if err != nil {
				return "", "", fmt.Errorf("not a Go string: %s", l)
			}
			b.WriteString(line)
		}
		return name, b.String(), nil
	}
	return p.name, p.text, nil
}

// part is a section of the file, or what stands before the first.
type part struct {
	heading string // its line as it is written; "" before the first section
	name    string
	text    string
}

// cut finds the sections of a file: each begins with a line "-- NAME --".
func cut(text string) []part {
	parts := []part{{}}
	for l := range strings.Lines(text) {
		if name, ok := heading(strings.TrimRight(l, "\r\n")); ok {
			parts = append(parts, part{heading: l, name: name})
			continue
		}
		parts[len(parts)-1].text += l
	}
	return parts
}

func heading(l string) (name string, ok bool) {
	name, begins := strings.CutPrefix(l, "-- ")
	name, ends := strings.CutSuffix(name, " --")
	name = strings.TrimSpace(name)
	return name, begins && ends && name != ""
}

// rewrite puts text into the section of that name, in the file on the disk.
func (s *Scenario) rewrite(section, text string) error {
	var b strings.Builder
	for i := range s.parts {
		if s.parts[i].name == section {
			s.parts[i].text = text
		}
		b.WriteString(s.parts[i].heading + s.parts[i].text)
	}
	if err := os.WriteFile(s.path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("update scenario: %w", err)
	}
	return nil
}
