package session

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

var coded = base64.StdEncoding.EncodeToString

// A picture that a service would refuse is in no request, whichever way it comes.
func TestAPictureThatNobodyTakesIsRefused(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	for data, want := range map[string]string{
		"":           "empty",
		"no base64!": "base64",
		coded([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)): "image/svg+xml",
		coded([]byte(dot[:20])):                          "damaged",
		coded([]byte("%PDF-1.4")):                        "application/pdf",
		coded([]byte(dot + string(make([]byte, 5<<20)))): "too large",
		coded(make([]byte, 6<<20)):                       "too large",
	} {
		blocks := []Block{{Kind: BlockText, Text: "see"}, {Kind: BlockImage, MimeType: "image/png", Data: data}}
		_, prompted := s.Prompt(blocks, "")
		_, steered := s.Steer("", blocks)
		for _, err := range []error{prompted, steered} {
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != "invalid" || !strings.Contains(e.Message, want) {
				t.Errorf("%.40s: %v", data, err)
			}
		}
	}
	if s.Info().Turn != "" || len(s.talk.messages) > 0 {
		t.Error("a turn was begun")
	}
}

func TestAPictureIsWhatItsBytesAre(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	turn, err := s.Prompt([]Block{{Kind: BlockImage, MimeType: "image/gif", Data: coded([]byte(dot))}}, "")
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	if got := b.model.last().Messages[0].Parts[0].Image; got.MimeType != "image/png" || got.Data != coded([]byte(dot)) {
		t.Errorf("%+v", got)
	}
}
