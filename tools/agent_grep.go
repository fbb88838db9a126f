package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drawbridge/internal/search"
	"drawbridge/workspace"
)

// grepPiece is about how many bytes of lines are passed on at a time.
const grepPiece = 32 << 10

// agentGrep finds lines by a regular expression.
type agentGrep struct{}

func (agentGrep) Spec() Spec {
	return Spec{
		Name: "grep", Description: description(agentGrepPage), Schema: schema(agentGrepSchema),
		Access: Read, Limits: Limits{Timeout: agentTimeout, MaxOutput: agentOutput}, Style: agentStyle,
	}
}

func (agentGrep) Plan(_ context.Context, env Env, raw json.RawMessage) (Plan, error) {
	a, err := parse(raw)
	if err != nil {
		return Plan{}, err
	}
	pattern, err := a.pattern()
	if err != nil {
		return Plan{}, err
	}
	name, p, err := a.root(env)
	if err != nil {
		return Plan{}, err
	}
	g := &grepping{env: env, pattern: pattern, name: name, top: p}
	return Plan{
		Title: CommandTitle("Search " + p.Rel + " for " + pattern), Access: Read, Paths: []workspace.Path{p},
		Run: func(ctx context.Context, _ Accepted, out Output) (Result, error) {
			g := *g
			g.out = out
			note, err := g.run(ctx)
			return Result{Note: note}, err
		},
	}, nil
}

// grepping is a search for lines.
type grepping struct {
	env     Env
	pattern string
	name    string         // of what is searched, as the model wrote it
	top     workspace.Path // that
	out     Output

	in    place // the folder that is searched, or that the file is in
	piece strings.Builder
	any   bool
	last  string // path of the last line, and how it is told
	shown string
}

func (g *grepping) run(ctx context.Context) (note string, err error) {
	q, err := g.query()
	if err != nil {
		return "", err
	}
	report, err := search.Lines(ctx, q, g.hit)
	g.out.Write(g.piece.String())
	switch bad, isPattern := errors.AsType[*search.PatternError](err); {
	case isPattern:
		return "", badPattern(bad)
	case err != nil && ctx.Err() != nil:
		return g.note(report), err
	case err != nil:
		return "", searchFailure(g.env, g.name, g.top, err)
	case !g.any && report.GaveUp != "":
		return g.note(report), Failf("The search was not finished: %s. Simplify the pattern, or search less.", onOneLine(report.GaveUp))
	case !g.any && q.File != "" && report.Unread.Count > 0:
		return "", Failf("%q cannot be read, so it was not searched.", g.name)
	case !g.any:
		g.out.Write(noMatches)
	}
	return g.note(report), nil
}

// query looks what the path is now.
func (g *grepping) query() (q search.Query, err error) {
	info, err := g.env.Workspace.Stat(g.top)
	switch {
	case err != nil:
		return q, agentFileFailure(g.name, err)
	case !info.Exists:
		return q, noSuchFile(g.env, g.name, g.top, "")
	}
	q = search.Query{Root: g.top.Abs, Pattern: g.pattern, Programs: searchPrograms(g.env)}
	switch {
	case info.Regular:
		q.Root, q.File = filepath.Dir(g.top.Abs), filepath.Base(g.top.Abs)
	case !info.Dir:
		return q, agentFileFailure(g.name, &workspace.FileError{Kind: workspace.NotRegular})
	default:
		q.Keep = g.keep()
	}
	q.Unsaved, g.in = g.unsaved(q.Root), newPlace(g.env, q.Root)
	return q, nil
}

// keep leaves out what reading would be asked about, or denied: who may search a
// folder may not for that read each file in it.
func (g *grepping) keep() func(name string, folder bool) bool {
	look := g.env.Workspace.Look()
	may := func(p workspace.Path) bool { return p.Ignored == "" }
	if g.env.MayRead != nil {
		may = g.env.MayRead(g.top)
	}
	return func(name string, folder bool) bool {
		p := look.Path(filepath.Join(g.top.Abs, name), folder)
		return p.Protected == "" && may(p)
	}
}

// unsaved are the documents below a folder that hold something else than their
// files.
func (g *grepping) unsaved(root string) map[string]string {
	texts := map[string]string{}
	for _, abs := range g.env.Workspace.OpenPaths() {
		p, err := g.env.Workspace.Resolve(abs)
		if err != nil {
			continue
		}
		name, err := filepath.Rel(root, p.Abs)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		if info, err := os.Lstat(p.Abs); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if doc, open := g.env.Workspace.Document(p); open && doc.Dirty {
			texts[filepath.ToSlash(name)] = doc.Text
		}
	}
	return texts
}

func (g *grepping) hit(h search.Hit) error {
	text := strings.ToValidUTF8(h.Text, "\uFFFD")
	if cut := head(text, maxLineChars); h.Cut || cut != text {
		text = cut + lineCut
	}
	if g.any {
		g.piece.WriteByte('\n')
	}
	if !g.any || g.last != h.Path {
		g.any, g.last, g.shown = true, h.Path, g.in.shown(h.Path)
	}
	fmt.Fprintf(&g.piece, "%s:%d:%s", g.shown, h.Line, text)
	if g.piece.Len() >= grepPiece {
		g.out.Write(g.piece.String())
		g.piece.Reset()
	}
	return nil
}

// badPattern says whose word it is that a pattern is none.
func badPattern(bad *search.PatternError) error {
	switch bad.Engine {
	case "":
		return Failf("Invalid argument pattern: %s", bad.Text)
	case "built-in":
		return Failf("Invalid argument pattern: %s\nThe search that is built in has no lookaround and no backreferences; it looks with ripgrep or GNU grep where one is installed.", bad.Text)
	}
	return Failf("Invalid argument pattern (%s):\n%s", bad.Engine, bad.Text)
}

func (g *grepping) note(r search.Report) string {
	var notes []string
	if r.LeftOut.Count > 0 {
		notes = append(notes, "(left out, since reading it would be asked about: "+g.in.list(r.LeftOut)+"; give one as path to search it)")
	}
	if warning := g.in.unread(r.Unread); warning != "" {
		notes = append(notes, warning)
	}
	if r.GaveUp != "" && g.any {
		notes = append(notes, "(warning: the search was not finished: "+onOneLine(r.GaveUp)+")")
	}
	if r.Long > 0 {
		notes = append(notes, fmt.Sprintf("(%s longer than 1 MiB, of which only the beginning was searched)", plural(r.Long, "line")))
	}
	return strings.Join(notes, "\n")
}
