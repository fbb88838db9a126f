package rpc

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the bodies of a stream, "!" for each oversized frame, and
// how the stream ended.
func readAll(r io.Reader, framing Framing, limit int64) (bodies []string, err error) {
	fr := newFrameReader(r, framing, limit)
	for {
		b, err := fr.next()
		var large *tooLarge
		switch {
		case err == nil:
			bodies = append(bodies, string(b))
		case errors.As(err, &large):
			bodies = append(bodies, "!")
		default:
			return bodies, err
		}
	}
}

func TestFramesAreCutFromAnyLegalHeader(t *testing.T) {
	for name, in := range map[string]string{
		"plain":            "Content-Length: 2\r\n\r\n{}",
		"lower case":       "content-length: 2\r\n\r\n{}",
		"upper case":       "CONTENT-LENGTH: 2\r\n\r\n{}",
		"spaces":           "Content-Length :   2  \r\n\r\n{}",
		"no space":         "Content-Length:2\r\n\r\n{}",
		"bare line feeds":  "Content-Length: 2\n\n{}",
		"type after":       "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
		"type before":      "Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 2\r\n\r\n{}",
		"unknown field":    "X-Trace: a:b\r\nContent-Length: 2\r\n\r\n{}",
		"stated twice":     "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"byte order mark":  "\xef\xbb\xbfContent-Length: 2\r\n\r\n{}",
		"uncounted breaks": "\r\n\nContent-Length: 2\r\n\r\n{}\r\n",
	} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
			bodies, err := readAll(r, Headers, 100)
			if len(bodies) != 1 || bodies[0] != "{}" || err != io.EOF {
				t.Errorf("%s: %q, %v; want {} and a clean end", name, bodies, err)
			}
		}
	}
}

func TestLengthCountsBytes(t *testing.T) {
	body := `{"text":"😀 日本語 é"}`
	in := strings.Repeat(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body), 3)
	bodies, err := readAll(strings.NewReader(in), Headers, 100)
	if len(bodies) != 3 || bodies[2] != body || err != io.EOF {
		t.Errorf("%q, %v; want the body three times", bodies, err)
	}
}

func TestBrokenFramingIsFatalAndSaysWhy(t *testing.T) {
	for in, why := range map[string]string{
		"hello\r\n\r\n":                                        `header line "hello" has no colon`,
		"{\"jsonrpc\"}\n":                                      "has no colon",
		"Content-Length: x\r\n":                                `impossible Content-Length "x"`,
		"Content-Length: -1\r\n\r\n":                           "impossible Content-Length",
		"Content-Length: 2.5\r\n\r\n":                          "impossible Content-Length",
		"Content-Length: \r\n\r\n":                             "impossible Content-Length",
		"Content-Length: 99999999999999999999\r\n\r\n":         "impossible Content-Length",
		"Content-Length: 9000000000000000000\r\n\r\n":          "impossible Content-Length",
		"Content-Type: x\r\n\r\n{}":                            "header without Content-Length",
		"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}":     "two Content-Lengths",
		"Content-Length: 2\r\n":                                "ended inside a header",
		"Content-Le":                                           "ended inside a header",
		"Content-Length: 5\r\n\r\n{}":                          "ended after 2 of a frame's 5 bytes",
		"Content-Length: 500\r\n\r\n{}":                        "ended after 2 of a frame's 500 bytes",
		"X: " + strings.Repeat("x", 9000) + "\r\n":             "header longer than",
		"X: " + strings.Repeat("x", 100000) + "\r\n":           "header longer than",
		strings.Repeat("X: y\r\n", 3000):                       "header longer than",
		"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n":     "ended inside a header",
		"Content-Length: 1\r\n\r\n{}Content-Length: 2\r\n\r\n": "header without Content-Length",
	} {
		_, err := readAll(strings.NewReader(in), Headers, 100)
		var fatal *FatalError
		if !errors.As(err, &fatal) || !strings.Contains(fatal.Reason, why) {
			t.Errorf("%.60q: %v; want a fatal error with %q", in, err, why)
		}
	}
}

func TestLinesAreMessages(t *testing.T) {
	for in, want := range map[string][]string{
		"{}\n[1]\n":          {"{}", "[1]"},
		"{}\r\n\r\n\n  \n{}": {"{}", "{}"},
		"\xef\xbb\xbf{}\n":   {"{}"},
		"":                   nil,
		"\n\n":               nil,
	} {
		bodies, err := readAll(iotest.OneByteReader(strings.NewReader(in)), Lines, 100)
		if fmt.Sprint(bodies) != fmt.Sprint(want) || err != io.EOF {
			t.Errorf("%q: %q, %v; want %q and a clean end", in, bodies, err, want)
		}
	}
}

func TestFrameOfTheLimitPassesAndALargerOneIsSkipped(t *testing.T) {
	const limit = 200_000 // beyond the read buffer
	fits, over := strings.Repeat("a", limit), strings.Repeat("b", limit+1)
	for _, framing := range []Framing{Headers, Lines} {
		var in strings.Builder
		for _, body := range []string{fits, over, "c", over + over, fits} {
			if framing == Headers {
				fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n", len(body))
			}
			in.WriteString(body)
			if framing == Lines {
				in.WriteString("\n")
			}
		}
		bodies, err := readAll(strings.NewReader(in.String()), framing, limit)
		if err != io.EOF || len(bodies) != 5 || bodies[0] != fits || bodies[4] != fits ||
			bodies[1] != "!" || bodies[2] != "c" || bodies[3] != "!" {
			t.Errorf("framing %d: %d frames, %v", framing, len(bodies), err)
		}
	}
}

// A frame costs its size once while it is read. A line's length is not known
// before its end, so it is copied while it grows.
func TestGiantFrameCostsLittleMoreThanItself(t *testing.T) {
	const size = 64 << 20
	for framing, most := range map[Framing]uint64{Headers: 1, Lines: 8} {
		var in io.Reader = io.LimitReader(zeros{}, size)
		if framing == Headers {
			in = io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), in)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b, err := newFrameReader(in, framing, size).next()
		runtime.ReadMemStats(&after)
		if err != nil || len(b) != size {
			t.Fatalf("framing %d: %d bytes, %v", framing, len(b), err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most*size+size/8 {
			t.Errorf("framing %d: %d MiB allocated for a frame of 64 MiB", framing, got>>20)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

func FuzzFrameReader(f *testing.F) {
	for _, seed := range []string{
		"Content-Length: 2\r\n\r\n{}",
		"content-length:2\n\n{}\r\nContent-Length: 0\r\n\r\n",
		"Content-Length: 300\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "\xef\xbb\xbf{}\n",
		"{}\n[]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ordered\"}\n",
		"Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ordered\"}",
		`[{"jsonrpc":"2.0","id":1,"result":1,"error":null},1,{}]` + "\n",
		`{"id":7,"params":"` + strings.Repeat("x", 300) + `"}` + "\n",
		"Content-Length: 9999999999999\r\n\r\n", "Content-Length: 4294967297\r\n\r\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, lines bool) {
		framing := Headers
		if lines {
			framing = Lines
		}
		fr := newFrameReader(strings.NewReader(string(in)), framing, 256)
		dec := decoder{name: func(b []byte) string { return string(b) }}
		for frames := 0; ; frames++ {
			b, err := fr.next()
			var large *tooLarge
			switch {
			case err == nil && len(b) > 256:
				t.Fatalf("frame of %d bytes passed a limit of 256", len(b))
			case err == nil:
				checkDecoded(t, dec.decode(b))
			case errors.As(err, &large):
				checkDecoded(t, []message{oversized(large)})
			default:
				return
			}
			if frames > len(in) {
				t.Fatalf("more frames than bytes")
			}
		}
	})
}

// checkDecoded holds what every message coming out of the decoder is: exactly
// one of a request, an answer and a refusal.
func checkDecoded(t *testing.T, ms []message) {
	t.Helper()
	if len(ms) == 0 {
		t.Fatal("a frame became no message at all")
	}
	for _, m := range ms {
		if m.refusal != nil && m.answer != nil || m.answer != nil && m.method != "" {
			t.Fatalf("message is several things: %+v", m)
		}
	}
}
