package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"

	"drawbridge/workspace"
)

const (
	// scanLimit is how many bytes of a file are looked at for one window.
	scanLimit = 8 << 20
	// The pieces begin small, since most files are, and double while they are
	// filled.
	firstChunk = 8 << 10
	scanChunk  = 256 << 10

	defaultLines = 2000
	maxLineChars = 2000
	lineCut      = "… [line truncated]"

	// readReserve is what the closing notes can take of the output limit, so
	// that they always fit inside it.
	readReserve = 256
)

// readFile shows a window of a text file. It reads the file in pieces and
// keeps only the window.
type readFile struct{}

func (readFile) Spec() Spec {
	return Spec{
		Name: "read_file", Description: description(readFilePage), Schema: schema(readFileSchema),
		Access: Read, Limits: Limits{Timeout: fileTimeout, MaxOutput: maxReadOutput},
	}
}

type readArgs struct {
	name          string
	offset, limit int
}

func (readFile) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	args, err := parseRead(raw)
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, args.name, Read)
	if err != nil {
		return Plan{}, err
	}
	return readPlan(env, p, func(ctx context.Context, out Output) (string, error) {
		text, err := readWindow(ctx, env, p, args)
		out.Write(text)
		return "", err
	}), nil
}

// readPlan is the plan of a read that writes what it reads, and returns a note. The
// model has then seen the file.
func readPlan(env Env, p workspace.Path, read func(ctx context.Context, out Output) (note string, err error)) Plan {
	return Plan{
		Title: "Read " + p.Rel, Access: Read, Paths: []workspace.Path{p},
		Run: func(ctx context.Context, _ Accepted, out Output) (Result, error) {
			note, err := read(ctx, out)
			if err == nil {
				env.Reads.look(ctx, env.Workspace, p)
			}
			return Result{Note: note}, err
		},
	}
}

// eachPiece reads src in pieces to its end, or until take has enough. The piece
// lies in buf.
func eachPiece(ctx context.Context, src io.Reader, buf []byte, take func(piece []byte) (enough bool)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := src.Read(buf)
		if take(buf[:n]) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func parseRead(raw json.RawMessage) (r readArgs, err error) {
	a, err := parse(raw)
	if err != nil {
		return r, err
	}
	if r.name, err = a.filled("file_path"); err != nil {
		return r, err
	}
	if r.offset, err = a.number("offset", 1); err != nil {
		return r, err
	}
	if r.limit, err = a.number("limit", defaultLines); err != nil {
		return r, err
	}
	if r.limit <= 0 {
		return r, Failf("Invalid argument limit: expected a number above 0, got %s", a.shown("limit"))
	}
	r.offset = max(r.offset, 1)
	return r, nil
}

// readWindow returns the whole text of the result.
func readWindow(ctx context.Context, env Env, p workspace.Path, args readArgs) (string, error) {
	src, err := openText(ctx, env, p, args.name)
	if err != nil {
		return "", err
	}
	defer src.Close()
	w := newLineWindow(args, env.Limits.MaxOutput)
	if err := w.scan(ctx, src); err != nil {
		return "", scanFailure(ctx, args.name, err)
	}
	return w.text(args, src, env.Offers)
}

// scanFailure is for what cannot be read although it can be opened, such as
// some of /proc and a disk with a fault. An ended ctx stays what it is.
func scanFailure(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		err = fault.Err // the path is named once
	}
	return Failf("%q cannot be read: %v", name, err)
}

// source is a text that is being read.
type source struct {
	io.ReadCloser
	open     bool // it is of an open document
	dirty    bool // it is not the file's
	differs  bool // and that was written by others meanwhile
	behind   bool // it is the file's, and the open document shows an older one
	encoding workspace.Encoding
}

// standing says whose text it is, where that is not plain.
func (s source) standing() string {
	switch {
	case s.behind:
		return "(text of the file; the editor still shows an older one)"
	case s.differs:
		return "(text of the editor, not saved yet; the file on disk was changed by others)"
	case s.dirty:
		return "(text of the editor, not saved yet)"
	}
	return ""
}

// openText opens the document when the editor has it open, else the file.
func openText(ctx context.Context, env Env, p workspace.Path, name string) (source, error) {
	if c, err := fresh(ctx, env, p); err == nil && c.Open {
		doc, _ := env.Workspace.Document(p)
		return source{
			ReadCloser: io.NopCloser(strings.NewReader(c.Text)), open: true, dirty: doc.Dirty,
			differs: env.Workspace.ChangedOnDisk(p), behind: c.Behind, encoding: env.Workspace.Declared(p),
		}, nil
	}
	info, err := env.Workspace.Stat(p)
	switch {
	case err != nil:
		return source{}, fileFailure(name, err)
	case !info.Exists:
		return source{}, notFound(env, name, p, "")
	case info.Dir:
		return source{}, fileFailure(name, &workspace.FileError{Kind: workspace.IsDir})
	case !info.Regular:
		return source{}, fileFailure(name, &workspace.FileError{Kind: workspace.NotRegular})
	}
	text, encoding, err := env.Workspace.OpenText(p)
	if err != nil {
		return source{}, fileFailure(name, err)
	}
	return source{ReadCloser: text, encoding: encoding}, nil
}

// fresh is what an open document holds, once it shows what its file holds; not
// open is what is none.
func fresh(ctx context.Context, env Env, p workspace.Path) (workspace.Content, error) {
	if _, open := env.Workspace.Document(p); !open {
		return workspace.Content{}, nil
	}
	env.Workspace.Fresh(ctx, p)
	return env.Workspace.Read(ctx, p)
}
