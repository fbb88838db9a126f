package rule

import (
	"strings"
	"sync"

	"drawbridge/approval/command"
)

// Programs take several words for one thing: `npm i` is `npm install`, `git push
// -f` is `git push --force`. A rule means all of them.

// aliases are names of subcommands that mean the same, by the program; the first
// of those joined by = is the one they are compared by.
var aliases = map[string]string{
	"npm": "install=i=in=ins=inst=insta=instal=isnt=isnta=isntal=isntall=add test=t=tst run=run-script=rum=urn uninstall=un=unlink=remove=rm=r update=up=upgrade=udpate ci=clean-install=ic=install-clean=isntall-clean " +
		"exec=x list=ls=la=ll view=v=info=show config=c login=adduser=add-user init=create=innit dedupe=ddp explain=why rebuild=rb link=ln search=s=se=find issues=bugs home=docs owner=author install-test=it",
	"pnpm":  "install=i test=t=tst run=run-script remove=rm=un=uninstall update=up=upgrade list=ls=la=ll exec=x",
	"yarn":  "upgrade=up",
	"bun":   "add=a install=i remove=rm exec=x",
	"cargo": "build=b check=c test=t run=r doc=d remove=rm",
	"git":   "add=stage",
	"helm":  "uninstall=del=delete=un list=ls",
	"brew":  "uninstall=remove=rm list=ls upgrade=up",
	"svn":   "commit=ci checkout=co delete=del=remove=rm update=up status=stat=st copy=cp move=mv=rename=ren switch=sw diff=di list=ls",
	"hg":    "commit=ci update=up=checkout=co remove=rm status=st push=pus",
	"pip":   "uninstall=remove", "apt": "remove=rm", "conda": "remove=uninstall update=upgrade",
	"gem": "install=i", "bundle": "install=i", "flutter": "upgrade=up",
}

// spellings are flags that mean the same, by the program and its subcommand.
var spellings = map[string]string{
	"git push":     "-f=--force -u=--set-upstream -n=--dry-run -d=--delete -q=--quiet -v=--verbose",
	"git commit":   "-n=--no-verify -a=--all -m=--message -s=--signoff -p=--patch -v=--verbose -q=--quiet -F=--file -C=--reuse-message -e=--edit -S=--gpg-sign -o=--only -i=--include",
	"git branch":   "-d=--delete -f=--force -m=--move -c=--copy -r=--remotes -a=--all -v=--verbose -q=--quiet -l=--list -u=--set-upstream-to",
	"git tag":      "-d=--delete -f=--force -a=--annotate -m=--message -s=--sign -F=--file -l=--list -v=--verify",
	"git checkout": "-f=--force -m=--merge -p=--patch -q=--quiet -t=--track", "git switch": "-f=--force=--discard-changes -c=--create -C=--force-create -m=--merge -q=--quiet -d=--detach -t=--track",
	"git clean": "-f=--force -n=--dry-run -e=--exclude -q=--quiet -i=--interactive", "git add": "-A=--all=--no-ignore-removal -f=--force -u=--update -n=--dry-run -p=--patch -i=--interactive -e=--edit -N=--intent-to-add",
	"git rm": "-f=--force -n=--dry-run -q=--quiet", "git mv": "-f=--force -n=--dry-run -v=--verbose",
	"git fetch": "-f=--force -p=--prune -t=--tags -a=--append -u=--update-head-ok -q=--quiet", "git pull": "-f=--force -r=--rebase -p=--prune -t=--tags -q=--quiet",
	"git merge": "-m=--message -s=--strategy -X=--strategy-option -n=--no-stat -q=--quiet", "git rebase": "-i=--interactive -x=--exec -s=--strategy -X=--strategy-option -r=--rebase-merges",
	"git restore": "-s=--source -S=--staged -W=--worktree -p=--patch -q=--quiet", "git stash": "-u=--include-untracked -a=--all -m=--message -k=--keep-index -p=--patch",
	"git diff": "-p=-u=--patch -w=--ignore-all-space -b=--ignore-space-change", "git log": "-p=-u=--patch -n=--max-count", "git cherry-pick": "-n=--no-commit -e=--edit -s=--signoff", "git revert": "-n=--no-commit -e=--edit -s=--signoff",
	"git config": "-l=--list -e=--edit -f=--file", "git worktree": "-f=--force", "git clone": "-b=--branch -o=--origin -u=--upload-pack -c=--config -j=--jobs",
	"rm": "-r=-R=--recursive -f=--force -d=--dir -v=--verbose", "cp": "-r=-R=--recursive -f=--force -a=--archive -n=--no-clobber -l=--link -s=--symbolic-link -t=--target-directory -L=--dereference",
	"mv": "-f=--force -n=--no-clobber -t=--target-directory", "ln": "-f=--force -s=--symbolic -r=--relative",
	"chmod": "-R=--recursive -f=--silent=--quiet", "chown": "-R=--recursive -h=--no-dereference", "chgrp": "-R=--recursive -h=--no-dereference",
	"mkdir": "-p=--parents -m=--mode", "tee": "-a=--append", "sort": "-o=--output -u=--unique -r=--reverse -n=--numeric-sort",
	"grep": "-r=--recursive -R=--dereference-recursive -i=--ignore-case -v=--invert-match -e=--regexp -f=--file", "sed": "-i=--in-place -e=--expression -f=--file -n=--quiet=--silent -E=-r=--regexp-extended -s=--separate",
	"curl": "-X=--request -d=--data -o=--output -O=--remote-name -T=--upload-file -F=--form -H=--header -u=--user -k=--insecure -L=--location -I=--head -K=--config -x=--proxy -b=--cookie",
	"wget": "-O=--output-document -r=--recursive -P=--directory-prefix -i=--input-file -q=--quiet", "make": "-B=--always-make -C=--directory -f=--file=--makefile -k=--keep-going -j=--jobs -n=--recon=--just-print=--dry-run -q=--question -t=--touch -s=--silent=--quiet",
	"npm": "-g=--global -D=--save-dev -f=--force -s=--silent -w=--workspace -E=--save-exact", "pnpm": "-g=--global -D=--save-dev -r=--recursive -F=--filter -w=--workspace-root", "yarn": "-D=--dev -E=--exact",
	"cargo": "-p=--package -r=--release -q=--quiet -v=--verbose -F=--features -j=--jobs", "pip": "-r=--requirement -U=--upgrade -e=--editable -i=--index-url -y=--yes", "pip3": "-r=--requirement -U=--upgrade -e=--editable -i=--index-url -y=--yes",
	"apt": "-y=--yes=--assume-yes", "apt-get": "-y=--yes=--assume-yes", "docker run": "-v=--volume -d=--detach -i=--interactive -t=--tty -p=--publish -e=--env -u=--user -w=--workdir", "docker exec": "-d=--detach -i=--interactive -t=--tty -e=--env -u=--user -w=--workdir", "docker rm": "-f=--force -v=--volumes", "docker rmi": "-f=--force",
	"kubectl": "-n=--namespace -f=--filename -o=--output -A=--all-namespaces -l=--selector -k=--kustomize", "node": "-e=--eval -r=--require -p=--print -c=--check", "tar": "-x=--extract=--get -c=--create -f=--file -t=--list -C=--directory",
	"tsc": "-p=--project -w=--watch -b=--build", "sudo": "-u=--user -i=--login -s=--shell -E=--preserve-env", "rsync": "-r=--recursive -a=--archive -n=--dry-run -e=--rsh", "eslint": "-o=--output-file -c=--config -f=--format", "prettier": "-w=--write -c=--check -l=--list-different",
}

// kin are words that do what a flag does in part, or in another way: a rule that
// forbids the flag is perhaps about them.
var kin = map[string]map[string][]string{
	"git push":   {"--force": {"--force-with-lease", "--force-if-includes", "--mirror", "+"}, "--delete": {"--mirror", "--prune", ":"}, "--all": {"--branches", "--mirror"}},
	"git branch": {"--delete": {"-D"}, "--force": {"-D", "-M", "-C"}, "--move": {"-M"}},
	"git switch": {"--force": {"-C", "--force-create"}, "--discard-changes": {"-f", "--force"}},
	"git commit": {"--message": {"-F", "--file"}},
	"cp":         {"--recursive": {"-a", "--archive"}},
	"rsync":      {"--recursive": {"-a", "--archive"}},
	"npm":        {"--global": {"--location"}},
}

// equals are words by what they are compared by.
type equals map[string]string

// readEquals takes "a=b c=d=e" apart. It is compared by the last of flags, which
// is the longest, and by the first of subcommands.
func readEquals(text string) equals {
	all := equals{}
	for group := range strings.FieldsSeq(text) {
		words := strings.Split(group, "=")
		to := words[0]
		if strings.HasPrefix(to, "-") {
			to = words[len(words)-1]
		}
		for _, w := range words {
			all[w] = to
		}
	}
	return all
}

// sameTables are the tables as they are looked up, by program.
var sameTables = sync.OnceValue(func() (all struct{ subs, flags map[string]equals }) {
	all.subs, all.flags = map[string]equals{}, map[string]equals{}
	for name, text := range aliases {
		all.subs[name] = readEquals(text)
	}
	for name, text := range spellings {
		all.flags[name] = readEquals(text)
	}
	return all
})

// canonical is the word by which a subcommand is compared.
func canonical(name, word string) string {
	if to, ok := sameTables().subs[name][word]; ok {
		return to
	}
	return word
}

// is is the flag by which a flag is compared.
func (e equals) is(flag string) string {
	if to, ok := e[flag]; ok {
		return to
	}
	return flag
}

// spellingsOf are the flags that a rule's command has by more than one name, and
// where they are listed.
func spellingsOf(name string, words []token) (equals, string) {
	for _, w := range words {
		if w.wild != "" || w.text == "" || w.text[0] == '-' {
			continue
		}
		key := name + " " + canonical(name, w.text)
		if e := sameTables().flags[key]; e != nil {
			return e, key
		}
		break
	}
	return sameTables().flags[name], name
}

// otherwise compares a flag of a rule with a word that may spell it in another
// way, or do in part what it does.
func (r *entry) otherwise(flag string, w command.Word) (likely, string) {
	if !w.Known || w.Text == "" {
		return no, ""
	}
	name, valued, has := strings.Cut(flag, "=")
	to := r.same.is(name)
	for other, as := range r.same {
		if as != to || other == name {
			continue
		}
		if value, ok := spelled(r.call, other, w.Text); ok && (!has || value == valued) {
			return yes, value
		}
	}
	for _, other := range kin[r.sameAs][to] {
		ok := strings.HasPrefix(w.Text, other)
		if len(other) == 2 && other[0] == '-' {
			_, ok = spelled(r.call, other, w.Text)
		}
		if ok {
			return perhaps, ""
		}
	}
	return no, ""
}

// spelled reports whether a word is, or holds, a flag, with the value that is
// attached. Among letters what follows one that takes a value is that.
func spelled(c *call, flag, text string) (value string, ok bool) {
	if text[0] != '-' {
		return "", false
	}
	if strings.HasPrefix(flag, "--") {
		name, value, _ := strings.Cut(text, "=")
		return value, name == flag || len(name) > 3 && strings.HasPrefix(name, "--") && strings.HasPrefix(flag, name)
	}
	if strings.HasPrefix(text, "--") {
		return "", false
	}
	for i := 1; i < len(text); i++ {
		if text[i] == flag[1] {
			return strings.TrimPrefix(text[i+1:], "="), true
		}
		if u := c.prog.flags["-"+text[i:i+1]]; u.takesValue() || u == useOpt {
			return "", false
		}
	}
	return "", false
}
