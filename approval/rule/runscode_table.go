package rule

// runsCode lists what runs without being named. What a command reads that
// somebody names (Makefile, build.rs, setup.py, conftest.py, the configuration
// of a linter) is not listed: who lets that command run lets it run what it
// reads.
var runsCode = []fileRow{
	{why: "it steers what this agent may do", group: "This agent", names: []string{".drawbridge/"}},
	{why: "it steers what this agent may read", group: "This agent", names: []string{".drawbridgeignore"}},
	{why: "an agent runs the hooks and servers it names", group: "Other agents", names: []string{
		".mcp.json", "mcp.json", ".claude/", ".claude.json", ".cursor/mcp.json", ".cursor/hooks.json", ".cursor/environment.json",
		".cursor/worktrees.json", ".codex/", ".gemini/", ".qwen/", ".opencode/", "opencode.json", "opencode.jsonc", ".crush.json",
		"crush.json", ".continue/", ".roo/", ".kiro/", ".windsurf/", ".codeium/", ".amazonq/", ".config/goose/", ".aider.conf.yml",
	}},

	{why: "the editor runs tasks, programs and servers named here", group: "Opening a folder", names: []string{
		".vscode/", "*.code-workspace", ".vscode-server/", ".config/Code/", ".config/VSCodium/", ".config/Cursor/",
		"Library/Application Support/Code/", ".idea/", ".fleet/", ".zed/", ".config/zed/", ".helix/", ".config/helix/",
		"*.sublime-project", ".theia/",
	}},
	{why: "the editor runs it when the folder or a file opens", group: "Opening a folder", names: []string{
		".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".gvimrc", "_vimrc", ".lvimrc", ".vim/", ".ideavimrc", ".config/nvim/",
		".local/share/nvim/", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.el", ".emacs.d/", ".config/emacs/", ".nanorc",
	}},
	{why: "the editor runs its commands", group: "Opening a folder", names: []string{
		".devcontainer/", ".devcontainer.json", ".gitpod.yml", ".gitpod/", ".codesandbox/", ".stackblitzrc", ".replit", "devfile.yaml",
	}},
	{why: "direnv runs it on entering the folder", group: "Entering a folder", names: []string{".envrc", ".config/direnv/"}},
	{why: "mise runs its hooks on entering the folder", group: "Entering a folder", names: []string{
		"mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", ".mise/", "mise/config.toml", ".config/mise.toml", ".config/mise/",
		".rtx.toml",
	}},
	{why: "the shell runs it on entering the folder", group: "Entering a folder", names: []string{".autoenv", ".autoenv.zsh"}},

	{why: "git runs hooks and programs named here", group: "Git and other version control", names: []string{
		".git", ".git/", ".gitconfig", ".config/git/", ".jj/", ".jjconfig.toml", ".config/jj/",
	}},
	{why: "git runs these hooks", group: "Git and other version control", names: []string{
		".husky/", ".githooks/", ".git-hooks/", ".huskyrc", ".huskyrc.*", ".lefthook/", ".lefthook-local/", "lefthook.*",
		".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".pre-commit-config.yaml", ".pre-commit-config.yml",
		".pre-commit-hooks.yaml", ".lintstagedrc", ".lintstagedrc.*", "lint-staged.config.*", ".overcommit.yml",
		".simple-git-hooks.*", "simple-git-hooks.*",
	}},
	{why: "it names the programs that git filters and merges files with", group: "Git and other version control", names: []string{".gitattributes"}},
	{why: "it names where git fetches code from", group: "Git and other version control", names: []string{".gitmodules"}},
	{why: "Mercurial or Subversion runs hooks and programs named here", group: "Git and other version control", names: []string{
		".hg/", ".hgrc", ".subversion/",
	}},

	{why: "a continuous integration service runs it", group: "Pushing", names: []string{
		".github/workflows/", ".github/actions/", ".gitea/workflows/", ".gitea/actions/", ".forgejo/workflows/", ".forgejo/actions/",
		".gitlab-ci.yml", ".gitlab-ci.yaml", "*.gitlab-ci.yml", ".gitlab-ci/", ".gitlab/ci/", ".circleci/", "Jenkinsfile",
		"Jenkinsfile.*", "*.jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", "azure-pipelines*.yml", ".azure-pipelines/",
		".azuredevops/", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", ".drone.yaml", ".drone.star", ".drone.jsonnet",
		".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/", ".buildkite/", "appveyor.yml", ".appveyor.yml", ".cirrus.yml",
		".cirrus.star", ".semaphore/", ".teamcity/", "cloudbuild.yaml", "cloudbuild.yml", "buildspec.yml", "codemagic.yaml",
		"wercker.yml", ".builds/", ".build.yml", ".tekton/", ".harness/", "netlify.toml", "vercel.json",
	}},

	{why: "its scripts run at an install, a build or a commit", group: "Installing and building", names: []string{
		"package.json", "package.json5", "package.yaml", "composer.json", "deno.json", "deno.jsonc",
	}},
	{why: "it names programs that an install runs, or where packages come from", group: "Installing and building", names: []string{
		".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases/", ".yarn/plugins/", ".pnpmfile.cjs", ".pnpmfile.js", "pnpm-workspace.yaml",
		".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "bunfig.toml", ".bunfig.toml", "pip.conf", ".pip/", ".gemrc", ".condarc",
	}},
	{why: "every build runs the programs it names", group: "Installing and building", names: []string{
		".cargo/config", ".cargo/config.toml", ".bazelrc", "user.bazelrc", "tools/bazel", ".buckconfig", ".mvn/",
		"gradle-wrapper.properties", "gradle-wrapper.jar", ".gradle/init.d/", "init.gradle", ".gradle/gradle.properties",
	}},
	{why: "Python runs it at start", group: "Starting a program", names: []string{
		"sitecustomize.py", "usercustomize.py", "site-packages/*.pth", "dist-packages/*.pth", ".pythonrc", ".pythonrc.py", ".pdbrc",
		".ipython/", ".jupyter/",
	}},
	{why: "a program that many start runs it", group: "Starting a program", names: []string{
		".gdbinit", ".config/gdb/", ".lldbinit", ".Rprofile", ".irbrc", ".pryrc", ".psqlrc", ".sqliterc", ".tmux.conf", ".config/tmux/",
		".screenrc", ".wezterm.lua", ".ghci", ".iex.exs", ".inputrc", ".curlrc", ".wgetrc",
	}},

	{why: "the shell runs it at start", group: "Logging in", names: []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bashrc.d/", ".profile", ".zshrc", ".zshrc.d/", ".zshenv",
		".zprofile", ".zlogin", ".config/zsh/", ".oh-my-zsh/", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", "fish/config.fish",
		".config/fish/", ".config/nushell/", ".config/powershell/", "*_profile.ps1", "profile.ps1", ".xonshrc", ".config/starship.toml",
	}},
	{why: "the shell runs it at the end", group: "Logging in", names: []string{".bash_logout", ".zlogout", ".logout"}},
	{why: "the session runs it at login", group: "Logging in", names: []string{
		".xinitrc", ".xsession", ".xsessionrc", ".xprofile", ".pam_environment", ".config/environment.d/", ".config/autostart/",
		".config/systemd/", ".local/share/systemd/", ".local/share/applications/", ".local/share/dbus-1/", ".config/i3/",
		".config/sway/", ".config/hypr/", "Library/LaunchAgents/", "Library/LaunchDaemons/",
	}},
	{why: "programs here are found before the system's", group: "Logging in", names: []string{".local/bin/", "/usr/local/bin/", "/usr/local/sbin/"}},
	{why: "it says who may log in and what runs then", group: "Logging in", names: []string{".ssh/"}},
	{why: "GnuPG runs the programs it names", group: "Logging in", names: []string{".gnupg/"}},
	{why: "the system runs it, or what it names", group: "The system", names: []string{
		"/etc/", "/var/spool/cron/", "/var/spool/at/", "/lib/systemd/", "/usr/lib/systemd/", "/Library/LaunchAgents/",
		"/Library/LaunchDaemons/", "/private/etc/", "/private/var/at/",
	}},
}
