package scenario

import (
	"fmt"
	"strings"
)

// exchange is a part of the transcript: what the bridge said between one line
// of the editor and the next.
type exchange struct {
	lead     []line // remarks and the editor's line
	expected []line // with remarks among them
	got      []string
}

// exchanges cuts a transcript before each line of the editor. What the bridge
// says before the first is an exchange too.
func exchanges(wire []line) []exchange {
	list := []exchange{{}}
	for _, l := range wire {
		last := &list[len(list)-1]
		switch {
		case l.dir == sent || l.dir == sentAlso:
			list = append(list, exchange{lead: []line{l}})
		default:
			last.expected = append(last.expected, l)
		}
	}
	return list
}

// fits says whether the bridge said what was expected.
func (e *exchange) fits() bool { return fit(e.says(), e.got) }

// says are the expected lines without remarks.
func (e *exchange) says() []string {
	var out []string
	for _, l := range e.expected {
		if l.dir == expected {
			out = append(out, l.text)
		}
	}
	return out
}

// fit compares line by line; a line that is only … stands for any lines.
func fit(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == ellipsis:
		return fit(want[1:], got) || len(got) > 0 && fit(want, got[1:])
	}
	return len(got) > 0 && matches(want[0], got[0]) && fit(want[1:], got[1:])
}

// pairs aligns expected lines with those that came: for each expected line the
// index of what it fits, -1 if nothing. It keeps as many as can be kept.
func pairs(want, got []string) []int {
	best := make([][]int, len(want)+1)
	for i := range best {
		best[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if matches(want[i], got[j]) {
				best[i][j] = max(best[i][j], 1+best[i+1][j+1])
			}
		}
	}
	out := make([]int, len(want))
	j := 0
	for i := range want {
		out[i] = -1
		for k := j; k < len(got); k++ {
			if matches(want[i], got[k]) && best[i][j] == 1+best[i+1][k+1] {
				out[i], j = k, k+1
				break
			}
		}
	}
	return out
}

// report shows where the transcript differs: - was expected, + came.
func report(list []exchange) string {
	var b strings.Builder
	for i := range list {
		e := &list[i]
		for _, l := range e.lead {
			fmt.Fprintf(&b, "  %v\n", l)
		}
		if e.fits() {
			fmt.Fprintf(&b, "  (%d lines as expected)\n", len(e.got))
			continue
		}
		want := e.says()
		at := 0
		for k, j := range pairs(want, e.got) {
			if j < 0 {
				fmt.Fprintf(&b, "- -> %s\n", want[k])
				continue
			}
			for ; at < j; at++ {
				fmt.Fprintf(&b, "+ -> %s\n", e.got[at])
			}
			fmt.Fprintf(&b, "  -> %s\n", e.got[j])
			at = j + 1
		}
		for ; at < len(e.got); at++ {
			fmt.Fprintf(&b, "+ -> %s\n", e.got[at])
		}
	}
	return b.String()
}

// updated is the transcript with the bridge's lines as they came. Lines that
// fit stay as they are written, with what they leave open.
func updated(list []exchange) string {
	var b strings.Builder
	for i := range list {
		e := &list[i]
		for _, l := range e.lead {
			fmt.Fprintln(&b, l)
		}
		if e.fits() {
			for _, l := range e.expected {
				fmt.Fprintln(&b, l)
			}
			continue
		}
		e.rewrite(&b)
	}
	return b.String()
}

// rewrite keeps what fits. Remarks stay before the line that they precede; those
// at the end belong to the editor's next line.
func (e *exchange) rewrite(b *strings.Builder) {
	kept := pairs(e.says(), e.got)
	end := len(e.expected)
	for end > 0 && e.expected[end-1].dir == remark {
		end--
	}
	at, k := 0, 0
	for _, l := range e.expected[:end] {
		if l.dir == remark {
			fmt.Fprintln(b, l)
			continue
		}
		if j := kept[k]; j >= 0 {
			for ; at < j; at++ {
				fmt.Fprintln(b, "-> "+e.got[at])
			}
			fmt.Fprintln(b, l)
			at = j + 1
		}
		k++
	}
	for ; at < len(e.got); at++ {
		fmt.Fprintln(b, "-> "+e.got[at])
	}
	for _, l := range e.expected[end:] {
		fmt.Fprintln(b, l)
	}
}
