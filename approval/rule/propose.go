package rule

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"drawbridge/approval/command"
)

// maxProposals bounds the rules for one script: nobody reads more.
const maxProposals = 8

// Propose derives the rules, one for each part that is open, that would allow a
// script like this from now on: by its words, never wider than what was seen to
// be harmless, and without secrets. Nil when it must not be remembered. What it
// gives back was tried: under these rules the script is allowed.
func Propose(j Judgement, held bool) []string {
	if j.world == nil || j.Verdict != Open || len(j.script.Doubts) > 0 {
		return nil
	}
	p := proposer{set: j.set, held: held, script: j.script, world: j.world}
	for now := j; now.Verdict != Allow; {
		i := open(now.Parts)
		if i < 0 || len(p.rules) == maxProposals {
			return nil
		}
		next, ok := p.extend(now.Parts, i)
		if !ok {
			return nil
		}
		now = next
	}
	return p.rules
}

// open is the part to speak of next, -1 when there is none: what is harmless in
// company comes last, since a rule for another may do.
func open(parts []Part) int {
	glue := -1
	for i, p := range parts {
		if p.Verdict == Open && !p.glue {
			return i
		}
		if p.Verdict == Open && glue < 0 {
			glue = i
		}
	}
	return glue
}

// proposer collects rules until a script is allowed.
type proposer struct {
	set    *Set
	held   bool
	script command.Script
	world  command.World
	rules  []string
}

// extend adds the first of the rules that could cover a part, and does.
func (p *proposer) extend(parts []Part, i int) (Judgement, bool) {
	part := &parts[i].Command
	home := p.root(part)
	for _, texts := range p.candidates(part) {
		var add []Rule
		for _, text := range slices.Concat(texts, p.files(part)) {
			r, err := Parse(Allow, text, home)
			if err != nil {
				add = nil
				break
			}
			r.Source = GrantSession
			add = append(add, r)
		}
		if len(add) == 0 {
			continue
		}
		set := p.set.With(add...)
		now := set.Judge(p.script, p.held, p.world)
		if now.Parts[i].Verdict != Allow {
			continue
		}
		p.set = set
		for _, r := range add {
			if !slices.Contains(p.rules, r.Text) {
				p.rules = append(p.rules, r.Text)
			}
		}
		return now, true
	}
	return Judgement{}, false
}

// root is the workspace's folder that a part runs in.
func (p *proposer) root(part *command.Part) string {
	t := p.world.Target(part.Dir, part.Dir)
	if part.Dir == "" || !t.Inside {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(t.Abs, t.Rel), "/")
}

// files are rules for what is redirected to files.
func (p *proposer) files(part *command.Part) []string {
	var texts []string
	for _, r := range part.Redirects {
		if !r.Writes || ordinary(r.File) || !r.File.Known || part.Dir == "" {
			continue
		}
		if text := ProposeFile(true, p.world.Target(part.Dir, r.File.Text)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// candidates are rules for a part, the one to prefer first; with several texts,
// all are needed.
func (p *proposer) candidates(part *command.Part) [][]string {
	if len(part.Argv) == 0 {
		return [][]string{nil}
	}
	name, words := nameOf(part)
	if name == "" || never.MatchString(name) || part.Remote || part.Fed {
		return nil
	}
	lead, ok := p.lead(part)
	if !ok {
		return nil
	}
	var all [][]string
	if shape := shapeOf(part, parseCall(name, words)); shape != nil {
		all = append(all, []string{lead + strings.Join(shape, " ")})
	}
	if exact := exactWords(part); exact != nil {
		all = append(all, []string{lead + strings.Join(exact, " ") + " " + string(wildEnd)})
	}
	return all
}

// never are commands that no remembered yes may let through: they act as
// somebody else, elsewhere, or on text that is known only later.
var never = regexp.MustCompile(`^(sudo|doas|su|runuser|pkexec|ssh|eval|exec|source|\.|trap|alias|enable|hash|builtin|chroot|nsenter|unshare|parallel|script)$`)

// lead is what stands before the command in a rule: that it is held, and its
// variables, of which only harmless ones are remembered.
func (p *proposer) lead(part *command.Part) (string, bool) {
	text := ""
	if p.held {
		text = heldPrefix + " "
	}
	for _, a := range part.Assigns {
		if steering.MatchString(a.Name) || !a.Value.Known || a.Append || revealing(a.Value.Text) {
			return "", false
		}
		text += a.Name + "=" + quote(a.Value.Text, false) + " "
	}
	return text, true
}

// steering are variables that programs obey, or that hold secrets.
var steering = regexp.MustCompile(`(?i)PATH|^LD_|DYLD|ENV$|OPTION|OPTS|FLAGS|^GIT_|PYTHON|PERL|RUBY|PAGER|EDITOR|SHELL|PROMPT|IFS|COMMAND|EXEC|CMD|PROGRAM|TOKEN|KEY|SECRET|PASS|AUTH|CRED|PROXY|HOME|CONFIG|^PS[0-9]|^CC$|^CXX$|^MAKE|WRAPPER|URL|REGISTRY`)

// shapeOf is a rule of a command that is known well: its name, with its
// subcommands, the flags that stay, or the script or target that it runs. Nil for what is known less,
// runs another command, writes, or speaks with other machines.
func shapeOf(part *command.Part, c *call) []string {
	if c.prog.unknown || c.prog.stdin || c.prog.opaque && c.prog.named || part.Wraps > 0 || !shaped[c.prog.ops] && c.name != "mkdir" {
		return nil
	}
	if c.name == "git" && c.prog.named && !gitKept[subcommand(c)] {
		return commitShape(c)
	}
	if strings.ContainsAny(part.Argv[0].Text, `/\`) || wraps(c.name) {
		return nil
	}
	kept, ok := c.kept()
	if !ok {
		return nil
	}
	words := append([]string{quote(c.name, true)}, kept...)
	if ops := c.operands(); runsByName[c.name] && (c.prog.named || c.prog.subs == nil) && len(ops) > 0 && !strings.HasPrefix(ops[0].word.Text, "-") {
		if !ops[0].word.Known || revealing(ops[0].word.Text) || strings.Contains(ops[0].word.Text, "=") || identity.MatchString(ops[0].word.Text) {
			return nil
		}
		words = append(words, quote(ops[0].word.Text, false))
	}
	return words
}

// gitKept are subcommands that change something, and lose nothing whatever is
// given to them.
var gitKept = map[string]bool{"add": true, "stage": true}

func subcommand(c *call) string {
	for _, it := range c.items {
		if it.sub != nil {
			return it.word.Text
		}
	}
	return ""
}

// commitShape is a commit with the same flags and any message; nil for another
// command, and for one with other words.
func commitShape(c *call) []string {
	if subcommand(c) != "commit" || !c.has("-m", "--message") || len(c.operands()) > 0 {
		return nil
	}
	words := []string{"git", "commit"}
	for _, it := range c.items {
		switch {
		case it.sub != nil:
		case it.flag == "-m" || it.flag == "--message":
			words = append(words, it.flag, string(wildAny))
		case it.has || it.loose:
			return nil
		default:
			words = append(words, quote(it.flag, false))
		}
	}
	return append(words, string(wildEnd))
}

func wraps(name string) bool { return wrappers().has(name) }

func (t table) has(name string) bool {
	for names := range t {
		if slices.Contains(strings.Fields(names), name) {
			return true
		}
	}
	return false
}

// shaped are what operands may be of a command that is remembered without them.
var shaped = map[ops]bool{opArgs: true, opText: true, opRead: true, opPattern: true, opPackage: true, opNone: true}

// runsByName are commands whose first operand says what of the project runs, or
// what of a cluster or a machine is shown.
var runsByName = map[string]bool{"npm": true, "pnpm": true, "yarn": true, "make": true, "gmake": true, "kubectl": true, "docker": true, "podman": true}

// exactWords are all words of a command, nil when some is not known or reveals a
// secret.
func exactWords(part *command.Part) []string {
	name := part.Argv[0].Text
	if strings.Contains(name, "/") && !path.IsAbs(name) && part.Dir == "" || len(part.Argv) == 1 && (wraps(name) || programNamed(baseName(name)).stdin) {
		return nil
	}
	var words []string
	for i, w := range part.Argv {
		if !w.Known || revealing(w.Text) || i > 0 && (secretFlag.MatchString(part.Argv[i-1].Text) || identifies(part, i)) {
			return nil
		}
		words = append(words, quote(w.Text, i == 0))
	}
	return words
}

// identifies reports whether a word may say who somebody is: one that logs in or
// shows secrets, and of a command of which nothing is known also the value of a
// flag that often has a key or a password.
func identifies(part *command.Part, i int) bool {
	if i <= 3 && identity.MatchString(part.Argv[i].Text) {
		return true
	}
	return programNamed(baseName(part.Argv[0].Text)).unknown && keyFlag.MatchString(part.Argv[i-1].Text)
}

var (
	identity = regexp.MustCompile(`(?i)^(log-?in|sign-?in|auth|authenticate|adduser|add-user|token|tokens|password|passwd|secrets?([/,.].*)?|credentials?|unseal)$|,secrets?\b`)
	keyFlag  = regexp.MustCompile(`^-[kpPtTasSuUHbKcw]$`)
)

// secretFlag is a flag whose value tells who somebody is.
var secretFlag = regexp.MustCompile(`(?i)^(-u|-p|-P|-H|-b|--?(user|.*(pass|token|secret|key|auth|cookie|credential|header|pwd).*))$`)

var (
	secretName  = regexp.MustCompile(`(?i)(token|secret|passw|passphrase|pwd|api[-_]?key|access[-_]?key|auth|bearer|credential|private|cookie)[^=:]*[=:]\s*\S`)
	secretURL   = regexp.MustCompile(`://[^/@\s]*:[^/@\s]*@|://[^/@\s]{16,}@`)
	secretShape = regexp.MustCompile(`\b(sk-|ghp_|gho_|ghs_|github_pat_|xox[abprs]-|AKIA|ASIA|AIza|glpat-|npm_|hf_|eyJ)[A-Za-z0-9_-]{8,}`)
	secretRun   = regexp.MustCompile(`[A-Za-z0-9+_-]{20,}`)
)

// revealing reports whether a word looks as if it holds a secret.
func revealing(text string) bool {
	if secretName.MatchString(text) || secretURL.MatchString(text) || secretShape.MatchString(text) {
		return true
	}
	return slices.ContainsFunc(secretRun.FindAllString(text, -1), random)
}

// random reports whether a run of letters and digits has too much of both to be
// a name.
func random(run string) bool {
	digits, changes := 0, 0
	for i := range len(run) {
		digit := run[i] >= '0' && run[i] <= '9'
		if digit {
			digits++
		}
		if i > 0 && digit != (run[i-1] >= '0' && run[i-1] <= '9') {
			changes++
		}
	}
	return digits >= 4 && changes >= 5
}
