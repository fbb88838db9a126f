package workspace

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

const (
	maxVoters  = 200     // lines of the wanted text that vote
	maxBallots = 100_000 // votes counted: a line found everywhere tells little
	enoughLike = 0.6     // how much of a line must be shared to be told
)

// mostShared describes the places whose lines are most often those of old, or,
// if no line is, the lines most like old's longest.
func mostShared(text, old string) []Near {
	given := strings.Split(strings.TrimRight(old, "\n"), "\n")
	given = given[:min(len(given), maxVoters)]
	lines := strings.Split(text, "\n")
	if out := byVotes(lines, given); len(out) > 0 {
		return out
	}
	return byLikeness(lines, longest(given))
}

// byVotes lets each line of given that stands in the file vote for where the
// whole would begin.
func byVotes(lines, given []string) []Near {
	seed := maphash.MakeSeed()
	voters := make(map[uint64][]int)
	for j, line := range given {
		if bare := strings.TrimSpace(line); len(bare) > 2 { // a brace says nothing
			h := maphash.String(seed, bare)
			voters[h] = append(voters[h], j)
		}
	}
	votes, cast := make(map[int]int), 0
	for i, line := range lines {
		for _, j := range voters[maphash.String(seed, strings.TrimSpace(line))] {
			if cast++; cast > maxBallots {
				return nil
			}
			votes[i-j]++
		}
	}
	var out []Near
	for _, start := range elected(votes) {
		out = append(out, compare(lines, given, start, votes[start]))
	}
	return out
}

// elected returns the beginnings with most votes, and only those that have at
// least half of what the first has.
func elected(votes map[int]int) []int {
	starts := slices.SortedFunc(maps.Keys(votes), func(a, b int) int {
		return cmp.Or(votes[b]-votes[a], a-b)
	})
	n := 0
	for n < len(starts) && n < maxNearest && 2*votes[starts[n]] > votes[starts[0]] {
		n++
	}
	return starts[:n]
}

// compare describes the place that begins at lines[start].
func compare(lines, given []string, start, same int) Near {
	from, to := max(start, 0), min(start+len(given), len(lines))
	near := Near{First: from + 1, Last: to}
	near.Text = fmt.Sprintf("%s: %d of %s are the same.", lineRange(from+1, to), same, plural(len(given), "line"))
	for j, line := range given {
		i := start + j
		if i < 0 || i >= len(lines) || lines[i] == line {
			continue
		}
		near.Text += " The first that differs:" + both(i+1, lines[i], line)
		break
	}
	return near
}

func longest(lines []string) string {
	return slices.MaxFunc(lines, func(a, b string) int {
		return len(strings.TrimSpace(a)) - len(strings.TrimSpace(b))
	})
}

// byLikeness describes the lines that share most of their beginning and end
// with one.
func byLikeness(lines []string, given string) []Near {
	bare := strings.TrimSpace(given)
	type like struct {
		line  int
		score float64
	}
	var best []like
	for i, line := range lines {
		if s := likeness(strings.TrimSpace(line), bare); s >= enoughLike {
			best = append(best, like{i, s})
		}
	}
	slices.SortStableFunc(best, func(a, b like) int { return cmp.Compare(b.score, a.score) })
	var out []Near
	for _, l := range best[:min(len(best), maxNearest)] {
		said := fmt.Sprintf("Line %d is similar.%s", l.line+1, both(l.line+1, lines[l.line], given))
		out = append(out, Near{said, l.line + 1, l.line + 1})
	}
	return out
}

// likeness is the share of the longer text that both have at the beginning and
// the end.
func likeness(a, b string) float64 {
	if len(a) == 0 || len(b) == 0 || len(a) > 4*len(b) || len(b) > 4*len(a) {
		return 0
	}
	head := sharedHead(a, b)
	return float64(head+sharedTail(a[head:], b[head:])) / float64(max(len(a), len(b)))
}
