package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	return Plan{
		Title: "Read " + p.Rel, Access: Read, Paths: []workspace.Path{p},
		Run: func(ctx context.Context, _ Accepted, out Output) (Result, error) {
			text, err := readWindow(ctx, env, p, args)
			if err == nil {
				env.Reads.look(ctx, env.Workspace, p)
			}
			out.Write(text)
			return Result{}, err
		},
	}, nil
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
	src, dirty, err := openText(env, p, args.name)
	if err != nil {
		return "", err
	}
	defer src.Close()
	w := newLineWindow(args, env.Limits.MaxOutput)
	if err := w.scan(ctx, src); err != nil {
		return "", fmt.Errorf("read %s: %w", p.Rel, err)
	}
	return w.text(args, dirty)
}

// openText opens the document when the editor has it open, else the file.
// dirty says that the text is not the file's.
func openText(env Env, p workspace.Path, name string) (src io.ReadCloser, dirty bool, err error) {
	if doc, ok := env.Workspace.Document(p); ok {
		return io.NopCloser(strings.NewReader(doc.Text)), doc.Dirty, nil
	}
	info, err := env.Workspace.Stat(p)
	switch {
	case err != nil:
		return nil, false, fileFailure(name, err)
	case !info.Exists:
		return nil, false, notFound(env, name, p, "")
	case info.Dir:
		return nil, false, fileFailure(name, &workspace.FileError{Kind: workspace.IsDir})
	case !info.Regular:
		return nil, false, fileFailure(name, &workspace.FileError{Kind: workspace.NotRegular})
	}
	f, err := env.Workspace.OpenFile(p)
	if err != nil {
		return nil, false, fileFailure(name, err)
	}
	return f, false, nil
}
