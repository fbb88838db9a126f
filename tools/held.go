package tools

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"drawbridge/shell"
)

// held is a command that Commands hold, with what the model has not read of it.
type held struct {
	process    shell.Process
	redact     func(string) string
	call       string
	title      string
	background bool

	// Commands.mu guards these.
	used       time.Time
	armed      bool          // its end is to be reported
	why        string        // why it is being ended, if not by itself
	readers    int           // calls that will tell of its end if it comes
	unattended chan struct{} // closed when there are no readers any more

	mu     sync.Mutex // guards below
	unread *unread
	told   bool // the model knows how the leader ended
}

func (h *held) gone() bool { return closed(h.process.Gone()) }

func closed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func (h *held) info() CommandInfo {
	s, _ := h.process.Status()
	return CommandInfo{
		ID: h.process.ID(), Title: h.title, Started: h.process.Started(),
		Running: !s.Done, Waiting: s.Waiting, Survivors: s.Survivors, Background: h.background,
	}
}

// tail is the end of what is unread, without secrets. It stays unread.
func (h *held) tail(most int) string { return tail(h.redact(h.peek()), most) }

func (h *held) peek() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unread.peek()
}

// pass hands over what nothing can change any more, and shows m what is new.
func (h *held) pass(m *matcher, to func(text string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unread.pass(m, to)
}

// look shows m what is new, which stays unread.
func (h *held) look(m *matcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unread.look(m)
}

func (h *held) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unread.take()
}

func (h *held) finish() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unread.finish()
}

// offset is how far the output was read.
func (h *held) offset() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unread.next
}

// tell keeps that the model knows how the leader ended.
func (h *held) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = true
}

func (h *held) isTold() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.told
}

// tail is the last n characters of text.
func tail(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
}

// byUser is why a command ended that a person stopped.
const byUser = "stopped by the user"

func (h *held) report(why, tail string) Ended {
	exit := h.process.Exit()
	e := Ended{
		Process: h.process.ID(), Call: h.call, Title: h.title,
		OK: exit.Code == 0 && exit.Signal == "", Detail: exitDetail(exit), Tail: tail, ByUser: why == byUser,
	}
	if why != "" {
		e.Detail += " (" + why + ")"
	}
	return e
}

func exitDetail(e shell.Exit) string {
	if e.Signal != "" {
		return "terminated by signal " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
