package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"drawbridge/model"
)

func request(t *testing.T, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("POST", "http://127.0.0.1/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestEntriesTakeTheirPlaces(t *testing.T) {
	a, b := NewPlaceholder([]byte(`1,2`)), NewPlaceholder([]byte(`{"x":3}`))
	req := request(t, `{"messages":[`+string(a.JSON())+`,4],"tools":[`+string(b.JSON())+`]}`)
	// In the other order than they stand in.
	if err := fill(req, []*Placeholder{b, a}); err != nil {
		t.Fatal(err)
	}
	const want = `{"messages":[1,2,4],"tools":[{"x":3}]}`
	for range 2 { // a request may have to be sent again
		body, err := req.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(body)
		if string(got) != want || req.ContentLength != int64(len(want)) {
			t.Errorf("%s (%d bytes)", got, req.ContentLength)
		}
	}
}

func TestLostEntriesAreAnError(t *testing.T) {
	if err := fill(request(t, `{}`), []*Placeholder{NewPlaceholder([]byte(`1`))}); err == nil {
		t.Error("a request without its entries is sent")
	}
}

func TestToolsAreWrittenOnce(t *testing.T) {
	var tools Tools
	wrote := 0
	write := func(defs []model.ToolDef) any {
		wrote++
		return []string{defs[0].Name}
	}
	one := []model.ToolDef{{Name: "one"}}
	for _, c := range []struct {
		defs []model.ToolDef
		want string
	}{{one, `"one"`}, {one, `"one"`}, {[]model.ToolDef{{Name: "two"}}, `"two"`}, {one, `"one"`}} {
		p, err := tools.Placeholder(c.defs, write)
		if err != nil || string(p.text) != c.want {
			t.Errorf("%s, %v", p.text, err)
		}
	}
	if wrote != 3 {
		t.Errorf("written %d times", wrote)
	}
	if p, err := tools.Placeholder(nil, write); p != nil || err != nil {
		t.Error("no tools are something")
	}
}
