package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"
)

// Checkpoints say whether what files held before a turn is kept, and how much.
type Checkpoints struct {
	Enabled  bool
	MaxBytes int64 // of all sessions, about
}

// Storage says how long what sessions leave on the disk is kept. 0 is for ever.
type Storage struct {
	Outputs     time.Duration // long output of tools, temporary files
	Checkpoints time.Duration
	Changes     time.Duration // the texts of changes
	Sessions    time.Duration // with their logs
}

const day = 24 * time.Hour

func defaultStorage() Storage {
	return Storage{Outputs: 30 * day, Checkpoints: 30 * day, Changes: 90 * day}
}

func storageRows() []setting {
	age := func(path, def, doc string, field func(c *Config) *time.Duration) setting {
		return of(setting{
			path: path, kind: "age in days, or never", def: def, when: AfterRestart, doc: doc,
			shape: shape{"type": "string", "pattern": "^(never|[1-9][0-9]{0,4}d)$"},
			show:  func(c *Config) any { return ageWord(*field(c)) },
		}, readAge, field)
	}
	return []setting{
		switched("checkpoints.enabled", "true", AfterRestart,
			"Whether what a file holds is kept before a turn first writes to it, outside the workspace, so that the turn can be rewound.",
			func(c *Config) *bool { return &c.Checkpoints.Enabled }),
		of(setting{
			path: "checkpoints.maxBytes", kind: "size", def: "1GiB", when: AtOnce, shape: shape{"type": "string", "pattern": sizeText.String()},
			doc:  "About how much is kept for all sessions together. Beyond it the oldest goes first.",
			show: func(c *Config) any { return sizeWord(c.Checkpoints.MaxBytes) },
		}, readSize, func(c *Config) *int64 { return &c.Checkpoints.MaxBytes }),
		age("storage.outputs", "30d",
			"How long the long output of commands and what they left of temporary files is kept after a session's last change. "+
				"Once a day a bridge removes what is older; of a session that is open nothing is removed.",
			func(c *Config) *time.Duration { return &c.Storage.Outputs }),
		age("storage.checkpoints", "30d", "How long a checkpoint is kept.",
			func(c *Config) *time.Duration { return &c.Storage.Checkpoints }),
		age("storage.changes", "90d", "How long the texts of a session's changes are kept, by which they are shown and taken back.",
			func(c *Config) *time.Duration { return &c.Storage.Changes }),
		age("storage.sessions", "never", "How long a session is kept at all.",
			func(c *Config) *time.Duration { return &c.Storage.Sessions }),
	}
}

var ageText = regexp.MustCompile(`^[1-9][0-9]{0,4}d$`)

// Age reads an age in days, such as 30d; 0 is never.
func Age(text string) (time.Duration, error) {
	if text == "never" {
		return 0, nil
	}
	if !ageText.MatchString(text) {
		return 0, fmt.Errorf("want days such as 30d, or never; have %q", text)
	}
	days, _ := strconv.Atoi(text[:len(text)-1])
	return time.Duration(days) * day, nil
}

func readAge(n *yaml.Node, into *time.Duration) error {
	age, err := Age(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || err != nil {
		return faultf(n, "want days such as 30d, or never")
	}
	*into = age
	return nil
}

const sizeWant = "want a size with its unit (KiB, MiB, GiB or TiB), such as 512MiB or 2GiB"

var sizeText = regexp.MustCompile(`^([1-9][0-9]{0,11})(KiB|MiB|GiB|TiB)$`)

// Size reads a number of bytes with its unit, such as 512MiB.
func Size(text string) (int64, error) {
	parts := sizeText.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%s; have %q", sizeWant, text)
	}
	n, _ := strconv.ParseInt(parts[1], 10, 64)
	unit := map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}[parts[2]]
	if n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%s is more than there can be", text)
	}
	return n * unit, nil
}

func readSize(n *yaml.Node, into *int64) error {
	size, err := Size(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || err != nil {
		return faultf(n, sizeWant)
	}
	*into = size
	return nil
}

// ageWord is an age as it is written.
func ageWord(d time.Duration) string {
	if d == 0 {
		return "never"
	}
	return fmt.Sprintf("%dd", d/day)
}

// sizeWord is a size as it is written.
func sizeWord(n int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if n%unit.size == 0 {
			return fmt.Sprintf("%d%s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%dKiB", n>>10)
}
