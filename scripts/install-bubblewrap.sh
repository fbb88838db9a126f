#!/bin/sh
# Installs bubblewrap, which confines commands on Linux, for the tests of the
# sandbox. It needs root and apt; elsewhere install the package of that name.
set -eu

if [ -x /usr/bin/bwrap ] || [ -x /bin/bwrap ]; then
	echo "install-bubblewrap: already there"
	exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "install-bubblewrap: this needs root and apt-get; install the package bubblewrap" >&2
	exit 1
fi
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install bubblewrap >/dev/null
/usr/bin/bwrap --version >/dev/null
echo "install-bubblewrap: $(/usr/bin/bwrap --version)"
