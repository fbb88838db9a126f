//go:build linux

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drawbridge/shell"
)

// work is a script that a sandbox must not hinder.
type work struct {
	name   string
	script string
	want   string // all of the output, trimmed
	code   int
	needs  string // a program
	// alone is what Landlock alone has it say instead; "" is want.
	alone string
	long  bool // left out with -short
}

var works = []work{
	{name: "exit code", script: "exit 3", code: 3},
	{name: "exit code of a shell that a signal ended", script: "{ bash -c 'kill -TERM $$'; } 2>/dev/null; echo $?", want: "143"},
	{name: "limit of time", script: "timeout 0.1 sleep 60; echo $?", want: "124"},
	{name: "pipes", script: "seq 1000 | sort -n | tail -n 1", want: "1000"},
	{name: "here documents and substitutions", script: "cat <<< one; cat <(echo two)", want: "one\ntwo"},
	{name: "devices", script: "echo gone >/dev/null; echo out >/dev/stdout; echo err >/dev/stderr; head -c 2 /dev/zero | wc -c; head -c 2 /dev/urandom | wc -c", want: "out\nerr\n2\n2"},
	{name: "temporary files", script: `f=$(mktemp) && echo text >"$f" && cat "$f" && rm "$f"`, want: "text"},
	{name: "/tmp", script: "echo text >/tmp/works && cat /tmp/works && cat \"$TMPDIR/works\"", want: "text\ntext", alone: denied},
	{name: "children and their ends", script: "sleep 60 & kill %1; wait $!; echo $?", want: "143"},
	{name: "job control", script: "set -m; { sh -c 'kill -STOP $$; echo woke' & sleep 0.2; kill -CONT %1; wait %1; } 2>/dev/null; echo $?", want: "woke\n0"},
	{name: "a folder and a file below", script: "mkdir -p sub/deep && echo text >sub/deep/file && mv sub/deep sub/moved && cat sub/moved/file && rm -r sub/moved", want: "text"},
	{name: "change of a file", script: "echo more >>main.go && tail -n 1 main.go", want: "more"},
	{name: "permissions of a file", script: "chmod 755 sub/file && stat -c %a sub/file", want: "755"},
	{name: "a new file in the workspace", script: "echo text >new && cat new && rm new", want: "text", alone: denied},
	{name: "what is outside can be read", script: "cat ../outside/target", want: "mine"},
	{name: "who one is", script: "test $(id -u) = $UID_OUTSIDE && echo yes", want: "yes"},
	{name: "git status", script: "cd \"$REPO\" && git status --short", want: "?? file", needs: "git"},
	{
		name: "git commit", script: "cd \"$REPO\" && git add file && git -c user.name=n -c user.email=e commit -q -m one && git log --format=%s && git reset -q --hard && git branch other && git checkout -q other && git update-ref -d HEAD", want: "one", needs: "git",
		alone: "fatal: Unable to create",
	},
	{name: "git init", script: "mkdir -p sub/fresh && git init -q sub/fresh && git -C sub/fresh status --short && echo yes && rm -rf sub/fresh", want: "yes", needs: "git"},
	{name: "C", script: `echo 'int main(){return 7;}' >sub/c.c && cc -o sub/c sub/c.c; sub/c; echo $?`, want: "7", needs: "cc"},
	{name: "python", script: `python3 -c 'import subprocess,os;r,w=os.pipe();print(subprocess.check_output(["echo","one"],text=True),end="")'`, want: "one", needs: "python3"},
	{name: "python's processes", script: `python3 -c 'from multiprocessing import Pool
with Pool(2) as p: print(p.map(abs,[-1,-2]))'`, want: "[1, 2]", needs: "python3", alone: denied},
	{name: "a server of one's own", script: `python3 -c 'import socket
s=socket.create_server(("127.0.0.1",0)); c=socket.create_connection(s.getsockname()); a,_=s.accept(); a.send(b"hi"); print(c.recv(2).decode())'`, want: "hi", needs: "python3", alone: "Operation not permitted"},
	{name: "a terminal of one's own", script: `python3 -c 'import pty,os
pid,fd=pty.fork()
if pid==0: os.execlp("tty","tty","-s")
print(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))'`, want: "0", needs: "python3", alone: "out of pty devices"},
	{name: "node", script: `node -e 'require("child_process").exec("echo one",(e,o)=>{new (require("worker_threads").Worker)("console.log(2)",{eval:true});process.stdout.write(o)})'`, want: "one\n2", needs: "node"},
	{name: "go build and test", script: "cd module && go build -o ../sub/out . && ../sub/out && go vet . && go test . | cut -f 1", want: "built\nok", needs: "go", long: true},
	{name: "cargo build", script: "cd crate && cargo build -q --offline && target/debug/crate", want: "built", needs: "cargo", long: true},
}

// denied is how the system words it.
const denied = "denied"

// TestWorkGoesOn runs what people have commands do, confined.
func TestWorkGoesOn(t *testing.T) {
	w := newWorld(t) // one for all, so that what is compiled once serves all
	w.furnish(t)
	for _, c := range confinements(t) {
		t.Run(c.name, func(t *testing.T) {
			w.repository(t, c)
			for _, k := range works {
				t.Run(k.name, func(t *testing.T) { c.do(t, w, k) })
			}
		})
	}
}

func (c confinement) do(t *testing.T, w world, k work) {
	if k.long && testing.Short() {
		t.Skip("left out with -short")
	}
	if k.needs != "" {
		lacking(t, k.needs)
	}
	code, out := w.script(t, c, WorkspaceWrite, k.script)
	if c.name == "landlock alone" && k.alone != "" {
		if !strings.Contains(out, k.alone) {
			t.Errorf("exit %d, %q, though it is said not to work", code, out)
		}
		return
	}
	if code != k.code || out != k.want {
		t.Errorf("exit %d, %q, want %d, %q", code, out, k.code, k.want)
	}
}

// lacking ends a test whose program this machine lacks.
func lacking(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// furnish adds what the works are about.
func (w world) furnish(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"module/go.mod":       "module example\n\ngo 1.21\n",
		"module/main.go":      "package main\n\nfunc main() { println(\"built\") }\n",
		"module/main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain1(t *testing.T) { main() }\n",
		"crate/Cargo.toml":    "[package]\nname = \"crate\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"crate/src/main.rs":   "fn main() { println!(\"built\"); }\n",
		"crate/Cargo.lock":    "version = 3\n\n[[package]]\nname = \"crate\"\nversion = \"0.1.0\"\n",
	} {
		path := filepath.Join(w.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// repo is the repository for the works of one confinement.
func (w world) repo(c confinement) string {
	return filepath.Join(w.Root, "repo of "+c.name)
}

func (w world) repository(t *testing.T, c confinement) {
	t.Helper()
	err := errors.Join(os.Mkdir(w.repo(c), 0o755), os.WriteFile(filepath.Join(w.repo(c), "file"), nil, 0o644))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	if out, err := exec.Command("git", "init", "-q", w.repo(c)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// script runs one in bash as the agent's commands are, over pipes.
func (w world) script(t *testing.T, c confinement, preset, script string) (code int, out string) {
	t.Helper()
	p := w.policy(preset)
	p.Caches = filepath.Join(w.Base, "caches")
	p.Roots = append(p.Roots, w.repo(c))
	p.Home, p.Pass = os.Getenv("HOME"), []string{"UID_OUTSIDE", "REPO"}
	p, err := p.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.makeCaches(); err != nil {
		t.Fatal(err)
	}
	b, err := c.open(p, Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "UID_OUTSIDE="+strconv.Itoa(os.Getuid()), "REPO="+w.repo(c))
	l, err := (&Sandbox{policy: p, backend: b}).Bare(shell.Launch{Path: "/bin/bash", Args: []string{"bash", "-c", script}, Env: env, Dir: w.Root})
	if err != nil {
		t.Fatal(err)
	}
	if l.Release != nil {
		defer l.Release()
	}
	cmd := w.command(l.Path, l.Args, l.Env)
	cmd.Dir, cmd.ExtraFiles, cmd.WaitDelay = l.Dir, l.Files, time.Minute
	text, err := cmd.CombinedOutput()
	for _, file := range l.Files {
		file.Close()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), strings.TrimSpace(string(text))
}
