#!/bin/sh
# Puts two Neovims into .tools/nvim for the tests of the plugin: "newest", as
# Debian unstable has it, and "0.10", the oldest the plugin supports. Their
# packages are unpacked, not installed: the system's own libraries, package
# database and programs stay as they are.
#
# It needs root, apt and a Debian mirror. Both programs bring their own C
# library, so the machine's may be older than they want.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-$root/.tools/nvim}

runs() { "$prefix/$1/usr/bin/nvim" --clean --headless -l /dev/null >/dev/null 2>&1; }

if runs newest && runs 0.10; then
	echo "install-nvim: already in $prefix"
	exit 0
fi
for tool in apt-get dpkg; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "install-nvim: $tool is missing; this script needs Debian or a relative of it" >&2
		exit 1
	}
done

# The mirror is the one this machine already uses.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
	awk '/^(URIs:|deb )/ { for (i = 2; i <= NF; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }')
if [ -z "$mirror" ]; then
	echo "install-nvim: no Debian archive among apt's sources" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch SUITE PACKAGE unpacks a package with all it depends on, down to the C
# library, into $work/SUITE. apt gets a world of its own for it: one source and
# an empty package database.
fetch() {
	world=$work/apt-$1
	mkdir -p "$world/lists/partial" "$world/cache/archives/partial"
	: >"$world/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$world/sources.list"
	for step in "update" "--download-only install $2"; do
		# shellcheck disable=SC2086 # a step is several words
		apt-get -qq -y \
			-o Dir::Etc::sourcelist="$world/sources.list" \
			-o Dir::Etc::sourceparts=/dev/null \
			-o Dir::Etc::preferences=/dev/null \
			-o Dir::Etc::preferencesparts=/dev/null \
			-o Dir::State::lists="$world/lists" \
			-o Dir::State::status="$world/status" \
			-o Dir::Cache="$world/cache" \
			-o APT::Install-Recommends=false \
			-o APT::Sandbox::User=root \
			-o Acquire::Languages=none \
			-o Acquire::Retries=3 \
			-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
			$step >"$work/log" 2>&1 || {
			cat "$work/log" >&2
			exit 1
		}
	done
	# Merged /usr comes first, so that what packages put into /lib lands under usr.
	for dir in bin sbin lib lib64; do
		mkdir -p "$work/$1/usr/$dir"
		[ -e "$work/$1/$dir" ] || ln -s "usr/$dir" "$work/$1/$dir"
	done
	for deb in "$world"/cache/archives/*.deb; do
		dpkg -x "$deb" "$work/$1"
	done
}

# place SUITE NAME moves an unpacked Neovim to where it stays and makes it find
# its own loader and libraries there; its runtime files it finds by itself.
place() {
	libs=$(dirname "$(find "$work/$1/usr/lib" -name 'libc.so.6' | head -n 1)")
	loader=$(find "$work/$1/usr/lib" "$work/$1/usr/lib64" -maxdepth 2 -name 'ld-linux*.so.*' | head -n 1)
	mkdir -p "$prefix"
	rm -rf "${prefix:?}/$2"
	mv "$work/$1" "$prefix/$2"
	"$work/patchelf/run" --force-rpath \
		--set-interpreter "$prefix/$2${loader#"$work/$1"}" \
		--set-rpath "$prefix/$2${libs#"$work/$1"}:$prefix/$2/usr/lib" \
		"$prefix/$2/usr/bin/nvim"
	runs "$2" || {
		echo "install-nvim: the unpacked Neovim $2 does not start:" >&2
		"$prefix/$2/usr/bin/nvim" --version >&2 || true
		exit 1
	}
	echo "install-nvim: $("$prefix/$2/usr/bin/nvim" --version | head -n 1) in $prefix/$2"
}

# patchelf is used through the loader it came with, like everything here.
fetch trixie "neovim patchelf"
mkdir "$work/patchelf"
cat >"$work/patchelf/run" <<'RUN'
#!/bin/sh
dir=$(cd "$(dirname "$0")" && pwd)
exec "$dir/ld.so" --library-path "$dir" "$dir/patchelf" "$@"
RUN
chmod 755 "$work/patchelf/run"
cp "$work/trixie/usr/bin/patchelf" "$work/patchelf/"
cp -L "$(find "$work/trixie/usr/lib" "$work/trixie/usr/lib64" -maxdepth 2 -name 'ld-linux*.so.*' | head -n 1)" "$work/patchelf/ld.so"
cp -L "$(dirname "$(find "$work/trixie/usr/lib" -name libc.so.6 | head -n 1)")"/lib*.so.* "$work/patchelf/" 2>/dev/null || true
fetch sid neovim
place trixie 0.10
place sid newest
