package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"drawbridge/internal/fetch"
)

// pixels is a picture of this size, made by the standard library.
func pixels(t *testing.T, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// page is a network of one address.
type page struct {
	answer fetch.Answer
	err    error
	refuse error
	asked  []string
}

func (p *page) Get(_ context.Context, address, _ string, _ int64) (fetch.Answer, error) {
	p.asked = append(p.asked, address)
	return p.answer, p.err
}

func (p *page) Refuse(*url.URL) error { return p.refuse }

// eyes are a Seer that says these pieces, then fails with err.
type eyes struct {
	says   []string
	err    error
	prompt string
	saw    Image
}

func (e *eyes) Name() string { return "p:eyes" }

func (e *eyes) Describe(_ context.Context, img Image, prompt string, out func(string)) error {
	e.saw, e.prompt = img, prompt
	for _, s := range e.says {
		out(s)
	}
	return e.err
}

// Whatever a file begins with, nothing breaks, and what is taken is of a known type.
func TestWhatIsNoPictureIsRefused(t *testing.T) {
	whole := pixels(t, 3, 2)
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 3, 2)), nil); err != nil {
		t.Fatal(err)
	}
	for _, full := range []string{
		whole, photo.String(), "GIF89a\x01\x00\x01\x00\x00\x00\x00", "RIFF\x1a\x00\x00\x00WEBPVP8L\r\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00",
		"RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00", "RIFF\x1a\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x01\x00\x01\x00",
	} {
		if _, err := judge("a", []byte(full), ""); err != nil {
			t.Errorf("%q: %v", full, err)
		}
		for n := range len(full) {
			mime, err := judge("a", []byte(full[:n]), "")
			if err == nil && n < 10 {
				t.Errorf("%q is taken for %s", full[:n], mime)
			}
			if _, ok := errors.AsType[*Failure](err); err != nil && !ok {
				t.Errorf("%q: %v", full[:n], err)
			}
		}
	}
}

func TestASideTooLongIsRefused(t *testing.T) {
	r := newRoom(t, "edge.png", pixels(t, 8000, 1), "over.png", pixels(t, 1, 8001))
	checkSays(t, r.do(t, "read_image", `{"source":"edge.png"}`), Completed, "image/png, ")
	o := r.do(t, "read_image", `{"source":"over.png"}`)
	checkSays(t, o, Failed, "too large", "1×8001 pixels")
	if len(o.Images) > 0 {
		t.Error("and yet it is sent")
	}
}

func TestSizesInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 68: "68 B", 1023: "1023 B", 1024: "1.0 kB", 1536: "1.5 kB", 1 << 20: "1.0 MB", 5 << 20: "5.0 MB"} {
		if got := sizeWords(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}

// An address is named in the plan to the letter, before it is asked for.
func TestAnAddressIsPlannedBeforeItIsAskedFor(t *testing.T) {
	r := newRoom(t)
	net := &page{answer: fetch.Answer{Body: []byte(pixels(t, 1, 1))}}
	r.env.Fetch = net
	p, err := r.plan(t, "read_image", `{"source":" HTTP://Example.com:80/a b.png#x "}`)
	if err != nil {
		t.Fatal(err)
	}
	if p.URL != "http://example.com:80/a%20b.png" || p.Title != "Read "+p.URL || p.Access != Read || len(p.Paths) > 0 || len(net.asked) > 0 {
		t.Errorf("planned %+v, asked for %q", p, net.asked)
	}
	o := CarryOut(t.Context(), r.call, bind(p, Accepted{}))
	checkSays(t, o, Completed, "image/png, ")
	if len(net.asked) != 1 || net.asked[0] != p.URL {
		t.Errorf("asked for %q, not %q", net.asked, p.URL)
	}
}

// What nobody's yes could change is said before anybody is asked.
func TestWhatCannotBeReadIsNotPlanned(t *testing.T) {
	r := newRoom(t, "over.png", pixels(t, 1, 8001), "none.png", "", "words.png", "words", "large.png", strings.Repeat("x", maxImage+1))
	r.env.Seer = func() (Seer, error) { return &eyes{}, nil }
	r.env.Fetch = &page{refuse: &fetch.Error{Kind: fetch.Refused, Text: "10.0.0.1 is not an address of the open network (of a private network)"}}
	r.env.Redact = func(text string) string { return strings.ReplaceAll(text, "s3/cret", "***") }
	for source, want := range map[string]string{
		"over.png": "too large", "none.png": "empty", "words.png": "unsupported type", "large.png": "too large",
		"http://10.0.0.1/a.png": "images.allow", "http://u:p@a.example/": "a name or a password", "http://0x7f.1/": "usually written",
		"http://a.example/s3%2Fcret.png": "holds a secret",
	} {
		for _, tool := range []string{"read_image", "describe_image"} {
			p, err := r.plan(t, tool, args(t, "source", source))
			f, ok := errors.AsType[*Failure](err)
			if !ok || !strings.Contains(f.Text, want) {
				t.Errorf("%s %s: %v", tool, source, err)
			} else if file := !strings.Contains(source, "://"); file && (len(p.Paths) != 1 || f.Blind == "" || strings.Contains(f.Blind, want+":")) {
				t.Errorf("%s %s: %q is told of %v to whoever may not read it", tool, source, f.Blind, p.Paths)
			}
		}
	}
	// Whether a file is there is told to whoever may read it.
	if _, err := r.plan(t, "read_image", `{"source":"gone.png"}`); err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

func TestWithoutANetworkNoAddressIsPlanned(t *testing.T) {
	r := newRoom(t)
	checkSays(t, r.do(t, "read_image", `{"source":"https://example.com/a.png"}`), Failed, "only files")
}

func TestASecretIsInNoAddressThatIsAskedFor(t *testing.T) {
	r := newRoom(t)
	net := &page{}
	r.env.Fetch = net
	r.call.Redact = func(text string) string { return strings.ReplaceAll(text, "s3/cret", "***") }
	for _, source := range []string{"https://example.com/s3/cret.png", "https://example.com/?q=s3%2Fcret", "https://example.com/?a=%zz&q=s3/cret"} {
		o := r.do(t, "read_image", args(t, "source", source))
		checkSays(t, o, Failed, "holds a secret")
		checkSilent(t, o, "s3/cret")
	}
	if len(net.asked) > 0 {
		t.Errorf("asked for %q", net.asked)
	}
}

// Cases: P-IMG-02
func TestAPictureIsDescribedInWords(t *testing.T) {
	dot := pixels(t, 1, 1)
	for _, c := range []struct {
		what   string
		eyes   eyes
		args   string
		status Status
		text   string
		prompt string
	}{
		{"words as they come", eyes{says: []string{"a ", "dot"}}, `{"source":"dot.png"}`, Completed, "a dot", describePrompt},
		{"a prompt", eyes{says: []string{"yes"}}, `{"source":"dot.png","prompt":"is it a dot?"}`, Completed, "yes", "is it a dot?"},
		{"an empty prompt", eyes{says: []string{"a dot"}}, `{"source":"dot.png","prompt":" "}`, Completed, "a dot", describePrompt},
		{"no words", eyes{says: []string{" \n"}}, `{"source":"dot.png"}`, Completed, " \n[vision model returned no text]", describePrompt},
		{"a failure", eyes{says: []string{"a d"}, err: errors.New("p:eyes: HTTP 500: broken")}, `{"source":"dot.png"}`, Failed, "a d\nThe vision model failed: p:eyes: HTTP 500: broken", describePrompt},
	} {
		r := newRoom(t, "dot.png", dot)
		r.env.Seer = func() (Seer, error) { return &c.eyes, nil }
		o := r.do(t, "describe_image", c.args)
		head := "image/png, " + sizeWords(len(dot)) + ", described by p:eyes:\n"
		if o.Status != c.status || o.Text != head+c.text || c.eyes.prompt != c.prompt {
			t.Errorf("%s: %s %q, asked %q", c.what, o.Status, o.Text, c.eyes.prompt)
		}
		if c.eyes.saw != (Image{"image/png", base64.StdEncoding.EncodeToString([]byte(dot))}) || len(o.Images) > 0 {
			t.Errorf("%s: it saw %v, and the result has %d pictures", c.what, c.eyes.saw, len(o.Images))
		}
	}
}

func TestWithoutEyesNothingIsDescribed(t *testing.T) {
	r := newRoom(t, "dot.png", pixels(t, 1, 1))
	checkSays(t, r.do(t, "describe_image", `{"source":"dot.png"}`), Failed, "visionModel")
	r.env.Seer = func() (Seer, error) { return nil, nil }
	checkSays(t, r.do(t, "describe_image", `{"source":"dot.png"}`), Failed, "visionModel")
	r.env.Seer = func() (Seer, error) { return nil, errors.New("no such provider") }
	checkSays(t, r.do(t, "describe_image", `{"source":"dot.png"}`), Failed, "no such provider")
}

// An interrupted call is aborted, whatever the one who looks says of it.
func TestDescribingEndsWithTheCall(t *testing.T) {
	r := newRoom(t, "dot.png", pixels(t, 1, 1))
	ctx, stop := context.WithCancelCause(t.Context())
	r.env.Seer = func() (Seer, error) { return seerFunc(func() error { stop(ErrInterrupted); return ctx.Err() }), nil }
	o := r.doCtx(ctx, t, "describe_image", `{"source":"dot.png"}`)
	checkSays(t, o, Aborted, "[interrupted: tool aborted by user]")
}

type seerFunc func() error

func (f seerFunc) Name() string { return "p:eyes" }

func (f seerFunc) Describe(context.Context, Image, string, func(string)) error { return f() }
