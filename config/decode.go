package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Problem is one fault of a settings file. Line and Column count from 1; they
// are 0 where no place of the file is at fault.
type Problem struct {
	File         string
	Line, Column int
	Text         string
}

func (p *Problem) Error() string {
	if p.File == "" {
		return p.Text
	}
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Warning is a fault that a line tells of, as those of Config.Warnings do.
func Warning(line string) *Problem {
	place, text, _ := strings.Cut(line, ": ")
	if p := At(place, text); p.Line > 0 {
		return p
	}
	return &Problem{Text: line}
}

// At is a fault at a place that settings name: file:line:column.
func At(where, text string) *Problem {
	p := &Problem{File: where, Text: text}
	rest, column := cutNumber(where)
	file, line := cutNumber(rest)
	if line > 0 && column > 0 {
		p.File, p.Line, p.Column = file, line, column
	}
	return p
}

// cutNumber splits text before the number that it ends in behind a colon.
func cutNumber(text string) (rest string, n int) {
	i := strings.LastIndexByte(text, ':')
	n, err := strconv.Atoi(text[i+1:])
	if i < 0 || err != nil {
		return text, 0
	}
	return text[:i], n
}

// decode reads the one document of text into c, by the table of what may stand
// there. It reports every fault it finds; c is then half-filled and must be
// dropped, once what else can be known of it is.
func decode(c *Config, table []setting, file string, text []byte) error {
	d := &decoder{config: c, table: table}
	docs, broken := documents(file, text)
	for i, doc := range docs {
		if i > 0 {
			d.fault(doc, "a second document; one file holds one")
			break
		}
		d.section(doc.Content[0], "")
	}
	return errors.Join(broken, d.report(file))
}

// decoder walks the document along the table of settings.
type decoder struct {
	config *Config
	table  []setting
	faults []*fault
}

func (d *decoder) fault(at *yaml.Node, format string, args ...any) {
	d.faults = append(d.faults, &fault{at: at, text: fmt.Sprintf(format, args...)})
}

// section reads a mapping whose settings begin with prefix ("approval."). One
// that is there but empty has all its lines commented out, which is fine.
func (d *decoder) section(n *yaml.Node, prefix string) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.fault(n, "want a section of settings, have a %s", nodeWord(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, twice := seen[key.Value]; twice {
			d.fault(key, "%s is set twice, first in line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		d.entry(key, value, prefix)
	}
}

// entry reads one key of a section: a setting, a section below, or a mistake.
func (d *decoder) entry(key, value *yaml.Node, prefix string) {
	path := prefix + key.Value
	plain := key.Value != "" && !strings.Contains(key.Value, ".")
	if i := slices.IndexFunc(d.table, func(s setting) bool { return s.path == path }); plain && i >= 0 {
		d.value(d.table[i], value)
		return
	}
	below := func(s setting) bool { return strings.HasPrefix(s.path, path+".") }
	if plain && slices.ContainsFunc(d.table, below) {
		d.section(value, path+".")
		return
	}
	d.fault(key, "unknown setting %q%s", path, d.hint(key.Value, prefix))
}

// hint says what an unknown key was meant to be: a key of this section spelled
// wrong, the right key in the wrong section, or else what is valid here.
func (d *decoder) hint(key, prefix string) string {
	if strings.Contains(key, ".") {
		return "; sections are written by indentation"
	}
	if d.elsewhereOnly(prefix + key) {
		return "; a workspace cannot say it, it is the user's alone"
	}
	here := d.keysAt(prefix)
	if h := meant(key, here); h != "" {
		return h
	}
	if there := d.elsewhere(key); len(there) > 0 {
		return "; did you mean " + strings.Join(there, " or ") + "?"
	}
	return "; valid here: " + strings.Join(here, ", ")
}

func (d *decoder) value(s setting, n *yaml.Node) {
	d.config.noteSet(s.path, place(d.config.File, n))
	for _, f := range faultsIn(s.read(d.config, n)) {
		d.fault(f.at, "%s%s: %s", s.path, f.path, f.text)
	}
}

// keysAt lists what may stand in a section.
func (d *decoder) keysAt(prefix string) []string {
	var keys []string
	for _, s := range d.table {
		rest, ok := strings.CutPrefix(s.path, prefix)
		key, _, _ := strings.Cut(rest, ".")
		if ok && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// elsewhereOnly says that it is a setting or a section of the user's file, and
// this is not the user's file.
func (d *decoder) elsewhereOnly(path string) bool {
	return slices.ContainsFunc(settings(Dirs{}), func(s setting) bool {
		return s.path == path || strings.HasPrefix(s.path, path+".")
	})
}

// elsewhere lists the settings of that name in other sections.
func (d *decoder) elsewhere(key string) []string {
	var paths []string
	for _, s := range d.table {
		if strings.HasSuffix(s.path, "."+key) {
			paths = append(paths, s.path)
		}
	}
	return paths
}

// report joins the faults, a line each.
func (d *decoder) report(file string) error {
	var errs []error
	for _, f := range d.faults {
		errs = append(errs, &Problem{file, f.at.Line, f.at.Column, f.text})
	}
	return errors.Join(errs...)
}

// inOrder joins the problems of one file in its order, each once: what is wrong
// may be found by its words and again by what they mean.
func inOrder(errs ...error) error {
	all := ProblemsOf(errors.Join(errs...))
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var each []error
	for _, p := range slices.Compact(all) {
		each = append(each, &p)
	}
	return errors.Join(each...)
}
