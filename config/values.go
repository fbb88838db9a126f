package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// fault is something wrong at a place of the file.
type fault struct {
	at *yaml.Node
	// path leads from the setting to what is wrong: ".configs[0].name".
	path, text string
}

func (f *fault) Error() string { return f.text }

func faultf(at *yaml.Node, format string, args ...any) error {
	return &fault{at: at, text: fmt.Sprintf(format, args...)}
}

// readText takes quoted or plain text. Numbers and truth values must be
// quoted: 0123 and no would silently become something else.
func readText(n *yaml.Node, into *string) error {
	switch {
	case n.Kind != yaml.ScalarNode:
		return faultf(n, "want text, have a %s", nodeWord(n))
	case n.Tag == "!!null" || n.Tag == "!!str" && strings.TrimSpace(n.Value) == "":
		return faultf(n, "has no value; give one or take the line out")
	case n.Tag != "!!str":
		return faultf(n, "want text, have %s; put it in quotes", n.Value)
	}
	*into = n.Value
	return nil
}

func readChoice(n *yaml.Node, words []string, into *string) error {
	var s string
	if err := readText(n, &s); err != nil {
		return err
	}
	if !slices.Contains(words, s) {
		return faultf(n, "unknown value %q: choose %s%s", s, strings.Join(words, ", "), meant(s, words))
	}
	*into = s
	return nil
}

func readModel(n *yaml.Node, into *string) error {
	var s string
	if err := readText(n, &s); err != nil {
		return err
	}
	known := append(slices.Clone(providerNames), "script")
	provider, name, ok := strings.Cut(s, ":")
	switch {
	case !ok || name == "":
		return faultf(n, "want PROVIDER:NAME, have %q; providers are %s", s, strings.Join(known, ", "))
	case !slices.Contains(known, provider):
		return faultf(n, "unknown provider %q: choose %s%s", provider, strings.Join(known, ", "), meant(provider, known))
	}
	*into = s
	return nil
}

func readURL(n *yaml.Node, into *string) error {
	var s string
	if err := readText(n, &s); err != nil {
		return err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return faultf(n, "want a URL that begins with http:// or https://")
	case u.User != nil:
		return faultf(n, "the URL holds a user or password; use key or keyEnv")
	}
	*into = s
	return nil
}

// readKey never repeats what it read: the text is a secret.
func readKey(n *yaml.Node, p *Provider) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || strings.TrimSpace(n.Value) == "" {
		return faultf(n, "want the key as text; put it in quotes")
	}
	p.Key = Secret(n.Value)
	return oneKey(n, p)
}

func readKeyEnv(n *yaml.Node, p *Provider) error {
	if err := readName(n, &p.KeyEnv); err != nil {
		return err
	}
	return oneKey(n, p)
}

func oneKey(n *yaml.Node, p *Provider) error {
	if p.Key != "" && p.KeyEnv != "" {
		return faultf(n, "key and keyEnv exclude each other; keep one")
	}
	return nil
}

func readCount(n *yaml.Node, most int, into *int) error {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < 0 || v > most {
		return faultf(n, "want a number from 0 to %d", most)
	}
	*into = v
	return nil
}

// readDuration wants a unit: 90 could be anything.
func readDuration(n *yaml.Node, into *time.Duration) error {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || err != nil || d <= 0 || d == math.MaxInt64 {
		return faultf(n, "want a duration with its unit, such as 90s or 10m")
	}
	*into = d
	return nil
}

// readWait reads a duration of at most limit; 0 is none.
func readWait(n *yaml.Node, limit time.Duration, into *time.Duration) error {
	if n.Kind == yaml.ScalarNode && (n.Value == "0" || n.Value == "0s") {
		*into = 0
		return nil
	}
	var d time.Duration
	if err := readDuration(n, &d); err != nil || d > limit {
		return faultf(n, "want 0, or a duration with its unit of at most %v", limit)
	}
	*into = d
	return nil
}

func readBool(n *yaml.Node, into *bool) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
		return faultf(n, "want true or false")
	}
	*into = n.Value == "true"
	return nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func readName(n *yaml.Node, into *string) error {
	var s string
	if err := readText(n, &s); err != nil {
		return err
	}
	if !variableName.MatchString(s) {
		return faultf(n, "want the name of an environment variable")
	}
	*into = s
	return nil
}

func readNames(n *yaml.Node, into *[]string) error {
	if n.Kind != yaml.SequenceNode {
		return faultf(n, "want a list of names, have a %s", nodeWord(n))
	}
	names := make([]string, len(n.Content))
	var errs []error
	for i, item := range n.Content {
		errs = append(errs, readName(item, &names[i]))
	}
	*into = names
	return errors.Join(errs...)
}

// readPairs takes any scalar as the text it is written as, since a variable
// holds text only. Names are checked like keys: once each.
func readPairs(n *yaml.Node, into *map[string]string) error {
	if n.Kind != yaml.MappingNode {
		return faultf(n, "want names with text, have a %s", nodeWord(n))
	}
	pairs := map[string]string{}
	var errs []error
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		_, twice := pairs[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !variableName.MatchString(key.Value):
			errs = append(errs, faultf(key, "want the name of an environment variable"))
			continue
		case twice:
			errs = append(errs, faultf(key, "%s is set twice", key.Value))
		case value.Kind != yaml.ScalarNode || value.Tag == "!!null" || strings.Contains(value.Value, "\x00"):
			errs = append(errs, faultf(value, `want text for %s; for empty text write ""`, key.Value))
		}
		pairs[key.Value] = value.Value
	}
	*into = pairs
	return errors.Join(errs...)
}

func nodeWord(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "section"
	case yaml.SequenceNode:
		return "list"
	case yaml.AliasNode:
		return "reference"
	}
	return "single value"
}
