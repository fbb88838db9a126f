package rule

// builders build, test and check a project. They run what the project says: to
// name one is to trust that.
func builders() table {
	return table{
		"make gmake": flags(opText, "--help --version -v -h -k -s -n -B -i -q -S -w -r -R -p -d -t -j? -l? -O? --keep-going --silent --quiet --dry-run --just-print --recon --touch --always-make --ignore-errors --question --print-directory --no-print-directory --no-builtin-rules --trace --jobs? --output-sync? "+
			"-C= -f= -I= -E= -o= -W= --directory= --file= --makefile= --include-dir= --eval=").
			leaving("-k -s -B -i -S -w -r -R -d -j -l -O --keep-going --silent --quiet --always-make --ignore-errors --print-directory --no-print-directory --no-builtin-rules --trace --jobs --output-sync").checked(makeSetsNothing),
		"pytest py.test": flags(opRead, "--help --version -h -V -v -vv -vvv -q -qq -x -s -l -k: -m: -n: -r: --maxfail: --tb: --lf --ff --nf --sw --durations: --durations-min: --collect-only --co --no-header --no-summary --showlocals --exitfirst --verbose --quiet --last-failed --failed-first --stepwise --capture: --color: --strict-markers --setup-show --fixtures --markers --disable-warnings --timeout: --cov-report= -c= -p= -o= -W=").
			leaving("-v -vv -vvv -q -qq -x -s -l -k -m -n -r --maxfail --tb --lf --ff --nf --sw --durations --durations-min --no-header --no-summary --showlocals --exitfirst --verbose --quiet --last-failed --failed-first --stepwise --capture --color --strict-markers --setup-show --disable-warnings --timeout"),
		"tsc": flags(opRead, "--help --version -h -v --noEmit --pretty --strict --listFiles --skipLibCheck --diagnostics -w --watch -p< --project< -b --build").leaving("--pretty --strict --listFiles --skipLibCheck --diagnostics -w --watch -p --project").asEndless(),
		"eslint": flags(opRead, "--help --version -h -v --ext: --quiet --max-warnings: --no-color --color --no-warn-ignored --debug --cache! --fix! --fix-dry-run -o> --output-file> -c= --config= -f= --format= --rulesdir= --resolve-plugins-relative-to= --plugin= --parser=").
			leaving("--ext --quiet --max-warnings --no-color --color --no-warn-ignored --debug"),
		"prettier": flags(opRead, "--help --version -h -v --check -c --list-different -l --no-color --log-level: --ignore-unknown -u --write! -w! --config= --plugin= --ignore-path< --stdin-filepath:").
			leaving("--no-color --log-level --ignore-unknown -u --ignore-path --stdin-filepath"),
		"ruff":                            (&program{}).sub("check", flags(opRead, "-q -v --quiet --no-cache --output-format: --select: --ignore: --statistics --show-files").leaving("-q -v --quiet --no-cache --output-format --select --ignore --statistics")).sub("format", flags(opRead, "--check --diff -q").leaving("-q").asNamed()),
		"mypy pyright flake8 black isort": flags(opRead, "--help --version --check --check-only --diff -q --quiet --strict --no-color-output").leaving("-q --quiet --strict --no-color-output"),
		"shellcheck":                      flags(opRead, "--help --version -V -s: -S: -e: -f: -x! -a --shell: --severity: --exclude: --format: --color?").looking("-V"),
		"golangci-lint staticcheck":       flags(opPackage, "--help --version"),
		"npx bunx pipx uvx":               flags(opNone, ""),
	}
}

func golang() *program {
	build := "-a -n -p: -race -msan -asan -cover -covermode: -coverpkg: -v -x -work -buildvcs: -json -tags: -trimpath -asmflags= -gcflags= -gccgoflags= -ldflags= -buildmode= -compiler= -installsuffix= -linkshared! -mod= -modcacherw! -modfile= -overlay= -pgo= -pkgdir= -toolexec= -C= "
	test := build + "-bench: -benchmem -benchtime: -count: -cpu: -failfast -fullpath -fuzztime: -list: -parallel: -run: -short -shuffle: -skip: -timeout: -vet: " +
		"-args! -c! -i! -exec= -o> -fuzz= -blockprofile> -coverprofile> -cpuprofile> -memprofile> -mutexprofile> -trace> -outputdir= -vettool= -blockprofilerate: -memprofilerate: -mutexprofilefraction: -test.run: -test.v"
	builds := "-a -p -race -msan -asan -cover -covermode -coverpkg -v -x -work -buildvcs -json -tags -trimpath "
	sub := func(o ops, words string) *program { return goFlags(flags(o, words)) }
	looks := func(o ops, words string) *program { return sub(o, words).looking("") }
	p := goFlags(&program{})
	p.sub("version", looks(opRead, "-m -v"))
	p.sub("env", looks(opText, "-json -changed -w! -u!"))
	p.sub("list", looks(opPackage, build+"-f: -m -u -versions -retracted -deps -test -e -export! -find -compiled! -reuse="))
	p.sub("doc help", looks(opText, "-all -c -cmd -short -src -u -C="))
	p.sub("vet", sub(opPackage, build+"-vettool= -c:").leaving(builds+"-c").asNamed())
	p.sub("test", sub(opPackage, test).leaving(builds+"-bench -benchmem -benchtime -count -cpu -failfast -fullpath -fuzztime -parallel -run -short -shuffle -skip -timeout -vet -blockprofilerate -memprofilerate -mutexprofilefraction -test.run -test.v").asNamed())
	p.sub("build", sub(opPackage, build+"-o> -i!").leaving(builds).asNamed())
	p.sub("install", sub(opPackage, build).leaving(builds).asNamed())
	p.sub("generate", sub(opPackage, build+"-run: -skip:").leaving(builds+"-run -skip").asNamed())
	run := sub(opPackage, build+"-exec=").leaving(builds).asNamed()
	run.opaque = true
	p.sub("run", run)
	p.sub("fmt", sub(opPackage, "-n -x -mod=").leaving("-x").asNamed())
	mod := (&program{}).sub("graph verify why", looks(opText, "-m -vendor"))
	mod.sub("tidy download vendor", sub(opText, "-v -x -e -json -compat:").leaving("-v -x -e -json -compat").asNamed())
	p.sub("mod", mod)
	return p
}

func goFlags(p *program) *program { p.style = goStyle; return p }

func gofmt() *program {
	return flags(opRead, "-l -d -s -e -r: -w! -cpuprofile>").looking("")
}

func npm() *program {
	p := flags(opArgs, "--silent -s --version -v --help -h --no-color --color? --no-audit --no-fund --loglevel:").leaving("--silent -s --no-color --color --no-audit --no-fund --loglevel")
	script := p.scripts("test t tst run run-script start stop restart")
	script.sub("ls list ll la view info show outdated why explain root bin whoami ping", flags(opText, "--json --long --depth: --all -a --parseable --omit: --prod --production").looking(""))
	script.sub("ci install i add remove uninstall rm update up dedupe prune audit rebuild", flags(opText, "--silent -s --no-audit --no-fund --ignore-scripts --omit: --include: --save-dev -D --save --save-exact -E --prefer-offline --offline --legacy-peer-deps --production --json --dry-run").
		leaving("--silent -s --no-audit --no-fund --save-dev -D --save --save-exact -E --prefer-offline --legacy-peer-deps --json").asNamed().checked(packagesAreNamed))
	return script
}

func pnpm() *program {
	p := flags(opArgs, "--silent -s --version -v --help -h -r --recursive --filter: -F: --no-color --color? --stream").leaving("--silent -s -r --recursive --filter -F --no-color --color --stream")
	p.scripts("test t run start stop")
	p.sub("ls list why outdated", flags(opText, "--json --long --depth: --prod --dev").looking(""))
	return p.sub("install i add remove rm update up", flags(opText, "--frozen-lockfile --offline --prefer-offline --ignore-scripts -D --save-dev -E --save-exact").leaving("--prefer-offline -D --save-dev -E --save-exact").asNamed().checked(packagesAreNamed))
}

func yarn() *program {
	p := flags(opArgs, "--silent -s --version -v --help -h --no-color").leaving("--silent -s --no-color")
	p.scripts("test run start")
	p.sub("list why info outdated", flags(opText, "--json --depth: --pattern:").looking(""))
	return p.sub("install add remove upgrade up", flags(opText, "--frozen-lockfile --immutable --offline --ignore-scripts -D --dev -E --exact").leaving("-D --dev -E --exact").asNamed().checked(packagesAreNamed))
}

// scripts are subcommands that run what the project calls so.
func (p *program) scripts(names string) *program {
	script := flags(opArgs, "--silent -s --if-present --ignore-scripts --workspaces --ws --workspace: -w: --json --color? --no-color -- --loglevel:").leaving("--silent -s --if-present --workspaces --ws --workspace -w --json --color --no-color --loglevel").asNamed()
	script.hands = true
	return p.sub(names, script)
}

func cargo() *program {
	all := "--release -r --all --workspace -p: --package: --exclude: --lib --bins --tests --examples --benches --bin: --test: --example: --bench: --all-targets --all-features --no-default-features --features: -F: -q --quiet -v -vv --verbose --message-format: --color: --no-run --no-fail-fast --locked --offline --frozen -j: --jobs: --keep-going --profile: --target: --doc " +
		"--config= --manifest-path= --target-dir= -Z= -C= --out-dir= --artifact-dir="
	does := "--release -r --all --workspace -p --package --exclude --lib --bins --tests --examples --benches --bin --test --example --bench --all-targets --all-features --no-default-features --features -F -q --quiet -v -vv --verbose --message-format --color --no-fail-fast -j --jobs --keep-going --profile --target"
	p := flags(opArgs, "--version -V --help -h -q --quiet -v --verbose --color: --locked --offline --frozen --config= -Z= -C=").leaving("-q --quiet -v --verbose --color")
	p.sub("test t build b check c clippy bench doc d", flags(opArgs, all).leaving(does).asNamed())
	p.sub("run r", flags(opArgs, all).leaving(does).asNamed())
	p.sub("fmt", flags(opArgs, "--check --all -q --quiet -v --verbose --config= --manifest-path=").leaving("--all -q --quiet -v --verbose").asNamed())
	return p.sub("tree metadata version search", flags(opText, all+" --depth: -i: --invert: -e: --edges: -d --duplicates --format-version: --no-deps").looking(""))
}

func docker() *program {
	text := "-a -q -s -n: -f: --all --quiet --filter: --format: --no-trunc --size --last: --latest --tail: --since: --until: --timestamps -t --details --follow"
	p := &program{}
	p.sub("ps images logs inspect version info top port history stats diff search", flags(opText, text).looking(""))
	p.sub("run exec build push pull cp save load login create start stop kill rm rmi", flags(opRemote, "-i -t --rm -d -q").asNamed())
	return p
}

func kubectl() *program {
	text := "-n: --namespace: -A --all-namespaces -o: --output: -l: --selector: -w --watch --tail: --since: -f -c: --container: -p --previous --show-labels --no-headers --sort-by: --field-selector: --kubeconfig= --context= --cluster= --server= --token= --as="
	p := flags(opText, text).looking("")
	p.sub("get describe logs top version explain api-resources api-versions cluster-info", flags(opText, text).looking(""))
	return p.sub("apply delete create edit patch exec run cp port-forward scale rollout drain cordon replace", flags(opRemote, text).asNamed())
}
