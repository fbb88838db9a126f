package headless

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"drawbridge/rpc/protocol"
)

// Terminal is a person at a terminal: questions are written to out and
// answered by lines. One question is asked at a time. Lines that come while no
// question is open go to Typed.
type Terminal struct {
	out io.Writer

	turn  chan struct{} // holds one token; who has it asks
	lines chan string

	mu    sync.Mutex // guards below
	open  bool
	typed func(line string)
}

// NewTerminal reads lines from in until it ends.
func NewTerminal(in io.Reader, out io.Writer) *Terminal {
	t := &Terminal{out: out, lines: make(chan string), turn: make(chan struct{}, 1)}
	go t.read(in) // ends with in
	return t
}

func (t *Terminal) read(in io.Reader) {
	defer close(t.lines)
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		t.mu.Lock()
		open, typed := t.open, t.typed
		t.mu.Unlock()
		if open {
			t.lines <- scan.Text()
		} else if typed != nil {
			typed(scan.Text())
		}
	}
}

func (t *Terminal) setTyped(f func(string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.typed = f
}

func (t *Terminal) setOpen(open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = open
}

// ask writes a prompt and waits for a line; ok is false when the question was
// withdrawn or the input ended.
func (t *Terminal) ask(ctx context.Context, prompt string) (line string, ok bool) {
	t.setOpen(true)
	defer t.setOpen(false)
	fmt.Fprint(t.out, prompt)
	select {
	case line, ok = <-t.lines:
		return strings.TrimSpace(line), ok
	case <-ctx.Done():
		fmt.Fprintln(t.out, "(withdrawn)")
		return "", false
	}
}

// Answer asks the person. An ended input is a denial: nobody is there.
func (t *Terminal) Answer(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return protocol.ApprovalAnswer{Outcome: protocol.ApprovalDismissed}
	}
	defer func() { <-t.turn }()
	if q.Change != nil && len(q.Change.Hunks) > 1 {
		return t.byHunk(ctx, q)
	}
	return t.whole(ctx, q)
}

const wholeHelp = "  y  yes, once\n  s  yes, for the rest of this session\n  n  no; text after it is a word to the model\n"

func (t *Terminal) whole(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	session := option(q, protocol.OptionAllow, protocol.ScopeSession)
	choices := "[y/n]"
	if session != "" {
		choices = "[y/s/n]"
	}
	for {
		line, ok := t.ask(ctx, "Allow? "+choices+" ")
		if !ok {
			return protocol.ApprovalAnswer{Outcome: protocol.ApprovalDismissed}
		}
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "y":
			return chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), rest)
		case word == "s" && session != "":
			return chosen(session, rest)
		case word == "n":
			return chosen(option(q, protocol.OptionDeny, ""), rest)
		}
		fmt.Fprint(t.out, wholeHelp)
	}
}

const hunkHelp = "  y  take this hunk\n  n  leave this hunk out\n  a  take this and all that follow\n" +
	"  d  leave this and all that follow out\n  q  no to the whole change; text after it is a word to the model\n"

// byHunk asks about each hunk of a change.
func (t *Terminal) byHunk(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	taken := protocol.HunkIDs{}
	hunks := q.Change.Hunks
	for i := 0; i < len(hunks); {
		line, ok := t.ask(ctx, fmt.Sprintf("%sTake hunk %d of %d? [y/n/a/d/q] ", indent(hunkText(hunks[i])), i+1, len(hunks)))
		if !ok {
			return protocol.ApprovalAnswer{Outcome: protocol.ApprovalDismissed}
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "y":
			taken = append(taken, hunks[i].HunkID)
			i++
		case "n":
			i++
		case "a":
			for ; i < len(hunks); i++ {
				taken = append(taken, hunks[i].HunkID)
			}
		case "d":
			i = len(hunks)
		case "q":
			return chosen(option(q, protocol.OptionDeny, ""), rest)
		default:
			fmt.Fprint(t.out, hunkHelp)
		}
	}
	if len(taken) == 0 {
		return chosen(option(q, protocol.OptionDeny, ""), "")
	}
	a := chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), "")
	if len(taken) < len(hunks) {
		a.Hunks = taken
	}
	return a
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// option finds the id of an option; any scope of a denial will do.
func option(q protocol.ApprovalRequestParams, kind protocol.OptionKind, scope protocol.Scope) string {
	for _, o := range q.Options {
		if o.Kind == kind && (kind == protocol.OptionDeny || o.Scope == scope) {
			return o.OptionID
		}
	}
	return ""
}

func chosen(id, comment string) protocol.ApprovalAnswer {
	return protocol.ApprovalAnswer{Outcome: protocol.ApprovalSelected, OptionID: id, Comment: strings.TrimSpace(comment)}
}

// Yes allows everything once, as it was asked.
type Yes struct{ Out io.Writer }

// Answer says yes, and writes that it did.
func (y Yes) Answer(_ context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	fmt.Fprintln(y.Out, "Allow? yes (answered by itself)")
	return chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), "")
}
