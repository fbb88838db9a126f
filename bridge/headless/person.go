package headless

import (
	"context"
	"fmt"
	"io"
	"strings"

	"drawbridge/rpc/protocol"
)

// Answer asks the person, in their turn: questions are shown whole, one after
// the other. No answer is a denial; asked again about the same effect, a person
// who gave none is not bothered twice.
func (t *Terminal) Answer(ctx context.Context, q protocol.ApprovalRequestParams, text string) protocol.ApprovalAnswer {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return dismissed
	}
	defer func() { <-t.turn }()
	same := q.CallID + " " + q.Digest
	if ctx.Err() != nil || same == t.declined {
		return dismissed
	}
	t.listen()
	defer t.unlisten()
	fmt.Fprintln(t.out, text)
	ask := t.whole
	if q.Change != nil && len(q.Change.Hunks) > 1 {
		ask = t.byHunk
	}
	answer := ask(ctx, q)
	if answer.Outcome == protocol.ApprovalDismissed && ctx.Err() == nil {
		t.declined = same
	}
	return answer
}

var dismissed = protocol.ApprovalAnswer{Outcome: protocol.ApprovalDismissed}

const wholeHelp = "  y  yes, once\n  s  yes, for the rest of this session\n  n  no\n" +
	"  What follows the letter is a word to the model.\n"

func (t *Terminal) whole(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	session := option(q, protocol.OptionAllow, protocol.ScopeSession)
	choices := "[y/n]"
	if session != "" {
		choices = "[y/s/n]"
	}
	for {
		line, ok := t.ask(ctx, answerMark+"Allow? "+choices+" ")
		if !ok {
			return dismissed
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
	"  d  leave this and all that follow out\n  q  no to the whole change\n" +
	"  What follows the letter is a word to the model.\n"

// choice is what a person has said of the hunks of a change so far.
type choice struct {
	hunks []protocol.Hunk
	next  int // the hunk that is asked about
	taken protocol.HunkIDs
	words []string
}

// byHunk asks about each hunk of a change.
func (t *Terminal) byHunk(ctx context.Context, q protocol.ApprovalRequestParams) protocol.ApprovalAnswer {
	c := choice{hunks: q.Change.Hunks, taken: protocol.HunkIDs{}}
	for c.next < len(c.hunks) {
		line, ok := t.ask(ctx, fmt.Sprintf("%s%sTake hunk %d of %d? [y/n/a/d/q] ", indent(hunkText(c.hunks[c.next])),
			answerMark, c.next+1, len(c.hunks)))
		if !ok {
			return dismissed
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "q" {
			c.say("", rest)
			return chosen(option(q, protocol.OptionDeny, ""), c.comment())
		}
		if !c.hear(word, rest) {
			fmt.Fprint(t.out, hunkHelp)
		}
	}
	if len(c.taken) == 0 {
		return chosen(option(q, protocol.OptionDeny, ""), c.comment())
	}
	a := chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), c.comment())
	if len(c.taken) < len(c.hunks) {
		a.Hunks = c.taken
	}
	return a
}

// hear takes an answer about the next hunk; false is what is none.
func (c *choice) hear(word, rest string) bool {
	end := c.next + 1
	if word == "a" || word == "d" {
		end = len(c.hunks)
	}
	switch word {
	case "y", "a":
		for _, h := range c.hunks[c.next:end] {
			c.taken = append(c.taken, h.HunkID)
		}
	case "n", "d":
	default:
		return false
	}
	about := fmt.Sprintf("hunk %d: ", end)
	if end > c.next+1 {
		about = fmt.Sprintf("hunks %d to %d: ", c.next+1, end)
	}
	c.say(about, rest)
	c.next = end
	return true
}

func (c *choice) say(about, words string) {
	if words = strings.TrimSpace(words); words != "" {
		c.words = append(c.words, about+words)
	}
}

func (c *choice) comment() string { return strings.Join(c.words, "\n") }

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

// Answer says yes, and writes to what.
func (y Yes) Answer(_ context.Context, q protocol.ApprovalRequestParams, text string) protocol.ApprovalAnswer {
	fmt.Fprint(y.Out, text+"\n"+answerMark+"Allow? yes (answered by itself)\n")
	return chosen(option(q, protocol.OptionAllow, protocol.ScopeOnce), "")
}
