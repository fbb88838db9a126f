package rule

import (
	"fmt"
	"strings"
	"testing"

	"drawbridge/approval/command"
)

// line has 200 bytes.
const line = `cd src && git diff --stat HEAD~1 -- main.go | head -40 && go test -run 'TestA|TestB' -count=1 ./... 2>&1 | tail -20 && rg -n "func main" . | sort -u | wc -l && git log -5 && cat util.go && ls -la`

// quick is a machine that has its answers ready: what the tests' own takes to
// find them is no cost of a judgement.
type quick struct {
	world
	known map[string]command.Target
}

func (q quick) Target(dir, name string) command.Target {
	at := dir + "\x00" + name
	t, ok := q.known[at]
	if !ok {
		t = q.world.Target(dir, name)
		q.known[at] = t
	}
	return t
}

// benchmark takes a text apart and judges it under n rules.
func benchmark(b *testing.B, n int, text string) {
	lines := []string{"git diff", "go test", "rg", "git log", "cat", "ls"}
	for i := len(lines); i < n; i++ {
		lines = append(lines, fmt.Sprintf("git sub%d", i))
	}
	all := append(rules(b, Allow, lines...), rules(b, Deny, "git push", "rm", "write:.git/**")...)
	s := NewSet(all...)
	if j := judged(s, text); j.Verdict != Allow {
		b.Fatal(j.Why)
	}
	w := quick{known: map[string]command.Target{}}
	b.ReportAllocs()
	for b.Loop() {
		s.Judge(command.Parse(text, root, w), false, w)
	}
}

func BenchmarkJudge50(b *testing.B)    { benchmark(b, 50, line) }
func BenchmarkJudge10000(b *testing.B) { benchmark(b, 10_000, line) }

func BenchmarkJudge64KiB(b *testing.B) {
	repeated := "(" + line + ")\n"
	benchmark(b, 50, strings.Repeat(repeated, command.MaxBytes/len(repeated)))
}

// BenchmarkJudgeLongScript: 64 KiB of commands that run others, the most of them
// that fit.
func BenchmarkJudgeLongScript(b *testing.B) {
	for name, text := range map[string]string{"plain": "git diff HEAD~1 | head -5\n", "wrapped": "env ls\n", "function": "f() { ls; } & f\n"} {
		b.Run(name, func(b *testing.B) {
			script := command.Parse(strings.Repeat(text, (64<<10)/len(text)), root, world{})
			s := NewSet(rules(b, Allow, "git diff", "env", "ls")...)
			for b.Loop() {
				s.Judge(script, false, world{})
			}
		})
	}
}
