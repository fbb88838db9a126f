package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"drawbridge/shell"
)

// A stream that outran those who read it says so first, and both streams and the
// exit code are there.
//
// Cases: M-BASH-15
func TestLostOutputIsToldBeforeWhatIsLeft(t *testing.T) {
	call := Call{ID: "c1", Name: "bash", Limits: agentBash{}.Spec().Limits, Style: agentBash{}.Spec().Style}
	got := CarryOut(t.Context(), call, func(_ context.Context, out Output) (Result, error) {
		taken := newTake(shell.Spec{}, agentOutput)
		defer taken.release()
		taken.gap = agentGap
		errs := aside{kept: &capture{}}
		taken.tap(bytes.Repeat([]byte{0}, 6<<20))
		taken.tap([]byte("out"))
		errs.tap([]byte("err\n"))
		errs.pour(taken)
		taken.finish(out)
		return Result{Status: Failed, Note: "exit code: 1"}, nil
	})
	if want := "[output truncated]\nout\nerr\nexit code: 1"; got.Text != want {
		t.Errorf("text %q, want %q", got.Text, want)
	}
}

// words are what a shell reports: began with A=1, and ended with what follows.
func words(after ...string) [][]byte {
	all := append([]string{"o", "braceexpand", "expand_aliases", "e", "A", "x", "1", "e", "GONE", "x", "1", "begun"}, after...)
	out := make([][]byte, len(all))
	for i, w := range all {
		out[i] = []byte(w)
	}
	return out
}

func TestAReportIsBelievedWholeOrNotAtAll(t *testing.T) {
	whole := []string{
		"O", "braceexpand:errexit", "expand_aliases:extglob", "E", "A", "x", "2", "E", "B", "rx", "two\nlines", "f", "declare -fx f", "f () \n{ \n    :\n}\n",
		"A", "alias -- -x='it'\\''s'\nalias l='ls\nls'\n", "D", "/tmp/a b\n\n", "/tmp/a b\n\n", "done",
	}
	told, err := readReport(words(whole...))
	if err != nil {
		t.Fatal(err)
	}
	next := told.next(snapshot{Exports: []variable{{"GONE", []byte("1")}, {"OLD", []byte("0")}}})
	want := snapshot{
		Dir: "/tmp/a b\n", Real: "/tmp/a b\n", Exports: []variable{{"A", []byte("2")}, {"B", []byte("two\nlines")}, {"OLD", []byte("0")}},
		Unset: []string{"GONE"}, Readonly: []string{"B"}, Functions: []function{{"f", []byte("f () \n{ \n    :\n}"), true}},
		Aliases: []variable{{"-x", []byte("it's")}, {"l", []byte("ls\nls")}},
		On:      options{Set: []string{"errexit"}, Shopt: []string{"extglob"}},
	}
	if !reflect.DeepEqual(next, want) {
		t.Errorf("next is %+v\nand not %+v", next, want)
	}
	if in := next.inherited(); !reflect.DeepEqual(in.Readonly, want.Readonly) {
		t.Errorf("a judge is told that %q are readonly", in.Readonly)
	}
	for i := range whole {
		if _, err := readReport(words(whole[:i]...)); err == nil {
			t.Errorf("a report that ends before %q is believed", whole[i])
		}
	}
	if _, err := readReport(words(append([]string{"e", "A", "x", "9"}, whole...)...)); err == nil {
		t.Error("what a shell began with is told by its command")
	}
}

// What would run by being brought back, or stand in for what brings it back, does
// not come back, whoever wrote the file.
func TestASnapshotBringsNothingBackThatRuns(t *testing.T) {
	evil := snapshot{
		Exports:  []variable{{"a[$(touch x)]", nil}, {"__db_command", nil}, {"IFS", nil}, {"NUL", []byte{0}}, {"SHELLOPTS", nil}},
		Unset:    []string{"x; touch x", "-f"},
		Readonly: []string{"$(touch x)"},
		Functions: []function{
			{Name: "builtin", Text: []byte("builtin () \n{ \n :\n}")}, {Name: "__db_end", Text: []byte("__db_end () \n{ \n :\n}")},
			{Name: "f;touch x", Text: []byte("f () \n{ \n :\n}")}, {Name: "g", Text: []byte("g () \n{ \n :\n}; touch x")},
		},
		Aliases: []variable{{"builtin", nil}, {"a b", nil}, {"`touch x`", nil}},
		On:      options{Set: []string{"errexit; touch x", "xtrace", "noexec"}, Shopt: []string{"$(touch x)", "extdebug"}},
		Off:     options{Set: []string{"\ntouch x"}},
	}
	out, lost := evil.checked(func(text, name string) bool { return !strings.Contains(text, "touch") })
	if !reflect.DeepEqual(out, snapshot{}) || len(lost) != 1 || lost[0] != "g" {
		t.Errorf("came back: %+v; lost: %q", out, lost)
	}
	if out, lost := evil.checked(nil); len(out.Functions) > 0 || len(lost) != 1 {
		t.Errorf("nobody knows what defines a function, and there are %+v", out.Functions)
	}
}

// A long value goes through an environment in pieces.
func TestLongValuesAreSplitBetweenCharacters(t *testing.T) {
	value := strings.Repeat("é", maxEntry) + "end"
	var e entries
	e.export(variable{"A", []byte(value)})
	joined := ""
	for i, kv := range e.env {
		_, entry, _ := strings.Cut(kv, "=")
		piece, ok := strings.CutPrefix(entry, map[bool]string{true: "A=", false: "A+="}[i == 0])
		if !ok || len(piece) > maxEntry || !utf8.ValidString(piece) {
			t.Fatalf("entry %d is %.20q of %d bytes", i, entry, len(entry))
		}
		joined += piece
	}
	if joined != value || len(e.env) != 3 {
		t.Errorf("%d entries with %d bytes of %d", len(e.env), len(joined), len(value))
	}
}

// bashRoom has a shell whose state is kept.
func bashRoom(t *testing.T) *room {
	r := newRoom(t)
	newShell(t, r)
	r.profile = ProfileAgent
	r.env.StateDir = filepath.Join(t.TempDir(), "state")
	r.env.Defines = func(string, string) bool { return true }
	return r
}

// In a terminal both streams are one, and the state is kept all the same.
func TestBashInATerminalKeepsItsState(t *testing.T) {
	r := bashRoom(t)
	r.env.TTY = true
	checkText(t, r.do(t, "bash", `{"command":"test -t 1 && test -t 2 && echo one >&2 && echo two; export T=1; cd /; f() { echo f; }"}`), Completed, "one\ntwo\n")
	checkText(t, r.do(t, "bash", `{"command":"echo $T $PWD; f"}`), Completed, "1 /\nf\n")
}

// A call that was planned from a state which is no more is not run: it was judged
// by that state.
func TestBashIsNotRunInAnotherStateThanItWasPlannedIn(t *testing.T) {
	r := bashRoom(t)
	plan, err := r.plan(t, "bash", `{"command":"touch ran"}`)
	if err != nil {
		t.Fatal(err)
	}
	r.do(t, "bash", `{"command":"touch() { echo other; }"}`)
	got := CarryOut(t.Context(), r.call, func(ctx context.Context, out Output) (Result, error) { return plan.Run(ctx, Accepted{}, out) })
	checkSays(t, got, Failed, "nothing was run")
	checkText(t, r.do(t, "bash", `{"command":"touch; ls"}`), Completed, "other\n")
}

// A command that a person stops leaves nothing, though its shell may end in order.
func TestAStoppedBashChangesNothing(t *testing.T) {
	r := bashRoom(t)
	r.env.Commands = NewCommands(CommandsOptions{})
	defer r.env.Commands.Close()
	r.call.Terminal = func(p shell.Process) {
		go func() { // ends with the process
			time.Sleep(300 * time.Millisecond)
			r.env.Commands.StoppedByUser(p.ID())
			if err := p.Kill(context.Background(), time.Second); err != nil {
				t.Error(err)
			}
		}()
	}
	checkSays(t, r.do(t, "bash", `{"command":"export T=late; sleep 20 & wait"}`), Failed, "[the user stopped the command]\nexit code: 143")
	r.call.Terminal = nil
	checkText(t, r.do(t, "bash", `{"command":"echo ${T-none}"}`), Completed, "none\n")
}

// Whatever a command put in the place of the file, the next call goes on with a new
// shell, and keeps its state again.
func TestTheFileOfAShellsStateIsAnOrdinaryOne(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path string) error { return os.Symlink("/dev/zero", path) },
		"device": func(path string) error { return os.Symlink("/proc/kmsg", path) },
		"size": func(path string) error {
			err := os.WriteFile(path, nil, 0o600)
			return errors.Join(err, os.Truncate(path, 1<<40))
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := snapshots{t.TempDir()}
			if err := put(s.path()); err != nil {
				t.Fatal(err)
			}
			head, text, err := s.head()
			if err == nil || text != "" || !reflect.DeepEqual(head, snapshot{}) {
				t.Errorf("it holds %+v, %.20q, %v", head, text, err)
			}
			if err := s.commit(snapshot{Dir: "/x"}, text); err != nil {
				t.Fatal(err)
			}
			if head, _, err := s.head(); err != nil || head.Dir != "/x" {
				t.Errorf("then it holds %+v, %v", head, err)
			}
		})
	}
}

// What no later call will have is told, by its true reason.
func TestWhatAShellLosesIsTold(t *testing.T) {
	call := func(text []byte) string {
		b := bashCall{store: snapshots{t.TempDir()}, report: &report{}}
		b.report.tap(text)
		return b.keep()
	}
	whole := "o\x00\x00\x00begun\x00O\x00braceexpand\x00extglob\x00f\x00declare -f é\x1b\x00é\x1b () \n{ \n    :\n}\x00A\x00\x00D\x00/\x00/\x00done\x00"
	if got, want := call([]byte(whole)), `[functions that later calls will not have: "é\x1b"]`; got != want {
		t.Errorf("of a function: %q", got)
	}
	if got, want := call([]byte(strings.Replace(whole, "A\x00", "x\x00A\x00", 1))), "[this call's shell state changes were dropped: something else wrote into what the shell told]"; got != want {
		t.Errorf("of what something else wrote to: %q", got)
	}
	if got, want := call(make([]byte, maxReport+1)), "[this call's shell state changes were dropped: the shell told more than 8 MiB of itself]"; got != want {
		t.Errorf("of a long report: %q", got)
	}
}

// A shell that takes too long to tell its state leaves none, and says so. What the
// command has left running stays, and so does its exit code.
func TestAStateThatTakesTooLongToSaveIsNotKept(t *testing.T) {
	r := bashRoom(t)
	late := `{"command":"export T=late; echo ran; __db_most=-1; (exit 3)"}`
	checkText(t, r.do(t, "bash", late), Failed, "ran\n[this call's shell state changes were dropped: saving them takes more than 5s]\nexit code: 3")
	checkText(t, r.do(t, "bash", `{"command":"echo ${T-none}"}`), Completed, "none\n")
}

// notedLimits is an Output that keeps what limits were set.
type notedLimits struct {
	discarded
	all []string
}

func (n *notedLimits) Limit(d time.Duration, cause error) {
	n.all = append(n.all, d.String()+" "+cause.Error()[:12])
}

// Whatever is told, a command has its own time once, and its shell a while more.
func TestALimitIsSetAnewOnceForEachPart(t *testing.T) {
	out := &notedLimits{}
	r := (&bashCall{limit: time.Second}).timed(out)
	for _, part := range []string{"o\x00a\x00b", "\x00e\x00begun\x00x\x00O\x00", "begun\x00", "begun\x00O\x00a\x00", "b\x00O\x00a\x00b\x00begun\x00"} {
		r.tap([]byte(part))
	}
	want := []string{"11s tool timeout", "1s tool timeout", "15s The command "}
	if !reflect.DeepEqual(out.all, want) {
		t.Errorf("limits are %q, and not %q", out.all, want)
	}
}

// The time limit is the command's: neither bringing its shell's state back nor
// saving it counts, however much there is of it.
//
// Cases: M-BASH-09
func TestTheStateOfAShellTakesNoTimeOfTheCommand(t *testing.T) {
	r := bashRoom(t)
	r.do(t, "bash", `{"command":"f() { :; }; export T=1"}`)
	for command, want := range map[string][]string{
		"f":         {"1m10s tool timeout", "1m0s tool timeout", "15s The command "},
		"exec true": {"1m10s tool timeout", "1m0s tool timeout"}, // whose shell tells nothing
	} {
		plan, err := r.plan(t, "bash", `{"command":"`+command+`","timeout_ms":60000}`)
		if err != nil {
			t.Fatal(err)
		}
		noted := &notedLimits{}
		CarryOut(t.Context(), r.call, func(ctx context.Context, out Output) (Result, error) {
			noted.Output = out
			return plan.Run(ctx, Accepted{}, noted)
		})
		if !reflect.DeepEqual(noted.all, want) {
			t.Errorf("limits of %s are %q, and not %q", command, noted.all, want)
		}
	}
}

// A call whose time is set anew has that time, and ends with the word that was
// given.
func TestACallsTimeCanBeSetAnew(t *testing.T) {
	call := Call{ID: "c1", Name: "bash", Limits: Limits{Timeout: time.Minute}, Style: agentBashStyle}
	got := CarryOut(t.Context(), call, func(ctx context.Context, out Output) (Result, error) {
		out.Limit(time.Hour, ErrTimeout)
		out.Limit(time.Nanosecond, errStuck)
		<-ctx.Done()
		return Result{}, context.Cause(ctx)
	})
	checkSays(t, got, Failed, "its shell has not")
	got = CarryOut(t.Context(), call, func(ctx context.Context, out Output) (Result, error) {
		out.Limit(time.Nanosecond, ErrTimeout)
		<-ctx.Done()
		return Result{}, context.Cause(ctx)
	})
	checkText(t, got, Failed, "command timed out after 1m0s; this call's shell state changes were dropped")
}

// What no later call will have is told by its name.
func TestVariablesAndAliasesThatAreNotKeptAreTold(t *testing.T) {
	r := bashRoom(t)
	long := strings.Repeat("x", maxEntry)
	checkText(t, r.do(t, "bash", `{"command":"export IFS=: FUNCNEST=9 T=1; alias long='`+long+`' é=echo l=ls"}`), Completed,
		"[aliases that later calls will not have: \"é\", \"long\"]\n[variables that later calls will not have: FUNCNEST, IFS]")
	checkText(t, r.do(t, "bash", `{"command":"printf %q \"$IFS\"; echo $T ${FUNCNEST-none}"}`), Completed, "$' \\t\\n'1 none\n")
}

// What is kept of a state can be brought back: what a system counts of each entry
// of an environment counts, however small it is.
func TestTheSizeOfAStateIsThatOfItsEntries(t *testing.T) {
	var s snapshot
	for i := range 30_000 {
		s.Exports = append(s.Exports, variable{fmt.Sprintf("v%05d", i), []byte("12345678")})
	}
	s.Functions, s.Aliases = []function{{Name: "f", Text: []byte("f () \n{ \n    :\n}")}}, []variable{{"l", []byte("ls")}}
	counted := 0
	for _, kv := range s.environ("", "/", "/", false) {
		if strings.Contains(kv[:strings.IndexByte(kv, '=')], "_0") {
			counted += len(kv) + 1 + 8
		}
	}
	if s.size() < counted {
		t.Errorf("a state of %d bytes takes %d", s.size(), counted)
	}
	if err := (snapshots{t.TempDir()}).commit(s, ""); err != errTooLarge {
		t.Errorf("it is kept, %v", err)
	}
}
