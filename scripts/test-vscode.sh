#!/bin/sh
# Checks the editor extension: its types, its units, its view in a browser, and
# the whole of it in a real workbench with the real bridge. Where a workbench
# cannot be installed it says what it left out; with CI=true that is a failure.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

# left_out WHAT ends the script: nothing after it could run.
left_out() {
	echo "test-vscode: left out $1" >&2
	[ "${CI:-}" = true ] && exit 1
	exit 0
}

"$root/scripts/install-node.sh" || left_out "everything: there is no Node"
"$root/scripts/install-modules.sh" || left_out "everything: the extension's packages cannot be installed"
PATH=$root/.tools/node/bin:$PATH

cd "$root/editors/vscode"
for project in . src/webview test; do
	node node_modules/typescript/bin/tsc -p "$project" --noEmit
done
node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON --test --test-reporter=dot 'test/unit/*.test.ts'

"$root/scripts/install-code-server.sh" || left_out "the end-to-end tests: there is no workbench to run them in"
node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON test/webview-harness/run.ts
"$root/scripts/vsix.sh"
node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON test/e2e/run.ts
