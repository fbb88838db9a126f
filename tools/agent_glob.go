package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/internal/search"
	"drawbridge/workspace"
)

// maxGlobbed is how many names are shown.
const maxGlobbed = 200

// agentGlob finds files by their names.
type agentGlob struct{}

func (agentGlob) Spec() Spec {
	return Spec{
		Name: "glob", Description: description(agentGlobPage), Schema: schema(agentGlobSchema),
		Access: Read, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentStyle,
	}
}

// globbing is a planned search for names.
type globbing struct {
	name    string         // of the folder, as the model wrote it; "" if that is part of the pattern
	top     workspace.Path // that folder
	in      workspace.Path // the folder before the first wildcard, which is searched
	pattern string         // below in
}

func (agentGlob) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	pattern, err := a.pattern()
	if err != nil {
		return Plan{}, err
	}
	g, err := a.globbing(env, pattern)
	if err != nil {
		return Plan{}, err
	}
	return Plan{
		Title: CommandTitle("Find " + pattern), Access: Read, Paths: []workspace.Path{g.in},
		Run: func(ctx context.Context, _ Accepted, out Output) (Result, error) {
			note, err := g.run(ctx, env, out)
			return Result{Note: note}, err
		},
	}, nil
}

// globbing begins where the wildcards do: what is before them is a path like any
// other, and is decided about.
func (a arguments) globbing(env Env, pattern string) (g globbing, err error) {
	if why := search.CheckPattern(pattern); why != "" {
		return g, Failf("Invalid argument pattern: %s cannot be used: %s", a.shown("pattern"), why)
	}
	names, folders := pattern, ""
	if short := strings.TrimRight(pattern, "/"); short != pattern && short != "" {
		names, folders = short, "/"
	}
	dir, rest := search.SplitPattern(names)
	if slices.Contains(strings.Split(rest, "/"), "..") {
		return g, Failf("Invalid argument pattern: %q has \"..\" behind a wildcard", pattern)
	}
	if !filepath.IsAbs(pattern) {
		if g.name, g.top, err = a.root(env); err != nil {
			return g, err
		}
		dir = path.Join(g.top.Abs, dir)
	}
	g.pattern = strings.Trim(path.Clean("/"+rest), "/") + folders
	g.in, err = resolve(env, dir, Read)
	return g, err
}

func (g globbing) run(ctx context.Context, env Env, out Output) (note string, err error) {
	if g.name != "" {
		info, err := env.Workspace.Stat(g.top)
		switch {
		case err != nil:
			return "", fileFailure(g.name, err)
		case !info.Exists:
			return "", noSuchFile(env, g.name, g.top, "")
		case !info.Dir:
			return "", Failf("%q: not a directory", g.name)
		}
	}
	if info, err := env.Workspace.Stat(g.in); err != nil || !info.Dir {
		out.Write(noMatches)
		return "", nil
	}
	look := env.Workspace.Look()
	found, err := search.Glob(ctx, search.GlobQuery{
		Root: g.in.Abs, Pattern: g.pattern, Most: maxGlobbed,
		Keep: func(name string, folder bool) bool { return look.Protected(filepath.Join(g.in.Abs, name)) == "" },
	})
	if err != nil {
		return "", searchFailure(env, g.in.Abs, g.in, err)
	}
	out.Write(g.list(found))
	return g.note(env, found), nil
}

// list has a line for each name.
func (g globbing) list(found search.Globbed) string {
	if len(found.Paths) == 0 {
		return noMatches
	}
	lines := make([]string, len(found.Paths))
	for i, name := range found.Paths {
		lines[i] = onOneLine(strings.TrimSuffix(g.in.Abs, "/") + "/" + name)
	}
	return strings.Join(lines, "\n")
}

func (g globbing) note(env Env, found search.Globbed) string {
	var notes []string
	if more := found.Count - len(found.Paths); more > 0 {
		notes = append(notes, fmt.Sprintf("(%d more match, none of them changed later; narrow the pattern to see them)", more))
	}
	if warning := newPlace(env, g.in.Abs).unread(found.Unread); warning != "" {
		notes = append(notes, warning)
	}
	return strings.Join(notes, "\n")
}
