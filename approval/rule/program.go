package rule

import (
	"strings"
	"sync"
)

// program is what is known of a command: which of its flags and arguments do
// nothing but look at, or make, what they are given.
type program struct {
	style style
	flags map[string]use // by name with dashes
	count bool           // -5 is a number
	ops   ops            // what operands are
	// opaque: from the first operand on, words belong to somebody else, and
	// dashes mean nothing.
	opaque bool
	// plain: whatever its flags, they do no harm.
	plain bool
	// named: a rule has to name it, when it is a subcommand.
	named bool
	// glue: allowed in the company of what a rule allows.
	glue bool
	// builtin: the shell itself does it, whatever PATH says.
	builtin bool
	// anywhere: it does the same in whatever folder it runs.
	anywhere bool
	// noEnd: -- is a word like others, and ends no flags.
	noEnd bool
	// hands: what stands behind -- is for a script of the project.
	hands bool
	// stdin: without operands it runs what it reads.
	stdin bool
	// unknown: there is no table for it.
	unknown bool
	subs    map[string]*program
	// remotes: operands are remotes and branches, whose names do no harm.
	remotes bool
	// leaves are flags that a remembered rule may leave out.
	leaves map[string]bool
	// discards: an operand that is a file loses what was changed in it.
	discards bool
	// check looks at the whole call: why it is not covered, "" when it is.
	check func(c *call) string
}

type style int

const (
	gnu      style = iota // -nro x, --output=x, flags and operands mixed
	goStyle               // -run x, -run=x, --run=x
	keyValue              // if=x of=y
	bareWord              // no word is a flag
)

// use is what a flag is for, or what its value is.
type use byte

const (
	useUnknown use = 0
	usePlain   use = 'p' // no value
	useOpt     use = '?' // at most a value that is attached
	useText    use = ':' // a value, whatever it is
	useSome    use = '~' // a value in which a path may stand
	useRead    use = '<' // a file that is read
	useWrite   use = '>' // a file that is written: to be named
	useHarm    use = '!' // runs a program, writes, or leads elsewhere; no value
	useHarmArg use = '=' // the same with a value
)

func (u use) takesValue() bool { return strings.IndexByte(":~<>=", byte(u)) >= 0 }

// harms says that a rule has to name the flag.
func (u use) harms() bool { return strings.IndexByte(">!=\x00", byte(u)) >= 0 }

type ops int

const (
	opArgs    ops = iota // words; none may be a path that is not ordinary
	opNone               // a rule has to name each
	opText               // text, never a path
	opRead               // files that are read
	opWrite              // files that are written
	opCopy               // the last is written, the others are read
	opMove               // all are written
	opMode               // text, then files that are written
	opPattern            // text, then files that are read
	opPackage            // packages of Go
	opScript             // a script that is run; what follows is its own
	opRemote             // they leave the machine: a rule has to name each
)

// table are programs by name.
type table map[string]*program

// known is all that is known, made when it is first needed: it does not change.
var known = sync.OnceValue(func() table {
	all := table{}
	for _, t := range []table{
		filters().looking(), lookers().looking(), makers(), shellOwn(), searchers().looking(), talkers(), interpreters(),
		builders(), wrappers(), {"git": git(), "go": golang(), "gofmt": gofmt()},
		{"npm": npm(), "pnpm": pnpm(), "yarn": yarn(), "cargo": cargo()},
		{"docker": docker(), "podman": docker(), "kubectl": kubectl()},
	} {
		for names, p := range t {
			for name := range strings.FieldsSeq(names) {
				all[name] = p
			}
		}
	}
	return all
})

// unknownProgram stands for what has no table.
var unknownProgram = &program{unknown: true}

func programNamed(name string) *program {
	if p := known()[name]; p != nil {
		return p
	}
	return unknownProgram
}

// with adds flags, written as words: -v is a flag without a value, -o> one whose
// value is written, and so on by the marks of use; -# stands for any number.
func (p *program) with(words string) *program {
	if p.flags == nil {
		p.flags = map[string]use{}
	}
	for w := range strings.FieldsSeq(words) {
		u := usePlain
		if i := strings.IndexByte("?:~<>!=", w[len(w)-1]); i >= 0 && len(w) > 2 {
			u, w = use(w[len(w)-1]), w[:len(w)-1]
		}
		if w == "-#" {
			p.count = true
			continue
		}
		p.flags[w] = u
	}
	return p
}

// sub adds a subcommand under each of the names.
func (p *program) sub(names string, s *program) *program {
	if p.subs == nil {
		p.subs = map[string]*program{}
	}
	for name := range strings.FieldsSeq(names) {
		p.subs[name] = s
	}
	return p
}

// flags makes a program of what its operands are and of its flags.
func flags(o ops, words string) *program { return (&program{ops: o}).with(words) }

func (p *program) asGlue() *program  { p.glue = true; return p }
func (p *program) asNamed() *program { p.named = true; return p }

func (p *program) asEndless() *program { p.noEnd = true; return p }

// checkedAll has a check for each subcommand that has none.
func (p *program) checkedAll(f func(*call) string) {
	for _, s := range p.subs {
		if s.check == nil {
			s.check = f
		}
		s.checkedAll(f)
	}
}

func (p *program) checked(f func(*call) string) *program { p.check = f; return p }
