package rule

import (
	"regexp"
	"strings"

	"drawbridge/approval/command"
)

// several are programs that do many things, of which no table says what: their
// mere name covers what only looks.
var several = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("terraform tofu terragrunt pulumi aws gcloud az helm gh glab hub heroku fly flyctl vercel netlify wrangler firebase supabase doctl oc nomad vault consul argocd flux istioctl eksctl minikube kind k3d skaffold docker-compose " +
		"systemctl service launchctl brew apt apt-get dnf yum zypper pacman apk snap flatpak port choco winget scoop pip pip3 pipenv poetry uv conda mamba gem bundle composer dotnet flutter rustup nvm asdf mise hg svn jj ansible-galaxy prisma rails redis-cli") {
		all[name] = true
	}
	return all
}()

// looks are subcommands that change nothing, whatever program has them.
var looks = regexp.MustCompile(`^(list|ls|list-units|list-unit-files|show|status|is-active|is-enabled|cat|describe|info|version|help|validate|view|search|history|outdated|policy|freeze|check|providers|graph|--version|-V|--help|-h)$`)

// several says that a rule with the mere name of a program does not cover one of
// the things that it does, or what would lose a file's changes.
func (j *judge) several(part *command.Part, c *call, it *item) string {
	switch {
	case it.flag != "" || it.named != unnamed:
	case c.prog.unknown && several[c.name] && it == c.firstOperand() && !looks.MatchString(it.word.Text):
		return it.shown() + " has to be named"
	case c.prog.discards && it.sub == nil && j.isFile(part, it.word.Text):
		return it.shown() + " loses what was changed there"
	}
	return ""
}

// firstOperand is the first item that is no flag.
func (c *call) firstOperand() *item {
	for k := range c.items {
		if c.items[k].flag == "" {
			return &c.items[k]
		}
	}
	return nil
}

var (
	remoteName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	branchStart = regexp.MustCompile(`^[A-Za-z0-9_]`)
	branchName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)
)

// namesRemote reports whether an operand is the name of a remote, which no file
// has, or behind that the name of a branch.
func (j *judge) namesRemote(part *command.Part, c *call, it *item) bool {
	switch {
	case it.flag != "" || it.sub != nil || it.loose || !it.word.Known || part.Dir == "":
		return false
	case it != c.remote():
		return branchName.MatchString(it.word.Text) && !strings.Contains(it.word.Text, "..")
	}
	return remoteName.MatchString(it.word.Text) && !j.isFile(part, it.word.Text)
}

// remote is the first operand behind the subcommand.
func (c *call) remote() *item {
	for k := range c.items {
		if c.items[k].flag == "" && c.items[k].sub == nil {
			return &c.items[k]
		}
	}
	return nil
}

// isFile reports whether there is a file or folder of this name, or may be.
func (j *judge) isFile(part *command.Part, name string) bool {
	if part.Dir == "" || strings.ContainsAny(name, `*?[\`) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, ":") {
		return true
	}
	if !branchStart.MatchString(name) {
		return name != ""
	}
	found, ok := j.world.Glob(part.Dir, "["+name[:1]+"]"+name[1:])
	return !ok || len(found) > 0
}
