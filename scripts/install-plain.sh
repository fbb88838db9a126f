#!/bin/sh
# Puts two editors into .tools/plain that speak the Language Server Protocol and
# have no plugin of ours: Helix, and Emacs with its eglot, as Debian unstable has
# them. Their packages are unpacked, not installed: the system's own libraries,
# package database and programs stay as they are. Each is started by a file of its
# name (hx, emacs) through the loader that came with it.
#
# It needs root, apt and a Debian mirror.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-$root/.tools/plain}

runs() { "$prefix/$1" --version >/dev/null 2>&1; }

if runs hx && runs emacs; then
	echo "install-plain: already in $prefix"
	exit 0
fi
for tool in apt-get dpkg; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "install-plain: $tool is missing; this script needs Debian or a relative of it" >&2
		exit 1
	}
done

# The mirror is the one this machine already uses.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
	awk '/^(URIs:|deb )/ { for (i = 2; i <= NF; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }')
if [ -z "$mirror" ]; then
	echo "install-plain: no Debian archive among apt's sources" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# apt gets a world of its own: one source, an empty package database, so that
# every dependency down to the C library is fetched as well.
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sources.list"
isolated_apt() {
	apt-get -qq -y \
		-o Dir::Etc::sourcelist="$work/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::lists="$work/lists" \
		-o Dir::State::status="$work/status" \
		-o Dir::Cache="$work/cache" \
		-o APT::Install-Recommends=false \
		-o APT::Sandbox::User=root \
		-o Acquire::Languages=none \
		-o Acquire::Retries=3 \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		"$@" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
}
isolated_apt update
isolated_apt --download-only install hx emacs-nox

# Merged /usr comes first, so that what packages put into /lib lands under usr.
staged=$work/prefix
for dir in bin sbin lib lib64; do
	mkdir -p "$staged/usr/$dir"
	ln -s "usr/$dir" "$staged/$dir"
done
for deb in "$work"/cache/archives/*.deb; do
	dpkg -x "$deb" "$staged"
done

cat >"$staged/hx" <<'RUN'
#!/bin/sh
prefix=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$(find "$prefix/usr/lib" -name libc.so.6 | head -n 1)")
export HELIX_RUNTIME="$prefix/usr/lib/hx/runtime"
exec "$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)" --library-path "$lib" "$prefix/usr/lib/hx/hx" "$@"
RUN
cat >"$staged/emacs" <<'RUN'
#!/bin/sh
prefix=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$(find "$prefix/usr/lib" -name libc.so.6 | head -n 1)")
dump=$(find "$prefix/usr/libexec/emacs" -name '*.pdmp' | head -n 1)
version=$(basename "$(dirname "$(dirname "$dump")")")
export EMACSLOADPATH="$prefix/usr/share/emacs/$version/lisp:" EMACSDATA="$prefix/usr/share/emacs/$version/etc"
export EMACSPATH="$(dirname "$dump")"
exec "$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)" --library-path "$lib:$prefix/usr/lib" \
	"$prefix/usr/bin/emacs-nox" --dump-file="$dump" "$@"
RUN
chmod 755 "$staged/hx" "$staged/emacs"
mkdir -p "$(dirname "$prefix")"
rm -rf "${prefix:?}"
mv "$staged" "$prefix"
for editor in hx emacs; do
	runs "$editor" || {
		echo "install-plain: the unpacked $editor does not start:" >&2
		"$prefix/$editor" --version >&2 || true
		exit 1
	}
	echo "install-plain: $("$prefix/$editor" --version 2>/dev/null | head -n 1) in $prefix"
done
