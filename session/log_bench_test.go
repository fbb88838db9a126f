package session

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"drawbridge/model"
	"drawbridge/shell"
	"drawbridge/shell/shelltest"
	"drawbridge/tools"
)

// longLog writes n records as a session of many short turns makes them, and
// returns the host that can load it.
func longLog(b *testing.B, n int) (*Host, string) {
	b.Helper()
	h := NewHost(Options{
		StateDir: b.TempDir(),
		Models: func(string) (model.Provider, string, string, error) {
			return &stepper{}, "m", "stepper:m", nil
		},
		Tools:    tools.Profile,
		NewShell: func() shell.Runner { return &shelltest.Fake{} },
	})
	const id = "slong"
	if err := os.MkdirAll(h.dir(id), 0o700); err != nil {
		b.Fatal(err)
	}
	log, _, err := openLog(h.logPath(id), headPath(h.o.StateDir, id), id)
	if err != nil {
		b.Fatal(err)
	}
	defer log.close()
	dir := b.TempDir()
	first := record{Type: recSession, Info: &Info{ID: id, Dir: dir, Roots: []string{dir}}}
	if err := log.append(first); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		r := turnRecord(i)
		r.Seq = int64(i + 1)
		if err := log.append(r); err != nil {
			b.Fatal(err)
		}
	}
	return h, id
}

// turnRecord is the record at place i of turns with one call each.
func turnRecord(i int) record {
	turn, id := turnID(i/5+1, ""), "toolu_"+strconv.Itoa(i/5)
	switch i % 5 {
	case 0:
		return record{Type: recTurn, Turn: turn, Blocks: []Block{{Kind: BlockText, Text: "what is in there?"}}}
	case 1:
		call := model.Call{ID: id, Name: "read_file", Args: fmt.Sprintf(`{"file_path":"f/%d.txt"}`, i)}
		return record{
			Type: recMessage, Turn: turn, Usage: &model.Usage{Input: 100, Output: 20},
			Parts: []model.Part{{Kind: model.PartCall, Call: &call}},
		}
	case 2:
		call := "c" + strconv.Itoa(i/5+1)
		return record{
			Type: recCall, Turn: turn, Call: call, Name: "read_file", Title: "Read", Access: tools.Read,
			Result: &model.Result{CallID: id, Text: strings.Repeat("     1\thello from a small file\n", 10)},
			Done:   &CallCompleted{Turn: turn, Call: call, Status: tools.Completed},
		}
	case 3:
		return record{
			Type: recMessage, Turn: turn, Usage: &model.Usage{Input: 100, Output: 20},
			Parts: []model.Part{{Kind: model.PartText, Text: "It says hello."}},
		}
	}
	return record{Type: recEnd, Turn: turn, End: &TurnCompleted{Turn: turn, Stop: StopEndTurn}}
}

func BenchmarkLogAppend(b *testing.B) {
	dir := b.TempDir()
	log, _, err := openLog(dir+"/log.jsonl", dir+"/head", "s")
	if err != nil {
		b.Fatal(err)
	}
	defer log.close()
	st := stream{session: "s", now: (&Host{}).now, log: log, emit: func(Event) {}}
	for i := 0; b.Loop(); i++ {
		st.keep(turnRecord(i), TurnStarted{})
	}
}

// BenchmarkLoad50000Events loads a log of records that are replayed as as many
// events: a call is two of them, a message that only calls is none.
func BenchmarkLoad50000Events(b *testing.B) {
	h, id := longLog(b, 50_000)
	for b.Loop() {
		events := 0
		s, _, err := h.Load(id, 0, func(Event) { events++ })
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(events), "events")
	}
}
