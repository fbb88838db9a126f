#!/bin/sh
# Runs the built bridge in real editors that have no plugin of ours: Helix on a
# real screen, Emacs with eglot, and Neovim with nothing but its language client.
#
#   scripts/test-plain.sh           all of them
#   scripts/test-plain.sh helix     only one: helix, eglot, nvim
#
# An editor that cannot be installed is left out and named; with CI=true that is
# a failure.
set -u
cd "$(dirname "$0")/.."
root=$PWD
only=${1:-}
bridge=$root/bin/drawbridge
[ -x "$bridge" ] || {
	echo "test-plain: bin/drawbridge is missing; run make build" >&2
	exit 1
}
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	scripts/install-plain.sh >/dev/null || true
	[ -x .tools/nvim/newest/usr/bin/nvim ] || scripts/install-nvim.sh >/dev/null || true
	command -v tmux >/dev/null 2>&1 ||
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install tmux; } >/dev/null || true
fi

work=$(mktemp -d)
trap 'scripts/remove.sh "$work"' EXIT
failed=0

# stage NAME makes a workspace, a home, and a model that changes two places, and
# then one more.
stage() {
	mkdir -p "$work/$1/ws/.git" "$work/$1/home/.config/drawbridge"
	printf 'one\n2\n3\n4\n5\n6\n7\n8\nnine\n' >"$work/$1/ws/a.txt"
	echo "model: script:$work/$1/script.txt" >"$work/$1/home/.config/drawbridge/config.yaml"
	cat >"$work/$1/script.txt" <<'SCRIPT'
call c1 write_file {"file_path":"a.txt","content":"ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\nten\n"}
----
want c1 "1 of 2 hunks applied"
text "Changed as you chose."
----
call c2 edit_file {"file_path":"a.txt","old_string":"5\n","new_string":"five\n"}
----
text "Left alone."
SCRIPT
}

# story NAME EDITOR COMMAND… plays one, at most ten minutes long; no bridge may be
# left behind.
story() {
	name=$1 editor=$2
	shift 2
	[ -z "$only" ] || [ "$only" = "${name%%-*}" ] || return 0
	if ! "$editor" --version >/dev/null 2>&1 || ! command -v tmux >/dev/null 2>&1; then
		echo "test-plain: left out: $name is not installed (scripts/install-plain.sh needs Debian and root)"
		[ "${CI:-}" = true ] && failed=1
		return 0
	fi
	stage "$name"
	home=$work/$name/home
	if (cd "$work/$name/ws" && env HOME="$home" XDG_CONFIG_HOME="$home/.config" XDG_STATE_HOME="$home/state" \
		XDG_CACHE_HOME="$home/cache" XDG_DATA_HOME="$home/data" TMUX_TMPDIR="$work" BRIDGE="$bridge" LC_ALL=C.UTF-8 \
		timeout -k 10 600 "$@") >"$work/$name.log" 2>&1 && nothing_left "$name"; then
		echo "ok      $name"
	else
		failed=1
		echo "FAILED  $name"
		sed 's/^/    /' "$work/$name.log"
	fi
}

# nothing_left waits for the bridge of a story to end.
nothing_left() {
	i=0
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		left=
		for process in /proc/[0-9]*; do
			case $(readlink "$process/exe" 2>/dev/null) in
			"$bridge"*) [ "$(readlink "$process/cwd" 2>/dev/null)" = "$work/$1/ws" ] && left=$process ;;
			esac
		done
		[ -z "$left" ] && return 0
		sleep 0.1
	done
	echo "test-plain: the bridge of $1 still runs: $left" >>"$work/$1.log"
	return 1
}

story helix .tools/plain/hx "$root/editors/plain/test/helix.sh" "$root/.tools/plain/hx" "$bridge" "$work/helix"
story eglot .tools/plain/emacs "$root/.tools/plain/emacs" -Q --batch -l "$root/editors/plain/test/eglot.el"
for version in newest 0.10; do
	story nvim-$version .tools/nvim/$version/usr/bin/nvim \
		"$root/.tools/nvim/$version/usr/bin/nvim" --clean --headless -n -l "$root/editors/plain/test/nvim.lua"
done
exit $failed
