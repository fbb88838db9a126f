package rule

import (
	"slices"
	"strings"
)

// Programs that write what they are given, although no row of a table says so
// of their arguments. It matters for files that run code, which are asked about
// in any mode; that a rule covers such a call takes more.
var (
	// inPlace programs write their files when they are told so by -i.
	inPlace = []string{"sed", "gsed", "perl", "ruby"}
	// intoLast programs write their last argument.
	intoLast = []string{"ln", "link", "rsync", "scp"}
	// intoAll programs write each.
	intoAll = []string{"patch", "ed", "ex", "sponge", "split"}
	// outFlags come before what is written.
	outFlags = map[string][]string{
		"curl": {"-o", "--output", "--output-dir"}, "wget": {"-O", "--output-document", "-P", "--directory-prefix"},
		"tar": {"-C", "--directory"}, "bsdtar": {"-C", "--directory"}, "unzip": {"-d"},
	}
)

// writes reports whether the i-th item is a path that the call is seen to write.
func (c *call) writes(i int) bool {
	it := c.items[i]
	if it.flag != "" {
		return it.has && slices.Contains(outFlags[c.name], it.flag)
	}
	switch {
	case i > 0 && !c.items[i-1].has && slices.Contains(outFlags[c.name], c.items[i-1].flag):
		return true
	case slices.Contains(intoAll, c.name):
		return true
	case slices.Contains(intoLast, c.name):
		return i == c.lastOperand()
	}
	return slices.Contains(inPlace, c.name) && c.inPlace() && !c.isScript(i)
}

func (c *call) lastOperand() int {
	last := -1
	for i, it := range c.items {
		if it.flag == "" {
			last = i
		}
	}
	return last
}

// inPlace takes any cluster of flags with an i in it for -i.
func (c *call) inPlace() bool {
	return slices.ContainsFunc(c.items, func(it item) bool {
		long := strings.HasPrefix(it.flag, "--")
		return strings.HasPrefix(it.flag, "--in-place") || !long && strings.Contains(it.flag, "i")
	})
}

// isScript says that an operand is the program's text, which is the first one
// unless a flag has it.
func (c *call) isScript(i int) bool {
	for k, it := range c.items {
		switch {
		case it.flag == "":
			return k == i
		case strings.HasPrefix(it.flag, "-e"), strings.HasPrefix(it.flag, "--expression"), strings.HasPrefix(it.flag, "-f"), strings.HasPrefix(it.flag, "--file"):
			return false
		}
	}
	return false
}
