package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"drawbridge/shell"
)

// archived carries out a truncated call and returns its archive.
func archived(t *testing.T, dir string, run func(context.Context, Output) (Result, error)) (Outcome, string) {
	t.Helper()
	call := Call{ID: "call-1", Name: "demo", Limits: Limits{MaxOutput: 50}, ArchiveDir: dir}
	o := CarryOut(t.Context(), call, run)
	b, err := os.ReadFile(o.Archive)
	if err != nil {
		t.Fatal(err)
	}
	return o, string(b)
}

// P-ENV-08
func TestArchiveHoldsTheWholeOutput(t *testing.T) {
	r := newRoom(t)
	dir := filepath.Join(r.dir, "scratch", "truncated-tool-output")
	text := "BEGIN\n" + strings.Repeat("x", 200) + "\nEND\n"
	o, kept := archived(t, dir, says(Result{}, nil, text[:100], text[100:]))
	checkText(t, o, Completed, text[:50]+"\n[output truncated: exceeded 50 chars]\n[output archived: "+o.Archive+"]")
	if kept != text {
		t.Errorf("archive is %q", kept)
	}
	// The first 16 hex digits of SHA-256("call-1").
	if want := filepath.Join(dir, "demo-5d7963c4f471e142.log"); o.Archive != want {
		t.Errorf("archive is %s, want %s", o.Archive, want)
	}
	for path, want := range map[string]os.FileMode{o.Archive: 0o600, dir: 0o700 | os.ModeDir} {
		if info, _ := os.Stat(path); info.Mode() != want {
			t.Errorf("mode of %s is %v, want %v", path, info.Mode(), want)
		}
	}
	r.env.Archives = func() []string { return []string{dir} }
	checkSays(t, r.do(t, "read_file", args(t, "file_path", o.Archive)), Completed, "     1\tBEGIN", "     3\tEND")
}

// P-ENV-09
func TestNoArchiveWithoutTruncation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch")
	o := CarryOut(t.Context(), Call{ID: "c", Name: "demo", Limits: Limits{MaxOutput: 100}, ArchiveDir: dir}, says(Result{}, nil, "12345"))
	checkText(t, o, Completed, "12345")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the archive directory exists: %v", err)
	}
}

func TestArchiveFailureIsOnlyTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, archiveName("demo", "c")), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, code string }{
		{"P-ENV-10 the place is a file", file, "ENOTDIR"},
		{"P-ENV-10 the place is below a file", filepath.Join(file, "x"), "ENOTDIR"},
		{"the archive exists", taken, "EEXIST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var warned []string
			call := Call{
				ID: "c", Name: "demo", Limits: Limits{MaxOutput: 1}, ArchiveDir: c.dir,
				Warn: func(line string) { warned = append(warned, line) },
			}
			o := CarryOut(t.Context(), call, says(Result{}, nil, "abc"))
			checkText(t, o, Completed, "a\n[output truncated: exceeded 1 chars]\n[output archive failed: "+c.code+"]")
			if len(warned) != 1 || warned[0] != "demo: output archive failed: "+c.code {
				t.Errorf("warned %q", warned)
			}
		})
	}
	if b, _ := os.ReadFile(filepath.Join(taken, archiveName("demo", "c"))); string(b) != "old" {
		t.Errorf("the existing archive became %q", b)
	}
}

// P-ENV-12
func TestArchiveOfAHugeOutputKeepsHeadAndTail(t *testing.T) {
	o, kept := archived(t, t.TempDir(), func(_ context.Context, out Output) (Result, error) {
		out.Write("BEGIN-企鹅")
		for range 8<<20/4096 + 25 {
			out.Write(strings.Repeat("x", 4096))
		}
		out.Write("-END-🐧")
		return Result{}, nil
	})
	checkSays(t, o, Completed, "\n[output archived (4 MiB limit; head and tail kept): "+o.Archive+"]")
	if len(kept) > archiveLimit {
		t.Errorf("archive has %d bytes", len(kept))
	}
	if !strings.HasPrefix(kept, "BEGIN-企鹅xxx") || !strings.HasSuffix(kept, "xxx-END-🐧") || strings.Count(kept, gapMarker) != 1 {
		t.Errorf("archive lacks head, tail or gap: %.20q…%q", kept, kept[len(kept)-20:])
	}
	if strings.Contains(kept, "�") {
		t.Error("archive has a replacement character")
	}
}

// P-ENV-13
func TestArchiveJoinsSplitCharacters(t *testing.T) {
	_, kept := archived(t, t.TempDir(), says(Result{}, nil, "hello ", "企鹅", "\xf0\x9f", "\x90\xa7", "|", "\xff", "\xf0\x9f", "\x90\xa7", strings.Repeat(".", 50)))
	if want := "hello 企鹅🐧|�🐧" + strings.Repeat(".", 50); kept != want {
		t.Errorf("archive is %q, want %q", kept, want)
	}
}

// P-ENV-14
func TestCaptureReusesItsTail(t *testing.T) {
	c := &capture{}
	var stream bytes.Buffer
	add := func(s string) { c.write([]byte(s)); stream.WriteString(s) }
	add("1234567") // the head now ends within a character
	for stream.Len() <= archiveLimit+tailChunks*chunkSize {
		add(strings.Repeat("企鹅🐧..", 1000))
	}
	before := &c.chunks[headChunks][0]
	for i := range 4096 {
		add(fmt.Sprintf("企%d", i))
	}
	if &c.chunks[headChunks][0] != before || len(c.chunks) != headChunks+tailChunks {
		t.Errorf("the tail is not reused: %d chunks", len(c.chunks))
	}
	path, whole, err := c.save(t.TempDir(), "demo", "c")
	if err != nil || whole {
		t.Fatal(whole, err)
	}
	kept, _ := os.ReadFile(path)
	head, tail, _ := strings.Cut(string(kept), gapMarker)
	if !strings.HasPrefix(stream.String(), head) || len(head) < headBytes-4 {
		t.Errorf("the head of %d bytes is not the stream's", len(head))
	}
	if !strings.HasSuffix(stream.String(), tail) || len(tail) < int(tailText)-4 {
		t.Errorf("the tail of %d bytes is not the stream's", len(tail))
	}
	if strings.Contains(string(kept), "�") {
		t.Error("archive has a replacement character")
	}
}

// P-ENV-16
func TestCaptureIsSavedOnce(t *testing.T) {
	c := &capture{}
	c.write([]byte("x"))
	dir := t.TempDir()
	if _, whole, err := c.save(dir, "demo", "1"); err != nil || !whole {
		t.Fatal(whole, err)
	}
	if _, _, err := c.save(dir, "demo", "2"); errorCode(err) != "ALREADY_SAVED" {
		t.Errorf("second save: %v", err)
	}
}

func TestArchiveNameIsSafe(t *testing.T) {
	got := archiveName("../../evil tool企"+strings.Repeat("x", 99), "../../etc/passwd")
	if want := "______evil_tool_" + strings.Repeat("x", 32) + "-3754d6cb3a38e118.log"; got != want {
		t.Errorf("name is %q, want %q", got, want)
	}
}

// Raw output is cleaned when it is saved, and bad bytes, which grow by that,
// still keep the archive within its limit.
func TestArchiveOfRawOutput(t *testing.T) {
	c := &capture{clean: func() textStream { return shell.NewScreen(true, 80) }}
	c.write([]byte("\x1b[1mBEGIN\x1b[0m\r\n"))
	c.write(bytes.Repeat([]byte{0xff}, 7<<20))
	c.write([]byte("\r\n\x1b[32mEND\x1b[0m\r\n"))
	path, whole, err := c.save(t.TempDir(), "demo", "c")
	if err != nil || whole {
		t.Fatal(whole, err)
	}
	kept, _ := os.ReadFile(path)
	if len(kept) > archiveLimit || !utf8.Valid(kept) || !bytes.HasPrefix(kept, []byte("BEGIN\n�")) || !bytes.HasSuffix(kept, []byte("�\nEND\n")) {
		t.Errorf("archive of %d bytes: %.20q…%q", len(kept), kept, kept[max(0, len(kept)-20):])
	}
}

func TestArchiveTailBeginsWithText(t *testing.T) {
	for _, c := range []struct{ name, unit, want string }{
		{"at a line, with no rest of an escape sequence", "\x1b[38;5;123mred\x1b[0m line\n", "red line\nred line\n"},
		{"or at a character", "企\x1b[K", "企企企企企"},
	} {
		for shift := 0; shift < len(c.unit); shift += 1 + len(c.unit)/8 {
			k := &capture{clean: func() textStream { return shell.NewScreen(false, 0) }}
			k.write([]byte(strings.Repeat(".", shift)))
			k.write([]byte(strings.Repeat(c.unit, 9<<20/len(c.unit))))
			path, _, err := k.save(t.TempDir(), "demo", "c")
			if err != nil {
				t.Fatal(err)
			}
			kept, _ := os.ReadFile(path)
			_, tail, _ := strings.Cut(string(kept), gapMarker)
			if tail = strings.TrimPrefix(strings.TrimPrefix(tail, "["), "K"); !strings.HasPrefix(tail, c.want) {
				t.Errorf("%s: shifted by %d the tail begins with %.30q", c.name, shift, tail)
			}
		}
	}
}

// Neither end of the gap shows a part of a secret, nor does one show that was
// written in parts.
func TestArchiveHasNoSecrets(t *testing.T) {
	secret := strings.Repeat("s3cr3t-t0ken", 50)
	for _, c := range []struct {
		name string
		at   int // where a secret begins
		size int // of the whole
	}{
		{"in a chunk", 100, 1000},
		{"over two", chunkSize - 10, chunkSize + 1000},
		{"at the end of the head", headBytes - 10, archiveLimit + headBytes},
		{"at the beginning of the tail", archiveLimit + headBytes - tailBytes - 10, archiveLimit + headBytes},
		{"where the tail's text begins", archiveLimit + headBytes - int(tailText) - 10, archiveLimit + headBytes},
		{"at the very end", archiveLimit + headBytes - len(secret), archiveLimit + headBytes},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &capture{redact: redactor(secret)}
			text := strings.Repeat(".", c.at) + secret + strings.Repeat(".", c.size-c.at-len(secret))
			for len(text) > 0 {
				n := min(len(text), 1<<20-3)
				k.write([]byte(text[:n]))
				text = text[n:]
			}
			path, whole, err := k.save(t.TempDir(), "demo", "c")
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			kept := string(b)
			if whole && !strings.Contains(kept, ".[redacted].") {
				t.Error("the secret is missing")
			}
			kept = strings.NewReplacer("[redacted]", "", gapMarker, "", ".", "").Replace(kept)
			if strings.Trim(kept, "[redact]") != "" {
				t.Errorf("the archive shows %q", kept)
			}
			if len(b) > archiveLimit || !whole && len(b) < archiveLimit-headBytes-heldBack {
				t.Errorf("the archive has %d bytes", len(b))
			}
		})
	}
}

// What was saved, or is not to be, costs no memory.
func TestCaptureLetsGo(t *testing.T) {
	for _, end := range []func(c *capture){
		func(c *capture) { c.drop() },
		func(c *capture) {
			if _, _, err := c.save(t.TempDir(), "demo", "c"); err != nil {
				t.Error(err)
			}
		},
	} {
		c := &capture{}
		c.write(make([]byte, 2*chunkSize))
		end(c)
		if c.chunks != nil {
			t.Errorf("%d chunks are kept", len(c.chunks))
		}
	}
}

// What a capture still holds is what was written there, however it was cut.
func TestCaptureReadsWhatWasWritten(t *testing.T) {
	const period = 65_521
	pattern := make([]byte, 4<<20)
	for i := range pattern {
		n := i % period
		pattern[i] = byte(n*7919>>8) ^ byte(n)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := &capture{}
		size := int64(0)
		for _, n := range rapid.SliceOfN(rapid.SampledFrom([]int{1, 4095, chunkSize, 1<<20 + 1, 3 << 20}), 1, 8).Draw(t, "writes") {
			from := int(size % period)
			c.write(pattern[from : from+n])
			size += int64(n)
		}
		buf := make([]byte, 100)
		for at := int64(0); at < size; at += 77_777 {
			from, n := c.read(at, buf)
			switch {
			case from < at || n == 0:
				t.Fatalf("read at %d of %d: %d bytes from %d", at, size, n, from)
			case from > at && (at < headBytes || size-at <= tailBytes):
				t.Fatalf("read at %d of %d skipped to %d", at, size, from)
			}
			if start := int(from % period); !bytes.Equal(buf[:n], pattern[start:start+n]) {
				t.Fatalf("bytes at %d of %d are wrong", from, size)
			}
		}
	})
}

// The target is 100 ms for 100 MB.
func BenchmarkCapture100MB(b *testing.B) {
	p := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	b.ReportAllocs()
	for b.Loop() {
		c := &capture{}
		for range 100_000_000 / len(p) {
			c.write(p)
		}
	}
}
