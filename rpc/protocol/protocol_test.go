package protocol

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"drawbridge/rpc"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// Every example decodes without an unknown field and encodes to itself, so
// that no field is lost or invented on the way through Go.
func TestExamplesRoundTrip(t *testing.T) {
	seen := map[string]bool{}
	eachExample(t, func(t *testing.T, m Method, e example) {
		seen[m.Name] = true
		roundTrip(t, m.Params, e.Params)
		if m.Kind == rpc.Request {
			roundTrip(t, m.Result, e.Result)
		} else if e.Result != nil {
			t.Error("a notification has no result")
		}
	})
	for _, m := range Methods {
		if native(m) && !seen[m.Name] {
			t.Errorf("%s has no example under testdata", m.Name)
		}
	}
}

// Every example is what the schema of the binary says it is.
func TestExamplesMatchSchema(t *testing.T) {
	var root jsonschema.Schema
	if err := json.Unmarshal(SchemaJSON(), &root); err != nil {
		t.Fatal(err)
	}
	eachExample(t, func(t *testing.T, m Method, e example) {
		validate(t, &root, m.Params, e.Params)
		if m.Kind == rpc.Request {
			validate(t, &root, m.Result, e.Result)
		}
	})
}

type example struct{ Params, Result json.RawMessage }

func eachExample(t *testing.T, f func(*testing.T, Method, example)) {
	t.Helper()
	names, err := fs.Glob(os.DirFS("testdata"), "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("read testdata: %d examples, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			parts := strings.Split(name, ".")
			m, ok := Lookup(parts[0] + "/" + parts[1])
			if !ok {
				t.Fatalf("no method %s/%s", parts[0], parts[1])
			}
			text, err := os.ReadFile(path.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			var e example
			strict(t, text, &e)
			f(t, m, e)
		})
	}
}

func strict(t *testing.T, text []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("decode %T: %v", into, err)
	}
}

func roundTrip(t *testing.T, zero any, text json.RawMessage) {
	t.Helper()
	v := reflect.New(reflect.TypeOf(zero))
	strict(t, text, v.Interface())
	out, err := json.Marshal(v.Elem().Interface())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(parse(t, text), parse(t, out)); diff != "" {
		t.Errorf("%T changed on the way (-sent +read):\n%s", zero, diff)
	}
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func validate(t *testing.T, root *jsonschema.Schema, zero any, text json.RawMessage) {
	t.Helper()
	one := &jsonschema.Schema{Ref: "#/$defs/" + reflect.TypeOf(zero).Name(), Defs: root.Defs}
	resolved, err := one.CloneSchemas().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(parse(t, text)); err != nil {
		t.Errorf("%T: %v", zero, err)
	}
}

func native(m Method) bool {
	_, lsp := m.Params.(LSP)
	return m.Params != nil && !lsp
}

// Native methods are noun/verb, each stands once, and its row is whole.
func TestMethodRows(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][A-Za-z]*/[a-z][A-Za-z]*$`)
	seen := map[string]bool{}
	for _, m := range Methods {
		switch {
		case seen[m.Name]:
			t.Errorf("%s stands twice", m.Name)
		case m.Doc == "":
			t.Errorf("%s has no doc", m.Name)
		case m.Kind == rpc.Notification && (m.Result != nil || m.Errors != nil):
			t.Errorf("%s is a notification: nobody answers it", m.Name)
		case native(m) && !name.MatchString(m.Name):
			t.Errorf("%s is not noun/verb", m.Name)
		case native(m) && m.Kind == rpc.Request && m.Result == nil:
			t.Errorf("%s says nothing of its result", m.Name)
		case m.Direction == rpc.ToEditor && m.Kind == rpc.Request && m.Policy == rpc.InOrder:
			t.Errorf("%s waits for a person on the editor's read loop", m.Name)
		}
		seen[m.Name] = true
	}
	if len(Table()) != len(Methods) {
		t.Errorf("the table has %d rows, want %d", len(Table()), len(Methods))
	}
}

// The sections of the documentation are the table, in its order.
func TestSectionsAreTheTable(t *testing.T) {
	var names, want []string
	for _, s := range Sections {
		for _, m := range s.Methods {
			names = append(names, m.Name)
		}
	}
	for _, m := range Methods {
		want = append(want, m.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// What must overtake everything else is marked so.
func TestCancelsPreempt(t *testing.T) {
	for _, name := range []string{"session/cancel", "$/cancelRequest", "window/workDoneProgress/cancel"} {
		if row := Table()[name]; row.Policy != rpc.Preempt {
			t.Errorf("%s is %s", name, row.Policy)
		}
	}
}

// An absent list of hunks means all, so nothing else may decode to it.
func TestAbsentHunksAreNotEmptyHunks(t *testing.T) {
	var absent, none ApprovalAnswer
	strict(t, []byte(`{"outcome":"selected"}`), &absent)
	strict(t, []byte(`{"outcome":"selected","hunks":[]}`), &none)
	if absent.Hunks != nil || none.Hunks == nil {
		t.Errorf("absent %#v, none %#v", absent.Hunks, none.Hunks)
	}
	checkJSON(t, absent, `{"outcome":"selected"}`)
	checkJSON(t, none, `{"outcome":"selected","hunks":[]}`)
	for _, bad := range []string{`null`, `{}`, `"all"`, `[1]`, `"h1"`} {
		text := `{"outcome":"selected","hunks":` + bad + `}`
		if err := json.Unmarshal([]byte(text), new(ApprovalAnswer)); err == nil {
			t.Errorf("%s was taken for an answer", text)
		}
	}
}

// A text that a person emptied is not a text that is absent.
func TestEmptyTextIsText(t *testing.T) {
	var a ApprovalAnswer
	strict(t, []byte(`{"outcome":"selected","text":""}`), &a)
	if a.Text == nil {
		t.Fatal("the empty text got lost")
	}
	checkJSON(t, a, `{"outcome":"selected","text":""}`)
}

func TestHunkChoice(t *testing.T) {
	for text, want := range map[string]HunkChoice{
		`"all"`:       {All: true},
		`["h1","h2"]`: {IDs: []string{"h1", "h2"}},
		`[]`:          {IDs: []string{}},
	} {
		var c HunkChoice
		strict(t, []byte(text), &c)
		if diff := cmp.Diff(want, c); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		checkJSON(t, c, text)
	}
	for _, bad := range []string{`null`, `"none"`, `""`, `true`, `{}`, `[null,1]`} {
		if err := json.Unmarshal([]byte(bad), new(HunkChoice)); err == nil {
			t.Errorf("%s was taken for a choice", bad)
		}
	}
}

// A block has all fields of its type, and what it does not know it ignores.
func TestBlocks(t *testing.T) {
	for _, text := range []string{
		`{"type":"text","text":""}`,
		`{"type":"image","mimeType":"image/png","data":"AA=="}`,
		`{"type":"selection","uri":"file:///a","range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}`,
	} {
		var b Block
		strict(t, []byte(text), &b)
		checkJSON(t, b, text)
	}
	for _, bad := range []string{
		`{}`, `null`, `[]`, `{"type":"song"}`, `{"type":"text"}`, `{"type":"text","text":null}`,
		`{"type":"image","data":"AA=="}`, `{"type":"selection","uri":"file:///a"}`,
	} {
		if err := json.Unmarshal([]byte(bad), new(Block)); err == nil {
			t.Errorf("%s was taken for a block", bad)
		}
	}
	var b Block
	if err := json.Unmarshal([]byte(`{"type":"text","text":"a","later":1}`), &b); err != nil || b.Text != "a" {
		t.Errorf("an unknown field: %+v, %v", b, err)
	}
	if _, err := json.Marshal(Block{}); err == nil {
		t.Error("a block without a type was sent")
	}
}

// Fields of another type never leak into a block.
func TestBlockSendsOnlyItsFields(t *testing.T) {
	checkJSON(t, Block{Type: BlockText, Text: "a", URI: "file:///a", Data: "AA=="}, `{"type":"text","text":"a"}`)
}

// Lists that are always sent are lists, also empty ones.
func TestListsAreNeverNull(t *testing.T) {
	checkJSON(t, ChangeResolveResult{State: ChangeStale}, `{"state":"stale","applied":[],"rejected":[],"stale":[]}`)
	checkJSON(t, PromptParams{SessionID: "s1"}, `{"sessionId":"s1","content":[]}`)
}

func TestTimeIsMilliseconds(t *testing.T) {
	moment := time.Date(2026, 3, 1, 10, 0, 0, 250_000_000, time.UTC)
	if got := At(moment); got != 1772359200250 || !got.Time().Equal(moment) {
		t.Errorf("At = %d, back %v", got, got.Time())
	}
}

func checkJSON(t *testing.T, v any, want string) {
	t.Helper()
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%T is sent as %s, want %s", v, got, want)
	}
}
