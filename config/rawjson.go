package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gopkg.in/yaml.v3"
)

// readSchema takes a JSON Schema as it is written in YAML. What may stand in it
// is not known here, but that it is an object and has a meaning as JSON.
func readSchema(n *yaml.Node, into *json.RawMessage) error {
	if n.Kind != yaml.MappingNode {
		return faultf(n, "want a JSON Schema such as {type: object, properties: {…}}, have a %s", nodeWord(n))
	}
	var b bytes.Buffer
	if err := writeJSON(&b, n); err != nil {
		return err
	}
	*into = b.Bytes()
	return nil
}

// writeJSON keeps the order of keys, in which a model reads them.
func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeObject(b, n)
	case yaml.SequenceNode:
		b.WriteByte('[')
		var errs []error
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			errs = append(errs, below(fmt.Sprintf("[%d]", i), writeJSON(b, item)))
		}
		b.WriteByte(']')
		return errors.Join(errs...)
	case yaml.ScalarNode:
		return writeScalar(b, n)
	}
	return faultf(n, "references are not taken here; write it out")
}

func writeObject(b *bytes.Buffer, n *yaml.Node) error {
	var errs []error
	b.WriteByte('{')
	first := true
	for key, value := range pairs(n, &errs) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		if key.Tag == "!!merge" {
			errs = append(errs, faultf(key, "references are not taken here; write it out"))
			continue
		}
		errs = append(errs, write(b, key.Value))
		b.WriteByte(':')
		errs = append(errs, below("."+key.Value, writeJSON(b, value)))
	}
	b.WriteByte('}')
	return errors.Join(errs...)
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	var v any
	switch n.Tag {
	case "!!str":
		v = n.Value
	case "!!null", "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err != nil {
			return faultf(n, "%s is no value of JSON", n.Value)
		}
	default:
		return faultf(n, "%s is no value of JSON; put it in quotes", n.Value)
	}
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return faultf(n, "%s is no value of JSON", n.Value)
	}
	return write(b, v)
}

func write(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	b.Truncate(b.Len() - 1) // its line end
	return err
}
