package config

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Model is what the user says of a model that its service does not tell, or
// tells otherwise.
type Model struct {
	Context  int      // tokens that it holds; 0: not said
	Vision   *bool    // it reads pictures; nil: not said
	Thinking []string // off, low, medium, high; nil: not said, empty: it cannot
	Price    *Price   // nil: not said
}

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input, Output         float64
	CacheRead, CacheWrite float64 // 0: as input
}

// Images says which pictures may be fetched.
type Images struct {
	// Allow names what may be reached by its address although it is this machine or
	// a private network: a host, a host with a port, an address, or a range of
	// addresses such as 10.1.0.0/16. Names are in lower case.
	Allow []string
}

var thinkingWords = []string{"off", "low", "medium", "high"}

const (
	maxContext = 1_000_000_000
	maxPrice   = 1_000_000
)

func modelRows() []setting {
	return []setting{
		of(setting{
			path: "models", kind: "models by PROVIDER:NAME", when: AtOnce, shape: modelsShape(),
			doc: "What is to be known of models where their service does not tell, each with any of `context` (tokens), `vision` " +
				"(true or false), `thinking` (a list of off, low, medium, high) and `price` (`input`, `output`, and where they differ " +
				"`cacheRead` and `cacheWrite`, in US dollars for a million tokens). It wins over what is known otherwise.",
		}, readModels, func(c *Config) *map[string]Model { return &c.Models }),
		of(setting{
			path: "visionModel", kind: "PROVIDER:NAME", when: AtOnce, shape: modelShape(),
			doc: "The model that describes pictures to a model that reads only text. Without it `describe_image` only says how to set one.",
		}, readModel, func(c *Config) *string { return &c.VisionModel }),
		of(setting{
			path: "images.allow", kind: "list of hosts, host:port or ranges of addresses", when: AtOnce, shape: listOf(textShape()),
			doc: "What pictures may be fetched from although it is this machine or a private network, such as `127.0.0.1:8080`, " +
				"`wiki.example` or `10.1.0.0/16`.",
		}, readReachable, func(c *Config) *[]string { return &c.Images.Allow }),
	}
}

func readModels(n *yaml.Node, into *map[string]Model) error {
	if n.Kind != yaml.MappingNode {
		return faultf(n, `want models such as "openai:some-model": {context: 128000}, have a %s`, nodeWord(n))
	}
	models := map[string]Model{}
	var errs []error
	for key, value := range pairs(n, &errs) {
		var name string
		errs = append(errs, below("."+key.Value, readModel(key, &name)))
		var m Model
		errs = append(errs, below("."+key.Value, readModelFacts(value, &m)))
		models[name] = m
	}
	*into = models
	return errors.Join(errs...)
}

func readModelFacts(n *yaml.Node, m *Model) error {
	return object(n, "context, vision, thinking and price",
		field{name: "context", read: func(n *yaml.Node) error { return readWhole(n, 1, maxContext, "tokens", &m.Context) }},
		field{name: "vision", read: func(n *yaml.Node) error { return readOptional(n, &m.Vision) }},
		field{name: "thinking", read: func(n *yaml.Node) error { return readThinking(n, &m.Thinking) }},
		field{name: "price", read: func(n *yaml.Node) error { return readPrice(n, &m.Price) }},
	)
}

func readThinking(n *yaml.Node, into *[]string) error {
	*into = []string{}
	return items(n, strings.Join(thinkingWords, ", "), func(_ int, item *yaml.Node) error {
		var word string
		err := readChoice(item, thinkingWords, &word)
		if err == nil && slices.Contains(*into, word) {
			return faultf(item, "%s is named twice", word)
		}
		*into = append(*into, word)
		return err
	})
}

func readPrice(n *yaml.Node, into **Price) error {
	p := &Price{}
	*into = p
	dollars := func(name string, need bool, into *float64) field {
		return field{name, need, func(n *yaml.Node) error { return readDollars(n, into) }}
	}
	return object(n, "input and output, in US dollars for a million tokens",
		dollars("input", true, &p.Input), dollars("output", true, &p.Output),
		dollars("cacheRead", false, &p.CacheRead), dollars("cacheWrite", false, &p.CacheWrite))
}

func readDollars(n *yaml.Node, into *float64) error {
	v, err := strconv.ParseFloat(n.Value, 64)
	number := n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float")
	if !number || err != nil || math.IsNaN(v) || v < 0 || v > maxPrice {
		return faultf(n, "want US dollars for a million tokens, such as 1.25")
	}
	*into = v
	return nil
}

// readWhole reads a number of things within bounds.
func readWhole(n *yaml.Node, least, most int, things string, into *int) error {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < least || v > most {
		return faultf(n, "want a number of %s from %d to %d", things, least, most)
	}
	*into = v
	return nil
}

// readOptional reads true or false where neither is the default.
func readOptional(n *yaml.Node, into **bool) error {
	var v bool
	if err := readBool(n, &v); err != nil {
		return err
	}
	*into = &v
	return nil
}

func modelsShape() shape {
	dollars := shape{"type": "number", "minimum": 0, "maximum": maxPrice}
	facts := section(map[string]any{
		"context":  shape{"type": "integer", "minimum": 1, "maximum": maxContext, "description": "Tokens that it holds."},
		"vision":   shape{"type": "boolean", "description": "It reads pictures."},
		"thinking": shape{"type": "array", "items": oneOf(thinkingWords...), "uniqueItems": true, "description": "How much it can be told to reason."},
		"price": section(map[string]any{
			"input": dollars, "output": dollars, "cacheRead": dollars, "cacheWrite": dollars,
		}, "input", "output"),
	})
	return shape{"type": "object", "propertyNames": shape{"pattern": modelPattern}, "additionalProperties": facts}
}

var (
	hostName = regexp.MustCompile(`^(?i)[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*\.?$`)
	numeric  = regexp.MustCompile(`^[0-9.]+$`)
)

func readReachable(n *yaml.Node, into *[]string) error {
	var all []string
	err := items(n, "hosts, host:port or ranges of addresses", func(_ int, item *yaml.Node) error {
		var s string
		if err := readText(item, &s); err != nil {
			return err
		}
		s = strings.ToLower(s)
		if !reachable(s) {
			return faultf(item, "want a host, host:port, an address, or a range such as 10.1.0.0/16, have %q", s)
		}
		all = append(all, s)
		return nil
	})
	*into = all
	return err
}

// reachable says that a text names where pictures may be: no scheme, path or
// wildcard.
func reachable(s string) bool {
	if _, err := netip.ParsePrefix(s); err == nil {
		return true
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	host, port, found := cutPort(s)
	if p, err := strconv.Atoi(port); found && (err != nil || p < 1 || p > 65535 || fmt.Sprint(p) != port) {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && a.Is6() && strings.HasSuffix(inner, "]")
	}
	_, err := netip.ParseAddr(host)
	return err == nil || hostName.MatchString(host) && !numeric.MatchString(host)
}

// cutPort splits at the colon before a port, if there is one.
func cutPort(s string) (host, port string, found bool) {
	if strings.HasSuffix(s, "]") {
		return s, "", false
	}
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
