#!/bin/sh
# Installs what the tests use beyond Go, git and a shell, into .tools. What
# cannot be installed is named, and the tests that need it say so when they are
# skipped; where CI=true they fail instead.
set -u
cd "$(dirname "$0")/.."

# get SCRIPT WHAT runs an installer and names what is left out if it fails.
get() {
    "scripts/$1" || echo "setup: left out $2"
}

if [ "$(uname -s)" = Linux ]; then
    get install-bubblewrap.sh "bubblewrap; the tests that run confined by it are skipped"
fi
get install-ripgrep.sh "ripgrep; what grep finds with it is compared with nothing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    get install-llama.sh "the model server; its tests are skipped"
    get install-nvim.sh "Neovim; the tests of its plugin are skipped"
    get install-plain.sh "Helix and Emacs; the tests in editors without a plugin are skipped"
else
    [ -x .tools/llama/run ] ||
        echo "setup: left out the model server (it needs Debian and root); its tests are skipped"
    [ -d .tools/plain ] ||
        echo "setup: left out Helix and Emacs (they need Debian and root); the tests in editors without a plugin are skipped"
    [ -d .tools/nvim ] ||
        echo "setup: left out the two Neovims (they need Debian and root); the plugin's tests are skipped"
fi
if get install-node.sh "Node; all tests of the VS Code extension are skipped" && [ -x .tools/node/bin/node ]; then
    get install-modules.sh "the extension's packages; all tests of the VS Code extension are skipped"
    get install-code-server.sh "the workbench; the VS Code extension's end-to-end tests are skipped"
fi
exit 0
