package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFindingsNameThePlace makes one change of each kind to a log of five records,
// of which the fourth declares a torn line before it: line 4.
func TestFindingsNameThePlace(t *testing.T) {
	r := newRecorded(t)
	r.write(3)
	r.put(r.logPath("s"), append(r.log(), "{torn"...))
	before, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	at := mark{count: 4, size: before.at.size + 400}
	r.put(headPath(r.state, "s"), head{of: before.of, writing: true, at: at, before: before.at}.text())
	r.write(2)
	end, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	l := bytes.SplitAfter(r.log(), []byte{'\n'})
	edit := func(line []byte) []byte { return bytes.Replace(line, []byte("made up"), []byte("madE up"), 1) }
	own, _ := forged(t, 6, end.at.link, "x")
	other, _ := forged(t, 5, firstLink("x"), "y")
	anew := bytes.Replace(l[5], []byte("made up"), []byte("madE up"), 1)
	open, _, _ := unseal(bytes.TrimSuffix(anew, []byte{'\n'}))
	_, before5, _ := unseal(bytes.TrimSuffix(l[4], []byte{'\n'}))
	anew = append(seal(bytes.Clone(open), before5.next(open)), '\n')
	for name, c := range map[string]struct {
		lines [][]byte
		want  []string
	}{
		"nothing":                  {l, nil},
		"a word":                   {[][]byte{l[0], edit(l[1]), l[2], l[3], l[4], l[5]}, []string{"2 changed"}},
		"a word of the last":       {[][]byte{l[0], l[1], l[2], l[3], l[4], edit(l[5])}, []string{"6 changed"}},
		"a number":                 {[][]byte{renumbered(l[0]), l[1], l[2], l[3], l[4], l[5]}, []string{"1 changed"}},
		"the last number":          {[][]byte{l[0], l[1], l[2], l[3], l[4], renumbered(l[5])}, []string{"6 changed"}},
		"a line that is no record": {[][]byte{l[0], []byte("x\n"), l[2], l[3], l[4], l[5]}, []string{"2 changed"}},
		"a link":                   {[][]byte{l[0], relinked(l[1]), l[2], l[3], l[4], l[5]}, []string{"2 changed"}},
		"a link of the last":       {[][]byte{l[0], l[1], l[2], l[3], l[4], relinked(l[5])}, []string{"6 changed"}},
		"the torn line":            {[][]byte{l[0], l[1], l[2], []byte("{tore\n"), l[4], l[5]}, []string{"4 changed"}},
		"no torn line":             {[][]byte{l[0], l[1], l[2], l[4], l[5]}, []string{"4 lost"}},
		"a missing record":         {[][]byte{l[0], l[2], l[3], l[4], l[5]}, []string{"2 lost"}},
		"a missing first one":      {[][]byte{l[1], l[2], l[3], l[4], l[5]}, []string{"1 lost"}},
		"two missing at the end":   {l[:3], []string{"3 endLost"}},
		"the last record again":    {[][]byte{l[0], l[1], l[2], l[3], l[4], l[5], l[5]}, []string{"7 duplicated"}},
		"an old record again":      {[][]byte{l[0], l[1], l[2], l[0], l[3], l[4], l[5]}, []string{"4 duplicated"}},
		"a line of no record":      {[][]byte{l[0], []byte("\n"), l[1], l[2], l[3], l[4], l[5]}, []string{"2 inserted"}},
		"such a line at the end":   {[][]byte{l[0], l[1], l[2], l[3], l[4], l[5], []byte("x\n")}, []string{"7 inserted"}},
		"two in another order":     {[][]byte{l[1], l[0], l[2], l[3], l[4], l[5]}, []string{"1 lost", "2 moved"}},
		"a record of one's own":    {[][]byte{l[0], l[1], l[2], l[3], l[4], l[5], own}, []string{"7 inserted"}},
		"one of another log":       {[][]byte{l[0], l[1], l[2], l[3], l[4], other}, []string{"6 changed", "0 changed"}},
		"the last one made anew":   {[][]byte{l[0], l[1], l[2], l[3], l[4], anew}, []string{"0 changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.put(headPath(r.state, "s"), end.text())
			r.put(r.logPath("s"), bytes.Join(c.lines, nil))
			checkFindings(t, r.verify(), c.want)
		})
	}
}

func checkFindings(t *testing.T, v Verification, want []string) {
	t.Helper()
	var got []string
	for _, f := range v.Findings {
		got = append(got, fmt.Sprint(f.Line, " ", f.Kind))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q: %+v", got, want, v.Findings)
	}
}

// renumbered is a line with a higher number.
func renumbered(line []byte) []byte {
	line = bytes.Clone(line)
	line[bytes.Index(line, []byte(`"n":`))+4] += 4
	return line
}

// relinked is a line with another link.
func relinked(line []byte) []byte {
	line = bytes.Clone(line)
	if i := len(line) - 10; line[i] == 'a' {
		line[i] = 'b'
	} else {
		line[i] = 'a'
	}
	return line
}

// What a head of a record that was being written allows is that record alone.
func TestOnlyWhatWasBeingWrittenMayBeMissing(t *testing.T) {
	r := newRecorded(t)
	r.write(3)
	before, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(1)
	h, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	h.writing, h.before = true, before.at
	l := bytes.SplitAfter(r.log(), []byte{'\n'})
	much := []byte(strings.Repeat("x", 1000))
	for name, c := range map[string]struct {
		lines [][]byte
		want  []string
	}{
		"there":             {l, nil},
		"missing":           {l[:3], nil},
		"in part":           {[][]byte{l[0], l[1], l[2], l[3][:20]}, nil},
		"one more missing":  {l[:2], []string{"2 endLost"}},
		"all missing":       {nil, []string{"0 endLost"}},
		"more than there":   {[][]byte{l[0], l[1], l[2], much}, []string{"4 endLost"}},
		"there, and more":   {[][]byte{l[0], l[1], l[2], l[3], much[:5]}, []string{"5 inserted"}},
		"another one there": {[][]byte{l[0], l[1], l[2], relinked(l[3])}, []string{"4 changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.put(headPath(r.state, "s"), h.text())
			r.put(r.logPath("s"), bytes.Join(c.lines, nil))
			checkFindings(t, r.verify(), c.want)
			r.write(1)
			if whole := len(r.verify().Findings) == 0; whole != (c.want == nil) {
				t.Errorf("when the session went on: %+v", r.verify().Findings)
			}
		})
	}
}

// The chain of a log whose end is missing goes on from the end that it had: no
// record of it is ever made a second time.
func TestTheChainGoesOnFromTheHead(t *testing.T) {
	r := newRecorded(t)
	r.write(5)
	h, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	l := bytes.SplitAfter(r.log(), []byte{'\n'})
	r.put(r.logPath("s"), bytes.Join(l[:2], nil))
	if found := r.write(1); !strings.Contains(found, "records 3 to 5 are missing at the end") {
		t.Error(found)
	}
	var numbers []int64
	readLines(r.logPath("s"), func(rec record) {
		numbers = append(numbers, rec.N)
		if rec.Gap != nil && rec.Gap.From != h.at.link.String() {
			t.Errorf("it goes on from %s", rec.Gap.From)
		}
	})
	if !slices.Equal(numbers, []int64{1, 2, 6, 7}) {
		t.Errorf("the numbers are %v", numbers)
	}
	checkFindings(t, r.verify(), []string{"3 gap"})
}

// An opening looks at the end of a log, and says in it what it found.
func TestAnOpeningSaysWhatItFound(t *testing.T) {
	r := newRecorded(t)
	r.write(2)
	before, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(1)
	done, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	writing := done
	writing.writing, writing.before = true, before.at
	l := bytes.SplitAfter(r.log(), []byte{'\n'})
	anew, _ := forged(t, 3, before.at.link, "madE up 0")
	for name, c := range map[string]struct {
		head head
		log  [][]byte
		from mark
	}{
		"a last record of the same size":    {done, [][]byte{l[0], l[1], anew}, done.at},
		"a piece of a line at the end":      {done, [][]byte{l[0], l[1], l[2], []byte("{piece")}, done.at},
		"more missing than what is written": {writing, [][]byte{l[0]}, before.at},
	} {
		t.Run(name, func(t *testing.T) {
			r.put(headPath(r.state, "s"), c.head.text())
			r.put(r.logPath("s"), bytes.Join(c.log, nil))
			if r.write(0) == "" {
				t.Error("it found nothing")
			}
			readLines(r.logPath("s"), func(rec record) {
				if rec.Gap != nil && (rec.Gap.From != c.from.link.String() || rec.N != c.from.count+1) {
					t.Errorf("it goes on as %d from %s, want it behind %+v", rec.N, rec.Gap.From, c.from)
				}
			})
			if h, err := readHead(headPath(r.state, "s")); err != nil || h.at.size != int64(len(r.log())) {
				t.Errorf("the head says %d bytes, there are %d, %v", h.at.size, len(r.log()), err)
			}
		})
	}
}

// A line that is too long to be a record is not held, but every byte of it counts.
func TestTooLongALineIsAccountedFor(t *testing.T) {
	r := newRecorded(t)
	r.write(2)
	long := append(bytes.Repeat([]byte("0123456789"), 500), '\n')
	log := slices.Concat(r.log(), long, []byte("x\n"), long[1:])
	check := newChainCheck("s")
	in := lineReader{in: bufio.NewReaderSize(bytes.NewReader(log), 16), most: 100}
	longest := 0
	err := in.each(check, func(line []byte) (facts chainFacts) {
		longest = max(longest, len(line))
		_ = json.Unmarshal(line, &facts)
		return facts
	})
	if err != nil || longest > 1000 {
		t.Errorf("%v, %d bytes were held", err, longest)
	}
	var want tally
	want.add(log)
	if check.line != 5 || check.size != int64(len(log)) || *check.stray.declared() != *want.declared() {
		t.Errorf("%d lines, %d bytes of %d, %+v", check.line, check.size, len(log), check.stray.declared())
	}
}
