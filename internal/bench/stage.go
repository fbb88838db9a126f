package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"drawbridge/internal/fakemodel"
	"drawbridge/rpc/protocol"
)

// stage is a home, a workspace and a model that nothing else uses, and the
// bridge between them.
type stage struct {
	*editor
	model *fakemodel.Server
	work  string
	env   []string
	dir   string
}

// calm is what a bridge gets to finish what starting has begun.
const calm = 200 * time.Millisecond

// raise makes a stage without a bridge.
func (b *bench) raise() (*stage, error) {
	dir, err := os.MkdirTemp(b.dir, "stage")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, work: filepath.Join(dir, "work")}
	for _, name := range []string{"home", "work", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	if s.model, err = fakemodel.Start(); err != nil {
		return nil, err
	}
	s.model.Blind()
	s.env = environment(dir, s.model.BaseURL(fakemodel.Anthropic))
	return s, nil
}

// environment has nothing of the user's but PATH.
func environment(dir, model string) []string {
	home := filepath.Join(dir, "home")
	return []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"HOME=" + home, "TMPDIR=" + filepath.Join(dir, "tmp"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "tmp"),
		"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=" + fakemodel.Key,
	}
}

// spawn starts the bridge of a stage.
func (s *stage) spawn(bin string) (err error) {
	stderr, err := os.Create(filepath.Join(s.dir, "stderr"))
	if err != nil {
		return err
	}
	defer stderr.Close()
	s.editor, err = spawn(bin, s.work, s.env, stderr)
	return err
}

// strike ends everything a stage has.
func (s *stage) strike() {
	if s.editor != nil {
		s.close()
	}
	s.model.Close()
	_ = os.RemoveAll(s.dir)
}

// cast is what differs between the bridges that are measured.
type cast struct {
	mode      protocol.Mode
	terminals bool
	preset    protocol.Preset // "" is full access
}

// up is a bridge with a session in which one turn is over, so that what a
// process does once is done.
func (b *bench) up(c cast) (*stage, error) {
	s, err := b.raise()
	if err != nil {
		return nil, err
	}
	if err := s.ready(b.bin, c); err != nil {
		s.strike()
		return nil, err
	}
	return s, nil
}

func (s *stage) ready(bin string, c cast) error {
	if err := s.spawn(bin); err != nil {
		return err
	}
	if err := s.initialize(s.work, c.terminals); err != nil {
		return err
	}
	if err := s.newSession(s.work, c.mode, cmp.Or(c.preset, protocol.PresetFullAccess)); err != nil {
		return err
	}
	_, err := s.play()
	time.Sleep(calm)
	return err
}

// play runs a turn of these steps and returns the requests it took.
func (s *stage) play(steps ...fakemodel.Step) ([]fakemodel.Request, error) {
	before := len(s.model.Requests())
	s.model.Push(steps...)
	stop, err := s.turn()
	log := s.model.Requests()[before:]
	want := 1
	for _, step := range steps {
		want += max(step.Repeat, 1)
	}
	switch {
	case err != nil:
		return log, err
	case stop != protocol.StopEndTurn:
		return log, fmt.Errorf("the turn ended: %s", stop)
	case len(log) != want:
		return log, fmt.Errorf("%d requests to the model, want %d", len(log), want)
	}
	return log, nil
}

func (s *stage) write(name, text string) error {
	path := filepath.Join(s.work, name)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

// gap is the time from the answer to request n to the next request.
func gap(log []fakemodel.Request, n int) time.Duration {
	return log[n+1].FirstByte.Sub(log[n].LastByte)
}

// ms is a duration in the unit of most rows.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// call is a step that calls one tool, repeated.
func call(tool string, args map[string]any, repeat int) fakemodel.Step {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // only plain values are encoded here
	}
	return fakemodel.Step{Calls: []fakemodel.Call{{Name: tool, Args: string(text)}}, Repeat: repeat}
}

func command(script string) fakemodel.Step {
	return call("exec_command", map[string]any{"description": "Measure.", "cmd": script}, 1)
}
