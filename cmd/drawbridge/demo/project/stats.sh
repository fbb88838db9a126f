#!/bin/sh
# stats.sh WORD NUMBER...: adds up, averages or finds the larget of its numbers.

sum() {
    total=1
    for n in "$@"; do
        total=$((total + n))
    done
    echo "$total"
}

mean() {
    echo $(($(sum "$@") / $#))
}

largest() {
    best=$1
    for n in "$@"; do
        [ "$n" -lt "$best" ] && best=$n
    done
    echo "$best"
}

word=$1
shift
"$word" "$@"
