package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// actions are what a line with ! can do, and how many words it takes.
var actions = map[string]struct {
	words int
	do    func(s *stage, args []string) error
}{
	"close":          {0, func(s *stage, _ []string) error { s.hangUp(); return nil }},
	"term":           {0, func(s *stage, _ []string) error { s.bridge.stop(); return nil }},
	"restart":        {0, func(s *stage, _ []string) error { return s.restart() }},
	"wait":           {1, (*stage).wait},
	"raw":            {1, func(s *stage, a []string) error { s.bridge.peer.raw([]byte(a[0])); return nil }},
	"disk":           {2, (*stage).disk},
	"type":           {3, (*stage).typeText},
	"open":           {1, func(s *stage, a []string) error { return s.editing(s.editor.openFile(a[0])) }},
	"reload":         {1, func(s *stage, a []string) error { return s.editing(s.editor.reload(a[0])) }},
	"save":           {1, func(s *stage, a []string) error { return s.editing(s.editor.save(a[0])) }},
	"close-document": {1, func(s *stage, a []string) error { return s.editing(s.editor.closeDocument(a[0])) }},
	"stop-reading":   {0, func(s *stage, _ []string) error { s.bridge.peer.stopReading(); return nil }},
	"read":           {0, func(s *stage, _ []string) error { s.bridge.peer.readAgain(); return nil }},
}

// checkAction is for the parser: a mistake in a line shows before anything runs.
func checkAction(name string, words int) error {
	a, ok := actions[name]
	if !ok {
		return fmt.Errorf("no such action")
	}
	if words != a.words {
		return fmt.Errorf("%d words, want %d", words, a.words)
	}
	return nil
}

// say does what one line of the editor says.
func (s *stage) say(said saying) error {
	if said.action != "" {
		return actions[said.action].do(s, said.args)
	}
	parts := map[string]any{}
	if err := s.address(said, parts); err != nil {
		return err
	}
	var body any = map[string]any{}
	if said.body != "" {
		if err := json.Unmarshal([]byte(said.body), &body); err != nil {
			return fmt.Errorf("read the line: %w", err)
		}
	}
	if said.method != "" && strings.Contains(said.method, "/") {
		body = s.withSession(said.method, body)
	}
	body = s.scribe.real(body)
	switch {
	case said.method != "":
		parts["params"] = body
	case said.fault:
		parts["error"] = body
	default:
		parts["result"] = body
	}
	return s.bridge.peer.send(parts)
}

// address fills in method and id.
func (s *stage) address(said saying, parts map[string]any) error {
	if said.method != "" {
		parts["method"] = said.method
	}
	if said.id == "" {
		return nil
	}
	if number, ok := strings.CutPrefix(said.id, "#"); ok {
		n, err := strconv.Atoi(number)
		parts["id"] = n
		return err
	}
	id, ok := s.scribe.wired[said.id]
	if !ok {
		return fmt.Errorf("the bridge has asked no %s", said.id)
	}
	parts["id"] = json.RawMessage(id)
	return nil
}

// withSession adds the only session's id to our own methods, so that lines are
// about what they are about.
func (s *stage) withSession(method string, body any) any {
	params, ok := body.(map[string]any)
	noun, _, _ := strings.Cut(method, "/")
	switch noun {
	case "session", "change", "checkpoint", "terminal", "approval":
	default:
		return body
	}
	if _, named := params["sessionId"]; ok && !named && method != "session/new" && method != "session/list" {
		params["sessionId"] = "s1"
	}
	return body
}

func (s *stage) wait(args []string) error {
	d, err := time.ParseDuration(args[0])
	time.Sleep(d)
	return err
}

// disk is somebody else who writes a file, or removes it.
func (s *stage) disk(args []string) error {
	name := filepath.Join(s.dir, args[0])
	defer s.watchers.changed(name)
	if args[1] == "absent" {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(args[1]), 0o644)
}

func (s *stage) typeText(args []string) error {
	return s.editing(s.editor.typeInto(args[0], args[1], args[2]))
}

// editing reports what happened in the editor to the bridge.
func (s *stage) editing(report map[string]any, err error) error {
	if err != nil {
		return err
	}
	return s.bridge.peer.send(report)
}
