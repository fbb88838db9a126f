// Package notebook judges changes of Jupyter notebooks as text: whether the
// result still loads, and whether the cells that are there keep what a kernel
// and an editor gave them. It reads the format (nbformat 4, and 3 as far as
// cells and outputs go) and knows neither files nor editors. It starts no
// goroutine.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Is says that a file of this name is a notebook.
func Is(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// book is what counts of a notebook.
type book struct {
	format, minor int
	cells         []cell
}

// cell is a cell by what it says and by what it was given: each is JSON in one
// spelling, so that two can be compared.
type cell struct {
	kind, id, source string
	outputs          string // with the execution count; "" when there is nothing
	attachments      string
}

// Loads reports why a notebook program would not load text; nil when it would.
// A text without anything is a notebook to come.
func Loads(text string) error {
	_, err := parse(text)
	return err
}

func parse(text string) (book, error) {
	var b book
	text = strings.TrimPrefix(text, "\uFEFF")
	if strings.TrimSpace(text) == "" {
		return b, nil
	}
	var raw struct {
		Format     *int             `json:"nbformat"`
		Minor      int              `json:"nbformat_minor"`
		Metadata   *json.RawMessage `json:"metadata"`
		Cells      *[]rawCell       `json:"cells"`
		Worksheets []struct {
			Cells []rawCell `json:"cells"`
		} `json:"worksheets"`
	}
	if err := decode(text, &raw); err != nil {
		return b, err
	}
	switch {
	case raw.Format == nil:
		return b, errors.New(`it has no "nbformat"`)
	case raw.Metadata == nil || !object(*raw.Metadata):
		return b, errors.New(`its "metadata" is no object`)
	case *raw.Format >= 4 && raw.Cells == nil:
		return b, errors.New(`it has no list of "cells"`)
	}
	b.format, b.minor = *raw.Format, raw.Minor
	for _, sheet := range raw.Worksheets {
		if raw.Cells == nil {
			raw.Cells = new([]rawCell)
		}
		*raw.Cells = append(*raw.Cells, sheet.Cells...)
	}
	if raw.Cells == nil {
		return b, nil
	}
	for i, r := range *raw.Cells {
		c, err := r.cell()
		if err != nil {
			return b, fmt.Errorf("cell %d: %w", i+1, err)
		}
		b.cells = append(b.cells, c)
	}
	return b, nil
}

// decode reads one JSON value that is all of text. Its error says where.
func decode(text string, into any) error {
	dec := json.NewDecoder(strings.NewReader(text))
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF {
			return nil
		}
		return fmt.Errorf("line %d: there is something after the end of the JSON", lineAt(text, dec.InputOffset()))
	}
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: it is not valid JSON: %w", lineAt(text, max(0, at.Offset-1)), err)
	}
	if at, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %q cannot be a JSON %s", lineAt(text, at.Offset), at.Field, at.Value)
	}
	return fmt.Errorf("it is not valid JSON: %w", err)
}

func lineAt(text string, offset int64) int {
	return 1 + strings.Count(text[:min(int(offset), len(text))], "\n")
}

func object(raw json.RawMessage) bool { return strings.HasPrefix(strings.TrimSpace(string(raw)), "{") }

// rawCell is a cell as it is written, in either format: 3 called source input.
type rawCell struct {
	Kind        *string            `json:"cell_type"`
	ID          *string            `json:"id"`
	Metadata    *json.RawMessage   `json:"metadata"`
	Source      *json.RawMessage   `json:"source"`
	Input       *json.RawMessage   `json:"input"`
	Outputs     *[]json.RawMessage `json:"outputs"`
	Count       *json.RawMessage   `json:"execution_count"`
	Attachments *json.RawMessage   `json:"attachments"`
}

func (r rawCell) cell() (c cell, err error) {
	if r.Kind == nil {
		return c, errors.New(`it has no "cell_type"`)
	}
	c.kind = *r.Kind
	if r.ID != nil {
		c.id = *r.ID
	}
	if r.Metadata != nil && !object(*r.Metadata) {
		return c, errors.New(`its "metadata" is no object`)
	}
	if r.Source == nil {
		r.Source = r.Input
	}
	if c.source, err = sourceOf(r.Source); err != nil {
		return c, err
	}
	if r.Attachments != nil {
		c.attachments = plain(*r.Attachments)
	}
	if c.kind != "code" {
		return c, nil
	}
	if r.Outputs == nil {
		return c, errors.New(`a code cell has a list of "outputs", which may be empty`)
	}
	c.outputs, err = outputsOf(*r.Outputs, r.Count)
	return c, err
}

// sourceOf is the text of a cell: one string, or a list of them.
func sourceOf(raw *json.RawMessage) (string, error) {
	wrong := errors.New(`its "source" is neither a string nor a list of strings`)
	if raw == nil {
		return "", wrong
	}
	var whole *string
	if json.Unmarshal(*raw, &whole) == nil && whole != nil {
		return *whole, nil
	}
	var lines []string
	if json.Unmarshal(*raw, &lines) != nil || string(*raw) == "null" {
		return "", wrong
	}
	return strings.Join(lines, ""), nil
}

func outputsOf(list []json.RawMessage, count *json.RawMessage) (string, error) {
	var b strings.Builder
	for i, raw := range list {
		var o struct {
			Kind *string `json:"output_type"`
		}
		if json.Unmarshal(raw, &o) != nil || o.Kind == nil {
			return "", fmt.Errorf(`output %d has no "output_type"`, i+1)
		}
		b.WriteString(plain(raw) + "\n")
	}
	if count != nil && string(*count) != "null" {
		b.WriteString("[" + plain(*count) + "]")
	}
	return b.String(), nil
}

// plain is JSON in one spelling: without blanks, members in order, numbers as
// they are written. Text in lines is text.
func plain(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
