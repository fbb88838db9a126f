package procfs

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Signal reaches the process only if the pid still is its own.
func (p Proc) Signal(sig syscall.Signal) {
	if p.Current() {
		syscall.Kill(p.PID, sig)
	}
}

// Current says whether the process still exists, be it dead.
func (id Identity) Current() bool {
	now, ok := Stat(id.PID)
	return ok && now.Identity == id
}

// Stat looks at one process.
func Stat(pid int) (Proc, bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Proc{}, false
	}
	return parseStat(pid, string(line))
}

// parseStat reads a stat line. The name in it may hold blanks and parentheses;
// what follows the last ')' does not. Start is the 22nd field.
func parseStat(pid int, line string) (Proc, bool) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	if len(fields) < 20 {
		return Proc{}, false
	}
	p := Proc{Identity: Identity{PID: pid}, State: fields[0][0]}
	p.PPID, _ = strconv.Atoi(fields[1])
	p.PGrp, _ = strconv.Atoi(fields[2])
	p.Sid, _ = strconv.Atoi(fields[3])
	start, err := strconv.ParseUint(fields[19], 10, 64)
	p.Start = start
	return p, err == nil
}

// maxName bounds what a person is shown of a command line, in bytes.
const maxName = 200

// Name is the command line in one line of at most 200 bytes, in brackets the
// kernel's name where there is none, never empty. A process gives itself both:
// they have nothing that a terminal acts on or that turns text around.
func Name(pid int) string {
	line, _ := readUpTo("/proc/"+strconv.Itoa(pid)+"/cmdline", maxName)
	if name := harmless(line); name != "" {
		return name
	}
	return "[" + comm(pid) + "]"
}

func comm(pid int) string {
	name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return harmless(name)
}

// harmless is text in which one blank stands for control characters and others
// that are not seen.
func harmless(text []byte) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(text), ""), func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r <= 0xa0 || r > 0xa0 && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}

// maxArgs bounds what is read of a command line, in bytes.
const maxArgs = 8 << 10

// Args are a process's arguments, Args[0] too, as far as they fit in 8 KiB; nil
// where there are none.
func Args(pid int) []string {
	line, _ := readUpTo("/proc/"+strconv.Itoa(pid)+"/cmdline", maxArgs)
	if len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// maxEnviron bounds what is read of a stranger's environment.
const maxEnviron = 1 << 20

// Environ is the environment that a process was started with, with NULs; nil
// for one of another user.
func Environ(pid int) []byte {
	env, _ := readUpTo("/proc/"+strconv.Itoa(pid)+"/environ", maxEnviron)
	return env
}

// Variable finds name in an environ; "" without it.
func Variable(env []byte, name string) string {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := strings.CutPrefix(string(kv), name+"="); ok {
			return value
		}
	}
	return ""
}

func readUpTo(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// Label is a pid with the kernel's short name, for an error.
func Label(pid int) string {
	return strconv.Itoa(pid) + " (" + comm(pid) + ")"
}
