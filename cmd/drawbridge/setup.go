package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"drawbridge/approval"
	"drawbridge/config"
	"drawbridge/model"
	"drawbridge/model/providers"
	"drawbridge/model/script"
	"drawbridge/session"
	"drawbridge/shell"
)

// setup is what the settings, the environment and the flags come to.
type setup struct {
	// settings are those that count; see cfg.
	settings atomic.Pointer[config.Config]
	// coming are those that count from the next turn on, nil when there are none: what
	// they deny, or have asked about, counts already.
	coming atomic.Pointer[config.Config]

	dirs config.Dirs
	log  *slog.Logger
	keys *providers.Keys
	// login is made by loginShell; nil when the login shell is not asked.
	login     *shell.Login
	loginOnce sync.Once
	// trust is what the user said about settings that workspaces bring; said, what
	// people have said beforehand about effects.
	trust *config.Trust
	said  *policies
	// known are the secrets that nobody is shown.
	known shell.Secrets
	// heard is what services said of their models.
	heard knowledge
}

// newSetup reads the settings. A fault in them is an error: nothing runs on
// settings that are half read.
func newSetup() (*setup, error) {
	dirs, err := config.FindDirs(os.Getenv)
	if err != nil {
		return nil, err
	}
	cfg, err := config.LoadAtRest(dirs, faultsOfTools)
	if err != nil {
		return nil, err
	}
	cfg.Warnings = append(cfg.Warnings, doubtsOf(&cfg)...)
	s := &setup{dirs: dirs, log: slog.New(slog.DiscardHandler), keys: &providers.Keys{}, trust: config.OpenTrust(dirs, faultsOfTools)}
	s.said = s.policiesOf(nil)
	s.use(cfg)
	return s, nil
}

// doubtsOf is what does not count of settings, or may not mean what their author
// thinks, a line each.
func doubtsOf(cfg *config.Config) []string {
	return append(unreadable(cfg.Approval), doubtsOfTools(cfg)...)
}

// use has these settings count from now on. The caller must not change them
// afterwards.
func (s *setup) use(cfg config.Config) {
	before := s.settings.Swap(&cfg)
	s.coming.Store(nil)
	for name, p := range cfg.Providers {
		if p.Key != "" && (before == nil || before.Providers[name].Key != p.Key) {
			s.keys.Set(name, string(p.Key))
		}
	}
	s.learn(s.secrets()...)
}

// cfg are the settings as they count now, which nobody may change; the defaults
// where none could be read.
func (s *setup) cfg() *config.Config {
	if c := s.settings.Load(); c != nil {
		return c
	}
	c := config.Default()
	return &c
}

// openLog sends the log to stderr and to a file in the state folder.
func (s *setup) openLog(level string, stderr io.Writer) (close func()) {
	if level == "" {
		level = s.cfg().Log.Level
	}
	var l slog.Level
	if l.UnmarshalText([]byte(level)) != nil {
		l = slog.LevelInfo
	}
	file, err := openLogFile(filepath.Join(s.dirs.State, "logs"))
	console := slog.NewTextHandler(discreet{stderr, &s.known}, &slog.HandlerOptions{Level: max(l, slog.LevelWarn)})
	if err != nil {
		s.log = slog.New(console)
		s.log.Warn("no log file", "err", err)
		return func() {}
	}
	s.log = slog.New(both{console, slog.NewJSONHandler(discreet{file, &s.known}, &slog.HandlerOptions{Level: l})})
	return func() { file.Close() }
}

func (s *setup) providerOptions() providers.Options {
	o := providers.Options{
		Keys: s.keys, BaseURL: map[string]string{}, KeyEnv: map[string]string{},
		Scripts: map[string]string{"demo": demoScript()},
	}
	for name, p := range s.cfg().Providers {
		if p.BaseURL != "" {
			o.BaseURL[name] = p.BaseURL
		}
		if p.KeyEnv != "" {
			o.KeyEnv[name] = p.KeyEnv
		}
	}
	return o
}

// models opens "provider:name"; "" is the configured model, else the first
// provider that is ready.
func (s *setup) models(spec string) (model.Provider, string, string, error) {
	o := s.providerOptions()
	if spec == "" {
		spec = s.defaultModel(o)
	}
	if spec == "" {
		return nil, "", "", errNoModel
	}
	if spec == script.Name || spec == script.Name+":" {
		return nil, "", "", errNoScript
	}
	provider, name, err := providers.Split(spec)
	if err != nil {
		return nil, "", "", err
	}
	if set := s.cfg().Providers[provider].Model; set != "" && !strings.Contains(spec, ":") {
		name = set
	}
	p, err := providers.Open(provider, o)
	if err != nil {
		return nil, "", "", err
	}
	policy := model.Policy{Retries: s.cfg().Retry.Attempts, NextEvent: s.cfg().Stall}
	if policy.Retries == 0 {
		policy.Retries = -1 // zero of the settings is none
	}
	return model.Retrying(p, policy), name, strings.TrimSuffix(provider+":"+name, ":"), nil
}

// errNoModel is what a prompt says when nothing is set up. A script is never
// played unasked: its answers are not a model's.
var errNoModel = &model.Error{
	Kind:    model.ErrSetup,
	Message: "no model is set up",
	Hint:    setModel + "; `drawbridge doctor` shows what is found",
}

const setModel = "set ANTHROPIC_API_KEY or OPENAI_API_KEY (an editor has a command that sets a key), or point " +
	"OPENAI_BASE_URL at a local server (Ollama, llama.cpp, vLLM, LM Studio), or name a model as PROVIDER:NAME " +
	"(--model, or model in the settings)"

// errNoScript keeps a script that nobody named from playing in a folder of the
// user's.
var errNoScript = &model.Error{
	Kind:    model.ErrSetup,
	Message: "no script is named",
	Hint:    "name a script file: --model script:PATH",
}

func (s *setup) defaultModel(o providers.Options) string {
	if s.cfg().Model != "" {
		return s.cfg().Model
	}
	for _, name := range providers.Names() {
		if name != script.Name && s.keys.Get(name) != "" {
			return name
		}
	}
	for name, p := range s.cfg().Providers {
		if p.BaseURL != "" && len(s.cfg().Providers) == 1 {
			return name
		}
	}
	if d := providers.Default(os.Getenv); !strings.HasPrefix(d, script.Name+":") {
		return d
	}
	return ""
}

// session is the options of a host, but for what the client supplies.
func (s *setup) session() session.Options {
	return session.Options{
		StateDir: s.dirs.State,
		Models:   s.models,
		Known:    s.knownOf, VisionModel: s.visionModel, Fetch: fetcher{s},
		Tools:     s.tools,
		NewShell:  s.newShell,
		Watch:     session.WatchDisk,
		Protected: s.protected(),
		Confine:   s.confine,
		Environ:   s.environ,
		Defaults: session.Settings{
			Model: s.cfg().Model, Mode: approval.Mode(s.cfg().Mode),
			Preset: approval.Preset(s.cfg().Preset), Profile: s.cfg().Profile,
		},
		Pipes:              s.cfg().Commands.Terminal == "never",
		WakeOnExit:         s.cfg().Commands.WakeOnExit,
		ApprovalTimeout:    s.cfg().Approval.Timeout,
		Remind:             s.cfg().Approval.Remind,
		Policy:             s.said.policy,
		Narrow:             s.said.narrowed,
		Keep:               s.said.keep,
		SaveBeforeCommands: s.cfg().SaveBeforeCommands,
		NoCheckpoints:      !s.cfg().Checkpoints.Enabled,
		CheckpointBytes:    s.cfg().Checkpoints.MaxBytes,
		DiagnosticsWait:    s.cfg().Diagnostics.Wait,
		Redact:             s.known.Text,
		Log:                s.log,
	}
}

// protected are our own files, which no tool may touch. Archived output of
// tools is not among them: the model is told to read it.
func (s *setup) protected() []string {
	return []string{s.dirs.Config, filepath.Join(s.dirs.State, "logs")}
}
