#!/bin/sh
# Puts a real llama.cpp server into .tools/llama, for the tests of package
# model. The packages are unpacked, not installed: the system's own libraries,
# package database and start-up scripts stay as they are.
#
# It needs root, apt and a Debian mirror that carries unstable, whose
# llama.cpp-tools speaks all three wire formats. The server is started through
# the loader that came with it (see the run file), so the machine's C library
# may be older than the server wants.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-$root/.tools/llama}

if [ -x "$prefix/run" ] && "$prefix/run" --version >/dev/null 2>&1; then
	echo "install-llama: already in $prefix"
	exit 0
fi
for tool in apt-get dpkg; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "install-llama: $tool is missing; this script needs Debian or a relative of it" >&2
		exit 1
	}
done

# The mirror is the one this machine already uses.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
	awk '/^(URIs:|deb )/ { for (i = 2; i <= NF; i++) if ($i ~ /\/debian\/?$/) { print $i; exit } }')
if [ -z "$mirror" ]; then
	echo "install-llama: no Debian archive among apt's sources" >&2
	exit 1
fi

# apt gets a world of its own: one source, an empty package database, so that
# every dependency down to the C library is fetched as well.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sources.list"

isolated_apt() {
	apt-get -qq \
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
		"$@"
}
isolated_apt update
isolated_apt -y --download-only install llama.cpp-tools >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}

# Merged /usr comes first, so that what packages put into /lib lands under usr.
staged=$work/prefix
for dir in bin sbin lib lib64; do
	mkdir -p "$staged/usr/$dir"
	ln -s "usr/$dir" "$staged/$dir"
done
for deb in "$work"/cache/archives/*.deb; do
	dpkg -x "$deb" "$staged"
done

# The loader is named by hand because the system's may be too old. The server
# looks for its CPU backends in its working directory, so run changes into the
# folder that has them: give it absolute paths.
cat >"$staged/run" <<'RUN'
#!/bin/sh
prefix=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$(find "$prefix/usr/lib" -name 'libllama.so.*' | head -n 1)")
loader=$(find "$prefix/usr/lib" "$prefix/usr/lib64" -maxdepth 2 -name 'ld-linux*.so.*' | head -n 1)
cd "$(dirname "$(find "$prefix/usr/lib" -name 'libggml-cpu*.so' | head -n 1)")" || exit 1
exec "$loader" --library-path "$lib:$lib/llama" "$prefix/usr/bin/llama-server" "$@"
RUN
chmod 755 "$staged/run"
"$staged/run" --version >/dev/null 2>&1 || {
	echo "install-llama: the unpacked server does not start:" >&2
	"$staged/run" --version >&2 || true
	exit 1
}

mkdir -p "$(dirname "$prefix")"
rm -rf "$prefix"
mv "$staged" "$prefix"
echo "install-llama: in $prefix"
