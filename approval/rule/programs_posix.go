package rule

// filters print what they read, from files or from another command.
func filters() table {
	text := "--help --version "
	return table{
		"cat":     flags(opRead, text+"-A -b -e -E -n -s -t -T -u -v --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs").asGlue(),
		"head":    flags(opRead, text+"-# -n: -c: -q -v -z --lines: --bytes: --quiet --silent --verbose").asGlue(),
		"tail":    flags(opRead, text+"-# + -n: -c: -q -v -z -f -F -s: --lines: --bytes: --follow? --retry --pid: --quiet --silent --verbose --sleep-interval:").asGlue(),
		"wc":      flags(opRead, text+"-c -m -l -L -w --bytes --chars --lines --words --max-line-length --total: --files0-from=").asGlue(),
		"sort":    flags(opRead, text+"-b -d -f -g -i -M -h -n -R -r -V -c -C -k: -m -s -t: -S: -u -z --reverse --numeric-sort --human-numeric-sort --version-sort --unique --key: --field-separator: --stable --check? --ignore-case --zero-terminated -o> --output> -T= --compress-program= --files0-from=").asGlue(),
		"uniq":    flags(opRead, text+"-c -d -D -f: -i -s: -u -w: -z --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars:").checked(secondIsWritten).asGlue(),
		"cut":     flags(opRead, text+"-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter:").asGlue(),
		"tr":      flags(opText, text+"-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1").asGlue(),
		"nl":      flags(opRead, text+"-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:").asGlue(),
		"tac rev": flags(opRead, text+"-b -r -s: --separator:").asGlue(),
		"column":  flags(opRead, text+"-t -s: -o: -c: -n -x -N: -R: -H: --table --separator: --output-separator:").asGlue(),
		"paste":   flags(opRead, text+"-d: -s -z --delimiters: --serial").asGlue(),
		"fold":    flags(opRead, text+"-b -s -w: -#").asGlue(),
		"comm":    flags(opRead, text+"-1 -2 -3 -z --check-order --nocheck-order --total --output-delimiter:").asGlue(),
		"cmp":     flags(opRead, text+"-b -i: -l -n: -s --silent --quiet --print-bytes --verbose --bytes: --ignore-initial:").asGlue(),
		"diff":    flags(opRead, text+"-# -a -b -B -c -C: -d -e -E -i -I: -n -N -p -q -r -s -t -T -u -U: -w -W: -x: -y -Z -X< --brief --unified? --context? --recursive --new-file --text --ignore-all-space --ignore-blank-lines --ignore-case --side-by-side --width: --exclude: --exclude-from< --color? --label: --strip-trailing-cr --suppress-common-lines"),
		"od":      flags(opRead, text+"-A: -a -b -c -d -f -i -j: -l -N: -o -s -S: -t: -v -w? -x"),
		"xxd":     flags(opRead, text+"-a -b -c: -e -g: -i -l: -o: -p -s: -u").checked(secondIsWritten),
		"hexdump": flags(opRead, text+"-b -c -C -d -n: -o -s: -v -x"),
		"strings": flags(opRead, text+"-a -n: -t: -o -e: -f -#"),
		"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum": flags(opRead, text+"-b -t -c -z --check --tag --quiet --status --strict --ignore-missing -w"),
		"base64 base32": flags(opRead, text+"-d -D -i -w: --decode --wrap:"),
		"sed": flags(opPattern, text+"-n -E -r -s -u -z -e: -l: --quiet --silent --regexp-extended --expression: --posix --debug --sandbox "+
			"-i! -f= --in-place! --file=").checked(sedIsPlain),
		"awk gawk mawk nawk": flags(opPattern, text+"-F: -v= -f= -i= -l= --field-separator:").checked(awkIsPlain),
		"jq": flags(opPattern, text+"-r -c -n -s -S -e -j -a -C -M -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --join-output --color-output --monochrome-output --raw-input --tab --indent: --ascii-output --seq "+
			"-f= --from-file= -L= --arg= --argjson= --slurpfile= --rawfile= --args! --jsonargs!").checked(jqIsPlain),
		"yq": flags(opPattern, text+"-r -P -o: -p: -e -n -C -M -N -I: --prettyPrint --output-format: --input-format: --exit-status --no-colors --indent: "+
			"-i! --inplace! -s= --split-exp= --from-file=").checked(yqIsPlain),
	}
}

// lookers tell about files and about the machine.
func lookers() table {
	text := "--help --version "
	return table{
		"ls": flags(opRead, text+"-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z -1 "+
			"--all --almost-all --author --block-size: --classify? --color? --directory --format: --full-time --group-directories-first --hide: --human-readable --hyperlink? --ignore: --indicator-style: --inode --literal --no-group --numeric-uid-gid --quote-name --quoting-style: --recursive --reverse --si --size --sort: --tabsize: --time: --time-style: --width:"),
		"tree":      flags(opRead, text+"-a -d -f -i -L: -P: -I: -p -u -g -s -h -D -F -q -N -Q -v -t -c -U -r -C -n -A -S -J -X -x --dirsfirst --prune --noreport --filelimit: --du --matchdirs --gitignore -o> -l! -R!"),
		"stat":      flags(opRead, text+"-c: -f -L -t -x --format: --printf: --terse --dereference --file-system"),
		"file":      flags(opRead, text+"-b -i -k -L -h -N -r -s -z -0 --brief --mime --mime-type --mime-encoding --dereference -m= -f= -C! -F:"),
		"du":        flags(opRead, text+"-a -b -B: -c -d: -h -H -k -m -s -S -t: -x -l --all --apparent-size --block-size: --total --max-depth: --human-readable --summarize --threshold: --exclude: --time? --si -X< --files0-from= -L! --dereference!"),
		"df":        flags(opRead, text+"-a -B: -h -H -i -k -l -P -t: -T -x: --all --human-readable --inodes --local --output? --portability --print-type --total --type: --exclude-type:"),
		"basename":  pure(flags(opText, text+"-a -s: -z --multiple --suffix: --zero")).asGlue(),
		"dirname":   pure(flags(opText, text+"-z --zero")).asGlue(),
		"realpath":  flags(opRead, text+"-e -m -L -P -q -s -z --relative-to< --relative-base< --strip --no-symlinks --canonicalize-existing --canonicalize-missing"),
		"readlink":  flags(opRead, text+"-f -e -m -n -q -s -v -z --canonicalize --no-newline"),
		"seq":       pure(flags(opText, text+"-f: -s: -w --format: --separator: --equal-width")).asGlue(),
		"sleep":     pure(flags(opText, text)).asGlue(),
		"which":     pure(flags(opText, text+"-a -s --all")),
		"uname":     pure(flags(opText, text+"-a -s -n -r -v -m -p -i -o")),
		"nproc":     pure(flags(opText, text+"--all --ignore:")),
		"whoami id": pure(flags(opText, text+"-u -g -G -n -r -z")),
		"date":      flags(opText, text+"-u -R -d: -I? -r< --utc --date: --iso-8601? --rfc-3339: --rfc-email --reference< -f< -s= --set=").checked(dateIsRead),
		"ps":        pure(flags(opText, text+"-e -f -A -a -u: -x -o: -p: -C: -l --forest --sort: --no-headers")).checked(psShowsNoEnvironment),
		"tty":       pure(flags(opText, text+"-s")),
	}
}

// pure commands look at no file: it does not matter where they run.
func pure(p *program) *program { p.anywhere = true; return p }

// makers make, move and remove files; what they write is in their words.
func makers() table {
	text := "--help --version -v --verbose "
	return table{
		"mkdir":       flags(opWrite, text+"-p -m: --parents --mode:").leaving("-p --parents -v --verbose"),
		"touch":       flags(opWrite, text+"-a -c -d: -h -m -r< -t: --no-create --date: --reference< --time:"),
		"rm":          flags(opWrite, text+"-f -i -I -r -R -d --force --recursive --dir --interactive? --one-file-system --preserve-root? --no-preserve-root!"),
		"rmdir":       flags(opWrite, text+"-p --parents --ignore-fail-on-non-empty"),
		"unlink":      flags(opWrite, text),
		"truncate":    flags(opWrite, text+"-c -o -r< -s: --size: --no-create --reference<"),
		"tee":         flags(opWrite, "-a -i -p --append --ignore-interrupts --output-error?").asGlue(),
		"cp":          flags(opCopy, text+"-a -b -d -f -i -n -p -P -R -r -T -u -x --archive --force --interactive --no-clobber --parents --preserve? --recursive --no-target-directory --update? -t> --target-directory> -L! -l! -s! -S="),
		"install":     flags(opCopy, text+"-b -c -C -D -p -T -m: --mode: --compare -d! -t> --target-directory> -o= -g= -s! --strip-program="),
		"mv":          flags(opMove, text+"-b -f -i -n -T -u --force --interactive --no-clobber --no-target-directory --update? -t> --target-directory> -S="),
		"ln link":     flags(opNone, text+"-f -n -r -s -T --force --symbolic --relative --no-dereference"),
		"chmod":       flags(opMode, text+"-c -f -R --changes --silent --quiet --recursive --reference="),
		"chown chgrp": flags(opNone, text),
		"dd":          {style: keyValue, ops: opNone, flags: (&program{}).with("if=< of=> bs=: ibs=: obs=: count=: skip=: seek=: conv=: status=: iflag=: oflag=:").flags},
		"tar zip unzip gzip gunzip bzip2 xz zstd 7z":     flags(opNone, "--help --version"),
		"shred mkfs mke2fs fdisk parted wipefs diskpart": flags(opNone, ""),
	}
}

// searchers look through folders.
func searchers() table {
	grep := flags(opPattern, "--help --version -# -a -A: -b -B: -c -C: -e: -E -f< -F -G -h -H -i -I -l -L -m: -n -o -P -q -r -s -U -v -V -w -x -y -z -Z -T "+
		"--after-context: --before-context: --context: --binary-files: --byte-offset --color? --colour? --count --exclude: --exclude-dir: --exclude-from< --include: --extended-regexp --file< --files-with-matches --files-without-match --fixed-strings --perl-regexp --ignore-case --no-ignore-case --initial-tab --invert-match --label: --line-buffered --line-number --line-regexp --max-count: --no-filename --with-filename --no-messages --null --null-data --only-matching --quiet --silent --recursive --regexp: --text --word-regexp -D: -d: -R! --dereference-recursive!").asGlue()
	return table{
		"grep egrep fgrep": grep,
		"rg":               ripgrep().asGlue(),
		"ag ack":           flags(opPattern, "--help --version -i -l -n -c -w -v -A: -B: -C: -Q -G: --ignore: --hidden --nocolor --nogroup"),
		"fd fdfind": flags(opPattern, "--help --version -H -I -u -s -i -g -F -a -l -p -0 -d: -t: -e: -E: -S: -c: -j: -1 -q --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --max-depth: --min-depth: --exact-depth: --type: --extension: --exclude: --size: --changed-within: --changed-before: --color: --max-results: --print0 --strip-cwd-prefix "+
			"-x= -X= --exec= --exec-batch= -L! --follow! --base-directory= --search-path< --ignore-file<"),
		"find": {ops: opRead, noEnd: true, flags: (&program{}).with("-H -P -D: -maxdepth: -mindepth: -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -type: -xtype: -size: -empty -newer< -anewer< -cnewer< -mtime: -mmin: -atime: -amin: -ctime: -cmin: -user: -group: -uid: -gid: -perm: -links: -inum: -samefile< -lname: -ilname: -readable -writable -executable -prune -print -print0 -printf: -ls -quit -not -a -and -o -or -depth -d -daystart -mount -xdev -true -false -noleaf -nowarn -warn -used: -nouser -nogroup -help --help -version --version " +
			"-L! -follow! -exec! -execdir! -ok! -okdir! -delete! -fprint= -fprint0= -fls= -fprintf= -files0-from=").flags},
	}
}

func ripgrep() *program {
	return flags(opPattern, "--help --version -V -h -a -A: -B: -C: -b -c -e: -E: -f< -F -g: -H -i -I -l -m: -M: -n -N -o -p -P -q -r: -s -S -t: -T: -U -u -v -w -x -0 -d: -j: -. "+
		"--after-context: --before-context: --context: --byte-offset --case-sensitive --color: --colors: --column --no-column --context-separator: --count --count-matches --crlf --debug --encoding: --engine: --field-context-separator: --field-match-separator: --file< --files --files-with-matches --files-without-match --fixed-strings --glob: --iglob: --glob-case-insensitive --heading --no-heading --hidden --ignore-case --ignore-file< --include-zero --invert-match --json --line-buffered --line-number --no-line-number --line-regexp --max-columns: --max-columns-preview --max-count: --max-depth: --maxdepth: --max-filesize: --mmap --multiline --multiline-dotall --no-config --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-messages --null --null-data --one-file-system --only-matching --passthru --pcre2 --pretty --quiet --regex-size-limit: --regexp: --replace: --smart-case --sort: --sortr: --stats --text --threads: --trim --type: --type-not: --type-list --unrestricted --vimgrep --with-filename --no-filename --word-regexp "+
		"--pre= --pre-glob: --hostname-bin= --hyperlink-format= -z! --search-zip! -L! --follow! --type-add=")
}
