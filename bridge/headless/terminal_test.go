package headless

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"drawbridge/rpc/protocol"
)

// keyboard is a terminal in a test: typed text is read as it is typed, and the
// modes that are set are noted.
type keyboard struct {
	typed chan string

	mu      sync.Mutex
	modes   []bool
	dropped int
	gone    bool
}

func (k *keyboard) Read(p []byte) (int, error) {
	text, ok := <-k.typed
	if !ok || text == "\x04" {
		return 0, io.EOF
	}
	return copy(p, text), nil
}

func (k *keyboard) Keys(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.modes = append(k.modes, on)
}

func (k *keyboard) Drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropped++
}

func (k *keyboard) Size() (cols, rows uint16) { return 80, 24 }

func (k *keyboard) Gone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.gone
}

func (k *keyboard) hangUp() {
	k.mu.Lock()
	k.gone = true
	k.mu.Unlock()
	close(k.typed)
}

// paper is what a terminal shows.
type paper struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// atTerminal runs a test with a person's terminal.
func atTerminal(t *testing.T, test func(t *testing.T, term *Terminal, k *keyboard, out *paper)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k, out := &keyboard{typed: make(chan string)}, &paper{}
		term := NewTerminal(k, out, k)
		test(t, term, k, out)
		term.Close()
		k.hangUp()
		<-term.ended
	})
}

func question(call string, hunks ...string) protocol.ApprovalRequestParams {
	q := protocol.ApprovalRequestParams{CallID: call, Digest: "d", Options: protocol.List[protocol.ApprovalOption]{
		{OptionID: "yes", Kind: protocol.OptionAllow, Scope: protocol.ScopeOnce},
		{OptionID: "no", Kind: protocol.OptionDeny, Scope: protocol.ScopeOnce},
	}}
	if len(hunks) > 0 {
		q.Change = &protocol.ChangeQuestion{}
		for _, h := range hunks {
			q.Change.Hunks = append(q.Change.Hunks, protocol.Hunk{HunkID: h, Header: "@@ " + h, NewText: h + "\n"})
		}
	}
	return q
}

// asked puts a question and returns where its answer will be.
func asked(ctx context.Context, term *Terminal, q protocol.ApprovalRequestParams, text string) <-chan protocol.ApprovalAnswer {
	answer := make(chan protocol.ApprovalAnswer, 1)
	go func() { answer <- term.Answer(ctx, q, text) }()
	synctest.Wait()
	return answer
}

// Every open question is shown whole, when the one before it is answered.
func TestQuestionsAreShownInTurn(t *testing.T) {
	atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, out *paper) {
		one := asked(t.Context(), term, question("c1"), "? Run a")
		two := asked(t.Context(), term, question("c2"), "? Run b")
		if got := out.String(); got != "? Run a\n⟫ Allow? [y/n] " {
			t.Errorf("shown is %q", got)
		}
		k.typed <- "y\n"
		if a := <-one; a.OptionID != "yes" {
			t.Errorf("the first answer is %+v", a)
		}
		synctest.Wait()
		if got := out.String(); !strings.HasSuffix(got, "? Run b\n⟫ Allow? [y/n] ") {
			t.Errorf("shown is %q", got)
		}
		k.typed <- "n not this\n"
		if a := <-two; a.OptionID != "no" || a.Comment != "not this" {
			t.Errorf("the second answer is %+v", a)
		}
	})
}

// The end of input answers one question with nothing, also when it is put again,
// and leaves the next one open.
func TestTheEndOfInputIsNoAnswerToOneQuestion(t *testing.T) {
	atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, out *paper) {
		one := asked(t.Context(), term, question("c1"), "? Run a")
		k.typed <- "\x04"
		if a := <-one; a.Outcome != protocol.ApprovalDismissed {
			t.Errorf("the answer is %+v", a)
		}
		if a := <-asked(t.Context(), term, question("c1"), "? Run a"); a.Outcome != protocol.ApprovalDismissed {
			t.Errorf("put again, the answer is %+v", a)
		}
		two := asked(t.Context(), term, question("c2"), "? Run b")
		k.typed <- "y\n"
		if a := <-two; a.OptionID != "yes" {
			t.Errorf("the later answer is %+v", a)
		}
		if n := strings.Count(out.String(), "? Run a"); n != 1 {
			t.Errorf("the question is shown %d times", n)
		}
	})
}

// What was typed before a question was shown does not answer it.
func TestAnAnswerIsTypedToItsQuestion(t *testing.T) {
	atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, _ *paper) {
		var told []string
		term.setTyped(typedFuncs{line: func(line string) { told = append(told, line) }})
		k.typed <- "y\n"
		synctest.Wait()
		one := asked(t.Context(), term, question("c1"), "? Run a")
		if k.dropped != 1 {
			t.Error("what the device holds is not dropped")
		}
		select {
		case a := <-one:
			t.Errorf("answered with %+v", a)
		default:
		}
		k.typed <- "n\n"
		<-one
		if !slices.Equal(told, []string{"y"}) {
			t.Errorf("told is %q", told)
		}
	})
}

// While a command takes keys it is given them at once; a question and the end
// give the terminal its lines back.
func TestKeysGoToTheCommand(t *testing.T) {
	atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, _ *paper) {
		var keys []string
		term.setTyped(typedFuncs{keys: func(text string) { keys = append(keys, text) }})
		term.setRunning(true)
		for _, key := range []string{"a", "\r", "\xc3", "\xa9", "x\xff"} {
			k.typed <- key
			synctest.Wait()
		}
		one := asked(t.Context(), term, question("c1"), "? Run a")
		k.typed <- "y\n"
		<-one
		synctest.Wait()
		k.typed <- "b"
		synctest.Wait()
		if got := strings.Join(keys, "|"); got != "a|\r|é|x\xff|b" {
			t.Errorf("the command is given %q", got)
		}
		term.Close()
		term.setRunning(true)
		if want := []bool{true, false, true, false}; !slices.Equal(k.modes, want) {
			t.Errorf("the modes are %v, want %v", k.modes, want)
		}
	})
}

func TestAWithdrawnQuestionFreesTheNext(t *testing.T) {
	atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, out *paper) {
		ctx, withdraw := context.WithCancel(t.Context())
		one := asked(ctx, term, question("c1"), "? Run a")
		two := asked(t.Context(), term, question("c2"), "? Run b")
		withdraw()
		<-one
		synctest.Wait()
		if got := out.String(); !strings.HasSuffix(got, "(withdrawn)\n? Run b\n⟫ Allow? [y/n] ") {
			t.Errorf("shown is %q", got)
		}
		k.typed <- "y\n"
		<-two
	})
}

// Words to hunks reach the model with the number of their hunk.
func TestWordsToHunks(t *testing.T) {
	for _, c := range []struct{ typed, option, hunks, comment string }{
		{"y fine|n too long|y", "yes", "h1 h3", "hunk 1: fine\nhunk 2: too long"},
		{"n|a all of these", "yes", "h2 h3", "hunks 2 to 3: all of these"},
		{"n no|d nor these", "no", "", "hunk 1: no\nhunks 2 to 3: nor these"},
		{"n bad|q start again", "no", "", "hunk 1: bad\nstart again"},
		{"a", "yes", "", ""},
		{"y|what?|y|y last", "yes", "", "hunk 3: last"},
	} {
		atTerminal(t, func(t *testing.T, term *Terminal, k *keyboard, _ *paper) {
			answer := asked(t.Context(), term, question("c1", "h1", "h2", "h3"), "? Write")
			for line := range strings.SplitSeq(c.typed, "|") {
				k.typed <- line + "\n"
			}
			a := <-answer
			if a.OptionID != c.option || strings.Join(a.Hunks, " ") != c.hunks || a.Comment != c.comment {
				t.Errorf("%q is %+v", c.typed, a)
			}
		})
	}
}
