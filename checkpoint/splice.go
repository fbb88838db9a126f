package checkpoint

import (
	"fmt"
	"strings"
)

const (
	// wholeBytes is up to which size bytes are an object of their own, whatever
	// they have in common with others.
	wholeBytes = 64 << 10
	// maxSplice bounds the bytes of a Splice that stand in a journal.
	maxSplice = 16 << 10
)

// spliced says how text is had of an object; nil where it is better kept whole.
func spliced(from Sum, base, text string) *Splice {
	if len(text) <= wholeBytes {
		return nil
	}
	head := sharedHead(base, text)
	tail := sharedTail(base[head:], text[head:])
	if len(text)-head-tail > maxSplice {
		return nil
	}
	return &Splice{From: from, Head: head, Tail: tail, Text: []byte(text[head : len(text)-tail])}
}

// block is how many bytes are compared at once.
const block = 4096

func sharedHead(a, b string) int {
	n, limit := 0, min(len(a), len(b))
	for n+block <= limit && a[n:n+block] == b[n:n+block] {
		n += block
	}
	for n < limit && a[n] == b[n] {
		n++
	}
	return n
}

func sharedTail(a, b string) int {
	n, limit := 0, min(len(a), len(b))
	for n+block <= limit && a[len(a)-n-block:len(a)-n] == b[len(b)-n-block:len(b)-n] {
		n += block
	}
	for n < limit && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// Bytes returns what a state held. What is not there, or is damaged, is ErrGone.
func (s *Store) Bytes(state State) (string, error) {
	p := state.Splice
	if p == nil {
		return s.Get(state.Sum)
	}
	from, err := s.Get(p.From)
	if err != nil {
		return "", err
	}
	if p.Head < 0 || p.Head > len(from) || p.Tail < 0 || p.Tail > len(from)-p.Head {
		return "", fmt.Errorf("%w: its note does not fit", ErrGone)
	}
	text := strings.Join([]string{from[:p.Head], string(p.Text), from[len(from)-p.Tail:]}, "")
	if SumOf(text) != state.Sum {
		return "", ErrGone
	}
	return text, nil
}
