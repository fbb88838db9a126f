// Package command takes a shell script apart into the simple commands that it
// would run, as bash would run it: lists, pipelines, substitutions, functions,
// here-documents, and what wrappers such as bash -c or xargs run in turn. What
// it cannot be sure of it says; it guesses nothing and runs nothing. It knows
// no rule.
package command

// World is what must be known of the machine to tell what words mean. It
// changes nothing. Safe for concurrent use.
type World interface {
	// Target resolves a path as a command in dir, an absolute folder, would:
	// links are followed, also of what does not exist yet.
	Target(dir, name string) Target
	// Program finds what a bare command name runs, as its resolved file. ok is
	// false when the commands' PATH has none.
	Program(name string) (t Target, ok bool)
	// Glob lists what an unquoted pattern expands to in dir, as bash sorts it. ok
	// is false when that is not known: too many, or an unreadable folder.
	Glob(dir, pattern string) (names []string, ok bool)
	// Secrets are the files below a folder, an absolute path, whose reading is
	// asked about, by their names in it; links are not followed. ok is false when
	// that is not known: too many files, or an unreadable folder.
	Secrets(dir string) (names []string, ok bool)
	// Home is the folder that ~ stands for, "" when it is not known.
	Home() string
}

// Target is a path that an effect would read or write.
type Target struct {
	// Abs has links followed.
	Abs string
	// Lexical is the path as it was asked for, before links were followed. It
	// is judged too when it is set: a link must not hide what a file is for.
	Lexical string
	// Rel is Abs relative to the first workspace root that holds it, with slashes;
	// "" outside.
	Rel       string
	Inside    bool   // in a workspace root
	Protected string // why nobody may touch it; "" for ordinary paths
	Secret    string // why reading it is asked about; "" for ordinary paths
	// Holds says what lies below it that nobody may touch, so that it may not be
	// removed, moved, copied or packed as a whole; "" for ordinary folders.
	Holds string
	// Plain says that a change of a file that runs code was seen to touch nothing
	// that is run: a dependency in package.json, say, and no script.
	Plain bool
}

// Script is what a script would run.
type Script struct {
	Text string
	// Parts are the simple commands in the order of the text, a command before
	// what it runs in turn.
	Parts []Part
	// Doubts are what could not be understood. With any, Parts may lack something
	// that would run.
	Doubts []Doubt
}

// Part is one simple command, or what is redirected or assigned without one.
type Part struct {
	// Argv are the words; Argv[0] names the command. Empty for mere redirections
	// or assignments.
	Argv []Word
	// Assigns stand before the command; without a command they change the shell's
	// variables.
	Assigns   []Assign
	Redirects []Redirect
	Span      Span
	// Dir is the folder that it would run in, "" when that is not known; Dirs are
	// then those that it may be, as behind a cd that may fail. Without any it may
	// be every folder.
	Dir  string
	Dirs []string
	// By names what runs it when it is not the shell itself: "xargs",
	// "bash -c", "find -exec". Wraps is the index in Argv at which the command
	// that this one runs begins, 0 when it runs none: that command has a Part of
	// its own, Inner parts after this one.
	By    string
	Wraps int
	// Fed says that further arguments are added that nobody knows yet.
	Fed bool
	// Piped says that its standard input is another command's output, a document
	// in the script or a file; an interpreter without a script would run it.
	Piped bool
	// Remote commands run on another machine.
	Remote bool
}

// Word is a word of a command after expansion.
type Word struct {
	// Text is its value when Known, else its source.
	Text string
	// Known says that the value can be no other.
	Known bool
	// Prefix is what the value is known to begin with when it is not Known.
	Prefix string
	// Many says that one source may give several words, or none; only the first
	// begins with Prefix.
	Many bool
	Span Span
}

// Assign is NAME=VALUE. Append is NAME+=VALUE; Exported are those that later
// commands inherit.
type Assign struct {
	Name             string
	Value            Word
	Append, Exported bool
}

// Redirect opens a file. Those between descriptors, here-documents and
// here-strings open none and are not listed.
type Redirect struct {
	Op    string // as in bash: ">", ">>", ">|", "<", "<>", "&>", …
	File  Word
	Reads bool
	// Writes is false for what discards: /dev/null.
	Writes bool
}

// Span is a part of the outermost text, in bytes.
type Span struct{ Start, End int }

// Doubt is a place that was not understood, and why in one line.
type Doubt struct {
	Span Span
	Why  string
}

// Limits of what is taken apart: anything beyond is one Doubt.
const (
	MaxBytes   = 64 << 10
	MaxNesting = 200 // of brackets in the text
	MaxScripts = 8   // of scripts within scripts
)
