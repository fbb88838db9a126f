package guard

import (
	"encoding/binary"
	"errors"
	"syscall"
	"time"
)

// A guard and its bridge talk in packets over one socket, whose first byte says
// what they are. Packets to the guard:
const (
	StartWord     = 'J' // with the descriptors: the Job in a file, standard input, output, further ones
	KillWord      = 'K' // and the grace in milliseconds
	InterruptWord = 'I' // SIGINT to the leader's process group
)

// Packets from the guard. Process 1 sends Failed and Exited only.
const (
	StartedWord = 'S' // and the leader's pid
	FailedWord  = 'E' // and the errno of a command that could not be started
	ExitedWord  = 'X' // and the leader's wait status
	StuckWord   = 'L' // and the names of processes that outlive SIGKILL
	GoneWord    = 'G' // nothing is left
)

// MaxPacket bounds a packet in bytes.
const MaxPacket = 4 << 10

// Packet is a word and its number.
func Packet(word byte, number uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{word}, number)
}

// Number is that of a packet; 0 without one.
func Number(packet []byte) uint32 {
	if len(packet) < 5 {
		return 0
	}
	return binary.LittleEndian.Uint32(packet[1:])
}

// KillPacket orders the end of a command.
func KillPacket(grace time.Duration) []byte {
	return Packet(KillWord, uint32(min(max(grace.Milliseconds(), 0), 1<<31)))
}

// Job is a command for a guard.
type Job struct {
	Path, Dir string
	Args, Env []string
	// Terminal says that standard input is a terminal for the command to own.
	Terminal bool
	// Boxed says that Path builds a box, to which no SIGTERM goes: it would be
	// the end of all inside, without their grace.
	Boxed bool
}

const (
	terminalFlag = 1 << iota
	boxedFlag
)

// Encode is the text of a Job for its file.
func (j Job) Encode() []byte {
	flags := byte(0)
	if j.Terminal {
		flags |= terminalFlag
	}
	if j.Boxed {
		flags |= boxedFlag
	}
	b := appendStrings([]byte{flags}, []string{j.Path, j.Dir})
	return appendStrings(appendStrings(b, j.Args), j.Env)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	for _, s := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

var errJob = errors.New("a job that cannot be read")

// decodeJob is the other side of Encode.
func decodeJob(b []byte) (j Job, err error) {
	if len(b) == 0 {
		return j, errJob
	}
	j.Terminal, j.Boxed = b[0]&terminalFlag != 0, b[0]&boxedFlag != 0
	places, rest, err := cutStrings(b[1:])
	if err != nil || len(places) != 2 {
		return j, errJob
	}
	j.Path, j.Dir = places[0], places[1]
	if j.Args, rest, err = cutStrings(rest); err == nil {
		j.Env, _, err = cutStrings(rest)
	}
	return j, err
}

func cutStrings(b []byte) (list []string, rest []byte, err error) {
	n, b, err := cutNumber(b)
	for ; err == nil && n > 0; n-- {
		var size uint32
		if size, b, err = cutNumber(b); err == nil && uint64(size) > uint64(len(b)) {
			err = errJob
		}
		if err == nil {
			list, b = append(list, string(b[:size])), b[size:]
		}
	}
	return list, b, err
}

func cutNumber(b []byte) (uint32, []byte, error) {
	if len(b) < 4 {
		return 0, nil, errJob
	}
	return binary.LittleEndian.Uint32(b), b[4:], nil
}

// Status is the wait status of an ExitedWord's packet.
func Status(packet []byte) syscall.WaitStatus { return syscall.WaitStatus(Number(packet)) }
