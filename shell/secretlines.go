package shell

import (
	"regexp"
	"strings"
)

// minSecretPart is how long a part of a value of several lines must be to be
// looked for on its own, in bytes.
const minSecretPart = 16

// secretParts are the parts of a value of several lines that would give it away
// wherever they stand alone: with a number before them, indented, or as what a
// search found. A line end may also be written as in JSON. Of a line of several
// words, as files of keys have around them, only those count that look drawn.
func secretParts(value string) (parts []string) {
	lines := strings.Split(lineEnds.Replace(value), "\n")
	if len(lines) < 2 {
		return nil
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "-----"): // the name of what is between
		case !strings.ContainsAny(line, " \t\"',:"):
			parts = appendPart(parts, line)
		default:
			for _, word := range drawn.FindAllString(line, -1) {
				parts = appendPart(parts, word)
			}
		}
	}
	return parts
}

func appendPart(parts []string, p string) []string {
	if len(p) < minSecretPart || spoken.MatchString(p) {
		return parts
	}
	return append(parts, p)
}

var (
	lineEnds = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", "\r", "")
	drawn    = regexp.MustCompile(`[A-Za-z0-9+=_-]{16,}`)
	// spoken are names made of words and numbers, which any text may hold.
	spoken = regexp.MustCompile(`^[A-Z]?(?:[a-z]+|[A-Z]+|[0-9]+)(?:[-_.=]+[A-Za-z]?(?:[a-z]+|[A-Z]+|[0-9]+)|[A-Z][a-z]+)*[-_.=]*$`)
)
