package rule

// codeRow is one reason why a file runs code, and the names it holds for. A
// name is compared with the last components of a path; with "/" at its end it
// is a folder and all that lies below it, with "/" at its beginning it starts
// at the root of the file system. "*" stands for anything in one component.
type codeRow struct {
	who   string // completes "runs code: …"
	when  string // heading of the table in docs/files.md
	names []string
}

// runsCode lists what runs without being named. What a command reads that
// somebody names (Makefile, build.rs, setup.py, conftest.py, the configuration
// of a linter) is not listed: who lets that command run lets it run what it
// reads.
var runsCode = []codeRow{
	{"it steers what this agent may do", "This agent", []string{".drawbridge/"}},
	{"it steers what this agent may read", "This agent", []string{".drawbridgeignore"}},
	{"an agent runs the hooks and servers it names", "Other agents", []string{
		".mcp.json", "mcp.json", ".claude/", ".claude.json", ".cursor/mcp.json", ".cursor/hooks.json", ".cursor/environment.json",
		".cursor/worktrees.json", ".codex/", ".gemini/", ".qwen/", ".opencode/", "opencode.json", "opencode.jsonc", ".crush.json",
		"crush.json", ".continue/", ".roo/", ".kiro/", ".windsurf/", ".codeium/", ".amazonq/", ".config/goose/", ".aider.conf.yml",
	}},

	{"the editor runs tasks, programs and servers named here", "Opening a folder", []string{
		".vscode/", "*.code-workspace", ".vscode-server/", ".config/Code/", ".config/VSCodium/", ".config/Cursor/",
		"Library/Application Support/Code/", ".idea/", ".fleet/", ".zed/", ".config/zed/", ".helix/", ".config/helix/",
		"*.sublime-project", ".theia/",
	}},
	{"the editor runs it when the folder or a file opens", "Opening a folder", []string{
		".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".gvimrc", "_vimrc", ".lvimrc", ".vim/", ".ideavimrc", ".config/nvim/",
		".local/share/nvim/", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.el", ".emacs.d/", ".config/emacs/", ".nanorc",
	}},
	{"the editor runs its commands", "Opening a folder", []string{
		".devcontainer/", ".devcontainer.json", ".gitpod.yml", ".gitpod/", ".codesandbox/", ".stackblitzrc", ".replit", "devfile.yaml",
	}},
	{"direnv runs it on entering the folder", "Entering a folder", []string{".envrc", ".config/direnv/"}},
	{"mise runs its hooks on entering the folder", "Entering a folder", []string{
		"mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", ".mise/", "mise/config.toml", ".config/mise.toml", ".config/mise/",
		".rtx.toml",
	}},
	{"the shell runs it on entering the folder", "Entering a folder", []string{".autoenv", ".autoenv.zsh"}},

	{"git runs hooks and programs named here", "Git and other version control", []string{
		".git", ".git/", ".gitconfig", ".config/git/", ".jj/", ".jjconfig.toml", ".config/jj/",
	}},
	{"git runs these hooks", "Git and other version control", []string{
		".husky/", ".githooks/", ".git-hooks/", ".huskyrc", ".huskyrc.*", ".lefthook/", ".lefthook-local/", "lefthook.*",
		".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".pre-commit-config.yaml", ".pre-commit-config.yml",
		".pre-commit-hooks.yaml", ".lintstagedrc", ".lintstagedrc.*", "lint-staged.config.*", ".overcommit.yml",
		".simple-git-hooks.*", "simple-git-hooks.*",
	}},
	{"it names the programs that git filters and merges files with", "Git and other version control", []string{".gitattributes"}},
	{"it names where git fetches code from", "Git and other version control", []string{".gitmodules"}},
	{"Mercurial or Subversion runs hooks and programs named here", "Git and other version control", []string{
		".hg/", ".hgrc", ".subversion/",
	}},

	{"a continuous integration service runs it", "Pushing", []string{
		".github/workflows/", ".github/actions/", ".gitea/workflows/", ".gitea/actions/", ".forgejo/workflows/", ".forgejo/actions/",
		".gitlab-ci.yml", ".gitlab-ci.yaml", "*.gitlab-ci.yml", ".gitlab-ci/", ".gitlab/ci/", ".circleci/", "Jenkinsfile",
		"Jenkinsfile.*", "*.jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", "azure-pipelines*.yml", ".azure-pipelines/",
		".azuredevops/", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", ".drone.yaml", ".drone.star", ".drone.jsonnet",
		".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/", ".buildkite/", "appveyor.yml", ".appveyor.yml", ".cirrus.yml",
		".cirrus.star", ".semaphore/", ".teamcity/", "cloudbuild.yaml", "cloudbuild.yml", "buildspec.yml", "codemagic.yaml",
		"wercker.yml", ".builds/", ".build.yml", ".tekton/", ".harness/", "netlify.toml", "vercel.json",
	}},

	{"its scripts run at an install, a build or a commit", "Installing and building", []string{
		"package.json", "package.json5", "package.yaml", "composer.json", "deno.json", "deno.jsonc",
	}},
	{"it names programs that an install runs, or where packages come from", "Installing and building", []string{
		".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases/", ".yarn/plugins/", ".pnpmfile.cjs", ".pnpmfile.js", "pnpm-workspace.yaml",
		".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "bunfig.toml", ".bunfig.toml", "pip.conf", ".pip/", ".gemrc", ".condarc",
	}},
	{"every build runs the programs it names", "Installing and building", []string{
		".cargo/config", ".cargo/config.toml", ".bazelrc", "user.bazelrc", "tools/bazel", ".buckconfig", ".mvn/",
		"gradle-wrapper.properties", "gradle-wrapper.jar", ".gradle/init.d/", "init.gradle", ".gradle/gradle.properties",
	}},
	{"Python runs it at start", "Starting a program", []string{
		"sitecustomize.py", "usercustomize.py", "site-packages/*.pth", "dist-packages/*.pth", ".pythonrc", ".pythonrc.py", ".pdbrc",
		".ipython/", ".jupyter/",
	}},
	{"a program that many start runs it", "Starting a program", []string{
		".gdbinit", ".config/gdb/", ".lldbinit", ".Rprofile", ".irbrc", ".pryrc", ".psqlrc", ".sqliterc", ".tmux.conf", ".config/tmux/",
		".screenrc", ".wezterm.lua", ".ghci", ".iex.exs", ".inputrc", ".curlrc", ".wgetrc",
	}},

	{"the shell runs it at start", "Logging in", []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bashrc.d/", ".profile", ".zshrc", ".zshrc.d/", ".zshenv",
		".zprofile", ".zlogin", ".config/zsh/", ".oh-my-zsh/", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", "fish/config.fish",
		".config/fish/", ".config/nushell/", ".config/powershell/", "*_profile.ps1", "profile.ps1", ".xonshrc", ".config/starship.toml",
	}},
	{"the shell runs it at the end", "Logging in", []string{".bash_logout", ".zlogout", ".logout"}},
	{"the session runs it at login", "Logging in", []string{
		".xinitrc", ".xsession", ".xsessionrc", ".xprofile", ".pam_environment", ".config/environment.d/", ".config/autostart/",
		".config/systemd/", ".local/share/systemd/", ".local/share/applications/", ".local/share/dbus-1/", ".config/i3/",
		".config/sway/", ".config/hypr/", "Library/LaunchAgents/", "Library/LaunchDaemons/",
	}},
	{"programs here are found before the system's", "Logging in", []string{".local/bin/", "/usr/local/bin/", "/usr/local/sbin/"}},
	{"it says who may log in and what runs then", "Logging in", []string{".ssh/"}},
	{"GnuPG runs the programs it names", "Logging in", []string{".gnupg/"}},
	{"the system runs it, or what it names", "The system", []string{
		"/etc/", "/var/spool/cron/", "/var/spool/at/", "/lib/systemd/", "/usr/lib/systemd/", "/Library/LaunchAgents/",
		"/Library/LaunchDaemons/", "/private/etc/", "/private/var/at/",
	}},
}
