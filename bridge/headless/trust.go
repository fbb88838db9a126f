package headless

import (
	"context"
	"fmt"
	"strings"

	"drawbridge/rpc/protocol"
)

// settleTrust asks the person about settings that the workspace brings, before
// the turn. Where nobody can be asked they do not count, and that is said.
func (e *editor) settleTrust(ctx context.Context) {
	var list protocol.TrustListResult
	if e.brief("trust/list", protocol.TrustListParams{}, &list) != nil {
		return // then none is trusted, and the turn's own calls say what is wrong
	}
	for _, r := range list.Required {
		text := trustText(r)
		t := e.keyboard()
		if t == nil || !t.trusts(ctx, r, text) {
			e.mu.Lock()
			e.o.View.Untrusted(r)
			e.mu.Unlock()
			continue
		}
		answer := protocol.TrustAnswerParams{Workspace: r.Workspace, Digest: r.Digest, Trust: protocol.TrustYes}
		if err := e.brief("trust/answer", answer, nil); err != nil {
			fmt.Fprintln(t.out, "  not trusted: "+oneLine(err.Error()))
			continue
		}
		fmt.Fprintln(t.out, "  they count from now on, as long as they stay as they are; `drawbridge trust --forget` takes that back")
	}
}

// trustText is all that a workspace's settings would do.
func trustText(r protocol.TrustRequired) string {
	var b strings.Builder
	what := "brings settings of its own"
	if r.Changed {
		what = "brings settings that changed since you trusted them"
	}
	fmt.Fprintf(&b, "? %s %s: %s\n", oneLine(r.Workspace), what, oneLine(strings.Join(r.Files, ", ")))
	for _, item := range r.Items {
		fmt.Fprintf(&b, "  %s  %s\n", oneLine(item.Kind), oneLine(item.What))
		if item.Command != "" {
			b.WriteString("    runs: " + indented(item.Command, "      ") + "\n")
		}
	}
	return b.String()
}

const trustHelp = "  y  they count, exactly as they are now\n  n  they do not count in this run, and you are asked again\n"

// trusts asks whether a workspace's settings count.
func (t *Terminal) trusts(ctx context.Context, r protocol.TrustRequired, text string) bool {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-t.turn }()
	t.listen()
	defer t.unlisten()
	fmt.Fprint(t.out, text)
	for {
		switch word, ok := t.ask(ctx, answerMark+"Trust these settings? [y/n] "); {
		case !ok || word == "n":
			return false
		case word == "y":
			return true
		}
		fmt.Fprint(t.out, trustHelp)
	}
}

// Untrusted says that a workspace's settings do not count.
func (v *TextView) Untrusted(r protocol.TrustRequired) {
	what := "brings settings of its own; they do not count until you trust them: drawbridge trust"
	if r.Changed {
		what = "brings settings that changed since you trusted them; they do not count: drawbridge trust"
	}
	v.line(v.paint(yellow, v.short(strings.Join(r.Files, ", "))+" "+what))
}

// Untrusted writes nothing: the bridge's own trust/required was written.
func (v JSONView) Untrusted(protocol.TrustRequired) {}
