package shell

import (
	"os"
	"time"
)

// holder keeps the processes of one started command. Safe for concurrent use.
type holder interface {
	// leader is the pid of what was started: the command's leader, or the program
	// that builds its box.
	leader() int
	// left yields the end of the command's leader, once.
	left() <-chan Exit
	// gone is closed when nothing is left.
	gone() <-chan struct{}
	// survivors lists what is left, apart from a box itself, and says how many
	// more there are.
	survivors() (list []Survivor, more int)
	// interrupt sends SIGINT to the leader's process group.
	interrupt()
	// end asks all to go, makes them go after the grace, and returns when they are
	// gone. What outlives SIGKILL is named in the error.
	end(grace time.Duration) error
}

// maxSurvivors bounds a list that is made every second for a person to read.
const maxSurvivors = 64

// direct holds a command that the bridge itself has forked: where there is no
// guard. It has one goroutine, which ends when the command is gone.
type direct struct {
	process *os.Process
	claim   *claim
	exits   chan Exit
	over    chan struct{}
	look    chan struct{} // asks for a look at what is left
}

// hold runs until the command is gone.
func (d *direct) hold() {
	state, err := d.claim.reap(d.process)
	d.exits <- exitOf(state, err)
	for pause := minPause; !d.claim.finish(); pause = min(2*pause, statusPause) {
		select {
		case <-time.After(pause):
		case <-d.look:
			pause = minPause
		}
	}
	close(d.over)
}

func (d *direct) leader() int           { return d.process.Pid }
func (d *direct) left() <-chan Exit     { return d.exits }
func (d *direct) gone() <-chan struct{} { return d.over }

func (d *direct) interrupt() { d.claim.interrupt() }

func (d *direct) survivors() (list []Survivor, more int) { return describe(d.claim.members()) }

func (d *direct) end(grace time.Duration) error {
	defer d.hurry()
	return d.claim.end(grace)
}

func (d *direct) hurry() {
	select {
	case d.look <- struct{}{}:
	default:
	}
}

func describe(all []proc) (list []Survivor, more int) {
	shown := all[:min(len(all), maxSurvivors)]
	list = make([]Survivor, 0, len(shown))
	for _, p := range shown {
		list = append(list, Survivor{PID: p.PID, Name: nameOf(p)})
	}
	return list, len(all) - len(shown)
}
