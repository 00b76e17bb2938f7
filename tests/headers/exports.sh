#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh INCLUDE_FOLDER LIBRARY...: the libraries together give what the headers declare and nothing else.
set -u
include=$1
shift
pass=0 fail=0
check() { # check WHAT LIST: the list must be empty
  if [ -z "$2" ]; then pass=$((pass + 1)); else
    fail=$((fail + 1))
    printf 'FAIL: %s:\n%s\n' "$1" "$2"
  fi
}

given=$(nm -D --defined-only "$@" | awk 'NF == 3 { print $3 }' | sed 's/@.*//' | sort -u)
declared=$(cat "$include"/shoal/*.h | tr '\n' ' ' | grep -o 'SHOAL_API[^;]*;' | grep -v 'define' |
  sed 's/(.*//; s/.*[ *]//' | sort -u)
if [ -z "$given" ] || [ -z "$declared" ]; then
  echo "FAIL: nothing to compare"
  fail=1
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '%s\n' "$given" >"$work/given"
printf '%s\n' "$declared" >"$work/declared"
check "exported without the prefix" "$(grep -v '^shoal_' "$work/given")"
check "exported, in no header" "$(comm -23 "$work/given" "$work/declared")"
check "in a header, not exported" "$(comm -13 "$work/given" "$work/declared")"
echo "Pass: $pass, fail: $fail, skip: 0."
[ "$fail" = 0 ]
