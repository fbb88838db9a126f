package approval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/approval/command"
	"drawbridge/approval/rule"
)

// lines are what was typed into running commands since their last line end, by
// process.
type lines map[string]string

func (l lines) of(req Request) string {
	if !types(req) {
		return ""
	}
	return l[req.Command.Process]
}

// types says that a request is to type into a running command.
func types(req Request) bool {
	return req.Access == Execute && req.Command != nil && req.Command.TypedInto != ""
}

// asTyped are the ways in which a program may read what is typed behind line:
// with the keys that take something back obeyed, and with control characters
// left out. Keys without any text are nothing to read.
func asTyped(line, text string) []string {
	if strings.TrimFunc(text, unicode.IsControl) == "" {
		return nil
	}
	whole := strings.ReplaceAll(line+text, "\r", "\n")
	ways := []string{edited(whole), strings.Map(textOnly, whole)}
	return slices.Compact(ways)
}

// edited obeys the keys of a terminal's line that take something back.
func edited(s string) string {
	var b []byte
	for _, r := range s {
		from := strings.LastIndexByte(string(b), '\n') + 1
		switch r {
		case '\b', 0x7f:
			if len(b) > from {
				_, size := utf8.DecodeLastRune(b)
				b = b[:len(b)-size]
			}
		case 0x03, 0x15: // the line is given up, or erased
			b = b[:from]
		case 0x17: // a word is erased
			rest := strings.TrimRight(string(b[from:]), " ")
			b = b[:from+strings.LastIndexByte(rest, ' ')+1]
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

func textOnly(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// pending is what stands on the line after text was typed behind it. Beyond what
// a script may be it is not understood anyway.
func pending(line, text string) string {
	whole := strings.ReplaceAll(line+text, "\r", "\n")
	whole = whole[strings.LastIndexByte(whole, '\n')+1:]
	return whole[:min(len(whole), command.MaxBytes+1)]
}

// noteTyped keeps what an allowed request types, for the next one. Where another
// one was quicker, the line is not the one that was judged: it is judged again,
// and denials count.
func (g *Gate) noteTyped(c *hearing, d Decision) Decision {
	if !types(c.req) || c.req.Command.Process == "" {
		return d
	}
	cmd := *c.req.Command
	if d.Command != nil {
		cmd.Text = *d.Command
	}
	for judged := c.line; ; {
		g.mu.Lock()
		now := g.lines[cmd.Process]
		if now == judged {
			g.lines[cmd.Process] = pending(now, cmd.Text)
			g.mu.Unlock()
			return d
		}
		g.mu.Unlock()
		judged = now
		if f := findTyped(cmd, c.rules, now, g.o.World()); strict(f.verdict) == strict(rule.Deny) {
			d = c.deny(ByRule, "behind what was typed before: "+f.why)
			d.Ruled = true
			return d
		}
	}
}
