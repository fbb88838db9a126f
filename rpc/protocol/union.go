package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// blockFields says for every type of block which fields it has, from the of
// tags of Block. It is computed when first needed.
var blockFields = sync.OnceValue(func() map[BlockType][]blockField {
	m := map[BlockType][]blockField{}
	t := reflect.TypeFor[Block]()
	for i := range t.NumField() {
		f := t.Field(i)
		for of := range strings.SplitSeq(f.Tag.Get("of"), ",") {
			name, optional := strings.CutSuffix(of, "?")
			if name != "" {
				m[BlockType(name)] = append(m[BlockType(name)], blockField{i, f.Tag.Get("json"), optional})
			}
		}
	}
	return m
})

type blockField struct {
	index    int
	name     string
	optional bool
}

// MarshalJSON writes the fields of the block's type, no others. A block of an
// unknown type is an error: it could not be read back.
func (b Block) MarshalJSON() ([]byte, error) {
	fields, ok := blockFields()[b.Type]
	if !ok {
		return nil, fmt.Errorf("content block: unknown type %q", b.Type)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"type":%q`, string(b.Type))
	v := reflect.ValueOf(b)
	for _, f := range fields {
		if f.optional && v.Field(f.index).IsZero() {
			continue
		}
		text, err := json.Marshal(v.Field(f.index).Interface())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, `,%q:%s`, f.name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads a block of a known type with all the fields the type
// needs, and ignores fields it does not know.
func (b *Block) UnmarshalJSON(data []byte) error {
	type plain Block
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	fields, ok := blockFields()[p.Type]
	if !ok {
		return fmt.Errorf("content block: unknown type %q", p.Type)
	}
	for _, f := range fields {
		if raw, sent := keys[f.name]; (!sent || isNull(raw)) && !f.optional {
			return fmt.Errorf("content block %s: %s is missing", p.Type, f.name)
		}
	}
	*b = Block(p)
	return nil
}
