#!/bin/sh
# Runs stats.sh on known numbers. Exit code 1 when anything is wrong.
cd "$(dirname "$0")" || exit 1
failed=0

check() {
    want=$1
    shift
    got=$(sh ./stats.sh "$@")
    if [ "$got" = "$want" ]; then
        echo "ok    $* = $got"
    else
        echo "FAIL  $* = $got, want $want"
        failed=1
    fi
    sleep 0.3
}

check 10 sum 1 2 3 4
check 3 mean 2 3 4
check 9 largest 4 9 2
[ "$failed" = 0 ] && echo "all tests pass"
exit "$failed"
