#!/bin/sh
# Takes the pictures of docs/editors/neovim.md anew. Needs tmux, node and a
# Chromium.
set -eu
cd "$(dirname "$0")/../../.."
editors/nvim/test/screen.sh 110x30
node=node
[ -x .tools/node/bin/node ] && node=.tools/node/bin/node
mkdir -p docs/editors/img
for pair in asked:review terminal:terminal diff:diff; do
	for screen in editors/nvim/test/out/screen/nvim-110x30-*-"${pair%:*}".ansi; do
		"$node" editors/nvim/test/picture.mjs "$screen" "docs/editors/img/neovim-${pair#*:}.png"
	done
done
