package rule

// shellOwn is what the shell does itself.
func shellOwn() table {
	t := table{
		"true false : pwd break continue return exit wait shift": {ops: opText, plain: true, style: bareWord, glue: true, anywhere: true},
		"echo":                         {ops: opText, plain: true, style: bareWord, glue: true, anywhere: true},
		"printf":                       {ops: opText, plain: true, style: bareWord, glue: true, anywhere: true, check: printfPrints},
		"test [":                       {ops: opText, plain: true, style: bareWord, glue: true, anywhere: true, check: testTests},
		"cd pushd chdir":               flags(opRead, "-L -P -e -@").checked(cdNamesFolder).asGlue(),
		"set":                          flags(opNone, "-e -u -x -v -f -n -E -T -C -o: + +e +u +x +v +f +E +T +o:").checked(setIsMild).asGlue(),
		"type":                         pure(flags(opText, "-a -f -p -P -t")).looking("").asGlue(),
		"kill":                         pure(flags(opText, "-l -s: -n: -1 -2 -3 -9 -10 -12 -15")),
		"ulimit":                       flags(opNone, "-a"),
		"source .":                     {ops: opScript, opaque: true},
		"eval exec trap alias unalias": flags(opNone, ""),
		"export declare typeset readonly local unset read hash enable shopt bind complete mapfile readarray getopts let popd dirs builtin umask": flags(opNone, ""),
	}
	for _, p := range t {
		p.builtin = true
	}
	return t
}

// wrappers run another command, which is judged for itself: only their own
// flags matter here.
func wrappers() table {
	return table{
		"timeout":                     flags(opText, "-s: -k: -v --signal: --kill-after: --foreground --preserve-status --verbose"),
		"nohup":                       flags(opNone, ""),
		"setsid":                      flags(opNone, "-w -c -f --wait"),
		"nice":                        flags(opNone, "-n: --adjustment: -#"),
		"ionice":                      flags(opNone, "-c: -n: -t --class: --classdata:"),
		"time":                        flags(opNone, "-p"),
		"stdbuf":                      flags(opNone, "-i: -o: -e: --input: --output: --error:"),
		"command":                     flags(opText, "-v -V"),
		"env":                         flags(opNone, "-i -0 - --ignore-environment --null -u: --unset: -C= --chdir= -S= --split-string= -v"),
		"xargs":                       flags(opNone, "-0 -r -t -x -n: -P: -I: -L: -d: -s: -E: --null --no-run-if-empty --max-args: --max-procs: --max-lines: --delimiter: --max-chars: --verbose --exit -a< --arg-file< -p! --interactive! -o!"),
		"sudo doas su runuser pkexec": flags(opNone, "-n -k -K -v"),
		"watch":                       flags(opNone, "-n: -d -t -g -e -c --interval: --differences --no-title"),
		"busybox toybox":              flags(opNone, ""),
		"strace ltrace gdb valgrind perf chroot unshare nsenter flock script parallel taskset": flags(opNone, ""),
	}
}

// interpreters run a script that is a file; what else they run must be named.
func interpreters() table {
	script := func(words string) *program {
		p := flags(opScript, words)
		p.opaque, p.stdin = true, true
		return p
	}
	return table{
		"bash sh dash zsh ksh ash mksh":          script("--version --help --norc --noprofile --posix -e -u -x -v -n -f -h -o: -O: -c= -l! -i! -s! --login! --rcfile= --init-file="),
		"fish":                                   script("--version --help -n -c= -C= -i! -l! --command= --init-command= --no-config"),
		"python python2 python3 pypy pypy3":      script("--version --help -V -h -u -B -O -OO -E -s -S -I -b -q -v -d -W: -X= -c= -m= -i! -x!"),
		"node nodejs":                            script("--version --help -v -h --test --test-name-pattern: --test-reporter: --no-warnings --trace-warnings --enable-source-maps --max-old-space-size: -c --check -e= -p= -r= -i! --eval= --print= --require= --import= --loader= --experimental-loader= --env-file< --watch --inspect! --inspect-brk!"),
		"ruby":                                   script("--version --help -v -w -W? -c -e= -r= -I= -C= -x! -i! -n! -p! -S!"),
		"perl":                                   script("--version --help -v -w -c -W -t -T -e= -E= -M= -m= -I= -x! -i! -n! -p! -d! -s! -S!"),
		"php":                                    script("--version --help -v -l -n -r= -B= -R= -F= -E= -d= -c= -S= -z=").asEndless(),
		"lua luajit":                             script("-v -e= -l= -i!"),
		"osascript tclsh Rscript julia irb ghci": script("--version --help"),
		"deno bun pwsh powershell node-gyp":      flags(opNone, "--version --help"),
	}
}

// talkers speak with other machines: each word has to be named.
func talkers() table {
	return table{
		"curl": flags(opRemote, "-s -S -f -v -i -I --silent --show-error --fail --verbose --include --head --compressed --max-time: -m: --connect-timeout: --retry: -L! --location! --location-trusted! "+
			"-o= -O! -T= -d= -F= -K= -x= -X= -H= -b= -c= -u= -A= -e= -D= -E= --output= --remote-name! --upload-file= --data= --data-binary= --data-raw= --form= --config= --proxy= --header= --cookie= --cookie-jar= --user= --dump-header= --request= --user-agent= --referer= --unix-socket= --netrc-file= --key= --cert=").checked(wordsAreKnown),
		"wget": flags(opRemote, "-q -S -nv --quiet --spider --server-response --no-verbose").checked(wordsAreKnown),
		"ssh scp sftp rsync nc ncat netcat telnet ftp socat mosh rclone": flags(opRemote, ""),
		"ping dig host nslookup traceroute":                              flags(opRemote, "-c: -4 -6"),
	}
}
