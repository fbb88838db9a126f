#!/bin/sh
# Runs every fuzz target for FUZZTIME (default 10m), one after the other.
set -eu
cd "$(dirname "$0")/.."
grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
    dir=$(dirname "$file")
    sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r target; do
        echo "== $dir $target for ${FUZZTIME:-10m}"
        go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10m}" </dev/null
    done
done
