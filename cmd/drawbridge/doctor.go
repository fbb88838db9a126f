package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"drawbridge/config"
	"drawbridge/model/providers"
	"drawbridge/model/script"
	"drawbridge/shell"
)

// finding is one line of doctor's report. Advice says what to do; a finding
// that is Bad keeps Drawbridge from working.
type finding struct {
	name, found, advice string
	bad                 bool
}

func runDoctor(args []string) int {
	fs := newFlags("doctor", "", "Checks what Drawbridge needs on this machine and says what to do. Exit code 1 when something\nit cannot do without is missing.")
	rest, exit := parse(fs, args)
	if exit >= 0 {
		return exit
	}
	if len(rest) > 0 {
		return fail(fmt.Errorf("doctor takes no argument %q", rest[0]))
	}
	bad := false
	for _, f := range examine() {
		mark := "ok  "
		switch {
		case f.bad:
			mark, bad = "BAD ", true
		case f.advice != "":
			mark = "note"
		}
		fmt.Printf("%s  %-14s %s\n", mark, f.name, f.found)
		if f.advice != "" {
			fmt.Printf("      %-14s → %s\n", "", f.advice)
		}
	}
	if bad {
		return 1
	}
	return 0
}

func examine() []finding {
	fs := []finding{
		{name: "drawbridge", found: version + " on " + runtime.GOOS + "/" + runtime.GOARCH},
		checkShell(), checkLoginPath(), checkProgram("git", "install git; diffs and many projects' tests need it"),
		checkSandbox(), checkCleanup(),
	}
	dirs, err := config.FindDirs(os.Getenv)
	if err != nil {
		return append(fs, finding{name: "own folders", found: err.Error(), advice: "set HOME to your home folder", bad: true})
	}
	fs = append(fs, checkFolder("state folder", dirs.State), checkSettings(dirs))
	return append(fs, checkModels()...)
}

func checkShell() finding {
	path, err := shell.Find()
	if err != nil {
		return finding{"shell", err.Error(), "install bash or sh, or set DRAWBRIDGE_SHELL to a shell", true}
	}
	return finding{name: "shell", found: path}
}

func checkLoginPath() finding {
	ctx, stop := context.WithTimeout(context.Background(), 6*time.Second)
	defer stop()
	path, err := shell.LoginPath(ctx)
	if err != nil {
		return finding{name: "login PATH", found: err.Error(), advice: "see what your shell's profile does; commands run in a login shell"}
	}
	return finding{name: "login PATH", found: path}
}

func checkProgram(name, advice string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{name: name, found: "not found", advice: advice}
	}
	return finding{name: name, found: path}
}

// checkSandbox reports what is there; commands are not confined yet, and every
// question about one says so.
func checkSandbox() finding {
	var have []string
	if path, err := exec.LookPath("bwrap"); err == nil {
		have = append(have, "bubblewrap at "+path)
	}
	if abi := landlockABI(); abi > 0 {
		have = append(have, fmt.Sprintf("Landlock ABI %d", abi))
	}
	found := "no backend found"
	if len(have) > 0 {
		found = strings.Join(have, ", ") + " found"
	}
	return finding{name: "sandbox", found: found + "; this version does not confine commands",
		advice: "every question about a command says unconfined; read them"}
}

func checkCleanup() finding {
	rung := shell.CleanupRung()
	f := finding{name: "cleanup", found: rung.String()}
	if rung == shell.GroupRung {
		f.advice = "a command that leaves its process group can outlive its session on this system"
	}
	return f
}

// checkFolder tries what a session does: make the folder and a file in it.
func checkFolder(name, dir string) finding {
	err := config.Make(dir)
	if err == nil {
		probe := filepath.Join(dir, ".doctor")
		if err = os.WriteFile(probe, nil, 0o600); err == nil {
			err = os.Remove(probe)
		}
	}
	if err != nil {
		return finding{name, err.Error(), "make " + dir + " writable, or set XDG_STATE_HOME to a folder that is", true}
	}
	return finding{name: name, found: dir}
}

func checkSettings(dirs config.Dirs) finding {
	path := filepath.Join(dirs.Config, "config.yaml")
	cfg, err := config.Load(dirs)
	switch {
	case err != nil:
		return finding{"settings", err.Error(), "mend " + path + "; nothing runs on settings that are half read", true}
	case cfg.File == "":
		return finding{name: "settings", found: "none (" + path + " does not exist; the defaults hold)"}
	case len(cfg.Warnings) > 0:
		return finding{name: "settings", found: path, advice: strings.Join(cfg.Warnings, "; ")}
	}
	return finding{name: "settings", found: path}
}

// checkModels names each provider and whether a prompt to it has a chance. It
// connects to nothing: a check must not cost tokens or send a key.
func checkModels() []finding {
	s, err := newSetup()
	if err != nil {
		return nil // checkSettings has said it
	}
	var fs []finding
	o := s.providerOptions()
	ready := 0
	for _, name := range providers.Names() {
		if name == script.Name {
			continue
		}
		f := finding{name: name, found: "ready"}
		if err := providers.Ready(name, o); err != nil {
			f.found = err.Error()
		} else {
			ready++
		}
		fs = append(fs, f)
	}
	if ready == 0 {
		fs = append(fs, finding{name: "model", found: errNoModel.Message, advice: errNoModel.Hint})
	} else {
		fs = append(fs, finding{name: "default model", found: s.defaultModel(o)})
	}
	return append(append(fs, checkLocalServers()...), checkProxy())
}

// localServers are where model servers on one's own machine usually listen.
var localServers = []struct{ name, addr string }{
	{"Ollama", "127.0.0.1:11434"}, {"llama.cpp", "127.0.0.1:8080"},
	{"vLLM", "127.0.0.1:8000"}, {"LM Studio", "127.0.0.1:1234"},
}

// checkLocalServers looks whether something listens there; what it is only a
// request would tell.
func checkLocalServers() []finding {
	var fs []finding
	for _, s := range localServers {
		conn, err := net.DialTimeout("tcp", s.addr, 200*time.Millisecond)
		if err != nil {
			continue
		}
		conn.Close()
		f := finding{name: "local server", found: "something listens on " + s.addr + ", where " + s.name + " usually does"}
		if os.Getenv("OPENAI_BASE_URL") == "" {
			f.advice = "to use it set OPENAI_BASE_URL=http://" + s.addr + "/v1"
		}
		fs = append(fs, f)
	}
	return fs
}

// checkProxy names the proxy, without what a password in it would tell.
func checkProxy() finding {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if v := os.Getenv(name); v != "" {
			return finding{name: "proxy", found: name + "=" + withoutPassword(v)}
		}
	}
	return finding{name: "proxy", found: "none"}
}

func withoutPassword(proxy string) string {
	scheme, rest, ok := strings.Cut(proxy, "://")
	if !ok {
		scheme, rest = "", proxy
	} else {
		scheme += "://"
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = "…@" + rest[i+1:]
	}
	return scheme + rest
}
