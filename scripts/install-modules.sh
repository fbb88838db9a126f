#!/bin/sh
# Puts the packages that the editor extension is built and tested with into
# editors/vscode/node_modules, exactly as its lock file names them. The lock
# names no host: they come from the registry that npm is set up with. No
# package runs a script of its own while it is installed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
extension=$root/editors/vscode
installed=$extension/node_modules/.installed

if cmp -s "$extension/package-lock.json" "$installed"; then
	echo "install-modules: already in $extension/node_modules"
	exit 0
fi
command -v npm >/dev/null 2>&1 || {
	echo "install-modules: npm is missing" >&2
	exit 1
}
cd "$extension"
npm ci --silent --no-audit --no-fund --ignore-scripts
cp package-lock.json "$installed"
echo "install-modules: in $extension/node_modules"
