#!/bin/sh
# Puts a VS Code workbench for browsers into .tools/code-server, for the
# end-to-end tests of the extension, and sees to a Chromium to show it in.
#
# Nothing is compiled: what the tests use comes prebuilt inside the packages.
# What only slows down the start of a workbench, or fills the disk, is taken
# out again.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-$root/.tools/code-server}
version=4.139.1

# Chromium without a window draws the same and costs less.
browser() {
	for name in chromium-headless-shell chromium chromium-browser google-chrome; do
		if command -v "$name" >/dev/null 2>&1; then
			command -v "$name"
			return
		fi
	done
	return 1
}

if ! browser >/dev/null; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		echo "install-code-server: no Chromium; install one, or run this as root where there is apt-get" >&2
		exit 1
	fi
	apt-get -qq update
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install \
		chromium-headless-shell fonts-dejavu-core >/dev/null
	browser >/dev/null
fi

entry=node_modules/code-server/out/node/entry.js
if [ "$(cat "$prefix/version" 2>/dev/null)" = "$version" ] && [ -f "$prefix/$entry" ]; then
	echo "install-code-server: already in $prefix"
	exit 0
fi
"$root/scripts/install-node.sh"
PATH=$root/.tools/node/bin:$PATH

mkdir -p "$(dirname "$prefix")"
work=$(mktemp -d "$(dirname "$prefix")/code-server.XXXXXX")
trap 'rm -rf "$work"' EXIT
quiet="--silent --no-audit --no-fund --ignore-scripts"
echo '{"private":true}' >"$work/package.json"
# The workbench and its extensions carry shrink-wraps of their own.
npm install --prefix "$work" $quiet "code-server@$version"
vscode=$work/node_modules/code-server/lib/vscode
(cd "$vscode" && npm install --omit=dev $quiet)
(cd "$vscode/extensions" && npm install --omit=dev $quiet && node postinstall.mjs >/dev/null)

for left in node_modules/@github node_modules/@microsoft/mxc-sdk extensions/copilot \
	extensions/mermaid-markdown-features extensions/mermaid-chat-features extensions/github \
	extensions/github-authentication extensions/microsoft-authentication extensions/tunnel-forwarding \
	extensions/ms-vscode.js-debug extensions/ms-vscode.js-debug-companion \
	extensions/ms-vscode.vscode-js-profile-table; do
	rm -rf "${vscode:?}/$left"
done
node "$work/$entry" --version >/dev/null
echo "$version" >"$work/version"
rm -rf "$prefix"
mv "$work" "$prefix"
echo "install-code-server: in $prefix"
