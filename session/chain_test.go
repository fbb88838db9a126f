package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readLines is readLog without a look at the chain.
func readLines(path string, f func(record)) (skipped int, err error) {
	return readLog(path, newChainCheck(""), f)
}

// recorded is a state folder with the log of a session s.
type recorded struct {
	Storage
	t *testing.T
}

func newRecorded(t *testing.T) recorded {
	t.Helper()
	r := recorded{OpenStorage(t.TempDir()), t}
	if err := os.MkdirAll(r.dir("s"), 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// write opens the log, appends n records and closes it.
func (r recorded) write(n int) (found string) {
	r.t.Helper()
	l, found, err := openLog(r.logPath("s"), headPath(r.state, "s"), "s")
	if err != nil {
		r.t.Fatal(err)
	}
	defer l.close()
	for i := range n {
		if err := l.append(record{Type: recEnd, Seq: int64(i), Turn: "t1", Title: fmt.Sprint("made up ", i)}); err != nil {
			r.t.Fatal(err)
		}
	}
	return found
}

func (r recorded) log() []byte {
	r.t.Helper()
	text, err := os.ReadFile(r.logPath("s"))
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

func (r recorded) put(path string, text []byte) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r recorded) verify() Verification {
	r.t.Helper()
	v, err := r.Verify("s")
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// whole fails for a log that has findings.
func (r recorded) whole(what string) {
	r.t.Helper()
	if v := r.verify(); len(v.Findings) > 0 {
		r.t.Fatalf("%s: %+v", what, v.Findings)
	}
}

// damaged fails for a log without findings, now and after the session was opened
// and went on.
func (r recorded) damaged(what string) {
	r.t.Helper()
	if v := r.verify(); len(v.Findings) == 0 {
		r.t.Errorf("%s is not found", what)
	}
	r.write(2)
	if v := r.verify(); len(v.Findings) == 0 {
		r.t.Errorf("%s is not found any more when the session went on", what)
	}
	found := len(r.verify().Findings)
	r.write(2)
	if now := len(r.verify().Findings); now != found {
		r.t.Errorf("%s: %d findings, and when the session went on in peace %d", what, found, now)
	}
}

// eventfulLog is a log with a line that was torn within, in two runs.
func eventfulLog(t *testing.T) recorded {
	t.Helper()
	r := newRecorded(t)
	r.write(4)
	r.put(r.logPath("s"), append(r.log(), `{"seq":7,"type":"tu`...))
	h, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	r.put(headPath(r.state, "s"), head{of: h.of, writing: true, before: h.at, at: mark{h.at.count + 1, h.at.size + 300, link{}}}.text())
	if found := r.write(3); found != "" {
		t.Fatal(found)
	}
	r.whole("a log in which a line is torn")
	return r
}

func TestAnyChangeOfALogIsFound(t *testing.T) {
	r := eventfulLog(t)
	log, h := r.log(), headPath(r.state, "s")
	head, err := os.ReadFile(h)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte{'\n'})
	lines = lines[:len(lines)-1]
	try := func(what string, text []byte) {
		t.Helper()
		r.put(h, head)
		r.put(r.logPath("s"), text)
		r.damaged(what)
	}
	for i := range log {
		if bit := rand.IntN(8); i%3 == rand.IntN(3) {
			text := bytes.Clone(log)
			text[i] ^= 1 << bit
			try(fmt.Sprintf("bit %d of byte %d of line %d", bit, i, bytes.Count(log[:i], []byte{'\n'})+1), text)
		}
	}
	for cut := range log {
		if cut%7 == rand.IntN(7) || log[cut] == '\n' || cut > 0 && log[cut-1] == '\n' {
			try(fmt.Sprintf("a cut at %d", cut), log[:cut])
		}
	}
	for i, line := range lines {
		before, after := bytes.Join(lines[:i], nil), bytes.Join(lines[i+1:], nil)
		try(fmt.Sprintf("line %d that is missing", i+1), bytes.Join([][]byte{before, after}, nil))
		for _, other := range []string{"\n", "{}\n", "x\n", `{"type":"end"}` + "\n", string(lines[rand.IntN(len(lines))])} {
			try(fmt.Sprintf("%.20q before line %d", other, i+1), bytes.Join([][]byte{before, []byte(other), line, after}, nil))
			try(fmt.Sprintf("%.20q behind line %d", other, i+1), bytes.Join([][]byte{before, line, []byte(other), after}, nil))
		}
		for k := range i {
			swapped := append([][]byte{}, lines...)
			swapped[i], swapped[k] = swapped[k], swapped[i]
			try(fmt.Sprintf("lines %d and %d in each other's place", k+1, i+1), bytes.Join(swapped, nil))
		}
	}
}

// forged is a record that follows a link, as somebody makes it who knows how.
func forged(t *testing.T, n int64, after link, title string) (line []byte, l link) {
	t.Helper()
	body, err := json.Marshal(record{Type: recEnd, N: n, Turn: "t1", Title: title})
	if err != nil {
		t.Fatal(err)
	}
	body = body[:len(body)-1]
	l = after.next(body)
	return append(seal(body, l), '\n'), l
}

// Who knows how a chain is made can make one, but does not have the head.
func TestAChainOfSomebodyElsesIsFound(t *testing.T) {
	r := newRecorded(t)
	r.write(5)
	log := r.log()
	end, err := readHead(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	head := end.text()
	var anew []byte
	l := firstLink("s")
	for n := range int64(5) {
		var line []byte
		line, l = forged(t, n+1, l, "another word")
		anew = append(anew, line...)
	}
	behind, _ := forged(t, 6, end.at.link, "one more")
	for what, text := range map[string][]byte{
		"a log that was written anew":         anew,
		"a record at the end":                 append(bytes.Clone(log), behind...),
		"a log without links":                 []byte(strings.Repeat(`{"type":"end"}`+"\n", 5)),
		"a log that is empty":                 {},
		"a line that is too long to be one":   append(bytes.Clone(log), bytes.Repeat([]byte("x"), 600<<10)...),
		"a log of which nothing is a record":  []byte("hello\n"),
		"a log that ends with an empty line":  append(bytes.Clone(log), '\n'),
		"a log whose last line has no end":    log[:len(log)-1],
		"a log with a carriage return at end": append(log[:len(log)-1:len(log)-1], "\r\n"...),
	} {
		r.put(headPath(r.state, "s"), head)
		r.put(r.logPath("s"), text)
		r.damaged(what)
	}
}

func TestAHeadThatIsNotThatOfTheLogIsFound(t *testing.T) {
	r := newRecorded(t)
	r.write(5)
	path, log := headPath(r.state, "s"), r.log()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := newRecorded(t)
	other.write(6)
	foreign, err := os.ReadFile(headPath(other.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := parseHead(whole)
	h.of = firstLink("another")
	heads := map[string][]byte{
		"a head that is empty": {}, "the head of another session": h.text(), "the head of a session of that name": foreign,
		"a head that is longer": append(bytes.Clone(whole), '\n'),
	}
	for i := range whole {
		text := bytes.Clone(whole)
		text[i] ^= 1 << rand.IntN(8)
		heads[fmt.Sprint("a bit of byte ", i, " of the head")] = text
	}
	for what, text := range heads {
		r.put(path, text)
		r.put(r.logPath("s"), log)
		r.damaged(what)
	}
	r.put(r.logPath("s"), log)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.damaged("a head that is missing")
	if err := os.Remove(r.logPath("s")); err != nil {
		t.Fatal(err)
	}
	if v := r.verify(); len(v.Findings) != 1 || v.Findings[0].Kind != FoundLost {
		t.Errorf("of a log that is missing: %+v", v)
	}
}

// TestKilledAtAnyWrite leaves what a kill leaves between the writes of a record
// and within each: it is no finding, and the session goes on without one.
func TestKilledAtAnyWrite(t *testing.T) {
	for _, start := range []string{"", `{"seq":1,"type":"end"}` + "\n" + `{"seq":2,"type":"end"}` + "\n"} {
		r := newRecorded(t)
		r.put(r.logPath("s"), []byte(start))
		r.write(0)
		for round := range 3 {
			before := r.log()
			was, _ := os.ReadFile(headPath(r.state, "s"))
			r.write(1)
			after := r.log()
			h, err := readHead(headPath(r.state, "s"))
			if err != nil {
				t.Fatal(err)
			}
			h.writing, h.before = true, mark{link: firstLink("s")}
			if old, ok := parseHead(was); ok {
				h.before = old.at
			}
			for cut := len(before); cut <= len(after); cut++ {
				what := fmt.Sprintf("killed when record %d had %d bytes", round, cut-len(before))
				r.put(headPath(r.state, "s"), h.text())
				r.put(r.logPath("s"), after[:cut])
				if v := r.verify(); !v.Writing || len(v.Findings) > 0 {
					t.Fatalf("%s: %+v", what, v)
				}
				if found := r.write(0); found != "" {
					t.Fatalf("%s, it is opened with: %s", what, found)
				}
				r.whole(what + " and opened")
				r.write(2)
				r.whole(what + " and gone on")
				if v := r.verify(); v.Writing || v.Unchained != int64(strings.Count(start, "\n")) && cut > len(before) && round > 0 {
					t.Errorf("%s and gone on: %+v", what, v)
				}
			}
			r.put(r.logPath("s"), after)
			h.writing, h.before = false, h.at
			r.put(headPath(r.state, "s"), h.text())
		}
	}
}

// A log of a time before records were chained is not checked, but what it says
// is bound by the first record that is.
func TestAnOldLogIsTakenUp(t *testing.T) {
	r := newRecorded(t)
	old := `{"seq":1,"type":"end"}` + "\n" + `{"seq":2,"type":"end"}` + "\n"
	r.put(r.logPath("s"), []byte(old))
	if v := r.verify(); v.Records != 0 || v.Unchained != 2 || len(v.Findings) > 0 {
		t.Errorf("before: %+v", v)
	}
	if found := r.write(2); found != "" {
		t.Fatal(found)
	}
	if v := r.verify(); v.Records != 2 || v.Unchained != 2 || len(v.Findings) > 0 {
		t.Errorf("after: %+v", v)
	}
	h, err := os.ReadFile(headPath(r.state, "s"))
	if err != nil {
		t.Fatal(err)
	}
	log := r.log()
	for i := range len(old) {
		text := bytes.Clone(log)
		text[i] ^= 1 << rand.IntN(8)
		r.put(headPath(r.state, "s"), h)
		r.put(r.logPath("s"), text)
		r.damaged(fmt.Sprint("byte ", i, " of the old part"))
	}
}

// What a full disk tears is declared by the next record.
func TestAFullDiskLeavesAWholeLog(t *testing.T) {
	r := newRecorded(t)
	l, _, err := openLog(r.logPath("s"), headPath(r.state, "s"), "s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for i := range 40 {
		if err := l.append(record{Type: recEnd, Title: "went well"}); err != nil {
			t.Fatal(err)
		}
		file := l.f
		for range i % 3 {
			if l.f, err = os.Open(r.logPath("s")); err != nil { // cannot be written
				t.Fatal(err)
			}
			if l.append(record{Type: recEnd}) == nil {
				t.Fatal("a write to a file that is open for reading succeeds")
			}
			l.f.Close()
			l.f = file
			if _, err := file.WriteString("\n{\"type\":\"end\"}\n{"[rand.IntN(3):][:rand.IntN(14)]); err != nil {
				t.Fatal(err)
			}
			if v := r.verify(); len(v.Findings) > 0 {
				t.Fatalf("torn: %+v", v.Findings)
			}
		}
	}
	if err := l.append(record{Type: recEnd}); err != nil {
		t.Fatal(err)
	}
	r.whole("after a full disk")
	if v := r.verify(); v.Records != 41 {
		t.Errorf("%+v", v)
	}
}
