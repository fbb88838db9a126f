package command

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWorkIsBounded: no text within the limits costs more than a few times its
// length, however it is put together.
func TestWorkIsBounded(t *testing.T) {
	for _, text := range []string{
		"x=aaaaaaaaaa;" + strings.Repeat("x=$x$x;", 60),
		"x=aaaaaaaaaa;" + strings.Repeat("x+=$x;", 60),
		"x=" + strings.Repeat("a", 4000) + ";echo " + strings.Repeat("$x", 20000),
		"x=" + strings.Repeat("a", 4000) + ";" + strings.Repeat("echo $x;", 7000),
		"x='ls;';" + strings.Repeat("x=$x$x;", 9) + strings.Repeat("eval \"$x$x$x$x\";", 3000),
		"x='eval \"$x$x\"'; eval \"$x\"",
		"echo " + strings.Repeat("a", 60000) + "{1..1000}",
		"echo " + strings.Repeat("{1..1000}$(ls {1..1000}$(ls))", 2000),
		strings.Repeat("for x in {1..16};do ", 200) + "ls" + strings.Repeat(";done", 200),
		strings.Repeat("ls;", 21000), strings.Repeat("ls|", 21000) + "ls", "if ls;then ls;" + strings.Repeat("elif ls;then ls;", 3500) + "fi", strings.Repeat("$(ls)", 10000),
		strings.Repeat("ls #\\\n", 9000), strings.Repeat("# #\\\n", 9000), strings.Repeat("echo \"${x:-'$(ls)'}\"\n", 3000), strings.Repeat("echo \"${x:-'}\"\n", 4000),
	} {
		before := worked(t)
		Parse(text, "/ws", fixed{})
		if took := worked(t) - before; took > 5*time.Second {
			t.Errorf("%.60q took %v", text, took)
		}
	}
}

// worked is the processor time of this process so far: how busy the machine is with
// others does not count.
func worked(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLongValuesAreNotKnown, but what is built from them is still seen.
func TestLongValuesAreNotKnown(t *testing.T) {
	s := Parse("x=aaaaaaaaaa;"+strings.Repeat("x=$x$x;", 20)+"payload $x; payload {1..1000}", "/ws", fixed{})
	var calls []Part
	for _, p := range s.Parts {
		if len(p.Argv) > 0 {
			calls = append(calls, p)
		}
	}
	if len(calls) != 2 || calls[0].Argv[1].Known || len(calls[1].Argv) != 1001 {
		t.Errorf("%d calls", len(calls))
	}
}
