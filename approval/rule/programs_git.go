package rule

// git reads under the rule `git` alone; what changes anything must be named.
func git() *program {
	p := flags(opArgs, "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-advice --version -v --help -h "+
		"-c= -C= --exec-path= --git-dir= --work-tree= --namespace= --super-prefix= --config-env= -p! --paginate! --bare! --attr-source=")
	p.leaving("--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-advice")
	gitLooks(p)
	for _, s := range p.subs {
		s.looking("")
	}
	p.checkedAll(signaturesAreNot)
	gitChanges(p)
	for _, name := range []string{"push", "fetch", "pull"} {
		p.subs[name].remotes = true
	}
	p.subs["checkout"].discards = true
	return p
}

const (
	gitDiffFlags = "-p -u -s -U: --patch --no-patch --unified: --raw --patch-with-raw --minimal --patience --histogram --anchored: --diff-algorithm: --stat? --compact-summary --numstat --shortstat --dirstat? --cumulative --summary --patch-with-stat -z --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --word-diff? --word-diff-regex: --color-words? --no-renames --rename-empty --check --full-index --binary --abbrev? -B? -M? -C? -D --find-renames? --find-copies? --find-copies-harder --irreversible-delete -l: --diff-filter: -S: -G: --find-object: --pickaxe-all --pickaxe-regex --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I: --inter-hunk-context: -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --default-prefix --line-prefix: --ita-invisible-in-index --cached --staged --merge-base -R -r -t -0 -1 -2 -3 --base --ours --theirs --cc -c -m --combined-all-paths --no-index! " +
		"-O< --output> --ext-diff! --textconv! "
	gitLogFlags = gitDiffFlags + "-# -n: --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep: --all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges --min-parents: --max-parents: --first-parent --not --all --branches? --tags? --remotes? --glob: --exclude: --ignore-missing --cherry --cherry-mark --cherry-pick --left-only --right-only --left-right -g --walk-reflogs --boundary --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format: --abbrev-commit --no-abbrev-commit --oneline --encoding: --expand-tabs? --notes? --no-notes --relative-date --date: --parents --children --graph --show-linear-break? --count --decorate? --no-decorate --decorate-refs: --decorate-refs-exclude: --source --follow --log-size -L~ --no-mailmap --mailmap -q --clear-decorations --show-pulls --remerge-diff --show-signature! --stdin! "
)

// gitLooks are the subcommands that read.
func gitLooks(p *program) {
	p.sub("status", flags(opRead, "-s -b -v -vv -u? -z --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?"))
	p.sub("diff diff-tree diff-index diff-files", flags(opArgs, gitDiffFlags))
	p.sub("log show whatchanged rev-list", flags(opArgs, gitLogFlags))
	p.sub("shortlog", flags(opArgs, gitLogFlags+"-s -n -e -w? --summary --numbered --email --group:"))
	p.sub("blame annotate", flags(opArgs, "-b -c -e -f -h -k -l -L: -M? -C? -n -p -s -t -w --porcelain --line-porcelain --show-email --show-name --show-number --root --abbrev: --date: --since: --reverse --color-lines --color-by-age --ignore-rev: --contents= -S="))
	p.sub("rev-parse", flags(opArgs, "--abbrev-ref? --short? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --is-inside-git-dir --verify -q --quiet --symbolic --symbolic-full-name --all --branches --tags --remotes --default: --revs-only --no-revs --flags --no-flags --sq --not --path-format: --local-env-vars"))
	p.sub("ls-files", flags(opRead, "-c -d -m -o -i -s -u -k -z -t -v -f -x: -X< --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --exclude: --exclude-from< --exclude-per-directory: --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --debug --deduplicate --format:"))
	p.sub("ls-tree", flags(opArgs, "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:"))
	p.sub("grep", flags(opPattern, "-a -I -i -w -v -E -G -P -F -n -h -H -l -L -z -o -c -p -W -q -e: -A: -B: -C: -m: -# -r --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --no-color --break --heading --show-function --function-context --after-context: --before-context: --context: --max-depth: --max-count: --threads: --and --or --not --all-match --quiet --cached --untracked --no-index! --exclude-standard --recurse-submodules --recursive -f= -O! --open-files-in-pager! --textconv!"))
	p.sub("describe", flags(opArgs, "--all --tags --contains --abbrev: --candidates: --exact-match --long --match: --exclude: --always --first-parent --dirty? --broken? --debug"))
	p.sub("cat-file", flags(opArgs, "-t -s -e -p --textconv! --filters!"))
	p.sub("merge-base name-rev", flags(opArgs, "-a --all --octopus --independent --is-ancestor --fork-point --tags --name-only --always --refs:"))
	p.sub("for-each-ref show-ref show-branch", flags(opArgs, "--count: --sort: --format: --color? --points-at: --merged? --no-merged? --contains? --no-contains? --head --heads --tags --branches -d --dereference -s --hash? --verify -q --quiet --exists --ignore-case"))
	p.sub("check-ignore", flags(opRead, "-q -v -z -n --quiet --verbose --non-matching --no-index"))
	p.sub("reflog", flags(opArgs, gitLogFlags).sub("show list exists", flags(opArgs, gitLogFlags)))
	p.sub("count-objects version help var", flags(opText, "-v -H --verbose --human-readable --build-options -a -g"))
	gitLists(p)
}

// gitLists are the forms of subcommands that list what others of them change.
func gitLists(p *program) {
	p.sub("branch", flags(opNone, "-a -r -v -vv -l -i -q --list? --all --remotes --verbose --show-current --contains? --no-contains? --merged? --no-merged? --points-at: --sort: --format: --color? --no-color --column? --no-column --abbrev? --no-abbrev --ignore-case"))
	p.sub("tag", flags(opNone, "-l -n? -i --list? --contains? --no-contains? --merged? --no-merged? --points-at: --sort: --format: --color? --column? --ignore-case"))
	remote := flags(opNone, "-v --verbose")
	remote.sub("show get-url", flags(opText, "-n --all --push"))
	p.sub("remote", remote)
	stash := flags(opNone, "").asNamed()
	stash.sub("list show", flags(opArgs, gitLogFlags+"--include-untracked -u --only-untracked"))
	stash.sub("push save pop apply drop", flags(opArgs, "-q -u -k -m: -a --quiet --include-untracked --keep-index --message: --all --index --staged -S").asNamed())
	p.sub("stash", stash)
	p.sub("config", flags(opNone, "-l -z --list --get: --get-all: --get-regexp: --global --local --system --worktree --show-origin --show-scope --name-only --null --type: --bool --int --path --default: --includes --no-includes"))
	worktree := (&program{}).sub("list", flags(opText, "-v -z --verbose --porcelain"))
	p.sub("worktree", worktree)
	submodule := (&program{}).sub("status summary", flags(opRead, "-q --quiet --cached --recursive"))
	p.sub("submodule", submodule)
}

// gitChanges are the subcommands that change the repository or the files: a
// rule has to name them.
func gitChanges(p *program) {
	named := func(names string, s *program) { p.sub(names, s.asNamed()) }
	named("add stage", flags(opRead, "-n -v -f -i -p -u -A -N --dry-run --verbose --force --interactive --patch --update --all --no-all --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse --chmod: -e! --edit!").leaving("-v --verbose -f --force -A --all --no-all --ignore-errors --sparse"))
	named("commit", flags(opRead, "-a -p -v -q -n -s -m: -u? -z --all --patch --message: --verbose --quiet --signoff --no-edit --allow-empty --allow-empty-message --amend --dry-run --short --branch --porcelain --long --status --no-status --author: --date: --fixup: --squash: --reuse-message: -C: --no-verify --no-gpg-sign --untracked-files? --no-post-rewrite --trailer: --only -o --include -i --reset-author -F< --file< -t= --template= -e! --edit! -c= -S? --gpg-sign?"))
	named("push", flags(opRemote, "-u -n -v -q --set-upstream --dry-run --verbose --quiet --porcelain --progress --no-progress --atomic --follow-tags -f! --force! --force-with-lease! --mirror! --delete! -d! --all! --tags! --prune! --exec= --receive-pack= --repo= -o= --no-verify!"))
	named("fetch pull", flags(opRemote, "-a -v -q -p -t -n --all --verbose --quiet --prune --tags --no-tags --dry-run --depth: --progress --no-progress --ff-only --no-rebase --rebase? -r --no-edit --no-commit --ff --no-ff --autostash --unshallow -j: --jobs: --upload-pack= -o= -X= --strategy-option= -s= --strategy="))
	named("checkout switch", flags(opArgs, "-q -b: -t -c: -m -p --quiet --track? --no-track --detach --merge --patch --ours --theirs --guess --no-guess --progress --no-progress --create: --orphan: -f! --force! -B= -C= --discard-changes! -l --conflict:"))
	named("restore", flags(opRead, "-s: -S -W -q -p --source: --staged --worktree --quiet --patch --ours --theirs --ignore-unmerged --overlay --no-overlay --progress --no-progress -m --merge"))
	named("merge", flags(opArgs, "-q -v -n -m: --quiet --verbose --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --no-edit --stat --no-stat --log? --abort --continue --quit --message: --signoff --autostash -F< --file< -s= --strategy= -X= --strategy-option= --no-verify -e! --edit!"))
	named("rebase", flags(opArgs, "-q -v -n --quiet --verbose --continue --abort --skip --quit --onto: --keep-base --autostash --no-autostash --autosquash --no-autosquash --root --fork-point --no-fork-point --stat -r --rebase-merges? -x= --exec= -i! --interactive! --edit-todo! -s= --strategy= -X= -S? --no-verify"))
	named("reset", flags(opArgs, "-q -N -p --quiet --mixed --soft --intent-to-add --patch --hard! --merge! --keep!"))
	named("clean", flags(opWrite, "-n -q -e: --dry-run --quiet --exclude: -f! --force! -x! -X! -d! -i! --interactive!"))
	named("rm", flags(opWrite, "-n -q -r --dry-run --quiet --cached --ignore-unmatch -f! --force!"))
	named("mv", flags(opMove, "-n -v -k --dry-run --verbose -f! --force!"))
	named("cherry-pick revert", flags(opArgs, "-n -x -s -m: --no-commit --signoff --mainline: --continue --abort --skip --quit --ff --no-edit --allow-empty -e! --edit! -X= --strategy= -S?"))
	named("init clone", flags(opRemote, "-q --quiet -b: --branch: --initial-branch: --depth: --single-branch --template= -u= --upload-pack= -c= --config= --separate-git-dir= --recurse-submodules! --reference="))
	named("apply am", flags(opRead, "--check --stat --numstat --summary -v --verbose -R --reverse -3 --3way --index --cached -p: -C: --whitespace: --recount --directory= --unsafe-paths! --reject!"))
	named("difftool mergetool bisect filter-branch update-index update-ref archive bundle daemon gc fsck maintenance hook credential lfs send-email instaweb gui citool upload-pack receive-pack", flags(opNone, ""))
}
