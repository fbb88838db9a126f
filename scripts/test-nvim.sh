#!/bin/sh
# Runs the tests of the Neovim plugin, each file in a Neovim of its own, on the
# newest and on the oldest that is supported, against the built bridge.
#
#   scripts/test-nvim.sh              all of them, and the story of screen.sh
#   scripts/test-nvim.sh review       files whose name holds the word
#
# TEST_ONLY="words" runs only tests whose name holds them. Where a Neovim cannot
# be installed its tests are left out and named; with CI=true that is a failure.
set -u
cd "$(dirname "$0")/.."
word=${1:-}
out=editors/nvim/test/out
mkdir -p "$out"

[ -x bin/drawbridge ] || {
	echo "test-nvim: bin/drawbridge is missing; run make build" >&2
	exit 1
}
if [ ! -x .tools/nvim/newest/usr/bin/nvim ] || [ ! -x .tools/nvim/0.10/usr/bin/nvim ]; then
	[ "$(id -u)" = 0 ] && scripts/install-nvim.sh
fi

# The story on a real screen is played in tmux.
if ! command -v tmux >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install tmux; } >/dev/null || true
fi

failed=0
ran=0

# Without its tags :help finds nothing, and no installation makes them.
check_tags() {
	fresh=$(mktemp -d)
	cp editors/nvim/doc/*.txt "$fresh"
	"$1" --clean --headless -c "helptags $fresh" -c qall >/dev/null 2>&1
	if cmp -s "$fresh/tags" editors/nvim/doc/tags; then
		echo "ok      help tags"
	else
		failed=1
		echo "FAILED  help tags: editors/nvim/doc/tags is stale; run :helptags editors/nvim/doc"
	fi
	rm -rf "$fresh"
}

for version in newest 0.10; do
	nvim=$PWD/.tools/nvim/$version/usr/bin/nvim
	if ! "$nvim" --version >/dev/null 2>&1; then
		echo "test-nvim: left out: Neovim $version is not installed (scripts/install-nvim.sh needs Debian and root)"
		[ "${CI:-}" = true ] && failed=1
		continue
	fi
	[ -z "$word" ] && check_tags "$nvim"
	for file in editors/nvim/test/*"$word"*_test.lua; do
		[ -e "$file" ] || continue
		log=$out/$(basename "$file" .lua)-$version.tap
		ran=$((ran + 1))
		if timeout -k 10 1800 "$nvim" --clean --headless -n -l "$file" >"$log" 2>&1; then
			echo "ok      $version  $(basename "$file") ($(grep -c '^ok ' "$log") tests)"
		else
			failed=1
			echo "FAILED  $version  $(basename "$file")"
			sed 's/^/    /' "$log"
		fi
	done
done

case ${word:-screen} in
*screen*)
	ran=$((ran + 1))
	if [ -x .tools/nvim/newest/usr/bin/nvim ]; then
		timeout -k 10 1200 editors/nvim/test/screen.sh || failed=1
	fi
	;;
esac
if [ "$ran" = 0 ] && [ -n "$word" ]; then
	echo "test-nvim: no test file is called like $word" >&2
	exit 1
fi
exit $failed
