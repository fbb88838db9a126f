package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/internal/search"
)

const (
	treeFolders = 2000
	treeFiles   = 50 // in each
	// searchRounds is how often each search is made; the fastest counts, since the
	// others met something else that runs.
	searchRounds = 3
)

// treeWords make the lines of the tree, and needles stand in one of 500 files.
var treeWords = strings.Fields("the a of err func return ctx node value handler request session token index count data buffer open close read write")

const needle = "func NewThingHandler("

// plantTree makes 100,000 files of about the size that source files have.
func plantTree(dir string) error {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range treeFolders {
		folder := filepath.Join(dir, fmt.Sprintf("%02d", n%50), fmt.Sprintf("%02d", n/50))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for k := range treeFiles {
			name := filepath.Join(folder, fmt.Sprintf("file%d.go", n*treeFiles+k))
			if err := os.WriteFile(name, treeFile(random, (n*treeFiles+k)%500 == 0), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func treeFile(random *rand.Rand, found bool) []byte {
	var b bytes.Buffer
	for range 5 << random.IntN(5) {
		for range 3 + random.IntN(7) {
			b.WriteString(treeWords[random.IntN(len(treeWords))])
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	if found {
		b.WriteString(needle + "x int)\n")
	}
	return b.Bytes()
}

// measureSearch compares our searches with what looks alone. All find the same.
func measureSearch(b *bench) error {
	dir := filepath.Join(b.dir, "tree")
	if _, err := os.Stat(dir); err != nil {
		if err := plantTree(dir); err != nil {
			return err
		}
	}
	grep, err := exec.LookPath("grep")
	if err != nil {
		return err
	}
	bareGrep, err := bareSearch(dir, grep, "-rnIP", "-e", "NewThing[A-Z]", ".")
	if err != nil {
		return err
	}
	own, err := linesIn(dir, search.Programs{})
	if err != nil {
		return err
	}
	b.add("search.grep", ms(bareGrep))
	b.add("search.own", float64(own)/float64(bareGrep))
	rg, err := exec.LookPath("rg")
	if err != nil {
		return nil // its rows are left out
	}
	return b.besideRipgrep(dir, rg)
}

func (b *bench) besideRipgrep(dir, rg string) error {
	bare, err := bareSearch(dir, rg, "--no-config", "--hidden", "--no-ignore", "-n", "-e", "NewThing[A-Z]", ".")
	if err != nil {
		return err
	}
	lines, err := linesIn(dir, search.Programs{Ripgrep: rg})
	if err != nil {
		return err
	}
	files, err := bareSearch(dir, rg, "--no-config", "--hidden", "--no-ignore", "--files", "--glob=**/*7.go", "--sortr=modified", ".")
	if err != nil {
		return err
	}
	names, err := namesIn(dir)
	if err != nil {
		return err
	}
	b.add("search.rg", ms(bare))
	b.add("search.lines", float64(lines)/float64(bare))
	b.add("search.files", ms(files))
	b.add("search.names", float64(names)/float64(files))
	return nil
}

// fastest is the shortest of some rounds.
func fastest(do func() error) (time.Duration, error) {
	best := time.Hour
	for range searchRounds {
		start := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return best, nil
}

func bareSearch(dir, program string, args ...string) (time.Duration, error) {
	return fastest(func() error {
		c := exec.Command(program, args...)
		c.Dir, c.Env = dir, []string{"LC_ALL=C.UTF-8"}
		_, err := c.Output()
		return err
	})
}

func linesIn(dir string, programs search.Programs) (time.Duration, error) {
	return fastest(func() error {
		found := 0
		_, err := search.Lines(context.Background(), search.Query{Root: dir, Pattern: "NewThing[A-Z]", Programs: programs},
			func(search.Hit) error { found++; return nil })
		if err == nil && found != treeFolders*treeFiles/500 {
			err = fmt.Errorf("%d lines found", found)
		}
		return err
	})
}

func namesIn(dir string) (time.Duration, error) {
	return fastest(func() error {
		found, err := search.Glob(context.Background(), search.GlobQuery{Root: dir, Pattern: "**/*7.go", Most: 200})
		if err == nil && found.Count != treeFolders*treeFiles/10 {
			err = fmt.Errorf("%d names found", found.Count)
		}
		return err
	})
}
