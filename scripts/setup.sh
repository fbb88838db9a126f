#!/bin/sh
# Installs what the tests use beyond Go, git and a shell, into .tools. What
# cannot be installed is named, and the tests that need it say so when they are
# skipped; where CI=true they fail instead.
set -u
cd "$(dirname "$0")/.."
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    scripts/install-llama.sh || echo "setup: left out the model server; its tests are skipped"
elif [ ! -x .tools/llama/run ]; then
    echo "setup: left out the model server (it needs Debian and root); its tests are skipped"
fi
exit 0
