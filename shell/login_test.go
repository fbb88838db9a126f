package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// profileLimit is more than a profile needs on any machine, and less than what the
// profiles of these tests sleep for.
const profileLimit = time.Minute

// user is somebody whose home folder holds these files, on a poor desktop.
func user(t *testing.T, files map[string]string) (home string, o LoginOptions) {
	t.Helper()
	bash, ok := Locate("bash")
	if !ok {
		t.Skip("the system has no bash")
	}
	home = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host := []string{"HOME=" + home, "PATH=/usr/bin:/only/of/the/editor", "LANG=C.UTF-8", "EDITOR=from-the-editor"}
	return home, LoginOptions{Host: host, Shell: bash, Limit: profileLimit}
}

// ask is what a Login finds for a user with these files.
func ask(t *testing.T, files map[string]string) (env []string, report LoginReport) {
	t.Helper()
	_, o := user(t, files)
	l := NewLogin(o)
	defer l.Close()
	return l.Env(t.Context()), l.Report(t.Context())
}

func TestLoginAddsWhatATerminalHas(t *testing.T) {
	t.Parallel()
	const guarded = "case $- in *i*) ;; *) return ;; esac\nexport FROM_RC=yes\n"
	for name, files := range map[string]map[string]string{
		"profile":                  {".profile": "export FROM_RC=yes\nPATH=/from/profile:$PATH\n"},
		"a profile that reads .rc": {".profile": ". ~/.bashrc; PATH=/from/profile:$PATH\n", ".bashrc": guarded},
		".rc alone":                {".bashrc": guarded + "PATH=/from/profile:$PATH"},
		"a profile without .rc":    {".bash_profile": "PATH=/from/profile:$PATH\n", ".bashrc": guarded},
		"an .rc that ends it all":  {".profile": "export FROM_RC=yes\nPATH=/from/profile:$PATH\n", ".bashrc": "case $- in *i*) exit 3; esac\n"},
		"what runs at the exit":    {".profile": "export FROM_RC=yes\nPATH=/from/profile:$PATH\ntrap 'sleep 100' EXIT\n", ".bash_logout": "sleep 100\n"},
		"reading stdin":            {".profile": "read answer\nexport FROM_RC=yes${answer}\nPATH=/from/profile:$PATH\n"},
		"noise": {".profile": `echo Welcome back!; printf 'a\0PATH=/wrong\0FROM_RC=no\0'; echo on stderr >&2
export FROM_RC=yes; PATH=/from/profile:$PATH; printf 'no end of line'`},
		"noise that goes on": {".profile": `export FROM_RC=yes; PATH=/from/profile:$PATH
(while :; do printf 'tick\0'; done) & (while :; do echo tock; done) >&2 &`},
		"shadowed programs": {".profile": ". ~/.bashrc", ".bashrc": guarded + `PATH=/from/profile:$PATH
env() { echo no; }; printf() { :; }; alias env=false exec=false; echo() { :; }; export -f env printf`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, report := ask(t, files)
			if report.Err != nil {
				t.Fatal(report.Err)
			}
			path := filepath.SplitList(valueIn(env, "PATH"))
			if valueIn(env, "FROM_RC") != "yes" || !slices.Contains(path, "/from/profile") ||
				!slices.Contains(path, "/only/of/the/editor") || slices.Contains(path, "/wrong") {
				t.Errorf("FROM_RC=%s PATH=%s", valueIn(env, "FROM_RC"), path)
			}
			if report.Took >= profileLimit {
				t.Errorf("the profile was waited for to the end: %v", report.Took)
			}
			if !slices.Contains(report.Added, "FROM_RC") || !slices.Contains(report.Folders, "/from/profile") {
				t.Errorf("%+v", report)
			}
		})
	}
}

func TestLoginChangesNothingThatTheEditorSaid(t *testing.T) {
	t.Parallel()
	env, report := ask(t, map[string]string{".profile": "export EDITOR=vi TERM=odd NEW=1 SHLVL=7 DRAWBRIDGE_X=1\ncd /\n"})
	if got := valueIn(env, "EDITOR"); got != "from-the-editor" || valueIn(env, "NEW") != "1" {
		t.Errorf("EDITOR=%s, NEW=%s", got, valueIn(env, "NEW"))
	}
	for _, name := range []string{"TERM", "SHLVL", "PWD", "OLDPWD", "_", "DRAWBRIDGE_X", "DRAWBRIDGE_FRAME", markName} {
		if v, ok := valueOf(env, name); ok {
			t.Errorf("%s=%s was taken from the shell (%+v)", name, v, report)
		}
	}
	names := map[string]int{}
	for _, kv := range env {
		if names[envName(kv)]++; names[envName(kv)] > 1 {
			t.Errorf("%s is there twice", envName(kv))
		}
	}
}

// A profile that traces what the shell does writes into the midst of it.
func TestLoginOfAProfileThatTraces(t *testing.T) {
	t.Parallel()
	var profile strings.Builder
	for i := range 60 { // whichever of them comes first
		fmt.Fprintf(&profile, "export V%d=%d\n", i, i)
	}
	env, report := ask(t, map[string]string{".profile": profile.String() + "set -x\n"})
	for i := range 60 {
		if v, ok := valueOf(env, fmt.Sprint("V", i)); v != fmt.Sprint(i) {
			t.Errorf("V%d=%q, %v (%v)", i, v, ok, report.Err)
		}
	}
}

func TestFill(t *testing.T) {
	theirs := []string{"A=theirs", "B=2", "no-name=3", "BASH_FUNC_f%%=() { :\n}", "BASH_FUNC_g=4", "9=5", "=6", "no variable"}
	env, added, gained := fill([]string{"A=ours", "PATH=/bin:bin"}, theirs)
	if want := []string{"A=ours", "B=2", "BASH_FUNC_f%%=() { :\n}", "BASH_FUNC_g=4", "PATH=/bin"}; !slices.Equal(env, want) {
		t.Errorf("%q, want %q", env, want)
	}
	if want := []string{"B", "BASH_FUNC_f%%", "BASH_FUNC_g"}; !slices.Equal(added, want) || len(gained) != 0 {
		t.Errorf("added %q, gained %q", added, gained)
	}
}

func TestFramed(t *testing.T) {
	const f = "F=1"
	for name, c := range map[string]struct {
		out  string
		want []string
	}{
		"clean":                  {"A=1\x00B=2\x00F=1\x00A=1\x00B=2\x00F=1\x00", []string{"A=1", "B=2"}},
		"after noise":            {"hello\x00B=no\x00howdyA=1\x00B=2\x00F=1\x00A=1\x00B=2\x00F=1\x00", []string{"A=1", "B=2"}},
		"the frame comes first":  {"howdyF=1\x00A=1\x00B=2\x00F=1\x00A=1\x00B=2\x00", []string{"A=1", "B=2"}},
		"amidst":                 {"A=1\x00F=1\x00B=2\x00A=1\x00F=1\x00B=2\x00", []string{"A=1", "B=2"}},
		"noise in one print":     {"A=1\x00B=2\x00F=1\x00A=ti\nck1\x00B=2\x00F=1\x00", []string{"B=2"}},
		"noise that is a record": {"A=1\x00F=1\x00tick\x00A=1\x00F=1\x00", []string{"A=1"}},
		"printed once":           {"A=1\x00B=2\x00F=1\x00A=1\x00", nil},
		"nothing":                {"", nil},
	} {
		got := framed([]byte(c.out), f)
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The values reach a command as they are.
func TestLoginKeepsValuesWhole(t *testing.T) {
	t.Parallel()
	env, report := ask(t, map[string]string{
		".profile": "export LINES_OF='a\nPATH=/wrong\n\nb' EMPTY= BYTES=$'\\xff\\xfe=' TOOLS='it'\\''s'\ngreet() { echo \"hello $1\"; }\nexport -f greet\n",
	})
	l := NewRunner(Options{Shell: "/bin/bash"})
	defer l.Close(context.WithoutCancel(t.Context()))
	p, err := l.Start(Spec{Script: `printf '%s|%s|%s|%s|' "$LINES_OF" "${EMPTY-none}" "$BYTES" "$TOOLS"; greet you`, Dir: "/", Env: env})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	const want = "a\nPATH=/wrong\n\nb||\xff\xfe=|it's|hello you\n"
	if got := string(p.Output().Read(0, RingSize).Data); got != want {
		t.Errorf("%q, want %q (%+v)", got, want, report)
	}
}

// A profile that never ends costs its limit once, and nothing of it is left.
func TestLoginGivesUp(t *testing.T) {
	t.Parallel()
	home, o := user(t, map[string]string{".profile": "trap '' TERM HUP\necho $$ >pid\n(trap '' TERM; exec setsid sleep 100) & echo $! >child\nsleep 100\n"})
	o.Limit = 500 * time.Millisecond
	l := NewLogin(o)
	defer l.Close()
	start := time.Now()
	if env := l.Env(t.Context()); !slices.Equal(env, o.Host) {
		t.Errorf("a profile that was not done gave %q", env)
	}
	if r := l.Report(t.Context()); r.Err == nil || !strings.Contains(r.Err.Error(), "not done with its profile within 500ms") {
		t.Errorf("%+v", r)
	}
	if took := time.Since(start); took > profileLimit {
		t.Errorf("gave up after %v", took)
	}
	for _, name := range []string{"pid", "child"} {
		checkGone(t, filepath.Join(home, name))
	}
}

// checkGone reads a pid of a file; a file that is not written yet names nobody.
func checkGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || len(text) == 0 {
		t.Logf("the profile did not come to write %s", filepath.Base(file))
		return
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", strings.TrimSpace(string(text))))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("%s is still there: %s", filepath.Base(file), stat)
	}
}

func TestLoginWithAnEndedProfile(t *testing.T) {
	t.Parallel()
	env, report := ask(t, map[string]string{".profile": "export A=1; exit 7\n"})
	if report.Err == nil || !strings.Contains(report.Err.Error(), "its profile ended it (exit code 7)") || valueIn(env, "A") != "" {
		t.Errorf("%q, %+v", env, report)
	}
}

// A call that is cancelled does not wait for the profile.
func TestLoginWaitEndsWithItsCall(t *testing.T) {
	t.Parallel()
	_, o := user(t, map[string]string{".profile": "sleep 100\n"})
	l := NewLogin(o)
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	time.AfterFunc(50*time.Millisecond, cancel)
	if env := l.Env(ctx); !slices.Equal(env, o.Host) {
		t.Errorf("%q", env)
	}
	if took := l.Report(ctx); took.Err == nil {
		t.Error("a cancelled report says that all went well")
	}
	l.Close()
	if took := time.Since(start); took > profileLimit {
		t.Errorf("it took %v: the profile was waited for", took)
	}
}

func TestLoginIsAskedOnce(t *testing.T) {
	t.Parallel()
	home, o := user(t, map[string]string{".profile": "echo asked >>~/log\n"})
	l := NewLogin(o)
	defer l.Close()
	l.Begin(time.Millisecond)
	for range 3 {
		l.Env(t.Context())
	}
	if log, err := os.ReadFile(filepath.Join(home, "log")); err != nil || string(log) != "asked\n" {
		t.Errorf("%q, %v", log, err)
	}
}

func TestLoginThatIsClosedAsksNobody(t *testing.T) {
	t.Parallel()
	home, o := user(t, map[string]string{".profile": "echo asked >>~/log\n"})
	l := NewLogin(o)
	l.Close()
	l.Begin(0)
	if env := l.Env(t.Context()); !slices.Equal(env, o.Host) {
		t.Errorf("%q", env)
	}
	if log, err := os.ReadFile(filepath.Join(home, "log")); err == nil {
		t.Errorf("asked: %q", log)
	}
}

// An agent that the profile starts ends with it; its address leads nowhere.
func TestLoginDropsTheAddressOfADeadAgent(t *testing.T) {
	t.Parallel()
	env, report := ask(t, map[string]string{".profile": "export SSH_AUTH_SOCK=$HOME/agent SSH_AGENT_PID=1 KEPT=1\n"})
	if valueIn(env, "SSH_AUTH_SOCK") != "" || valueIn(env, "SSH_AGENT_PID") != "" || valueIn(env, "KEPT") != "1" {
		t.Errorf("%q, %+v", env, report)
	}
}

func TestOtherLoginShells(t *testing.T) {
	for name, file := range map[string]string{"sh": ".profile", "dash": ".profile", "zsh": ".zshrc", "ksh": ".profile", "fish": ".config/fish/config.fish"} {
		shell, ok := Locate(name)
		if !ok {
			t.Logf("%s is not installed", name)
			continue
		}
		home, o := user(t, nil)
		o.Shell = shell
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, file), []byte("export FROM_RC=yes\nexport PATH=\"/from/profile:$PATH\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		l := NewLogin(o)
		env, report := l.Env(t.Context()), l.Report(t.Context())
		l.Close()
		if valueIn(env, "FROM_RC") != "yes" || !slices.Contains(report.Folders, "/from/profile") {
			t.Errorf("%s: %q, %+v", name, env, report)
		}
	}
}

func TestMergedPath(t *testing.T) {
	for _, c := range []struct{ host, theirs, want string }{
		{"/usr/bin:/editor", "/home/ada/bin:/usr/bin:/bin", "/home/ada/bin:/usr/bin:/bin:/editor"},
		{"/venv/bin:/home/ada/bin:/usr/bin", "/home/ada/bin:/usr/bin", "/venv/bin:/home/ada/bin:/usr/bin"},
		{".:bin:/usr/bin::/usr/bin/:./x", "/bin:.:/bin:~/x", "/bin:/usr/bin"},
		{"", "/bin", "/bin"},
		{"/bin", "", "/bin"},
		{"", "", ""},
	} {
		if got := mergePath(c.host, c.theirs); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.host, c.theirs, got, c.want)
		}
	}
}

func TestUserShell(t *testing.T) {
	bash, ok := Locate("bash")
	if !ok {
		t.Skip("the system has no bash")
	}
	t.Setenv("SHELL", "/bin/sh")
	if got, err := userShell(); got != "/bin/sh" {
		t.Errorf("%q, %v", got, err)
	}
	unknown := filepath.Join(t.TempDir(), "nologin")
	if err := os.WriteFile(unknown, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"", unknown, "bash", "/no/such/zsh"} {
		t.Setenv("SHELL", other)
		if got, err := userShell(); err != nil || got == other || !filepath.IsAbs(got) {
			t.Errorf("SHELL=%q: %q, %v", other, got, err)
		}
	}
	list := filepath.Join(t.TempDir(), "passwd")
	text := "root:x:0:0:root:/root:/bin/sh\n# a remark\nada:x:1000:1000:Ada,,,:/home/ada:" + bash + "\n"
	if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[int]string{1000: bash, 0: "/bin/sh", 100: ""} {
		if got := listedShell(list, uid); got != want {
			t.Errorf("user %d: %q, want %q", uid, got, want)
		}
	}
	if got := listedShell(filepath.Join(list, "none"), 0); got != "" {
		t.Errorf("%q of no list", got)
	}
}
