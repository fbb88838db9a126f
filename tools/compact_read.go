package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"drawbridge/workspace"
)

// compactRead shows a window of a text file as it is. The file is read in pieces
// to its end, since one with a NUL anywhere is refused; only the window is kept,
// and of it what can be shown.
type compactRead struct{}

func (compactRead) Spec() Spec {
	return Spec{
		Name: "read", Description: description(compactReadPage), Schema: schema(compactReadSchema),
		Access: Read, Limits: Limits{Timeout: fileTimeout, MaxOutput: compactOutput}, Style: compactReadStyle,
	}
}

func (compactRead) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	args, err := parseCompactRead(raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, args.name, Read)
	if err != nil {
		return Plan{}, err
	}
	return readPlan(env, p, func(ctx context.Context, out Output) (string, error) {
		text, note, err := readRaw(ctx, env, p, args)
		out.Write(text)
		return note, err
	}), nil
}

// noLimit is the limit of a call that names none.
const noLimit = -1

func parseCompactRead(raw json.RawMessage) (r readArgs, err error) {
	a, err := parse(raw)
	if err != nil {
		return r, err
	}
	if r.name, err = a.filePath(); err != nil {
		return r, err
	}
	if r.offset, err = a.positive("offset", 1); err != nil {
		return r, err
	}
	r.limit, err = a.positive("limit", noLimit)
	return r, err
}

// positive is an optional number of at least 1.
func (a arguments) positive(name string, absent int) (int, error) {
	n, err := a.number(name, absent)
	if err == nil && a.has(name) && n < 1 {
		err = Failf("Invalid argument %s: expected a number of at least 1, got %s", name, a.shown(name))
	}
	return n, err
}

// readRaw returns the window, and what there is to say of the text.
func readRaw(ctx context.Context, env Env, p workspace.Path, args readArgs) (text, note string, err error) {
	src, err := openText(ctx, env, p, args.name)
	if err != nil {
		return "", "", err
	}
	defer src.Close()
	w := rawWindow{offset: args.offset, limit: args.limit, room: env.Limits.MaxOutput + heldBack}
	if env.Limits.MaxOutput <= 0 {
		w.room = workspace.MaxFile
	}
	switch err := w.scan(ctx, src); {
	case err != nil:
		return "", "", scanFailure(ctx, args.name, err)
	case w.binary:
		return "", "", Failf("%q is a binary file (it contains NUL bytes). Look at it with a shell command (file, xxd).", args.name)
	case w.line < w.offset:
		return "", "", Failf("Offset %d is beyond the end of %q: it has %s.", args.offset, args.name, w.lines())
	}
	return w.text.String(), src.standing(), nil
}

// rawWindow is one pass over a text. Lines are what stands between line ends, so
// that behind the last of them is one more, which may be empty.
type rawWindow struct {
	offset, limit int
	room          int // bytes that are kept at most, and those of one piece

	text   strings.Builder
	line   int  // the line that the last byte seen is in, or that follows it
	inside bool // something of that line was seen
	begun  bool
	binary bool
}

// lines counts as offset and limit do: a final line end has an empty line behind
// it.
func (w *rawWindow) lines() string {
	switch {
	case w.inside:
		return plural(w.line, "line")
	case w.line == 1:
		return "1 line, which is empty"
	}
	return plural(w.line, "line") + ", the last of them empty"
}

func (w *rawWindow) scan(ctx context.Context, src io.Reader) error {
	w.line = 1
	return eachPiece(ctx, src, make([]byte, scanChunk), func(p []byte) bool {
		w.feed(p)
		return w.binary
	})
}

func (w *rawWindow) feed(p []byte) {
	w.binary = bytes.IndexByte(p, 0) >= 0
	if !w.begun && len(p) > 0 {
		p, w.begun = bytes.TrimPrefix(p, []byte(bom)), true
	}
	for len(p) > 0 {
		piece, ended := p, false
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			piece, ended = p[:i+1], true
		}
		w.keep(piece, ended)
		w.inside = !ended
		if ended {
			w.line++
		}
		p = p[len(piece):]
	}
}

// keep takes a piece of the present line. The end of the window's last line is no
// part of it.
func (w *rawWindow) keep(piece []byte, ended bool) {
	behind := w.line - w.offset // lines of the window before this one
	if behind < 0 || w.limit != noLimit && behind >= w.limit || w.text.Len() > w.room {
		return
	}
	if ended && w.limit != noLimit && behind == w.limit-1 {
		piece = piece[:len(piece)-1]
	}
	w.text.Write(piece)
}
