#!/bin/sh
# Installs ripgrep, which the tool grep looks with where it is there, for the tests
# that compare all ways of searching. It needs root and apt; elsewhere install the
# package of that name.
set -eu

if [ -x /usr/bin/rg ] || [ -x /bin/rg ] || command -v rg >/dev/null 2>&1; then
	echo "install-ripgrep: already there"
	exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "install-ripgrep: this needs root and apt-get; install the package ripgrep" >&2
	exit 1
fi
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install ripgrep >/dev/null
rg --version >/dev/null
echo "install-ripgrep: $(rg --version | head -n 1)"
