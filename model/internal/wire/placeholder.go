package wire

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"drawbridge/model"
)

// Placeholder stands in a request for entries that are put in just before it is
// sent: the vendors' libraries would read and copy them several times.
type Placeholder struct {
	mark string
	text []byte
}

// NewPlaceholder makes a placeholder whose mark occurs nowhere else.
func NewPlaceholder(text []byte) *Placeholder {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return &Placeholder{mark: `"entries-` + hex.EncodeToString(b[:]) + `"`, text: text}
}

// JSON is the mark as a JSON value.
func (p *Placeholder) JSON() json.RawMessage { return json.RawMessage(p.mark) }

// fill puts entries in place of their marks.
func fill(req *http.Request, placeholders []*Placeholder) error {
	if len(placeholders) == 0 || req.Body == nil {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	pieces, err := filled(body, placeholders)
	if err != nil {
		return err
	}
	req.ContentLength = 0
	for _, piece := range pieces {
		req.ContentLength += int64(len(piece))
	}
	req.GetBody = func() (io.ReadCloser, error) { return joined(pieces), nil }
	req.Body = joined(pieces)
	return nil
}

// filled cuts a body at its marks and puts the entries between the pieces. Only
// the body is searched, which is small; the entries may be long.
func filled(body []byte, placeholders []*Placeholder) ([][]byte, error) {
	at := make(map[int]*Placeholder, len(placeholders))
	for _, p := range placeholders {
		i := bytes.Index(body, []byte(p.mark))
		if i < 0 {
			return nil, fmt.Errorf("the request lost %s", strings.Trim(p.mark, `"`))
		}
		at[i] = p
	}
	var pieces [][]byte
	done := 0
	for _, i := range slices.Sorted(maps.Keys(at)) {
		pieces = append(pieces, body[done:i], at[i].text)
		done = i + len(at[i].mark)
	}
	return append(pieces, body[done:]), nil
}

func joined(pieces [][]byte) io.ReadCloser {
	readers := make([]io.Reader, len(pieces))
	for i, piece := range pieces {
		readers[i] = bytes.NewReader(piece)
	}
	return io.NopCloser(io.MultiReader(readers...))
}

// Tools keeps the definitions of tools as they are written on a wire: they are
// the same in every step. It rests on a promise of model.Request: a list that
// has been sent is not changed. The zero value is ready; it is safe for
// concurrent use.
type Tools struct {
	mu   sync.Mutex // guards below
	kept []model.ToolDef
	text []byte
}

// Placeholder returns the entries of a list, written by write where they are
// other ones than last time; nil when there are none.
func (t *Tools) Placeholder(defs []model.ToolDef, write func(defs []model.ToolDef) any) (*Placeholder, error) {
	if len(defs) == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) != len(defs) || &t.kept[0] != &defs[0] {
		list, err := json.Marshal(write(defs))
		if err != nil {
			return nil, fmt.Errorf("write the tools: %w", err)
		}
		t.kept, t.text = defs, list[1:len(list)-1]
	}
	return NewPlaceholder(t.text), nil
}
