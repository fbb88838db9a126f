package rule

import (
	"path"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// lookingInto says of a call that reads all that is in the folders it is given,
// which names it reads there; nil for one that does not.
func (c *call) lookingInto() func(name string) bool {
	all := func(string) bool { return true }
	switch c.name {
	case "grep", "egrep", "fgrep":
		if c.has("-r", "--recursive", "-R", "--dereference-recursive", "-d") {
			return c.included()
		}
	case "rg":
		return c.unignored()
	case "ag", "ack":
		if c.has("--hidden") {
			return all
		}
	case "diff":
		if c.has("-r", "--recursive") {
			return all
		}
	case "cp":
		if c.has("-r", "-R", "-a", "--recursive", "--archive") {
			return all
		}
	case "tar", "zip", "7z", "rsync", "scp":
		return all
	}
	return nil
}

// included are the names that grep reads: all, unless the first that it is told
// about them is which to include. That some of those are excluded is not looked
// at.
func (c *call) included() func(string) bool {
	var globs []string
	for _, it := range c.items {
		switch it.flag {
		case "--exclude", "--exclude-from":
			if globs == nil {
				return func(string) bool { return true }
			}
		case "--include":
			globs = append(globs, plainGlob(it))
		}
	}
	return among(globs)
}

// unignored are the names that rg reads although they are hidden or ignored; nil
// when it leaves these out.
func (c *call) unignored() func(string) bool {
	if c.has("--files", "--type-list") {
		return nil
	}
	var globs []string
	for _, it := range c.items {
		if (it.flag == "-g" || strings.HasSuffix(it.flag, "glob")) && it.has && !strings.HasPrefix(it.word.Text, "!") {
			globs = append(globs, plainGlob(it))
		}
	}
	shows := slices.ContainsFunc(c.items, func(it item) bool {
		return it.flag == "-u" || it.flag == "-." || it.flag == "--unrestricted" || it.flag == "--hidden" || it.flag == "--ignore-file" || strings.HasPrefix(it.flag, "--no-ignore")
	})
	if globs == nil && !shows {
		return nil
	}
	return among(globs)
}

// plainGlob is a pattern of names, "*" for one that programs may read otherwise.
func plainGlob(it item) string {
	if glob := it.word.Text; it.word.Known && !strings.ContainsAny(glob, `[]{}\/!`) && glob != "" {
		return strings.ToLower(glob)
	}
	return "*"
}

// among are the names that fit one of the patterns; all without any.
func among(globs []string) func(string) bool {
	return func(name string) bool {
		return globs == nil || slices.ContainsFunc(globs, func(glob string) bool {
			ok, err := path.Match(glob, strings.ToLower(path.Base(name)))
			return ok || err != nil
		})
	}
}

// looksInto says which secret a call would come upon in the folders that it
// reads, "" when it reads none, or there is none.
func (j *judge) looksInto(part *command.Part, c *call) string {
	into := c.lookingInto()
	if into == nil {
		return ""
	}
	given := false
	for i := range c.items {
		it := &c.items[i]
		given = given || it.flag == "" && it.kind != opText
		for _, r := range j.itemReaches(nil, part, c, it) {
			if r.target == nil || r.touch == touchWrite {
				continue
			}
			if why := j.below(into, r.target); why != "" {
				return why
			}
		}
	}
	if given {
		return ""
	}
	for _, dir := range part.Dirs {
		if why := j.below(into, j.target(dir, dir)); why != "" {
			return why
		}
	}
	if len(part.Dirs) > 0 {
		return ""
	}
	return j.below(into, j.target(part.Dir, part.Dir))
}

// below says which secret a call would read in a folder that it looks into, ""
// when there is none.
func (j *judge) below(into func(string) bool, l *landing) string {
	if !l.walked {
		l.walked = true
		l.secrets, l.seen = j.world.Secrets(l.Abs)
	}
	if !l.seen {
		return "what `" + l.Abs + "` holds is too much to look through for secrets"
	}
	for _, name := range l.secrets {
		file := j.target(l.Abs, name)
		if v, _, _ := j.set.File(false, file.Target); v != Allow && into(name) {
			return "it reads `" + path.Join(l.Rel, name) + "` too: " + file.Secret
		}
	}
	return ""
}
