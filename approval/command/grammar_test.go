package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// grammar writes random scripts of stand-in commands: alpha, beta and gamma do
// nothing, nay fails, say prints its arguments. Whatever runs, it ends.
type grammar struct {
	*rand.Rand
	functions int // f0, f1, …: each calls earlier ones only, so that none calls itself
	files     int
}

func (g *grammar) pick(of ...string) string { return of[g.IntN(len(of))] }

// script is several lines.
func (g *grammar) script() string {
	var b strings.Builder
	if g.IntN(2) == 0 {
		b.WriteString("c=alpha c2='beta b' x='a b' y=\n")
	}
	for range 1 + g.IntN(3) {
		b.WriteString(g.list(g.IntN(4)))
		b.WriteString("\n")
	}
	return b.String()
}

// list is commands that run after, or beside, each other.
func (g *grammar) list(depth int) string {
	line := g.pipeline(depth)
	for range g.IntN(3) {
		line += g.pick("; ", " && ", " || ", "; ", " & ", "\n", " # a comment; beta no\n", " &&\n", "\\\n; ") + g.pipeline(depth)
	}
	return line
}

func (g *grammar) pipeline(depth int) string {
	line := g.pick("", "", "", "", "! ", "time -p ") + g.command(depth)
	for range g.IntN(6) / 4 {
		line += g.pick(" | ", " | ", " |& ", " |\n") + g.command(depth)
	}
	return line
}

func (g *grammar) command(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		return g.simple(depth)
	}
	forms := []func(int) string{g.compound, g.compound, g.wrapped, g.wrapped, g.state, g.state, g.defined, g.text}
	return forms[g.IntN(len(forms))](depth - 1)
}

// simple is a command with its assignments, arguments and redirections.
func (g *grammar) simple(depth int) string {
	var words []string
	if g.IntN(6) == 0 {
		words = append(words, g.pick("x", "y", "V")+g.pick("=", "=", "+=")+g.word(depth))
	}
	if g.IntN(8) == 0 {
		words = append(words, g.redirect(depth))
	}
	words = append(words, g.name())
	for range g.IntN(4) {
		words = append(words, g.word(depth))
	}
	for range g.IntN(5) / 3 {
		words = append(words, g.redirect(depth))
	}
	return strings.Join(words, g.pick(" ", " ", " ", "  ", "\t", " \\\n"))
}

func (g *grammar) name() string {
	plain := g.pick("alpha", "beta", "gamma", "nay", "say")
	switch g.IntN(12) {
	case 0:
		return plain[:1] + g.pick(`''`, `""`, `\`, "\\\n", `$''`) + plain[1:]
	case 1:
		return g.pick(`"`+plain+`"`, `'`+plain+`'`, `$'`+plain+`'`, `$"`+plain+`"`, `\`+plain, fmt.Sprintf(`$'\x%x%s'`, plain[0], plain[1:]))
	case 2:
		return g.pick("./local", "sub/local", "$c", `"$c"`, "${c}", "$c2", "{alpha,beta}", "alpha{,x}")
	case 3:
		if g.functions > 0 {
			return fmt.Sprintf("f%d", g.IntN(g.functions))
		}
	}
	return plain
}

func (g *grammar) word(depth int) string {
	word := g.piece(depth)
	for range g.IntN(5) / 3 {
		word += g.piece(depth)
	}
	return word
}

var pieces = []string{
	"a", "-n", "--long=x", "x.go", "'q r'", `"q r"`, `\ `, `''`, `$'t\tu'`, "$x", `"$x"`, "${x}", "$y", `"$y$x"`, "*.go", "sub/*", "?.go", "{p,q}", "{1..3}", "~", "~/d",
	"$((1+2))", "${x:-d}", "${none:-d}", `"${x:+s}"`, "${x#v}", "${x/1/2}", "${#x}", "$?", "$#", `"$@"`, "$1", "$IFS", "$_", "[ab].go", "a=~", "%1", "x#y", `"a\"b"`,
	`'$(beta no)'`, `\$\(beta`, `"\$(beta)"`, `\;`, `"; beta no"`, `'|'`, `\&`, "é", "{a,'b c'}", "${x@Q}", "${x^^}", "${arr[0]}", `"${arr[@]}"`, "$[1+1]", "!", "--", "=",
}

// doubtful are those that are hardly ever understood.
var doubtful = []string{"$((n+1))", `"${!z}"`, "${x@P}", "${arr[n]}", "${none?}"}

func (g *grammar) piece(depth int) string {
	if g.IntN(150) == 0 {
		return g.pick(doubtful...)
	}
	if depth <= 0 || g.IntN(5) > 0 {
		return g.pick(pieces...)
	}
	in := g.list(depth - 2)
	tick := strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(in)
	return g.pick("$("+in+")", `"$(`+in+`)"`, "$( "+in+"\n)", "`"+tick+"`", "<("+in+")", "${none:-$("+in+")}", "${none:=`"+tick+"`}", `"${x:+$(`+in+`)}"`, "${x/$("+in+")/}")
}

func (g *grammar) redirect(depth int) string {
	g.files++
	file := g.pick(fmt.Sprintf("out%d", g.files), fmt.Sprintf("'out %d'", g.files), fmt.Sprintf("sub/out%d", g.files), fmt.Sprintf(`"$x"%d`, g.files),
		fmt.Sprintf("./o''ut%d", g.files), fmt.Sprintf("$PWD/out%d", g.files), "/dev/null")
	if depth > 1 && g.IntN(8) == 0 {
		return "> >(" + g.list(depth-2) + ")"
	}
	return g.pick(">", "> ", ">>", ">|", "&>", "&>>", "2>", ">&", "3>", "{fd}>", "<>") + file
}

func (g *grammar) compound(depth int) string {
	a, b, c := g.list(depth), g.list(depth), g.list(depth)
	after := ""
	if g.IntN(8) == 0 {
		after = " " + g.redirect(depth)
	}
	return g.pick(
		"{ "+a+"\n}", "("+a+")", "( ("+a+") )", "if "+a+"\nthen "+b+"\nelse "+c+"\nfi", "if nay; then "+a+"\nelif "+b+"\nthen "+c+"\nfi",
		"for i in "+g.word(depth)+" k; do "+a+"\ndone", "for i in alpha beta; do $i "+g.word(depth)+"; "+a+"\ndone", "for ((i=0;i<2;i++)); do "+a+"\ndone",
		"while nay; do "+a+"\ndone", "until alpha u; do "+a+"\ndone", "while alpha; do "+a+"\nbreak\ndone",
		"case "+g.word(0)+" in a) "+a+"\n;; *) "+b+"\nesac", "case x in x) "+a+"\n;;& y|x) "+b+"\n;& z) "+c+"\nesac", "[[ -n $("+a+") && a == "+g.pick("a", "b*")+" ]]",
		"(( 1 + 1 ))", "[ "+g.pick("-n", "-z")+" \"$("+a+")\" ]", "{ "+a+"\n} 2>/dev/null", "coproc { "+a+"\n}",
	) + after
}

// quoted makes one word of a script.
func (g *grammar) quoted(script string) string {
	switch g.IntN(3) {
	case 0:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(script) + `"`
	case 1:
		return `$'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(script) + `'`
	}
	return `'` + strings.ReplaceAll(script, `'`, `'\''`) + `'`
}

// wrapped is a command that another program runs.
func (g *grammar) wrapped(depth int) string {
	plain := g.pick("alpha", "beta") + " " + g.word(0) + " w"
	script := g.quoted(g.list(depth))
	return g.pick("env", "env -i", "env A=1", "env -u x", "nohup", "timeout 5", "timeout -k 1 5", "nice -n 1", "command", "stdbuf -o0", "setsid", "env env", "nice env B=2 timeout 9",
		"xargs -r", "say k | xargs", "say k l | xargs -n1", "say k | xargs -I{}", "exec", "builtin command", "command command", "command -p", "exec -a zeta", "env -S 'alpha s'") + " " + plain +
		g.pick("", "", "; bash -c "+script, "; sh -c "+script+" zero one", "\nbash -ec "+script, "; eval "+script, "; eval say "+script+" ';' beta e", "\ntrap "+script+" EXIT",
			"; find . -name '*.go' -exec alpha {} \\;", "; find sub -type f -exec beta x {} +", "; find . -name a.go -execdir gamma {} \\;", "\nenv bash -c "+script+" bash "+g.word(0))
}

// state is what changes what later words mean.
func (g *grammar) state(depth int) string {
	w := g.word(depth)
	return g.pick("x="+w, "y="+w, "z=x", "n=5", "c="+g.pick("alpha", "beta", "'beta b'", "$x", "al''pha"), "c2="+g.pick("gamma", "$c"), "set -- "+w+" s", "set -f", "set -e", "IFS=,", "IFS=$' \\n'",
		"unset x", "unset -f f0", "export x="+w, "declare y="+w, "declare -a arr=("+w+" b)", "arr=("+w+" b c)", "arr+=(d)", "readonly ro=1", "printf -v x %s "+w, "read -r x <<< "+w, "read -r c <<< beta", "cd sub", "cd ..",
		"cd sub && alpha in", "(cd sub; beta in)", "cd nowhere", "cd -", "pushd sub", "popd", "shift", "shopt -s nullglob", "shopt -s extglob", "shopt -s dotglob", "local x=1", "x+=$x", ": ${c:=beta}",
		"set -o noglob", "set +f", "mapfile -t arr <<< "+w, "exec 5>out5", "> out0", ": > sub/out0", "getopts ab: x -a", "HOME=$PWD/sub", "unset IFS", "declare -u up=alpha", "x=(one two)", "true", "false", ":")
}

// defined is a function or an alias, and what calls it.
func (g *grammar) defined(depth int) string {
	body := g.list(depth)
	if g.IntN(5) == 0 {
		return g.pick("alias alpha='beta'\nalpha", "shopt -s expand_aliases\nalias gamma='beta g'\ngamma x", "unalias -a; alpha", "alias beta=gamma; beta")
	}
	if g.IntN(5) == 0 {
		return g.pick("alpha", "beta", "say", "cd", "true") + "() { command gamma \"$@\"; }\nalpha sh; cd sub; true"
	}
	name := fmt.Sprintf("f%d", g.functions)
	head := g.pick(name+"()", "function "+name, "function "+name+" ()", name+" ( )")
	call := name + " " + g.word(0)
	g.functions++
	return head + g.pick(" { "+body+"\n}", " ( "+body+"\n)", "\n{ \"$@\"\n"+body+"\n}", " { local c=gamma; $c \"$1\"; }") + "\n" + g.pick(call, call, "unset -f "+name+"; "+call, "")
}

// text is a script or a text that stands in a document.
func (g *grammar) text(depth int) string {
	body := g.list(depth)
	g.files++
	end := fmt.Sprintf("END%d", g.files)
	to := g.pick("cat", "bash", "sh", "alpha", "bash -s -- k", "xargs -r beta", "while read -r l; do gamma \"$l\"; done", "read -r c")
	doc := "<<" + g.pick(end, "'"+end+"'", `"`+end+`"`, "-"+end, `\`+end) + "\n"
	return g.pick(to+" "+doc+body+"\n"+end, to+" "+doc+"$("+body+"\n) $x `say t`\n"+end, to+" <<< "+g.quoted(body), "{ "+to+" "+doc+body+"\n"+end+"\n}", "say "+g.quoted(body)+" | "+g.pick("bash", "cat", "sh -s", "xargs -r"))
}
