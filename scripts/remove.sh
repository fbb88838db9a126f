#!/bin/sh
# Removes folders in which a bridge that is leaving may still write its last
# lines, as it does when its editor has gone already: until they stay removed,
# for 10 s at most.
#
#   scripts/remove.sh FOLDER…
set -eu
i=0
until rm -rf "$@" 2>/dev/null; do
	i=$((i + 1))
	if [ "$i" -gt 100 ]; then
		echo "remove: something keeps writing in $*" >&2
		exit 1
	fi
	sleep 0.1
done
