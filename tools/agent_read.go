package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"drawbridge/workspace"
)

// maxWhole is the size in bytes beyond which a file is read in parts only.
const maxWhole = 4 << 20

// agentRead shows a text file, or some lines of it, as it is.
type agentRead struct{}

func (agentRead) Spec() Spec {
	return Spec{
		Name: "read", Description: description(agentReadPage), Schema: schema(agentReadSchema),
		Access: Read, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentReadStyle,
	}
}

func (agentRead) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	name, err := a.filled("file_path")
	if err != nil {
		return Plan{}, err
	}
	lines, err := a.viewRange("view_range")
	if err != nil {
		return Plan{}, err
	}
	p, err := resolve(env, name, Read)
	if err != nil {
		return Plan{}, err
	}
	return readPlan(env, p, func(ctx context.Context, out Output) (string, error) {
		return lines.show(ctx, env, p, name, out)
	}), nil
}

// viewRange is some lines, from 1 on, both ends included; an end of 0 is the end
// of the file. The zero viewRange is the whole file. Lines are what stands between
// line ends, so that behind the last of them is one more, which may be empty.
type viewRange struct{ first, last int }

// viewRange is an optional pair of numbers. Without any it is left out.
func (a arguments) viewRange(name string) (r viewRange, err error) {
	if !a.has(name) {
		return r, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(a[name], &list); err != nil || len(list) != 0 && len(list) != 2 {
		return r, Failf("Invalid argument %s: expected two line numbers [first, last], got %s", name, a.shown(name))
	}
	if len(list) == 0 {
		return r, nil
	}
	ends := arguments{name + "[0]": list[0], name + "[1]": list[1]}
	if r.first, err = ends.number(name+"[0]", 1); err != nil {
		return r, err
	}
	if r.last, err = ends.number(name+"[1]", 0); err != nil {
		return r, err
	}
	return viewRange{max(r.first, 1), max(r.last, 0)}, nil
}

// show writes the lines, and returns what there is to say of the text.
func (r viewRange) show(ctx context.Context, env Env, p workspace.Path, name string, out Output) (note string, err error) {
	src, size, err := openRaw(ctx, env, p, name)
	if err != nil {
		return "", err
	}
	defer src.Close()
	if r == (viewRange{}) && size > maxWhole {
		orBash := ""
		if env.Offers.Has("bash") {
			orBash = ", or use bash (head, tail, sed -n)"
		}
		return "", Failf("%q is too large to be read at once (%d bytes, the limit is %d). Read a slice of it: give view_range, such as [1, 500]%s.",
			name, size, maxWhole, orBash)
	}
	if err := r.copy(ctx, env, src, out); err != nil {
		return "", scanFailure(ctx, name, err)
	}
	return src.standing(), nil
}

// openRaw opens the document when the editor has it open, else the file.
func openRaw(ctx context.Context, env Env, p workspace.Path, name string) (source, int64, error) {
	info, err := env.Workspace.Stat(p)
	switch {
	case err != nil:
		return source{}, 0, agentFileFailure(name, err)
	case !info.Exists:
		return source{}, 0, noSuchFile(env, name, p, "")
	case info.Dir:
		return source{}, 0, agentFileFailure(name, &workspace.FileError{Kind: workspace.IsDir})
	case !info.Regular:
		return source{}, 0, agentFileFailure(name, &workspace.FileError{Kind: workspace.NotRegular})
	}
	src, err := openText(ctx, env, p, name)
	return src, info.Size, err
}

// copy passes the lines on as they are read, and stops once more is there than
// can be shown.
func (r viewRange) copy(ctx context.Context, env Env, src io.Reader, out Output) error {
	line, shown := 1, 0
	return eachPiece(ctx, src, make([]byte, scanChunk), func(p []byte) bool {
		var piece []byte
		piece, line = r.cut(p, line)
		out.Write(string(piece))
		shown += len(piece)
		return r.last > 0 && line > r.last || env.Limits.MaxOutput > 0 && shown > env.Limits.MaxOutput+heldBack
	})
}

// cut is the part of p, which begins in a line, that lies in the range, and the
// line that follows p. The line end of the last line is not in the range.
func (r viewRange) cut(p []byte, line int) (part []byte, next int) {
	start := 0
	for ; line < r.first; line++ {
		i := bytes.IndexByte(p[start:], '\n')
		if i < 0 {
			return nil, line
		}
		start += i + 1
	}
	end := start
	for r.last == 0 || line <= r.last {
		i := bytes.IndexByte(p[end:], '\n')
		if i < 0 {
			return p[start:], line
		}
		if line == r.last {
			return p[start : end+i], line + 1
		}
		end += i + 1
		line++
	}
	return nil, line
}
