package session

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A session that was chained from its first record on cannot be passed off as one
// from before that: without links, numbers and head, or emptied.
func TestASessionThatWasChainedDoesNotLoseItsChain(t *testing.T) {
	b := newBench(t, nil)
	s := b.start(t)
	b.model.then(say("Done."))
	prompt(t, s, "go")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := s.Info().ID
	st := OpenStorage(b.o.StateDir)
	verify := func() Verification {
		t.Helper()
		v, err := st.Verify(id)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := verify(); len(v.Findings) > 0 || v.Records == 0 || v.Unchained > 0 {
		t.Fatalf("untouched: %+v", v)
	}
	path, meta := st.logPath(id), filepath.Join(st.dir(id), "info.json")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(headPath(st.state, id)); err != nil {
		t.Fatal(err)
	}
	without := func(text []byte, pattern string) []byte {
		return regexp.MustCompile(pattern).ReplaceAll(text, nil)
	}
	const links, numbers, says = `,"chain":"[0-9a-f]*"`, `"n":[0-9]+,`, `,"Chained":true`
	bare := without(log, links)
	for name, c := range map[string]struct{ log, info []byte }{
		"the head alone":               {log, info},
		"links":                        {bare, info},
		"links and the summary's word": {bare, without(info, says)},
		"links and numbers":            {without(bare, numbers), info},
		"links, numbers and the word of the first record": {without(without(bare, numbers), says), info},
		"links, numbers and the word of the summary":      {without(without(bare, numbers), numbers), without(info, says)},
		"all records": {nil, info},
	} {
		for path, text := range map[string][]byte{path: c.log, meta: c.info} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if v := verify(); len(v.Findings) == 0 {
			t.Errorf("without %s: %+v", name, v)
		}
	}
}
