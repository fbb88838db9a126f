package rule

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// Denial is a kind of command that is never run, as a guard against accidents:
// it does not see through what a script works out when it runs.
type Denial struct {
	Name string
	// Pattern is a regular expression that the whole script is matched with:
	// without quotes and backslashes, each run of blanks as one. "" stands for the
	// factory's denial of this name.
	Pattern string
	Enabled bool
	// Problem is why it denies nothing.
	Problem string

	expression *regexp.Regexp
}

// Denials are what is denied. The zero Denials are none.
type Denials struct {
	List []Denial
}

// The factory's denials, by name.
const (
	denyRemove    = "rm -rf"
	denyFormat    = "mkfs"
	denyDevice    = "dd to a disk"
	denyRedirect  = "redirect to a disk"
	denyFork      = "fork bomb"
	denyWindows   = "recursive delete (Windows)"
	denyWinFormat = "format a disk (Windows)"
)

// FactoryDenials are what is denied unless a person says otherwise.
func FactoryDenials() []Denial {
	var all []Denial
	for _, name := range []string{denyRemove, denyFormat, denyDevice, denyRedirect, denyFork, denyWindows, denyWinFormat} {
		all = append(all, Denial{Name: name, Enabled: true})
	}
	return all
}

// NewDenials makes a list of a person's own; one that cannot be read has its
// Problem set, and denies nothing.
func NewDenials(list []Denial) Denials {
	out := Denials{}
	for _, d := range list {
		switch {
		case d.Pattern == "" && factory[d.Name] == nil && d.Name != denyFork:
			d.Problem = "it has no pattern, and none that is built in has this name"
		case d.Pattern != "":
			e, err := regexp.Compile(d.Pattern)
			if err != nil {
				d.Problem = err.Error()
			}
			d.expression = e
		}
		out.List = append(out.List, d)
	}
	return out
}

var factoryDenials = NewDenials(FactoryDenials())

// Denials are those that hold.
func (s *Set) Denials() []Denial { return s.denying().List }

func (s *Set) denying() *Denials {
	if s == nil || s.denials == nil {
		return &factoryDenials
	}
	return s.denials
}

// factory finds what is denied by a part's words, each word as it stands.
var factory = map[string]func(p *command.Part, name string, words []string) bool{
	denyRemove:    removes,
	denyFormat:    formatsDisk,
	denyDevice:    writesDevice,
	denyRedirect:  redirectsToDevice,
	denyWindows:   removesWindows,
	denyWinFormat: formatsWindows,
}

var formats = map[string]bool{"mkfs": true, "mke2fs": true, "mkswap": true, "newfs": true, "wipefs": true, "blkdiscard": true}

// partitioners change the table of a disk, unless they are told to list it.
var partitioners = map[string]bool{"fdisk": true, "sfdisk": true, "cfdisk": true, "gdisk": true, "sgdisk": true, "parted": true, "hdparm": true}

var listing = regexp.MustCompile(`^(-l|--list|-p|--print|-d|--dump|print|-[gIiTtr]|--verify)$`)

func formatsDisk(_ *command.Part, name string, words []string) bool {
	name, _, _ = strings.Cut(name, ".")
	return formats[name] || partitioners[name] && slices.ContainsFunc(words, isDisk) && !slices.ContainsFunc(words, listing.MatchString)
}

// destroyers are the commands that the factory's denials could be about.
var destroyers = func() map[string]bool {
	all := map[string]bool{}
	for _, names := range []map[string]bool{formats, partitioners, multicall} {
		maps.Copy(all, names)
	}
	for name := range strings.FieldsSeq("rm remove-item grm dd tee shred cp mv install truncate del erase rd rmdir diskpart format-volume clear-disk cipher format") {
		all[name] = true
	}
	return all
}()

// destroys reports whether a denial could be about a command of this name.
func destroys(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(baseName(name)), ".")
	return destroyers[name]
}

// denied says which denial a part meets.
func (s *Set) denied(j *judge, i int) string {
	part := &j.parts[i].Command
	if len(part.Redirects) == 0 && len(j.bombs) == 0 && len(part.Argv) > 0 && !destroys(part.Argv[0].Text) {
		return ""
	}
	name, words := denialWords(part)
	words = append(words, j.fedWords(i)...)
	inDevices := j.amongDevices(i, words)
	for _, d := range s.denying().List {
		if !d.Enabled || d.Problem != "" || d.Pattern != "" {
			continue
		}
		f := factory[d.Name]
		if f != nil && (f(part, name, words) || inDevices != nil && f(inDevices, name, plainTexts(inDevices))) || d.Name == denyFork && len(part.Argv) > 0 && j.bombs[part.Argv[0].Text] {
			return deniedFor(d.Name)
		}
	}
	return ""
}

// deniedFor says what is denied, and what there is to do instead.
func deniedFor(name string) string {
	why := "denied for safety: " + name + " ("
	if name == denyRemove {
		why += "use rm -r; "
	}
	return why + "a person may change approval.denials in the settings)"
}

// denialWords are a command's name and words, behind programs that stand for
// many.
func denialWords(p *command.Part) (string, []string) {
	var words []string
	for _, w := range p.Argv {
		text := w.Text
		if !w.Known {
			text = w.Prefix
		}
		words = append(words, text)
	}
	for len(words) > 1 && multicall[baseName(words[0])] {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", nil
	}
	return strings.TrimSuffix(strings.ToLower(baseName(words[0])), ".exe"), words[1:]
}

var multicall = map[string]bool{"busybox": true, "toybox": true, "cmd": true, "cmd.exe": true, "c": true, "C": true}

// removes finds rm with both a flag to go into folders and one to ask nothing,
// in any spelling that rm takes.
func removes(_ *command.Part, name string, words []string) bool {
	if name != "rm" && name != "remove-item" && name != "grm" {
		return false
	}
	recursive, force := false, false
	for _, w := range words {
		if w == "--" {
			break
		}
		r, f := removeFlags(w)
		recursive, force = recursive || r, force || f
	}
	return recursive && force
}

func removeFlags(w string) (recursive, force bool) {
	long, _, _ := strings.Cut(strings.ToLower(w), "=")
	switch {
	case len(long) > 2 && strings.HasPrefix(long, "--"):
		return strings.HasPrefix("--recursive", long), strings.HasPrefix("--force", long) || len(long) > 4 && strings.HasPrefix("--no-preserve-root", long)
	case len(w) > 3 && (strings.HasPrefix("-recurse", long) || strings.HasPrefix("-recursive", long) || strings.HasPrefix("-force", long)):
		return long[1] == 'r', long[1] == 'f'
	case len(w) > 1 && w[0] == '-':
		return strings.ContainsAny(w, "rR"), strings.Contains(w, "f")
	}
	return false, false
}

func writesDevice(_ *command.Part, name string, words []string) bool {
	for _, w := range words {
		of, ok := strings.CutPrefix(w, "of=")
		if name == "dd" && ok && isDisk(of) {
			return true
		}
	}
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	switch name {
	case "tee", "shred", "cp", "mv", "install", "truncate":
		return isDisk(last)
	}
	return false
}

func isDisk(name string) bool { return blockDevices.MatchString(path.Clean(name)) }

func redirectsToDevice(p *command.Part, _ string, _ []string) bool {
	for _, r := range p.Redirects {
		if r.Writes && (isDisk(r.File.Text) || isDisk(r.File.Prefix)) {
			return true
		}
	}
	return false
}

func removesWindows(_ *command.Part, name string, words []string) bool {
	if name != "del" && name != "erase" && name != "rd" && name != "rmdir" {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(w, "/s") || strings.HasPrefix(strings.ToLower(w), "/s/") || strings.HasSuffix(strings.ToLower(w), "/s") && strings.HasPrefix(w, "/") && len(w) <= 6 {
			return true
		}
	}
	return false
}

var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]?$`)

func formatsWindows(_ *command.Part, name string, words []string) bool {
	if name == "diskpart" || name == "format-volume" || name == "clear-disk" {
		return true
	}
	if name == "cipher" && len(words) > 0 && strings.HasPrefix(strings.ToLower(words[0]), "/w") {
		return true
	}
	for _, w := range words {
		if (name == "format" || name == "format.com") && drive.MatchString(w) {
			return true
		}
	}
	return false
}

// bombs are the functions of a script that call themselves twice at once, and
// are called: name(){ name|name& };name, whatever blanks are in between.
func bombs(text string) map[string]bool {
	for _, c := range []byte("({|&}") {
		if strings.IndexByte(text, c) < 0 {
			return nil
		}
	}
	var all map[string]bool
	for {
		before, after, ok := strings.Cut(text, "(")
		if !ok {
			return all
		}
		text = after
		before = strings.TrimRight(before, blanks)
		name := before[len(strings.TrimRightFunc(before, inName)):]
		if name == "" || !follows(after, ")", "{", name, "|", name, "&", "}", ";", name) {
			continue
		}
		if all == nil {
			all = map[string]bool{}
		}
		all[name] = true
	}
}

const blanks = " \t\r\n"

// follows reports whether a text begins with these, with blanks in between, and
// no longer name at the end. A line end does for a semicolon.
func follows(text string, all ...string) bool {
	for _, one := range all {
		blank := text[:len(text)-len(strings.TrimLeft(text, blanks))]
		rest, ok := strings.CutPrefix(text[len(blank):], one)
		if !ok && (one != ";" || !strings.Contains(blank, "\n")) {
			return false
		}
		text = rest
	}
	return text == "" || !inName(rune(text[0]))
}

func inName(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == ':' || r == '.'
}

// normalised is a text as patterns are matched with it.
func normalised(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(text)), " ")
}

// deniedPattern says which of a person's own denials a script meets.
func (s *Set) deniedPattern(text string) string {
	plain := ""
	for _, d := range s.denying().List {
		if d.Enabled && d.expression != nil && plain == "" {
			plain = normalised(text)
		}
		if d.Enabled && d.expression != nil && d.expression.MatchString(plain) {
			return "denied by pattern: " + d.Name
		}
	}
	return ""
}

var roughly = regexp.MustCompile(`(^|[;&|({\s/])rm( -[\w-]+)* (-\w*[rR]\w*f|-\w*f\w*[rR]|-[rR] -f|-f -[rR]|--recursive --force|--force --recursive)`)

// deniedText looks at what could not be taken apart.
func (s *Set) deniedText(j *judge, d command.Doubt) string {
	from, to := max(0, d.Span.Start), min(d.Span.End, len(j.script.Text))
	if from >= to {
		return ""
	}
	text := normalised(j.script.Text[from:to])
	for _, known := range s.denying().List {
		if known.Enabled && known.Name == denyRemove && known.Pattern == "" && strings.Contains(text, "rm -") && roughly.MatchString(text) {
			return deniedFor(known.Name)
		}
	}
	return ""
}
